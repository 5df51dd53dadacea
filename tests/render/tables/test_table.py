import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.render.tables.table import table_lines
from kafkasniff.render.words import cells

NAMES = ["client_host", "client_id", "request_bytes", "error"]
ROWS = [
    ["10.0.0.1", "shop-a-very-long-client-id-1", "1,200", "NOT_LEADER_OR_FOLLOWER"],
    ["10.0.0.1", "shop", "7", "-"],
]
NUMBERS = [False, False, True, False]


def test_in_a_file_all_stands_whole() -> None:
    assert list(table_lines(NAMES, ROWS, NUMBERS, None)) == [
        "client_host   client_id                      request_bytes   error",
        "─" * 83,
        "10.0.0.1      shop-a-very-long-client-id-1           1,200   NOT_LEADER_OR_FOLLOWER",
        "10.0.0.1      shop                                       7   -",
    ]


def test_on_a_terminal_what_is_the_same_everywhere_stands_once() -> None:
    assert list(table_lines(NAMES, ROWS, NUMBERS, 64)) == [
        "in all rows: client_host 10.0.0.1",
        "                              request_",
        "client_id                        bytes  error",
        "─" * 62,
        "shop-a-very-long-client-id-1     1,200  NOT_LEADER_OR_FOLLOWER",
        "shop                                 7  -",
    ]


def test_what_tells_of_nothing_is_not_said() -> None:
    names, rows = ["client_id", "topics", "groups", "bytes"], [["a" * 20, "orders", "", "7"], ["b" * 20, "", "", "8"]]
    assert list(table_lines(names, rows, [False, False, False, True], 24)) == [
        "a" * 20,
        "  topics orders, bytes 7",
        "b" * 20,
        "  bytes 8",
    ]


def test_names_lose_their_middle_and_errors_nothing() -> None:
    lines = list(table_lines(NAMES, ROWS, NUMBERS, 60))
    assert (
        lines[4] == "shop-a-v…ng-client-id-1     1,200  NOT_LEADER_OR_FOLLOWER" or "NOT_LEADER_OR_FOLLOWER" in lines[4]
    )
    assert max(map(cells, lines)) == 60
    assert lines[4].split()[0].endswith("client-id-1")


def test_what_does_not_fit_at_all_is_said_row_by_row() -> None:
    names = ["api_name", *(f"p{number}_ms" for number in range(12))]
    rows = [[api, *(f"{number},{row}00.000" for number in range(12))] for row, api in enumerate(("FETCH", "PRODUCE"))]
    lines = "\n".join(table_lines(names, rows, [False] + [True] * 12, 60)).split("\n")
    assert lines[:2] == ["FETCH", "  p0_ms 0,000.000, p1_ms 1,000.000, p2_ms 2,000.000, p3_ms"]
    assert "PRODUCE" in lines
    assert max(map(cells, lines)) <= 60


def test_one_row_loses_only_what_says_nothing() -> None:
    lines = list(
        table_lines(["group", "empty_column_of_some_length", "calls"], [["x" * 40, "-", "3"]], [False, False, True], 60)
    )
    assert lines[0].split() == ["group", "calls"]
    assert list(table_lines(["a"], [], [False], 60)) == ["a", "─"]


TEXTS = st.text("ab消_.", min_size=1, max_size=30)


def rows_of(width: int) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1)


@given(st.integers(1, 12).flatmap(rows_of), st.sampled_from([60, 80, 120]))
def test_no_line_is_wider_than_the_terminal(rows: list[list[str]], width: int) -> None:
    names = [f"column_{number}" for number in range(len(rows[0]))]
    lines = [part for line in table_lines(names, rows, [False] * len(names), width) for part in line.split("\n")]
    assert all(cells(line) <= width for line in lines)


@pytest.mark.parametrize("width", [None, 60])
def test_numbers_stand_on_the_right(width: int | None) -> None:
    lines = list(table_lines(["calls"], [["1"], ["1,000"]], [True], width))
    assert lines[2:] == ["    1", "1,000"]
