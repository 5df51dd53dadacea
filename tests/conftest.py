"""Where test material lies, and figures: a test hands in rows, and the end of the run prints them as tables."""

import gc
import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from kafkasniff.cli.main import COLLECTION_THRESHOLDS

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
CAPTURES = ROOT / "captures"
SHARED = Path(os.environ.get("KAFKASNIFF_SHARED", ROOT.parent / "shared"))
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared recordings and fixtures are not beside this clone"
)
FIGURE = "figure"
AddFigure = Callable[..., None]
TIME_LIMIT = 300
"""Seconds that a test may take. It is there to end what would wait without end, and measures nothing."""


# The same examples each time, however slow the machine is: a test that fails by chance says nothing.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")


def open_terminal() -> tuple[int, int]:
    """Give both ends of a new terminal; skips the test where there is none, as in some containers."""
    try:
        return os.openpty()
    except OSError as error:
        pytest.skip(f"there are no terminals here: {error.strerror or error}")


def pytest_configure() -> None:
    # In the background (nohup, `&` in a script) Ctrl-C is ignored, here and in all processes that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def kill_descendants(of: str = "self") -> None:
    """Kill the processes that a process started, and those that they started."""
    for children in Path(f"/proc/{of}/task").glob("*/children"):
        for child in children.read_text().split():
            kill_descendants(child)
            os.kill(int(child), signal.SIGKILL)


def pytest_collection_finish() -> None:
    # Python would search thousands of tests for cycles again and again.
    gc.freeze()
    gc.set_threshold(*COLLECTION_THRESHOLDS)


@pytest.fixture(autouse=True)
def time_limit() -> Iterator[None]:
    """Fail a test that takes too long, and kill the processes it waits for: a `with Popen` waits for its own."""

    def expire(_number: int, _frame: FrameType | None) -> None:
        kill_descendants()
        raise TimeoutError(f"the test took more than {TIME_LIMIT} seconds")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(TIME_LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def add_figure(record_property: Callable[[str, object], None]) -> AddFigure:
    """Give `add_figure(table, name, **columns)`: a row for a table of the terminal summary.

    Rows travel in the test's report, so that they also arrive from the worker processes of pytest-xdist.
    """

    def add(table: str, name: str, **columns: object) -> None:
        plain = {str(column): value if type(value) is int else str(value) for column, value in columns.items()}
        record_property(FIGURE, {"table": table, "name": str(name), "columns": plain})

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call":
                for key, row in report.user_properties:
                    if key == FIGURE:
                        tables[row["table"]].append(row)
    for table, rows in sorted(tables.items()):
        terminalreporter.section(table)
        for line in table_lines(rows):
            terminalreporter.write_line(line)


def table_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Lay out rows under their columns, with the sum of each column of numbers in the last line."""
    columns = list(dict.fromkeys(column for row in rows for column in row["columns"]))
    numeric = [column for column in columns if all(isinstance(row["columns"].get(column, 0), int) for row in rows)]
    cells = [["", *columns]]
    for row in sorted(rows, key=lambda row: row["name"]):
        cells.append([row["name"], *(str(row["columns"].get(column, "")) for column in columns)])
    if len(rows) > 1 and numeric:
        sums = {column: sum(row["columns"].get(column, 0) for row in rows) for column in numeric}
        cells.append([f"all {len(rows)}", *(str(sums.get(column, "")) for column in columns)])
    widths = [max(len(line[index]) for line in cells) for index in range(len(cells[0]))]
    return [
        "  ".join(
            cell.ljust(width) if index == 0 or columns[index - 1] not in numeric else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
