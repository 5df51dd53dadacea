"""Lists of all recordings in the repository at many widths: nothing is wider, and no name of an error is cut."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from kafkasniff.calls.call import Call
from kafkasniff.reading import Reading
from kafkasniff.render.tables.columns import USUAL, ColumnLines
from kafkasniff.render.text.lines import CallLines
from tests.conftest import ROOT

WIDTHS = (60, 80, 120, 160, 240)
CAPTURES = sorted(path for path in (ROOT / "captures").rglob("*") if path.suffix in (".pcap", ".pcapng"))


def lines_of(call: Call, made: CallLines) -> list[str]:
    made.learn(call)
    return made.call(call).splitlines()


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_lists(path: Path) -> None:
    calls = list(Reading(path).calls())
    for width in WIDTHS:
        made, columns = CallLines(width), ColumnLines([*USUAL, "request.acks"], "table", "absolute", "response", width)
        for call in calls:
            lines = lines_of(call, made)
            assert max(map(cell_len, lines)) <= width
            words = {word.strip(",") for line in lines for word in line.split()}
            names = {error.name for error in call.errors}
            assert len(names) > 3 or names <= words
            rows = columns.line(call).decode().splitlines()
            assert max(map(cell_len, rows)) <= width
            assert names <= {word for row in rows for word in row.replace(",", " ").split()}
