from dataclasses import replace

import pytest

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.finding import Finding
from kafkasniff.reading import Summary
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.diagnosis.diagnosis import Diagnosed
from kafkasniff.render.diagnosis.findings import finding_object
from kafkasniff.render.words import cells
from tests.render.diagnosis.made_findings import made
from tests.render.made_calls import made_summary


def summary_of() -> Summary:
    return made_summary(lasts=14_000_000_000, connections=19, kafka_connections=19, calls=108)


def report(findings: list[Finding], width: int = 100, **how: bool) -> str:
    return "".join(Diagnosed(PLAIN, width, **how).report(findings, summary_of()))


def of_clients(count: int, severity: str = "warning", rule: str = "invalid-topic") -> list[Finding]:
    return [replace(made(severity, rule=rule), subject={"clientId": f"shop-{number}"}) for number in range(count)]


def test_one_finding_is_safe_and_says_all() -> None:
    finding = made()
    finding.consequences = [made(rule="unknown-topic-loop", summary="It waited.")]
    assert report([finding]).splitlines() == [
        "1 error from 108 calls of 19 Kafka connections in 14.000 s",
        "",
        r"ERROR   invalid-topic  clientId=shop\x1b[31m; client=10.0.0.1:1, 10.0.0.1:2",
        "  It was refused 7 times.",
        "  why: A wrong name.",
        "  fix: Another name.",
        r"  2026-11-20T12:00:00.000000Z packet 12, call 5: error 17\x07",
        "  it explains unknown-topic-loop: It waited.",
        "",
    ]
    assert r"  2026-11-20T12:00:00.000000Z made.pcap packet 12, call 5: error" in Diagnosed(PLAIN, 100).one(finding)


def test_apis_have_the_names_of_their_messages_and_topics_their_own() -> None:
    finding = made(summary="JOIN_GROUP of group HEARTBEAT.")
    finding.subject["group"] = "HEARTBEAT"
    finding.evidence = [finding.evidence[0]._replace(what="SYNC_GROUP v5")]
    finding.consequences = [made(summary="LIST_OFFSETS failed.")]
    text = Diagnosed(PLAIN, 100).one(finding)
    for said in ("JoinGroup of group HEARTBEAT.\n", "call 5: SyncGroup v5\n", ": ListOffsets failed.\n"):
        assert said in text
    assert finding_object(finding)["summary"] == "JOIN_GROUP of group HEARTBEAT."


def test_findings_of_one_cause_say_it_once() -> None:
    lines = report(of_clients(8)).splitlines()
    assert lines[2:5] == ["WARNING invalid-topic  8 findings", "  why: A wrong name.", "  fix: Another name."]
    assert [line for line in lines if line.startswith("  - clientId=")] == [f"  - clientId=shop-{n}" for n in range(5)]
    assert lines[-2] == "  - and 3 more: shop-5, shop-6, shop-7 (--rule invalid-topic shows them)"
    whole = report(of_clients(8), whole=True)
    assert "more" not in whole
    assert "shop-7" in whole


def test_those_for_information_are_a_line_each_kind() -> None:
    text = report(of_clients(3, "info", "acks-one"))
    assert text.splitlines()[2:] == [
        "INFO    acks-one  3 findings: The producer waits for the leader only: shop-0, shop-1, shop-2"
    ]
    assert "A wrong name" in report(of_clients(3, "info", "acks-one"), whole=True)


def test_brief_is_a_sentence_for_each_cause() -> None:
    assert report([*of_clients(2, "error"), *of_clients(1, "info", "acks-one")], brief=True).splitlines()[2:] == [
        "ERROR   invalid-topic  It was refused 7 times. And 1 more: shop-1.",
        "INFO    acks-one  1 finding: The producer waits for the leader only: shop-0",
    ]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("brief", [True, False])
def test_three_hundred_findings_can_be_read(width: int, brief: bool) -> None:
    findings = [
        replace(
            made(rule.severity, rule=rule.id, summary="消费者 " + "waited long for it " * 9), subject={"clientId": name}
        )
        for name in (*(f"service-{number}-of-the-shop" for number in range(5)), "消" * 70, "x" * 300)
        for rule in RULES[:43]
    ]
    assert len(findings) > 300
    text = report(findings, width, brief=brief)
    assert all(cells(line) <= width for line in text.splitlines())
    if width == 120:
        assert text.count("\n") < (250 if brief else 1600)


def test_colours_stand_around_severity_and_rule() -> None:
    colours = Colours(error="<e>", warning="<w>", note="<n>", api="<a>", off="<o>")
    text = "".join(Diagnosed(colours, 60).report([made()], summary_of()))
    assert "\n<e>ERROR  <o> <a>invalid-topic<o>  clientId=" in text
    assert "\n  <n>" not in text
    assert "<n>  2026-11-20T12:00:00.000000Z packet 12, call 5: error\n    17\\x07<o>\n" in text


def test_nothing_is_nothing() -> None:
    assert report([]) == ""
