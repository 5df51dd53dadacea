"""Lines of what cannot be shown."""

import json

import pytest

from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.render.json.items import failed_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.render.text.lines import CallLines
from tests.render.made_calls import arrival, heartbeat_call, made_connection

ENDS = made_connection(), "10.0.0.1:51234", "10.0.0.2:9092"
OTHERS = [
    ("gap", Gap(*ENDS, "request", 10, arrival(3, 0))),
    ("sasl", RawToken(*ENDS, "request", 10, arrival(3, 0), SaslToken("PLAIN", "unknown", None, {}))),
    ("connection", ConnectionReport(*ENDS, "kafka", "calls", 1, arrival(3, 0))),
]


def test_a_call_keeps_what_is_not_of_its_bodies() -> None:
    line = json.loads(JsonLines().failed(heartbeat_call(outcome="unanswered"), "no"))
    assert line["requestHeader"]["correlationId"] == 43
    assert (line["outcome"], line["request"]) == ("unanswered", None)
    assert line["problems"] == [{"where": "request", "offset": None, "path": "", "message": "no"}]
    text = CallLines().failed(heartbeat_call(outcome="unanswered"), "no")
    assert text.endswith("UNANSWERED  no\n")
    assert "Heartbeat v0" in text


@pytest.mark.parametrize(("kind", "item"), OTHERS)
def test_other_items_say_what_they_were(kind: str, item: Gap | RawToken | ConnectionReport) -> None:
    assert json.loads(failed_line(item, "no")) == {
        "type": kind,
        "connection": "10.0.0.1:51234-10.0.0.2:9092",
        "problems": [{"message": "no"}],
    }
    assert CallLines().failed(item, "no").endswith("10.0.0.2:9092 no\n")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_they_fit_a_terminal(width: int) -> None:
    lines = CallLines(width)
    for item in (heartbeat_call(), *(item for _, item in OTHERS)):
        assert len(lines.failed(item, "n" * 300)) <= width + 1
