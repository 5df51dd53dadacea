"""Labelled captures of misbehaviour, controls, and healthy captures: what is found, and what must not be."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.reading import Reading
from tests.conftest import SHARED, needs_shared

pytestmark = needs_shared

MISBEHAVE = SHARED / "captures" / "misbehave"
HEALTHY = SHARED / "captures" / "healthy"
NAMES = sorted(path.stem for path in MISBEHAVE.glob("*.pcap"))
MISBEHAVING = [name for name in NAMES if not name.startswith("healthy-")]
CONTROLS = [name for name in NAMES if name.startswith("healthy-")]

NAMES_OF_A_CULPRIT = ("client", "clientId", "server")

GROUP_RULES = (
    "commit-after-rebalance",
    "commit-storm",
    "coordinator-flapping",
    "group-authorization-denied",
    "inconsistent-group-protocol",
    "poll-timeout-eviction",
    "rebalance-storm",
    "rebalance-stuck",
    "session-timeout",
    "static-member-fenced",
)

MANY_PACKETS = 5_000
"""Captures with more packets than this are left out of the damaged ones, for the time it takes."""

TRUE_OF_HEALTHY_CAPTURES = {
    "acks-one": "several libraries' default is acks=1, and the captures' producers leave it",
    "acks-zero": "some producers were told to use acks=0",
    "below-kafka4-minimum": "clients of 0.8 to 1.0 and libraries pinned to old versions were recorded on purpose",
    "cleartext-credentials": "sasl-plain-*, sasl-oauthbearer and sasl-handshake-v0 log in without TLS",
    "connection-churn": "kafka-go, command line tools and a stopping broker make a connection for each thing",
    "dead-broker-connect-loop": "cluster-* and kraft* start and stop brokers while others try to reach them",
    "default-client-id": "some clients leave client.id alone",
    "fetch-session-churn": "platformatic-kafka begins a session with each fetch",
    "rebalance-storm": "Connect workers rebalance as connectors are made and removed",
    "response-timeout": "in connect-eager LeaveGroup stays unanswered until the connection is reset",
    "uncompressed-batches": "several producers send text without compression",
}
"""Why each rule that fires on healthy captures is right to."""


def label_of(name: str) -> dict[str, Any]:
    label: dict[str, Any] = json.loads((MISBEHAVE / f"{name}.json").read_text())
    return label


def diagnose(*paths: Path) -> list[Finding]:
    diagnosis = Diagnosis()
    for item in Reading([str(path) for path in paths], connections=True):
        diagnosis.feed(item)
    return diagnosis.findings()


def every(findings: list[Finding]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from finding.consequences


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def values(value: object) -> set[str]:
    return set(map(str, value)) if isinstance(value, list) else {str(value)}


def disagreements(subject: dict[str, Any], culprit: dict[str, Any]) -> list[str]:
    named = {camel_case(name): value for name, value in culprit.items()}
    return [name for name in subject if name in named and not values(subject[name]) <= values(named[name])]


@pytest.fixture(scope="module")
def found() -> dict[str, list[Finding]]:
    return {name: diagnose(MISBEHAVE / f"{name}.pcap") for name in NAMES}


@pytest.mark.parametrize("name", MISBEHAVING)
def test_the_label_is_found_with_its_culprit(name: str, found: dict[str, list[Finding]]) -> None:
    label = label_of(name)
    mine = [finding for finding in found[name] if finding.rule == label["rule"]]
    assert mine, f"found only {[finding.rule for finding in found[name]]}"
    for finding in mine:
        assert disagreements(finding.subject, label["culprit"]) == []
        assert any(key in finding.subject for key in NAMES_OF_A_CULPRIT)
        assert finding.evidence
        if label["rule"] in GROUP_RULES:
            assert finding.subject["group"] == label["culprit"]["group"]


@pytest.mark.parametrize("name", MISBEHAVING)
def test_nothing_else_is_claimed(name: str, found: dict[str, list[Finding]]) -> None:
    label = label_of(name)
    allowed = {label["rule"], *label["also_acceptable"]}
    others = [item for item in every(found[name]) if item.rule not in allowed and item.severity != "info"]
    assert [(item.rule, item.summary) for item in others] == []


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_bring_nothing(name: str, found: dict[str, list[Finding]]) -> None:
    assert [(item.rule, item.summary) for item in every(found[name])] == []


@pytest.mark.parametrize("name", MISBEHAVING)
def test_thresholds_are_no_stricter_than_the_labels(name: str) -> None:
    """Where rule and label count the same thing, the label's least count fires."""
    label = label_of(name)
    threshold = RULES_BY_ID[label["rule"]].thresholds[0]
    if threshold.name in ("calls", "connections", "moves", "evictions", "leaves", "generations"):
        assert threshold.default <= label["signature"]["at_least"]


