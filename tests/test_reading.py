"""Reading captures into calls from Python, against the descriptions beside the recordings."""

import gzip
import json
from pathlib import Path

import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tcp.limits import TcpLimits
from tests.capture.samples import interface, option, section
from tests.conftest import CAPTURES


def logged(name: str) -> int:
    with gzip.open(CAPTURES / f"{name}.requestlog.jsonl.gz", "rt") as lines:
        return sum(1 for _ in lines)


def test_a_capture_gives_the_calls_that_the_broker_logged() -> None:
    reading = kafkasniff.read(str(CAPTURES / "java-4.3.1-basic.pcap"))
    calls = [item for item in reading if isinstance(item, Call)]
    assert len(calls) == logged("java-4.3.1-basic")
    assert reading.summary.packets == json.loads((CAPTURES / "java-4.3.1-basic.json").read_text())["capture"]["packets"]
    assert reading.summary.counts.calls == len(calls)
    assert reading.summary.damages == []


def test_rotated_files_are_one_capture_in_any_order() -> None:
    files = sorted(str(path) for path in (CAPTURES / "rotate-size").iterdir())
    calls = [
        [
            (call.client, call.correlation_id, call.api_name, call.outcome)
            for call in kafkasniff.read(order)
            if isinstance(call, Call)
        ]
        for order in (files, files[::-1])
    ]
    assert calls[0] == calls[1]
    assert len(calls[0]) == logged("rotate-size")


def test_connections_are_reported_when_asked_for() -> None:
    path = str(CAPTURES / "ipv6.pcap")
    reports = [item for item in kafkasniff.read(path, connections=True) if isinstance(item, ConnectionReport)]
    assert {report.protocol for report in reports} == {"kafka"}
    assert all(report.client.startswith("[") for report in reports)
    assert sum(report.calls for report in reports) == logged("ipv6")


def test_a_cut_file_gives_all_before_the_damage(tmp_path: Path) -> None:
    content = (CAPTURES / "ipv6.pcap").read_bytes()
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(content[: len(content) // 2])
    reading = kafkasniff.read(str(cut))
    calls = [item for item in reading if isinstance(item, Call)]
    assert 0 < len(calls) < logged("ipv6")
    (damage,) = reading.summary.damages
    assert str(cut) in str(damage)


def test_two_passes_give_the_same_calls_and_name_their_topics() -> None:
    files = sorted(str(path) for path in (CAPTURES / "rotate-size").iterdir())
    once, twice = kafkasniff.read(files), kafkasniff.read(files, two_pass=True)
    places = [[(item.client, item.correlation_id) for item in each if isinstance(item, Call)] for each in (once, twice)]
    assert places[0] == places[1]
    assert twice.summary.packets == once.summary.packets
    assert twice.summary.counts.calls == once.summary.counts.calls
    [topic] = json.loads((CAPTURES / "rotate-size.json").read_text())["topics"]
    produced = [item for item in kafkasniff.read(files, two_pass=True) if isinstance(item, Call) and item.api_key == 0]
    assert produced
    assert all(list(call.topics.values()) == [topic] for call in produced)


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no capture at all")
    with pytest.raises(kafkasniff.CaptureError, match=r"notes\.txt"):
        list(kafkasniff.read(str(path)))


def test_packets_of_a_link_type_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    content = bytearray((CAPTURES / "ipv6.pcap").read_bytes())
    content[20:24] = (147).to_bytes(4, "little")  # LINKTYPE_USER0
    path = tmp_path / "user0.pcap"
    path.write_bytes(content)
    reading = kafkasniff.read(str(path))
    assert list(reading) == []
    packets = json.loads((CAPTURES / "ipv6.json").read_text())["capture"]["packets"]
    assert reading.summary.notes == [f"packets of link type 147 cannot be read: {packets}"]


def test_what_of_a_file_was_left_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "named.pcapng"
    path.write_bytes(section() + interface(options=option(2, bytes(257))))
    reading = kafkasniff.read([str(path), str(CAPTURES / "ipv6.pcap")])
    assert list(reading)
    assert reading.summary.notes == [
        f"{path}: interface names cut: at most 256 bytes of each and 1 MiB of all are kept"
    ]


def test_limits_that_were_reached_are_said() -> None:
    limits = TcpLimits(connections=1)
    reading = kafkasniff.read(str(CAPTURES / "java-4.3.1-basic.pcap"), tcp_limits=limits)
    assert list(reading)
    (note,) = reading.summary.notes
    assert note.startswith("connection ended: too many connections, longest idle first: ")
