"""The calls printed of recordings of brokers 0.8.2 to 1.1 are those of their text logs."""

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from tests.conformance.recordings import Recording, printed_lines, recordings
from tests.conformance.request_logs import first_of
from tests.conformance.text_request_logs import TextCall, read_text_log
from tests.conftest import needs_shared

RECORDINGS = recordings(".requestlog.txt")

UNANSWERED: Mapping[str, Mapping[tuple[str, int], int]] = {
    "cluster-0.10.2.2-startup-shutdown": {("STOP_REPLICA", 0): 1},
    "cluster-0.8.2.2-startup-shutdown": {("LEADER_AND_ISR", 0): 1},
    "cluster-0.9.0.1-startup-shutdown": {("FETCH", 1): 1, ("STOP_REPLICA", 0): 1},
    "cluster-1.1.1-startup-shutdown": {("FETCH", 7): 1},
    "java-0.10.2.2-clients": {("FETCH", 3): 1},
    "java-0.8.2.2-clients": {("FETCH", 0): 4},
    "java-0.9.0.1-clients": {("FETCH", 1): 3},
    "sasl-gssapi-0.9-no-handshake-librdkafka": {("FETCH", 1): 1},
}
"""Requests that are not logged: without an answer when the capture, their connection or their broker ended."""

LINES_LOST: Mapping[str, Mapping[tuple[str, int], int]] = {
    "java-0.9.0.1-clients": {
        ("DESCRIBE_GROUPS", 0): 1,
        ("FIND_COORDINATOR", 0): 7,
        ("HEARTBEAT", 0): 2,
        ("JOIN_GROUP", 0): 4,
        ("LEAVE_GROUP", 0): 2,
        ("LIST_GROUPS", 0): 2,
        ("SYNC_GROUP", 0): 4,
    },
}
"""Answered calls that are not logged: 0.9 writes these APIs as `{api_key=…}`, and that log has no such line."""

BEHIND_CAPTURE: Mapping[str, Mapping[tuple[str, int], int]] = {
    "java-0.9.0.1-clients": {("FETCH", 1): 2},
}
"""Logged calls whose request comes behind the capture's last packet: one id more than the last on their connection."""


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_prints_the_calls_that_the_brokers_logged(recording: Recording, add_figure: Callable[..., None]) -> None:
    logged = Counter(read_text_log(recording.log))
    without_server = {call.client for call in logged if call.server is None}
    printed: Counter[TextCall] = Counter()
    outcomes = {}
    for line in printed_lines(recording.files):
        if line["type"] == "call":
            header = line["requestHeader"]
            server = None if line["client"] in without_server else line["server"]
            api, version = header.get("requestApiKeyName", "?"), header.get("requestApiVersion", -1)
            call = TextCall(api, version, header["correlationId"], line["client"], server)
            printed[call] += 1
            outcomes[call] = line["outcome"]
    not_printed, not_logged = logged - printed, printed - logged
    unanswered = Counter({call: count for call, count in not_logged.items() if outcomes[call] != "answered"})
    add_figure(
        "Request logs (text)",
        recording.name,
        **{
            "logged": logged.total(),
            "printed": printed.total(),
            "equal": (logged & printed).total(),
            "not printed": not_printed.total(),
            "unlogged: unanswered": unanswered.total(),
            "log line lost": (not_logged - unanswered).total(),
        },
    )
    name = recording.name
    assert _by_api(not_printed) == Counter(BEHIND_CAPTURE.get(name)), first_of(not_printed)
    assert _by_api(unanswered) == Counter(UNANSWERED.get(name)), first_of(unanswered)
    assert _by_api(not_logged - unanswered) == Counter(LINES_LOST.get(name)), first_of(not_logged)


@needs_shared
def test_every_text_log_is_held() -> None:
    assert len(RECORDINGS) == 10


def _by_api(calls: Counter[TextCall]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for call, count in calls.items():
        found[call.api, call.version] += count
    return found