def test_print_the_confusion_table(found: dict[str, list[Finding]], capsys: pytest.CaptureFixture[str]) -> None:
    """Rule × capture: * where it is a finding of its own, + where it is a consequence; only what fired is listed."""
    lines = []
    right = 0
    for name in NAMES:
        label = label_of(name)
        roots = {finding.rule for finding in found[name]}
        below = {finding.rule for finding in every(found[name])} - roots
        expected = label["rule"] or "nothing"
        hit = label["rule"] in roots if label["rule"] else not roots
        right += hit
        shown = " ".join([*(f"{rule}*" for rule in sorted(roots)), *(f"{rule}+" for rule in sorted(below))])
        lines.append(f"{name:<40} {expected:<34} {'ok' if hit else 'MISSED':<7} {shown}")
    with capsys.disabled():
        print("\n" + "\n".join(lines) + f"\n{right} of {len(NAMES)} as labelled")
    assert right == len(NAMES)


def packets_of(path: Path) -> tuple[bytes, list[bytes]]:
    """Header and packet records of a little-endian pcap."""
    data = path.read_bytes()
    at, packets = 24, []
    while at + 16 <= len(data):
        size = 16 + struct.unpack_from("<I", data, at + 8)[0]
        packets.append(data[at : at + size])
        at += size
    return data[:24], packets


def with_other_ports(packets: list[bytes]) -> list[bytes]:
    """Each port exchanged for another, the same everywhere; Ethernet, IPv4 without options."""
    changed = []
    for packet in packets:
        if packet[28:30] == b"\x08\x00" and packet[30] == 0x45 and packet[39] == 6:
            ports = (port ^ 0x2A5A for port in struct.unpack_from(">HH", packet, 50))
            packet = packet[:50] + struct.pack(">HH", *ports) + packet[54:]
        changed.append(packet)
    return changed


def subjects(findings: list[Finding]) -> set[tuple[str, str]]:
    """Rule and client, without addresses, which the damage may change."""
    return {(item.rule, name) for item in every(findings) for name in values(item.subject.get("clientId", ""))}


@pytest.mark.parametrize("damage", ["second half", "last quarter", "every tenth packet lost", "other ports"])
def test_damage_brings_no_new_findings(damage: str, found: dict[str, list[Finding]], tmp_path: Path) -> None:
    for name in NAMES:
        header, packets = packets_of(MISBEHAVE / f"{name}.pcap")
        if len(packets) > MANY_PACKETS:
            continue
        if damage == "other ports":
            packets = with_other_ports(packets)
        elif damage == "every tenth packet lost":
            packets = [packet for index, packet in enumerate(packets) if index % 10 != 4]
        else:
            packets = packets[len(packets) // 2 if damage == "second half" else len(packets) * 3 // 4 :]
        path = tmp_path / f"{name}.pcap"
        path.write_bytes(header + b"".join(packets))
        new = subjects(diagnose(path)) - subjects(found[name])
        assert new == set(), name


def healthy_captures() -> list[Path]:
    return sorted(path for path in HEALTHY.glob("*.pcap*") if path.suffix in (".pcap", ".pcapng"))


def test_findings_in_healthy_captures_are_true(capsys: pytest.CaptureFixture[str]) -> None:
    fired: dict[str, list[str]] = {}
    for path in healthy_captures():
        for finding in every(diagnose(path)):
            fired.setdefault(finding.rule, []).append(path.stem)
    with capsys.disabled():
        for rule, names in sorted(fired.items()):
            print(f"\n{rule}: {TRUE_OF_HEALTHY_CAPTURES.get(rule, '?')} ({', '.join(dict.fromkeys(names))})", end="")
    assert set(fired) <= set(TRUE_OF_HEALTHY_CAPTURES)
