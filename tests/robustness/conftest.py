"""Figures of the robustness tests, printed as tables when the run ends."""

from collections.abc import Callable

import pytest

FIGURE = "robustness figure"

AddFigure = Callable[..., None]


@pytest.fixture
def add_figure(record_property: Callable[[str, object], None]) -> AddFigure:
    """Give `add_figure(table, name, **columns)`: a row for a table of the terminal summary."""

    def add(table: str, name: str, **columns: object) -> None:
        # A test's properties reach the end of the run from the worker processes of pytest-xdist too.
        record_property(FIGURE, [table, {"": name, **{column: str(value) for column, value in columns.items()}}])

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print each table with its rows in the order of the tests."""
    tables: dict[str, list[dict[str, str]]] = {}
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for name, value in report.user_properties:
            if name == FIGURE and report.when == "call":
                tables.setdefault(value[0], []).append(value[1])
    for title, rows in tables.items():
        terminalreporter.section(title)
        lines = [list(rows[0]), *(list(row.values()) for row in rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            terminalreporter.write_line("  ".join(cells).rstrip())
