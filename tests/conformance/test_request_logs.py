"""What is printed of our recordings is what their brokers logged: every call once, value for value."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.conformance.accounts import Accountant
from tests.conformance.log_exceptions import (
    ANSWER_NOT_CAPTURED,
    BEFORE_CAPTURE,
    CUT_PACKETS,
    LOG_LINE_LOST,
    NEEDS_KEYS,
    REQUEST_BEFORE_CAPTURE,
    UNANSWERED,
)
from tests.conformance.recordings import Recording, printed_lines, recordings
from tests.conformance.request_logs import first_of, read_log
from tests.conftest import needs_shared

LOG_SUFFIX = ".requestlog.jsonl.gz"
RECORDINGS = recordings(LOG_SUFFIX)
IN_CLEAR = [recording for recording in RECORDINGS if recording.name not in NEEDS_KEYS | CUT_PACKETS]


@pytest.mark.parametrize("recording", IN_CLEAR, ids=str)
def test_prints_what_the_brokers_logged(recording: Recording, add_figure: Callable[..., None]) -> None:
    logged = read_log(recording.log)
    printed = printed_lines(recording.files)
    account = Accountant(recording.release, "SASL" in recording.facts["security"], logged).settle(printed)
    in_capture = len(logged) - account.request_not_captured.total() - len(account.not_printed)
    add_figure(
        "Request logs (JSON)",
        recording.name,
        **{
            "logged": len(logged),
            "in capture": in_capture,
            "equal": account.equal,
            "acks=0": account.no_answer_expected,
            "forwarded": account.forwarded,
            "empty in log": account.logged_empty,
            "text in log": account.logged_as_text,
            "no answer captured": account.answer_not_captured.total(),
            "no request captured": account.request_not_captured.total(),
            "different": len(account.different),
            "not printed": len(account.not_printed),
            "unlogged: SASL": account.sasl,
            "ENVELOPE": account.envelopes,
            "unanswered": account.unanswered.total(),
            "log line lost": account.answered_not_logged.total(),
        },
    )
    assert not account.different, first_of(account.different)
    not_printed = Counter((call.api_name, call.api_version) for call in account.not_printed)
    assert not_printed == Counter(BEFORE_CAPTURE.get(recording.name)), first_of(account.not_printed)
    assert account.request_not_captured == Counter(REQUEST_BEFORE_CAPTURE.get(recording.name))
    assert account.answer_not_captured == Counter(ANSWER_NOT_CAPTURED.get(recording.name))
    assert account.unanswered == Counter(UNANSWERED.get(recording.name))
    assert account.answered_not_logged == Counter(LOG_LINE_LOST.get(recording.name))
    assert account.envelopes == account.forwarded
    assert account.equal + account.answer_not_captured.total() == in_capture


@needs_shared
def test_every_request_log_is_accounted_for() -> None:
    names = {recording.name for recording in RECORDINGS}
    assert len(names) == 87
    assert names >= NEEDS_KEYS | CUT_PACKETS
    listed = {*BEFORE_CAPTURE, *REQUEST_BEFORE_CAPTURE, *ANSWER_NOT_CAPTURED, *UNANSWERED, *LOG_LINE_LOST}
    assert listed <= {recording.name for recording in IN_CLEAR}
