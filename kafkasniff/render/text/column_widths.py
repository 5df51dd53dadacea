"""Which columns a list has, and how wide they are: chosen once from the width of the terminal, and kept.

A longer value widens its own line alone. What a call was about comes last and takes what room is left.
"""

from typing import NamedTuple


class ColumnWidths(NamedTuple):
    """Widths of columns; 0: not shown."""

    number: int
    digits: int
    """Of a second."""
    client: int
    server: int
    client_id: int
    api: int
    correlation_id: int


TOOK = 7
"""Columns of a duration."""

WHOLE = ColumnWidths(6, 6, 21, 21, 20, 18, 6)
"""Where lines are not cut."""

_NARROWEST = ColumnWidths(4, 3, 0, 0, 10, 15, 0)

_WIDTHS = (
    (180, WHOLE),
    (140, ColumnWidths(6, 6, 21, 6, 20, 20, 0)),
    (120, ColumnWidths(6, 3, 15, 6, 16, 18, 0)),
    (100, ColumnWidths(5, 3, 0, 0, 18, 18, 0)),
    (72, ColumnWidths(4, 3, 0, 0, 12, 16, 0)),
)
"""From which width of the terminal on each is used."""


def widths_for(width: int | None) -> ColumnWidths:
    """Give the columns for a terminal of this width; None: no terminal, or one that is to take long lines."""
    if width is None:
        return WHOLE
    return next((widths for least, widths in _WIDTHS if width >= least), _NARROWEST)


def header_line(widths: ColumnWidths, time: str, time_width: int) -> str:
    """Give the titles of the columns; `time` says which times are shown."""
    cells = [f"{'#':>{widths.number}}", f"{time:<{time_width}}"]
    if widths.client:
        cells.append(f"{'client':>{widths.client}} → {'server':<{widths.server}}")
    cells += [f"{'client id':<{widths.client_id}}", f"{'API':<{widths.api}}"]
    if widths.correlation_id:
        cells.append(f"{'id':>{widths.correlation_id}}")
    cells += [f"{'took':>{TOOK}}", "what"]
    return " ".join(cells)
