"""What is printed of our recordings is what their brokers logged: every call once, value for value."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.conformance.accounts import Accountant
from tests.conformance.log_exceptions import CUT_PACKETS, DIRECTORIES_RENAMED, LISTED, WITHOUT_KEYS, Kind
from tests.conformance.recordings import Recording, printed_lines, recordings
from tests.conformance.request_logs import differences, first_of, is_beginning, read_log
from tests.conftest import needs_shared

LOG_SUFFIX = ".requestlog.jsonl.gz"
RECORDINGS = recordings(LOG_SUFFIX)
READABLE = [recording for recording in RECORDINGS if recording.name not in WITHOUT_KEYS | CUT_PACKETS]

CUT = [recording for recording in RECORDINGS if recording.name in CUT_PACKETS]


@pytest.mark.parametrize("recording", READABLE, ids=str)
def test_prints_what_the_brokers_logged(recording: Recording, add_figure: Callable[..., None]) -> None:
    logged = read_log(recording.log)
    printed = printed_lines(recording.files, *recording.options)
    account = Accountant(recording, logged).settle(printed)
    counts = {kind: len(account.exceptions[kind]) for kind in Kind}
    in_capture = len(logged) - counts[Kind.BEFORE_CAPTURE] - counts[Kind.REQUEST_BEFORE_CAPTURE]
    columns = {
        "logged": len(logged),
        "in capture": in_capture,
        "equal": account.equal,
        "different": len(account.different),
        "acks=0": account.no_answer_expected,
        "forwarded": account.forwarded,
        "empty in log": account.logged_empty,
        "text in log": account.logged_as_text,
        "directories": account.directories,
        "ENVELOPE": account.envelopes,
    }
    add_figure("Request logs (JSON)", recording.name, **columns, **counts)
    assert not account.different, first_of(account.different)
    for kind, found in account.exceptions.items():
        by_api = Counter((call.api, call.version) for call in found)
        assert by_api == Counter(LISTED[kind].get(recording.name)), f"{kind}: {first_of(found)}"
    assert account.envelopes == account.forwarded
    assert account.directories == DIRECTORIES_RENAMED.get(recording.name, 0)
    assert account.equal + counts[Kind.ANSWER_NEVER_SENT] + counts[Kind.ANSWER_BEHIND_CAPTURE] == in_capture
    assert {line["type"] for line in printed} <= {"call", "sasl"}, "no recorder lost a packet"


@pytest.mark.parametrize("recording", CUT, ids=str)
def test_prints_what_there_is_of_cut_packets(recording: Recording, add_figure: Callable[..., None]) -> None:
    logged = read_log(recording.log)
    printed = printed_lines(recording.files)
    calls = {}
    for line in printed:
        header = line["requestHeader"]
        calls[line["client"], line["server"], header["correlationId"], header["requestApiKey"]] = line
    assert len(calls) == len(printed) == len(logged)
    whole = Counter[str]()
    for expected in logged:
        call = calls[expected.client, expected.server, expected.correlation_id, expected.api_key]
        header = call["requestHeader"]
        assert (header["requestApiVersion"], header["clientId"]) == (expected.api_version, expected.client_id)
        assert call["outcome"] == "answered"
        for side, body in (("request", expected.request), ("response", expected.response)):
            if call[side] is not None:
                whole[side] += 1
                assert not list(differences(body, call[side], {}, side)), str(expected)
            else:
                assert is_beginning(call[f"{side}Partial"], body), str(expected)
                assert side in [problem["where"] for problem in call["problems"]]
    add_figure("Request logs (JSON) of cut packets", recording.name, logged=len(logged), headers=len(calls), **whole)


@needs_shared
def test_prints_no_call_of_tls_without_keys() -> None:
    [recording] = [recording for recording in RECORDINGS if recording.name == "tls-no-keys"]
    assert printed_lines(recording.files) == []


@needs_shared
def test_every_request_log_is_accounted_for() -> None:
    names = {recording.name for recording in RECORDINGS}
    assert len(names) == 87
    assert names >= WITHOUT_KEYS | CUT_PACKETS
    for listed in LISTED.values():
        assert listed.keys() <= {recording.name for recording in READABLE}
