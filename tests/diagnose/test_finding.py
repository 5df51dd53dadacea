import pytest

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.finding import SEVERITIES, Evidence, Finding, Severity, findings_from_json, findings_to_json


def made(severity: Severity, *consequences: Finding) -> Finding:
    evidence = [Evidence(Arrival(5, 3, Interface("made.pcap", 1)), "an answer", 2)]
    subject = {"clientId": "shop", "client": ["10.0.0.1:1", "10.0.0.1:2"]}
    return Finding("a-rule", severity, subject, 1, 2, 3, "It fails.", "Why.", "Do it.", evidence, [*consequences])


def test_a_finding_is_as_bad_as_the_worst_that_it_explains() -> None:
    assert made("info").worst == "info"
    assert made("info", made("warning"), made("info", made("error"))).worst == "error"
    assert made("error", made("info")).worst == "error"
    assert SEVERITIES[0] == "error"


def test_findings_go_to_another_process_without_their_keys() -> None:
    found = {"a-rule": [made("warning", made("error"))], "another": []}
    found["a-rule"][0].key = ("shop", "10.0.0.1")
    told = findings_from_json(findings_to_json(found))
    assert told["a-rule"][0].key is None
    # Interfaces are another process's own, so that arrivals are none that are here.
    assert findings_to_json(told) == findings_to_json(found)
    assert told["a-rule"][0].evidence[0].arrival.order == (5, 3)


def test_what_is_no_finding_is_refused() -> None:
    for data in (b"", b"null", b'{"a-rule": [{"rule": 1}]}'):
        with pytest.raises(ValueError, match=r"."):
            findings_from_json(data)
