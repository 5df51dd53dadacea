"""Lines of calls that repeat others are those that each call has by itself."""

import pytest

from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.engine import Engine
from kafkasniff.render import remembered, row_lines
from kafkasniff.render.remembered import RememberedTexts
from kafkasniff.render.row_lines import RowLines
from kafkasniff.render.terminal import CallLines
from kafkasniff.tcp import lives
from kafkasniff.tcp.limits import TcpLimits
from tests.calls.hand_made import metadata_request, metadata_response
from tests.tcp.conversations import Talk, batch

METADATA_V1 = 3 << 16 | 1


def rows_of(topics: list[str], monkeypatch: pytest.MonkeyPatch) -> CallRows:
    """Calls of as many short connections, one each, about these topics."""
    monkeypatch.setattr(lives, "FEWEST", 1)
    frames = []
    for number, topic in enumerate(topics):
        talk = Talk(client_port=20_000 + number).open()
        talk.send(0, metadata_request(number, f"client-{number % 7}", topic)).send(
            1, metadata_response(number, "b", topic)
        )
        frames += talk.close().frames
    (rows,) = Engine(tcp_limits=TcpLimits(column_packets=1)).feed_columns(batch(frames))
    assert isinstance(rows, CallRows)
    return rows


def test_lines_are_those_of_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_lines, "FEWEST_ROWS", 1)
    topics = ["orders", "payments", "metrics", "orders", "payments-2"] * 9
    rows = rows_of(topics, monkeypatch)
    alone, together = CallLines(), RowLines(CallLines())
    expected = "".join(map(alone.call, rows.calls())).encode()
    assert expected.count(b"metrics") == 9
    assert together.lines(rows) == expected
    half = rows.start + 20
    again = RowLines(CallLines())
    assert again.lines(rows._replace(stop=half)) + again.lines(rows._replace(start=half)) == expected


def test_what_never_repeats_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of([f"topic-{number}" for number in range(1_030)], monkeypatch)
    texts = RememberedTexts()
    assert texts.may_know(METADATA_V1)
    repeats = texts.look_up(rows.columns, METADATA_V1, rows.columns.run >> 1)
    assert repeats.new == list(range(1_030))
    assert not texts.may_know(METADATA_V1)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    rows = rows_of(["a", "b", "b", "c"], monkeypatch)
    texts, places = RememberedTexts(), rows.columns.run >> 1
    repeats = texts.look_up(rows.columns, METADATA_V1, places)
    assert repeats.new == [0, 1, 3]
    assert repeats.take([b"A", b"B", b"C"]) == [b"A", b"B", b"B", b"C"]
    texts.add(repeats)
    assert texts.look_up(rows.columns, METADATA_V1, places).new == [0, 1]


def test_names_of_topic_ids_may_be_learnt_meanwhile() -> None:
    texts = RememberedTexts()
    assert [version for version in range(13) if texts.may_know(3 << 16 | version)] == list(range(10))
    assert not texts.may_know(12 << 16)
