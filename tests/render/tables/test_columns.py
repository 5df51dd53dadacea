import csv
import json

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.filters.errors import FilterError
from kafkasniff.render.tables.columns import USUAL, ColumnLines
from tests.render.made_calls import heartbeat_call, metadata_call

CELLS = {
    "number": "7",
    "client": "10.0.0.1:51234",
    "server": "10.0.0.2:9092",
    "client_id": "shop",
    "version": "0",
    "correlation_id": "43",
    "outcome": "answered",
    "group": "billing",
}


def lines(names: list[str], form: str = "csv", time: str = "absolute", **chosen: str | int | None) -> ColumnLines:
    return ColumnLines(names, form, time, str(chosen.get("time_of", "response")), chosen.get("width"))  # type: ignore[arg-type]


def made(group: str = "billing", error_code: int = 0) -> Call:
    call = heartbeat_call(group, error_code)
    call.number = 7
    return call


def test_csv_has_a_line_of_names_and_one_of_values() -> None:
    shown = lines([*USUAL])
    text = (shown.heading() + shown.line(made(error_code=27))).decode()
    [row] = csv.DictReader(text.splitlines())
    assert row == CELLS | {
        "time": "2026-11-20T12:00:00.124690Z",
        "api": "HEARTBEAT",
        # In milliseconds, as the JSON lines have it.
        "latency": "1.234",
        "error": "REBALANCE_IN_PROGRESS",
        "topic": "",
    }


def test_json_has_no_heading_and_keeps_numbers() -> None:
    shown = lines([*USUAL], "json")
    assert shown.heading() == b""
    found = json.loads(shown.line(made()))
    assert list(found) == [*USUAL]
    assert {name: found[name] for name in ("number", "version", "correlation_id", "latency", "error", "topic")} == {
        "number": 7,
        "version": 0,
        "correlation_id": 43,
        "latency": 1.234,
        "error": [],
        "topic": [],
    }


def test_text_with_tabs() -> None:
    shown = lines(["client_id", "api"], "tsv")
    assert shown.heading() + shown.line(made()) == b"client_id\tapi\nshop\tHEARTBEAT\n"


def test_a_table_pads_shows_absence_and_says_apis_as_kafkas_classes_do() -> None:
    shown = lines(["client_id", "api", "topic", "latency"], "table")
    assert shown.heading() == b"client_id             api                   topic                     latency\n"
    assert shown.line(made()) == b"shop                  Heartbeat             -                         1.23 ms\n"
    assert shown.line(metadata_call()).split() == [b"shop", b"Metadata", b"orders", b"1.23", b"ms"]


@pytest.mark.parametrize(
    ("time", "time_of", "expected"),
    [
        ("absolute", "response", "2026-11-20T12:00:00.124690Z"),
        ("absolute", "request", "2026-11-20T12:00:00.123456Z"),
        ("relative", "response", "+0.124690"),
        ("relative", "request", "+0.123456"),
    ],
)
def test_times_are_of_a_calls_end_or_beginning(time: str, time_of: str, expected: str) -> None:
    shown = lines(["time"], "csv", time, time_of=time_of)
    shown.count_from(made().time.time - 123_456_000)
    assert shown.line(made()).decode().strip().strip('"') == expected


def test_fields_of_bodies_are_columns_too() -> None:
    shown = lines(["request.groupId", "response.errorCode"], "json")
    assert json.loads(shown.line(made(error_code=27))) == {
        "request.groupId": ["billing"],
        "response.errorCode": ["REBALANCE_IN_PROGRESS"],
    }


def test_what_is_no_column_is_refused() -> None:
    with pytest.raises(FilterError, match=r"no column is called 'clientid'.*client_id"):
        lines(["clientid"])
    with pytest.raises(FilterError, match="no column is called 'zzz'; there are number, time, summary, "):
        lines(["zzz"])
    with pytest.raises(FilterError, match=r"request\.topics holds other fields: name one of them"):
        lines(["request.topics"])


def test_what_a_terminal_has_no_room_for_stands_in_lines_below() -> None:
    """30 cells: a client id of 20 and a version of 7 fit, and a group is set in by four."""
    shown = lines(["client_id", "version", "group"], "table", width=30)
    assert shown.heading() == b"client_id             version\n    group\n"
    assert shown.line(made()) == b"shop                  0\n    billing\n"


def test_a_value_that_is_wider_than_the_terminal_is_cut() -> None:
    shown = lines(["client_id", "group"], "table", width=30)
    text = shown.line(made("b" * 60)).decode()
    assert all(len(line) <= 30 for line in text.splitlines())
    assert text.splitlines()[-1].startswith("    bbbb")


def test_hostile_text_does_not_reach_the_terminal() -> None:
    for form in ("table", "csv", "tsv"):
        line = lines(["group", "client_id"], form).line(made("a\x1b[2J\tb\nc"))
        assert line.count(b"\n") == 1
        assert b"\x1b" not in line
