"""Labelled captures of misbehaviour, controls, and healthy captures: what is found, and what must not be."""

import json
import struct
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.protocol.bodies.scanning import Scanner
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.reading import Reading
from tests.conformance.labels import camel_case, diagnose, every, values
from tests.conformance.recordings import packets_of
from tests.conftest import SHARED, AddFigure, needs_shared

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

NOON = 1_795_176_000_000_000
"""2026-11-20T12:00:00Z in microseconds."""

MANY_PACKETS = 5_000
"""Captures with more packets than this are left out of the damaged ones, for the time it takes."""

HEALTHY_FINDINGS = Path(__file__).with_name("healthy_findings.txt")
NAMES_IN_THE_LIST = ("clientId", "client", "server", "group", "topic")


def label_of(name: str) -> dict[str, Any]:
    label: dict[str, Any] = json.loads((MISBEHAVE / f"{name}.json").read_text())
    return label


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


@pytest.mark.parametrize("name", NAMES)
def test_confusion_table(name: str, found: dict[str, list[Finding]], add_figure: AddFigure) -> None:
    """A row of the table rule × capture in the terminal summary: every cell that is not empty is named in it."""
    label = label_of(name)
    acceptable = set(label["also_acceptable"])
    below = {finding.rule for root in found[name] for finding in root.consequences}
    fired = Counter(finding.rule for finding in every(found[name]))
    cells = {
        rule: f"{rule}{'+' if rule in below else ''}{f' ×{count}' if count > 1 else ''}"
        for rule, count in fired.items()
    }
    right = {label["rule"]} if label["rule"] else set()
    wrong = set(fired) - right - acceptable
    add_figure(
        "Confusion table, rule × capture (+ is said under another finding; ×n findings)",
        name,
        found=", ".join(cells[rule] for rule in cells if rule in right) or ("MISSED" if right else "-"),
        acceptable=", ".join(cells[rule] for rule in sorted(acceptable & set(fired))),
        **{"not asked for": ", ".join(cells[rule] for rule in sorted(wrong))},
        hits=len(right & set(fired)),
        misses=len(right - set(fired)),
        false=len(wrong),
    )
    assert right <= {finding.rule for finding in found[name]}
    assert right or not fired


def test_rules_ask_for_all_they_need(found: dict[str, list[Finding]], monkeypatch: pytest.MonkeyPatch) -> None:
    """What they make of whole bodies is what they make of the fields that they ask for."""
    nothing = Scanner(-1, 0, "request", frozenset())
    monkeypatch.setattr("kafkasniff.calls.call.scanner_of", lambda *layout: nothing)
    monkeypatch.setattr("kafkasniff.diagnose.engine.scanner_of", lambda *layout: nothing)
    for name in NAMES:
        whole = [(item.rule, item.count, item.summary) for item in every(diagnose(MISBEHAVE / f"{name}.pcap"))]
        assert whole == [(item.rule, item.count, item.summary) for item in every(found[name])], name


def with_other_ports(packets: list[bytes]) -> list[bytes]:
    """Each port exchanged for another, the same everywhere; Ethernet, IPv4 without options."""
    changed = []
    for packet in packets:
        if packet[28:30] == b"\x08\x00" and packet[30] == 0x45 and packet[39] == 6:
            ports = (port ^ 0x2A5A for port in struct.unpack_from(">HH", packet, 50))
            packet = packet[:50] + struct.pack(">HH", *ports) + packet[54:]
        changed.append(packet)
    return changed


def at_once(captures: list[list[bytes]]) -> list[bytes]:
    """The packets of several captures as if all had begun at noon, in the order of time."""
    moved = []
    for packets in captures:
        times = [
            1_000_000 * seconds + micros for seconds, micros in (struct.unpack_from("<II", each) for each in packets)
        ]
        for time, packet in zip(times, packets, strict=True):
            moved.append((NOON + time - times[0], packet))
    moved.sort(key=itemgetter(0))
    return [struct.pack("<II", *divmod(time, 1_000_000)) + packet[8:] for time, packet in moved]


def test_controls_at_once_under_one_client_id(tmp_path: Path) -> None:
    """Forty programs that share a client id and a host: all that can be said is that there are many connections."""
    captures = [packets_of(MISBEHAVE / f"{name}.pcap") for name in CONTROLS]
    path = tmp_path / "all.pcap"
    path.write_bytes(captures[0][0] + b"".join(at_once([packets for _, packets in captures])))
    diagnosis = Diagnosis()
    for item in Reading([str(path)], connections=True):
        if isinstance(item, Call) and item.client_id and item.header is not None:
            api_key, version, correlation_id, _, header_version, end = item.header.fields()
            item.header = RequestHeader(api_key, version, correlation_id, "one", header_version, end)
        diagnosis.feed(item)
    assert [(item.rule, item.subject["clientId"]) for item in every(diagnosis.findings())] == [
        ("too-many-connections", "one")
    ]


def is_answer(packet: bytes) -> bool:
    """Whether a packet comes from a broker; all of them listen on ports from 29000 to 29999."""
    return packet[28:30] == b"\x08\x00" and 29_000 <= struct.unpack_from(">H", packet, 50)[0] < 30_000


def subjects(findings: list[Finding]) -> set[tuple[str, str]]:
    """Rule and client, without addresses, which the damage may change."""
    return {(item.rule, name) for item in every(findings) for name in values(item.subject.get("clientId", ""))}


@pytest.mark.parametrize(
    "damage", ["second half", "last quarter", "every tenth packet lost", "other ports", "answers only"]
)
def test_damage_brings_no_new_findings(damage: str, found: dict[str, list[Finding]], tmp_path: Path) -> None:
    for name in NAMES:
        header, packets = packets_of(MISBEHAVE / f"{name}.pcap")
        if len(packets) > MANY_PACKETS:
            continue
        if damage == "other ports":
            packets = with_other_ports(packets)
        elif damage == "answers only":
            packets = list(filter(is_answer, packets))
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


def listed(finding: Finding) -> str:
    """A finding's subject as it stands in the list; of a client with an id the port says nothing."""
    subject = finding.subject
    names = [name for name in NAMES_IN_THE_LIST if name in subject and not (name == "client" and "clientId" in subject)]
    return " ".join(f"{name}={','.join(sorted(values(subject[name])))}" for name in names)


def reasons() -> dict[tuple[str, str, str], str]:
    """Why each finding in a healthy recording is true, by capture, rule and subject."""
    lines = [line for line in HEALTHY_FINDINGS.read_text().splitlines() if not line.startswith("#")]
    return {
        (capture, rule, subject): reason for capture, rule, subject, reason in (line.split(" | ") for line in lines)
    }


@pytest.mark.parametrize("path", healthy_captures(), ids=lambda path: path.stem)
def test_findings_in_healthy_captures_are_true(path: Path) -> None:
    expected = {(rule, subject) for capture, rule, subject in reasons() if capture == path.stem}
    assert {(finding.rule, listed(finding)) for finding in every(diagnose(path))} == expected


def test_each_listed_finding_has_a_capture_and_a_reason() -> None:
    assert {capture for capture, _, _ in reasons()} <= {path.stem for path in healthy_captures()}
    assert all(reasons().values())
