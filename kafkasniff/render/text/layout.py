"""Which columns a list has, and how wide they are: chosen once from the width of the terminal, and kept.

A longer value widens its own line alone. What a call was about comes last and takes what room is left.
"""

from typing import NamedTuple


class Layout(NamedTuple):
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

WHOLE = Layout(6, 6, 21, 21, 20, 18, 6)
"""Where lines are not cut."""

_NARROWEST = Layout(4, 3, 0, 0, 10, 15, 0)

_LAYOUTS = (
    (180, WHOLE),
    (140, Layout(6, 6, 21, 6, 20, 20, 0)),
    (120, Layout(6, 3, 15, 6, 16, 18, 0)),
    (100, Layout(5, 3, 0, 0, 18, 18, 0)),
    (72, Layout(4, 3, 0, 0, 12, 16, 0)),
)
"""From which width of the terminal on each is used."""


def layout_for(width: int | None) -> Layout:
    """Give the columns for a terminal of this width; None: no terminal, or one that is to take long lines."""
    if width is None:
        return WHOLE
    return next((layout for least, layout in _LAYOUTS if width >= least), _NARROWEST)


def header_line(layout: Layout, time: str, time_width: int) -> str:
    """Give the titles of the columns; `time` says which times are shown."""
    cells = [f"{'#':>{layout.number}}", f"{time:<{time_width}}"]
    if layout.client:
        cells.append(f"{'client':>{layout.client}} → {'server':<{layout.server}}")
    cells += [f"{'client id':<{layout.client_id}}", f"{'API':<{layout.api}}"]
    if layout.correlation_id:
        cells.append(f"{'id':>{layout.correlation_id}}")
    cells += [f"{'took':>{TOOK}}", "what"]
    return " ".join(cells)
