"""Which calls repeat others: by hand, and on recordings against what their JSON lines say."""

import re
from collections import deque
from typing import Any

import pytest

from kafkasniff.calls.call import Call, Outcome
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.reading import Reading
from kafkasniff.render.text.lines import CallLines
from kafkasniff.render.text.repeats import Repeats
from tests.conftest import ROOT
from tests.render.made_calls import SERVER, arrival, frame, made_connection, request_bytes, text

RECORDINGS = (
    "franz-go.pcap",
    "librdkafka.pcap",
    "sasl-handshake-v0.pcap",
    "loss-reorder-client-side.pcap",
    "vlan.pcap",
)
ONGOING = {"FETCH", "HEARTBEAT", "SASL_HANDSHAKE", "API_VERSIONS", "SASL_AUTHENTICATE", "CONSUMER_GROUP_HEARTBEAT"}


def asked(number: int, error: int | None, group: str = "billing", connection: Any = None) -> Call:
    """A FindCoordinator (version 0), answered a millisecond later, or not at all."""
    request = request_bytes(10, 0, number, "shop", text(group))
    response = None
    if error is not None:
        answer = (
            number.to_bytes(4, "big") + error.to_bytes(2, "big", signed=True) + b"\xff" * 4 + text("") + b"\xff" * 4
        )
        response = frame(answer, *[arrival(number * 2 + 1, number * 10_000_000 + 1_000_000)] * 2)
    sent = arrival(number * 2, number * 10_000_000)
    outcome: Outcome = "answered" if response else "unanswered"
    call = Call(
        connection, f"10.0.0.1:{connection.endpoints[0].port}", str(SERVER), frame(request, sent, sent), response,
        read_request_header(request), outcome, sent,
    )  # fmt: skip
    call.number = number
    return call


@pytest.mark.parametrize(
    ("error", "is_repeated"), [(15, True), (14, True), (None, True), (0, False), (30, False), (24, False)]
)
def test_what_may_be_tried_again(error: int | None, is_repeated: bool) -> None:
    repeats, shared = Repeats(), made_connection()
    first, again = asked(1, error, connection=shared), asked(2, 0, connection=shared)
    assert repeats.take(first) is None
    assert repeats.take(again) is (first if is_repeated else None)
    assert repeats.take(asked(3, 0, "audit", shared)) is None


def test_another_request_or_connection_repeats_nothing() -> None:
    shared = made_connection()
    for other in (asked(2, 0, "billinh", shared), asked(2, 0, connection=made_connection())):
        repeats = Repeats()
        repeats.take(asked(1, 15, connection=shared))
        assert repeats.take(other) is None


def of_json(calls: list[dict[str, Any]]) -> dict[int, int]:
    """By the number of each call that repeats another that one's, as its JSON says."""
    found, last = {}, {}
    written: dict[Any, deque[dict[str, Any]]] = {}
    for call in calls:
        if "requestHeader" not in call or "requestApiKeyName" not in call["requestHeader"]:
            continue
        header = call["requestHeader"]
        api = header["requestApiKeyName"]
        asks = api, header["requestApiVersion"], header["clientId"], call["request"]
        if api == "PRODUCE":
            batches = [
                [batch[name] for name in ("path", "producerId", "producerEpoch", "baseSequence", "crc")]
                for batch in call.get("batches", ()) if batch["magic"] == 2
            ]  # fmt: skip
            ring = written.setdefault((header["clientId"], call["client"].rpartition(":")[0]), deque(maxlen=5))
            for earlier, before in ring:
                if (asks, batches) == before and (any(batch[1] >= 0 for batch in batches) or failed(earlier)):
                    found[call["number"]] = earlier["number"]
            ring.append((call, (asks, batches)))
        elif api not in ONGOING:
            earlier, before = last.get((call["connection"], api), (None, None))
            if before == asks and failed(earlier):
                found[call["number"]] = earlier["number"]
            last[call["connection"], api] = call, asks
    return found


def failed(call: dict[str, Any]) -> bool:
    errors = call.get("errors", ())
    return call["outcome"] == "unanswered" or any(ERROR_CODES[error["code"]].retriable for error in errors)


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings(name: str) -> None:
    calls = list(Reading(ROOT / "captures" / name).calls())
    lines, marked = CallLines(), {}
    for call in calls:
        lines.learn(call)
        found = re.search(r" retry of (\d+)", lines.call(call))
        if found:
            marked[call.number] = int(found[1])
    assert marked == of_json([call.to_dict() for call in calls])
    assert marked


def test_lines_of_wanted_calls_alone() -> None:
    """What is not shown is learnt from all the same."""
    shared = made_connection()
    calls: list[Any] = [asked(2, 0, connection=shared), asked(1, 15, connection=shared)]
    text, shown = CallLines().calls(calls, lambda call: call.number == 2)
    assert shown == 1
    assert calls == []
    assert b"retry of 1" in bytes(text)
