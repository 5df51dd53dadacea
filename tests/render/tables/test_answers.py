"""Headings that came from the wire, as names of topics do, are as safe as cells."""

import csv
import json

import pytest

from kafkasniff.questions.database import Answer
from kafkasniff.render.tables.answers import answer_lines, for_people

HOSTILE = ["=cmd()|'/C calc'!A0", "@x", "\x1b[2J\x07", '"quoted"\n', "x" * 10_000]


def written(form: str) -> str:
    answer = Answer(["client_id", *HOSTILE], iter([("shop", *HOSTILE)]))
    return b"".join(answer_lines(answer, form)).decode()


def test_no_heading_of_csv_is_a_formula() -> None:
    names, cells = csv.reader(written("csv").splitlines())
    assert len(names) == len(cells) == len(HOSTILE) + 1
    for cell in (*names, *cells):
        assert cell[0] not in "=+-@\t\r"
        assert cell.isprintable()


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_headings_are_short_and_without_control_characters(form: str) -> None:
    lines = written(form).splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.isprintable()
        assert len(line) < 600


def test_json_keeps_names_as_they_are() -> None:
    assert list(json.loads(written("json"))) == ["client_id", *HOSTILE]
    assert "\x1b" not in written("json")


def test_apis_have_the_names_of_their_messages_for_people() -> None:
    rows = iter([("shop", "JOIN_GROUP", 2), ("shop", None, 1)])
    assert [*for_people(Answer(["client_id", "api_name", "calls"], rows)).rows] == [
        ("shop", "JoinGroup", 2),
        ("shop", None, 1),
    ]


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_numbers_that_name_something_can_be_copied_into_a_command(form: str) -> None:
    columns = ["time_ns", "request_packet", "correlation_id", "last_offset", "records", "request_bytes"]
    row = (1795221488759105000, 16384, 70000, 1000000, 1000000, 16384)
    text = b"".join(answer_lines(Answer(columns, iter([row])), form)).decode()
    assert text.splitlines()[-1].strip("| ").replace("|", "").split() == [
        *("1795221488759105000", "16384", "70000", "1000000", "1,000,000", "16,384"),
    ]
