"""Text broken at words for the width at hand; no word is broken that fits.

The library that does it is imported where a line is long: most commands print none.
"""

import re
from collections.abc import Sequence

from kafkasniff.render.words import cells

_COLUMN = r"^ +| {2,}"
"""What stands before a column of a line: its indentation, or more than one space."""


def paragraph(text: str, width: int, indent: str = "", hanging: str | None = None) -> str:
    """Break a text at spaces; `hanging` stands before its second line and those after it, where they differ.

    Only a word that is longer than a line is broken.
    """
    hanging = indent if hanging is None else hanging
    lines, line, empty = [], indent, True
    for word in text.split(" "):
        rest = word
        if not empty and cells(line) + 1 + cells(rest) > width:
            lines.append(line)
            line, empty = hanging, True
        if empty and line is not hanging and cells(line) + cells(rest) > width >= cells(hanging) + cells(rest):
            lines.append(line.rstrip())
            line = hanging
        while cells(line) + (not empty) + cells(rest) > width and len(rest) > 1:
            room = max(width - cells(line), 1)
            cut = next(end for end in range(min(room, len(rest)), 0, -1) if cells(rest[:end]) <= room or end == 1)
            lines.append(line + rest[:cut])
            line, rest = hanging, rest[cut:]
        line += rest if empty else f" {rest}"
        empty = False
    return "\n".join([*lines, line])


def definitions(entries: Sequence[tuple[str, str]], width: int) -> str:
    """Give names with what they mean beside them, or below those that are long."""
    names = max((len(name) for name, _ in entries if len(name) <= width // 3), default=0)
    margin = " " * (names + 4)
    lines = []
    for name, text in entries:
        if len(name) > names:
            lines += [f"  {name}", paragraph(text, width, margin)]
        else:
            lines.append(paragraph(text, width, f"  {name:<{names}}  ", margin))
    return "\n".join(lines) + "\n"


def fold(text: str, width: int | None) -> str:
    """Break the lines of a page that are longer than a terminal; None: there is none.

    What is left of a line stands below the start of its last column in the left half where its words have room.
    """
    if width is None:
        return text
    return "\n".join(line if len(line) <= width else _folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    longest = max(map(len, line.split()), default=0)
    most = min(width // 2, width - longest)
    columns = [found.end() for found in re.finditer(_COLUMN, line) if found.end() <= most]
    from textwrap import fill

    return fill(
        line,
        width,
        subsequent_indent=" " * (columns[-1] if columns else 2),
        replace_whitespace=False,
        break_on_hyphens=False,
    )
