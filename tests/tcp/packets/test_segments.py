"""From the frame to the segment: the quick way for common frames and the careful way find the same."""

import shutil
import subprocess

import pytest

import kafkasniff
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Endpoint
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import SegmentReader, maximum_segment_size
from kafkasniff.tcp.reassembler import Reassembler
from tests.conftest import CAPTURES
from tests.tcp.conversations import (
    ACK,
    CLIENT,
    PSH,
    SERVER,
    SYN,
    Talk,
    batch,
    connections,
    ethernet,
    ipv4,
    ipv4_address,
    run,
    tcp,
)

KEY = bytes.fromhex("0a000001 0a000002 9c40 2384")
KEY6 = bytes.fromhex("20010db8000000000000000000000001 20010db8000000000000000000000002 9c40 2384")


def test_a_segment_read_with_care() -> None:
    frame = ethernet(ipv4(CLIENT, SERVER, tcp(40_000, 9092, 7, 9, PSH | ACK, b"payload"))) + b"padding"
    reader = SegmentReader(TcpLimits(), TcpCounters())
    segment = reader.read(b"__" + frame, 2, len(frame), len(frame), Arrival(0, 1, Interface("made", 1)))
    assert segment is not None
    assert (segment.key, segment.tunnel) == (KEY, ())
    assert (segment.sequence, segment.acknowledgement, segment.flags) == (7, 9, PSH | ACK)
    assert (segment.data, segment.length) == (b"payload", 7)


@pytest.mark.parametrize("insert", [b"", b"\x81\0\0\x05", b"\x88\xa8\0\x01\x81\0\0\x02"])
def test_tags_and_padding_change_nothing(insert: bytes) -> None:
    talk = Talk().open().send(0, b"request").send(1, b"answer").close()
    frames = [frame[:12] + insert + frame[12:] + b"\0" * 12 for frame in talk.frames]
    (seen,) = connections(run(frames))
    assert seen.parts == ([b"request"], [b"answer"])
    assert seen.connection.ended_by == "fin"


def test_ipv4_options_and_tcp_options() -> None:
    segment = tcp(40_000, 9092, 7, 9, ACK, b"\1" * 12 + b"payload")
    segment = segment[:12] + b"\x80" + segment[13:]
    frames = [ethernet(ipv4(CLIENT, SERVER, segment, options=b"\1" * 8))]
    assert connections(run(frames))[0].parts[0] == [b"payload"]


def test_segmentation_offload() -> None:
    """Total length 0, and more than IP's 65,535 bytes."""
    data = bytes(range(256)) * 300
    frames = [ethernet(ipv4(CLIENT, SERVER, tcp(40_000, 9092, 7, 9, ACK, data), total=0))]
    assert connections(run(frames))[0].parts[0] == [data]


def test_what_is_not_tcp_is_counted() -> None:
    frames = [
        ethernet(b"\0" * 28, 0x0806),
        ethernet(ipv4(CLIENT, SERVER, b"\0" * 8, protocol=17)),
        ethernet(ipv4(CLIENT, SERVER, b"\0" * 10)),
        ethernet(ipv4(CLIENT, SERVER, tcp(1, 2, 3, 4, ACK)[:12] + b"\x10" + b"\0" * 7)),
        b"",
        ethernet(ipv4(CLIENT, SERVER, tcp(1, 2, 3, 4, ACK))),
    ]
    reassembler = Reassembler()
    reassembler.feed(batch(frames))
    counters = reassembler.counters
    assert (counters.packets, counters.segments, counters.connections) == (6, 1, 1)
    assert (counters.not_ip, counters.not_tcp, counters.malformed) == (1, 1, 3)


def test_an_unknown_link_type_is_counted() -> None:
    reassembler = Reassembler()
    assert reassembler.feed(batch([b"anything", b""], link_type=189)) == []
    assert reassembler.counters.unknown_link_types == {189: 2}


def test_a_frame_cut_anywhere_gives_a_beginning_or_nothing() -> None:
    frame = Talk().packet(0, ACK | PSH, b"0123456789")
    for length in range(len(frame)):
        for seen in connections(run([frame[:length]], original=[len(frame)])):
            assert seen.connection.endpoints[0] == Endpoint(CLIENT, 40_000)
            data = seen.parts[0][0] if seen.parts[0] and isinstance(seen.parts[0][0], bytes) else b""
            assert seen.parts[0] in ([data, 10 - len(data)], [10])
            assert b"0123456789".startswith(data)


@pytest.mark.parametrize(
    ("options", "mss"),
    [
        ("020405b4", 1460),
        ("0204ffd7 0402 080a00000001000000000103030a", 65_495),
        ("0101 0402 020405a0", 1440),
        ("080a0000000100000000", 0),
        ("00 020405b4", 0),
        ("020305b4", 0),
        ("0300020405b4", 0),
        ("01010204", 0),
        ("01010101", 0),
        ("", 0),
    ],
)
def test_the_maximum_segment_size_of_options(options: str, mss: int) -> None:
    raw = bytes.fromhex(options)
    assert maximum_segment_size(b"before" + raw, 6, 6 + len(raw)) == mss


@pytest.mark.parametrize("insert", [b"", b"\x81\0\0\x05"])
@pytest.mark.parametrize("ip_options", [b"", b"\1" * 8])
def test_both_ends_name_their_maximum_segment_size(insert: bytes, ip_options: bytes) -> None:
    frames = []
    for side, frame in enumerate(Talk().open().send(0, b"request").frames):
        segment = frame[34:]
        if segment[13] & SYN:
            option = bytes([2, 4]) + (1460 - 100 * side).to_bytes(2)
            segment = segment[:12] + b"\x60" + segment[13:20] + option
        ends = (SERVER, CLIENT) if frame[26:30] == ipv4_address(SERVER) else (CLIENT, SERVER)
        whole = ethernet(ipv4(*ends, segment, options=ip_options))
        frames.append(whole[:12] + insert + whole[12:])
    (seen,) = connections(run(frames))
    assert [counter.mss for counter in seen.connection.counters] == [1460, 1360]
    assert seen.parts[0] == [b"request"]
    (lone,) = connections(run(frames[:1]))
    assert [counter.mss for counter in lone.connection.counters] == [1460, 0]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not there to compare with")
@pytest.mark.parametrize("name", ["java-4.3.1-basic.pcap", "ipv6.pcap", "vlan.pcap", "linux-sll2.pcap"])
def test_maximum_segment_sizes_are_those_of_tshark(name: str) -> None:
    path = CAPTURES / name
    fields = [each for field in ("tcp.stream", "tcp.srcport", "tcp.options.mss_val") for each in ("-e", field)]
    command = ["tshark", "-r", str(path), "-Y", "tcp.flags.syn == 1", "-T", "fields", *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted: dict[str, set[tuple[int, int]]] = {}
    for line in done.stdout.splitlines():
        stream, port, mss = line.split("\t")
        wanted.setdefault(stream, set()).add((int(port), int(mss)))
    reading = kafkasniff.read(path, connections=True)
    found = [
        {(end.port, counter.mss) for end, counter in zip(each.endpoints, each.counters, strict=True) if counter.mss}
        for each in (item.connection for item in reading if isinstance(item, kafkasniff.ConnectionReport))
    ]
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted.values()))
