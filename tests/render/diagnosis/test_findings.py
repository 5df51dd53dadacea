import json

from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.render.diagnosis.findings import closing_text, finding_line, rule_object, rule_text
from tests.render.diagnosis.made_findings import made
from tests.render.made_calls import made_summary


def test_json() -> None:
    finding = made()
    finding.consequences = [made(rule="unknown-topic-loop")]
    item = json.loads(finding_line(finding))
    consequences = item.pop("consequences")
    assert item == {
        "type": "finding",
        "rule": "invalid-topic",
        "severity": "error",
        "subject": {"clientId": "shop\x1b[31m", "client": ["10.0.0.1:1", "10.0.0.1:2"]},
        "firstTime": "2026-11-20T12:00:00.000000Z",
        "lastTime": "2026-11-20T12:00:01.500000Z",
        "count": 7,
        "summary": "It was refused 7 times.",
        "cause": "A wrong name.",
        "fix": "Another name.",
        "evidence": [
            {
                "file": "made.pcap",
                "packet": 12,
                "time": "2026-11-20T12:00:00.000000Z",
                "what": "error 17\x07",
                "number": 5,
            }
        ],
    }
    assert [each["rule"] for each in consequences] == ["unknown-topic-loop"]


def test_closing() -> None:
    whole = made_summary(connections=1, kafka_connections=1, calls=5)
    assert closing_text([], whole) == "nothing to report"
    assert closing_text([made(), made("warning"), made("warning"), made("info")], whole) == (
        "4 findings: 1 error, 2 warnings, 1 for information"
    )


def test_nothing_found_is_no_health_where_nothing_was_seen() -> None:
    tls = made_summary(connections=3, others={("tls", 9093): 3})
    assert closing_text([], tls) == "nothing could be judged: 3 TLS connections"
    assert closing_text([made("info")], tls) == "1 finding: 1 for information; not judged: 3 TLS connections"
    partly = made_summary(connections=3, kafka_connections=1, calls=5, others={("tls", 9093): 2})
    assert closing_text([], partly) == "nothing to report of what could be read; not judged: 2 TLS connections"


def test_a_rule_explained() -> None:
    rule = RULES_BY_ID["rebalance-storm"]
    text = rule_text(rule, 100)
    for part in ("rebalance-storm (error)", "generations = 8", "--ignore rebalance-storm", "group.instance.id"):
        assert part in text
    assert all(len(line) <= 60 for line in rule_text(rule, 60).splitlines())
    item = rule_object(rule)
    assert item["rule"] == "rebalance-storm"
    assert item["thresholds"][0]["default"] == 8
