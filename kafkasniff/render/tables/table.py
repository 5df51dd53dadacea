"""Tables for people: columns under their headings, and on a terminal never wider than it, with no word broken."""

from collections.abc import Iterator, Sequence

from kafkasniff.render.words import cells, pad, shorten_inside
from kafkasniff.render.wrapping import paragraph

GAP = "   "
_NARROW_GAP = "  "
_LEAST_TEXT = 16
"""Columns of a terminal that are left of a name when the others need room."""
_WHOLE = ("api_name", "error", "error_names", "name", "topic")
"""Columns whose texts are never cut."""
_NOTHING = ("-", "")
"""Texts that tell of no value, and of a list without any."""


def table_lines(
    names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool], width: int | None
) -> Iterator[str]:
    """Give rows of texts under the names of their columns; those that have `numbers` stand on the right.

    Where they are wider than `width` (None: nothing is too wide), names are broken at their underscores, columns that
    say nothing or the same in all rows stand once in front, and the longest texts lose their middle.
    """
    headings = [[name] for name in names]
    widths = _widths(headings, rows)
    gap = GAP
    if width is not None and rows and _total(widths, gap) > width:
        same = [number for number in range(len(names)) if len({row[number] for row in rows}) == 1]
        if len(rows) == 1:
            same = [number for number in same if rows[0][number] in _NOTHING]
        shared = [f"{names[number]} {rows[0][number]}" for number in same if rows[0][number] not in _NOTHING]
        if shared:
            yield paragraph(f"in all rows: {', '.join(shared)}", width, "", "  ")
        kept = [number for number in range(len(names)) if number not in same]
        names, numbers = [names[number] for number in kept], [numbers[number] for number in kept]
        rows = [[row[number] for number in kept] for row in rows]
        gap = _NARROW_GAP
        values = _widths([[""]] * len(names), rows)
        headings = [_folded(name, value) for name, value in zip(names, values, strict=True)]
        widths = _widths(headings, rows)
        _shrink(widths, headings, numbers, width, gap)
        if _total(widths, gap) > width:
            yield from _blocks(names, rows, width)
            return
    height = max(map(len, headings), default=0)
    # Names of fewer lines stand at the bottom.
    for texts in zip(*([""] * (height - len(each)) + each for each in headings), strict=True):
        yield _line(texts, widths, numbers, gap)
    yield "─" * _total(widths, gap)
    for row in rows:
        yield _line([shorten_inside(text, size) for text, size in zip(row, widths, strict=True)], widths, numbers, gap)


def _widths(headings: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> list[int]:
    columns = zip(*rows, strict=True) if rows else [()] * len(headings)
    return [max(map(cells, (*heading, *texts))) for heading, texts in zip(headings, columns, strict=True)]


def _total(widths: Sequence[int], gap: str) -> int:
    return sum(widths) + len(gap) * max(len(widths) - 1, 0)


def _folded(name: str, width: int) -> list[str]:
    """Break a name behind underscores into lines of that width, or of that of its longest part."""
    parts = name.replace("_", "_ ").split()
    width = max(width, *map(len, parts)) if parts else width
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def _shrink(
    widths: list[int], headings: Sequence[Sequence[str]], numbers: Sequence[bool], width: int, gap: str
) -> None:
    """Take room from the widest texts, as far as they can spare it."""
    least = [
        size if "".join(heading) in _WHOLE else max(_LEAST_TEXT, *map(cells, heading))
        for size, heading in zip(widths, headings, strict=True)
    ]
    while _total(widths, gap) > width:
        spare = [number for number in range(len(widths)) if not numbers[number] and widths[number] > least[number]]
        if not spare:
            return
        widths[max(spare, key=lambda number: widths[number])] -= 1


def _line(texts: Sequence[str], widths: Sequence[int], numbers: Sequence[bool], gap: str) -> str:
    padded = [
        " " * (size - cells(text)) + text if right else pad(text, size)
        for text, size, right in zip(texts, widths, numbers, strict=True)
    ]
    return gap.join(padded).rstrip()


def _blocks(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Give each row as a paragraph below its first text."""
    for row in rows:
        yield paragraph(row[0], width)
        said = [f"{name} {text}" for name, text in zip(names[1:], row[1:], strict=True) if text not in _NOTHING]
        yield paragraph(", ".join(said), width, "  ")
