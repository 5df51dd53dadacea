"""Text broken at words for the width at hand; no word is broken that fits.

The library that does it is imported where a line is long: most commands print none.
"""

import re
from collections.abc import Sequence

_COLUMN = re.compile(r"^ +| {2,}")
"""What stands before a column of a line: its indentation, or more than one space."""


def paragraph(text: str, width: int, indent: str = "", hanging: str | None = None) -> str:
    """Break a text at words; `hanging` stands before its second line and those after it, where they differ."""
    from textwrap import fill

    return fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=True,
        break_on_hyphens=False,
    )


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

    What is left of a line stands below the start of its last column in the left half.
    """
    if width is None:
        return text
    return "\n".join(line if len(line) <= width else _folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    columns = [found.end() for found in _COLUMN.finditer(line) if found.end() <= width // 2]
    from textwrap import fill

    return fill(
        line,
        width,
        subsequent_indent=" " * (columns[-1] if columns else 2),
        replace_whitespace=False,
        break_on_hyphens=False,
    )
