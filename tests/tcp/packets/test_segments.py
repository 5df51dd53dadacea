"""From the frame to the segment: the quick way for common frames and the careful way find the same."""

import pytest

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Endpoint
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import SegmentReader
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.reassembly.flow_keys import canonical, endpoints, reverse
from tests.tcp.conversations import ACK, CLIENT, PSH, SERVER, Talk, batch, connections, ethernet, ipv4, run, tcp

KEY = bytes.fromhex("0a000001 0a000002 9c40 2384")
KEY6 = bytes.fromhex("20010db8000000000000000000000001 20010db8000000000000000000000002 9c40 2384")


def test_keys_reverse() -> None:
    assert reverse(KEY) == bytes.fromhex("0a000002 0a000001 2384 9c40")
    assert reverse((("vxlan:1",), KEY)) == (("vxlan:1",), reverse(KEY))
    assert reverse(reverse(KEY6)) == KEY6


def test_both_keys_of_a_4_tuple_have_one_canonical_key() -> None:
    assert canonical(KEY) == canonical(reverse(KEY)) == min(KEY, reverse(KEY))
    same_address = bytes.fromhex("7f000001 7f000001 9c40 2384")
    assert canonical(same_address) == canonical(reverse(same_address)) == reverse(same_address)
    assert canonical((("vxlan:1",), reverse(KEY6))) == (("vxlan:1",), KEY6)


def test_endpoints_of_keys() -> None:
    assert endpoints(KEY) == (Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 9092))
    assert endpoints((("gre:1",), KEY6)) == (Endpoint("2001:db8::1", 40_000), Endpoint("2001:db8::2", 9092))


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
