import random

import pytest

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, Endpoint, StreamData, StreamGap
from kafkasniff.tcp.tls.beginning import LARGEST_FRAGMENT
from kafkasniff.tcp.tls.records import APPLICATION_DATA, RecordCutter
from tests.tcp.tls.openssl import INTERFACE

FIRST = Arrival(0, 1, INTERFACE)
CONNECTION = Connection((Endpoint("10.0.0.1", 1), Endpoint("10.0.0.2", 2)), 0, FIRST, FIRST)


def data(packet: int, content: bytes) -> StreamData:
    arrival = Arrival(packet, packet, INTERFACE)
    return StreamData(CONNECTION, 0, content, arrival, arrival)


def gap(length: int | None) -> StreamGap:
    return StreamGap(CONNECTION, 0, length, FIRST, cut=False)


def record(content: bytes, content_type: int = APPLICATION_DATA) -> bytes:
    return bytes([content_type, 3, 3]) + len(content).to_bytes(2, "big") + content


def fragments(cutter: RecordCutter) -> list[bytes]:
    found = []
    while (next_record := cutter.next_record()) is not None:
        found.append(next_record.fragment)
        cutter.take(next_record)
    return found


@pytest.mark.parametrize("size", [1, 4, 5, 6, 100, 10_000])
def test_cuts_records_wherever_packets_end(size: int) -> None:
    source = random.Random(size)
    contents = [source.randbytes(source.choice((0, 1, 17, 300, LARGEST_FRAGMENT))) for _ in range(8)]
    stream = b"".join(map(record, contents))
    cutter = RecordCutter()
    found = []
    for number, start in enumerate(range(0, len(stream), size)):
        cutter.push(data(number + 1, stream[start : start + size]))
        found += fragments(cutter)
    assert found == contents
    assert cutter.aligned


def test_tells_which_packets_carried_a_record() -> None:
    cutter = RecordCutter()
    stream = record(b"a" * 10) + record(b"b" * 10) + record(b"c")
    for number, (start, end) in enumerate([(0, 12), (12, 17), (17, 36)]):
        cutter.push(data(number + 1, stream[start:end]))
    carriers = []
    while (found := cutter.next_record()) is not None:
        carriers.append([arrival.packet for arrival in found.packets])
        cutter.take(found)
    assert carriers == [[1, 2], [2, 3], [3]]


@pytest.mark.parametrize("start", [record(b"x", 24), b"\x17\x02\x03\x00\x01x", b"\x17\x03\x03\xff\xffx"])
def test_what_is_no_record_ends_the_alignment(start: bytes) -> None:
    cutter = RecordCutter()
    cutter.push(data(1, start))
    assert cutter.next_record() is None
    assert not cutter.aligned


def test_a_gap_inside_a_record_costs_that_record() -> None:
    cutter = RecordCutter()
    cutter.push(data(1, record(b"a" * 100)[:30]))
    cutter.push_gap(gap(40))
    cutter.push(data(2, b"a" * 35 + record(b"b")))
    assert cutter.aligned
    assert cutter.lost == 105
    assert fragments(cutter) == [b"b"]
    assert cutter.lost == 0


def test_behind_a_longer_gap_records_are_candidates() -> None:
    cutter = RecordCutter()
    cutter.push(data(1, record(b"a" * 100)[:30]))
    cutter.push_gap(gap(200))
    # What follows begins inside a record, and holds what only looks like one.
    cutter.push(data(2, b"zz" + record(b"no") + record(b"yes")))
    assert not cutter.aligned
    assert cutter.lost == 230
    found = list(cutter.candidates())
    assert [candidate.fragment for candidate in found] == [b"no", b"yes"]
    assert [candidate.position for candidate in found] == [2, 9]
    assert list(cutter.candidates()) == [], "each is given once"
    cutter.take(found[1])
    assert (cutter.aligned, cutter.lost) == (True, 0)


def test_a_gap_of_unknown_length_leaves_the_loss_unknown() -> None:
    cutter = RecordCutter()
    cutter.push_gap(gap(None))
    cutter.push(data(1, record(b"a")))
    assert cutter.lost is None
    assert [candidate.fragment for candidate in cutter.candidates()] == [b"a"]


def test_two_gaps_in_one_record() -> None:
    cutter = RecordCutter()
    cutter.push(data(1, record(b"a" * 100)[:20]))
    cutter.push_gap(gap(10))
    cutter.push(data(2, b"a" * 10))
    cutter.push_gap(gap(65))
    cutter.push(data(3, record(b"b")))
    assert cutter.aligned
    assert cutter.lost == 105
    assert fragments(cutter) == [b"b"]


def test_a_second_gap_beyond_the_record_counts_no_byte_twice() -> None:
    cutter = RecordCutter()
    cutter.push(data(1, record(b"a" * 100)[:20]))
    cutter.push_gap(gap(10))
    cutter.push_gap(gap(300))
    assert not cutter.aligned
    assert cutter.lost == 330


def test_a_search_holds_a_bounded_part_of_the_stream() -> None:
    cutter = RecordCutter()
    cutter.push_gap(gap(1))
    noise = random.Random(3).randbytes(1_000)
    for number in range(1_000):
        cutter.push(data(number, noise))
        list(cutter.candidates())
    cutter.push(data(2_000, record(b"found")))
    found = [candidate for candidate in cutter.candidates() if candidate.fragment == b"found"]
    assert cutter.lost is not None
    assert cutter.lost + found[0].position == 1 + 1_000_000
    assert found[0].position < 5 * LARGEST_FRAGMENT
