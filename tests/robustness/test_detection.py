"""A connection is Kafka on evidence: on any port, also from its middle, and never where there is none."""

import ipaddress
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from tests.conftest import SHARED, AddFigure, needs_shared
from tests.robustness.compare import compare
from tests.robustness.conversations import Style, compose
from tests.robustness.damage import cut_at_96
from tests.robustness.oracle import expect
from tests.robustness.packets import batches, transmit
from tests.robustness.recordings import (
    connections,
    other_ports,
    read_segments,
    segment_batches,
    server_ports,
)
from tests.robustness.running import printed

HEALTHY = sorted((SHARED / "captures" / "healthy").rglob("*.pcap*"))
OTHERS = SHARED / "fixtures" / "other-pcaps"


def _end(address: bytes, port: int) -> str:
    text = str(ipaddress.ip_address(address))
    return f"[{text}]:{port}" if len(address) == 16 else f"{text}:{port}"


def _kafka_reports(items: list[Item]) -> Counter[tuple[str, str]]:
    """Count the connections found to be Kafka by client and server."""
    reports = (item for item in items if isinstance(item, ConnectionReport) and item.protocol == "kafka")
    return Counter((report.client, report.server) for report in reports)


@needs_shared
@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.name)
def test_healthy_recordings_on_other_ports(path: Path, add_figure: AddFigure) -> None:
    link_type, segments = read_segments(path)
    recorded = connections(segments, server_ports(path))
    new_ports = other_ports(segments, Random(path.name))
    missing, columns = {}, []
    for part, kept in (("whole", segments), ("second half", segments[len(segments) // 2 :])):
        found = _kafka_reports(printed(segment_batches(kept, link_type)))
        expected: Counter[tuple[str, str]] = Counter()
        for connection in recorded:
            requests, frames = connection.whole_frames(kept)
            if requests and frames >= 2:
                (client, client_port), (server, server_port) = connection.ends
                expected[_end(client, new_ports[client_port]), _end(server, new_ports[server_port])] += 1
        missing[part] = expected - found
        columns.append((part, f"{(expected & found).total()}/{expected.total()}"))
    add_figure("Connections found to be Kafka on random ports: found/there", path.name, **dict(columns))
    assert not any(missing.values()), missing


@pytest.mark.parametrize("first", [574, 587, 650])
def test_the_small_pieces_of_old_brokers_answers_are_found_from_any_packet_on(first: int) -> None:
    """A broker of 0.8 writes what its answer says of a partition in 18 bytes, one such piece behind the other."""
    path = str(Path(__file__).parents[2] / "captures" / "cluster-0.8.2.2-startup-shutdown.pcap")
    whole = Engine(options=CallOptions(keep_packets=True))
    calls = [item for batch in CaptureReader(path) for item in whole.feed(batch)] + whole.flush()
    wanted: Counter[tuple[bytes, bytes]] = Counter()
    for call in calls:
        if isinstance(call, Call) and call.request is not None and call.response is not None:
            packets = [arrival.packet for arrival in (*call.request.packets, *call.response.packets)]
            wanted[call.request.data, call.response.data] += min(packets) >= first
    part = Engine()
    shown = [item for batch in CaptureReader(path) for item in part.feed(behind(batch, first))] + part.flush()
    found = Counter(
        (item.request.data, item.response.data)
        for item in shown
        if isinstance(item, Call) and item.request is not None and item.response is not None
    )
    assert wanted.total() >= 20
    assert not wanted - found


def behind(batch: PacketBatch, first: int) -> PacketBatch:
    """Give the packets of a batch from number `first` on."""
    left_out = min(max(first - batch.first_packet, 0), len(batch))
    columns = (batch.offsets, batch.captured, batch.original, batch.times, batch.interface_ids)
    kept = (column[left_out:] for column in columns)
    return PacketBatch(batch.data, batch.first_packet + left_out, *kept, batch.interfaces)


@pytest.mark.parametrize("style", ["idle", "busy"])
def test_answers_over_ipv6_of_which_ten_bytes_are_there(style: Style) -> None:
    """Of a packet that is cut at 96 bytes; of requests that is less than a header."""
    rng = Random(20261124)
    conversations = compose(rng, connections=6, calls=40, style=style, ipv6=True)
    packets = cut_at_96(transmit(conversations, rng), rng)
    items = printed(batches(packets))
    outcome = compare(items, conversations, expect(conversations, packets))
    assert (outcome.invented, outcome.wrong) == ([], [])
    # Where answers share segments, their sizes lead nowhere, and some connections stay undecided.
    least = {"idle": 1, "busy": 0.5}[style]
    assert min(outcome.headers_followed.part, outcome.headers_searched.part) >= least
    assert outcome.headers_followed.found + outcome.headers_searched.found > 80
    assert not any("belongs to no request" in str(item.problems) for item in items if isinstance(item, Call))


@needs_shared
@pytest.mark.parametrize("folder", sorted(path.name for path in OTHERS.glob("*") if path.is_dir()))
def test_no_kafka_in_captures_of_other_protocols(folder: str, add_figure: AddFigure) -> None:
    files = sorted(path for path in (OTHERS / folder).rglob("*") if path.is_file() and path.suffix != ".json")
    kafka = []
    unreadable = 0
    for path in files:
        try:
            for item in kafkasniff.read([str(path)]):
                if isinstance(item, Call):
                    kafka.append(f"{path.name}: {item.client}-{item.server} {item.header}")
        except kafkasniff.CaptureError:
            unreadable += 1
    add_figure("Captures of other protocols", folder, files=len(files), unreadable=unreadable, kafka=len(kafka))
    assert kafka == []
