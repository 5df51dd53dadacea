import csv
from datetime import UTC, datetime

import pytest

from kafkasniff.render.tables.cells import csv_cell, csv_line, tsv_line


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("orders", "orders"),
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("-1", "'-1"),
        (-1, "-1"),
        ("a\x1b[31m", "a\\x1b[31m"),
        (None, ""),
        (True, "true"),
        (False, "false"),
        (b"\0\1\2", "AAEC"),
        (1.5, "1.5"),
        (datetime(2026, 11, 24, 12, 0, 0, 250, tzinfo=UTC), "2026-11-24T12:00:00.000250Z"),
        ([1, "a", b"\xff"], '[1,"a","/w=="]'),
    ],
)
def test_a_cell_is_no_formula_and_has_no_control_characters(value: object, cell: str) -> None:
    assert csv_cell(value) == cell


def test_lines_are_read_as_the_cells_that_were_written() -> None:
    cells = ["a,b", 'say "no"', "plain", ""]
    assert next(csv.reader([csv_line(cells).decode()])) == cells
    assert tsv_line(["a", "b"]) == b"a\tb\n"
