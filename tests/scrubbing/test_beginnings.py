"""The first bytes of TLS, put together from segments in any order."""

import itertools

from kafkasniff.scrubbing.beginnings import Beginnings
from kafkasniff.scrubbing.packets import Tcp

CLIENT, SERVER = b"\x0a\0\0\1\x9c\x40", b"\x0a\0\0\2\x23\x84"
HELLO = bytes.fromhex("1603010200 01") + bytes(range(200))
FIRST = 0xFFFF_FFC0
"""Of sequence numbers, which wrap within the hello."""


def segment(at: int, source: bytes = CLIENT, destination: bytes = SERVER) -> Tcp:
    return Tcp((), 0, 0, 0, 0, source, destination, (FIRST + at) & 0xFFFFFFFF)


def test_segments_behind_the_first_may_come_in_any_order_and_twice() -> None:
    pieces = [(at, HELLO[at : at + 50]) for at in (50, 100, 130, 180)]
    for order in itertools.permutations(pieces):
        beginnings = Beginnings()
        for time, (at, data) in enumerate([(0, HELLO[:50]), *order, pieces[0]]):
            beginnings.take(segment(at), data, time)
        [(place, sequence, data)] = beginnings.end()
        assert (sequence, data) == (FIRST, HELLO)
        assert (place.source, place.destination) == (CLIENT, SERVER)


def test_what_lacks_ends_it() -> None:
    beginnings = Beginnings()
    beginnings.take(segment(0), HELLO[:50], 0)
    beginnings.take(segment(60), HELLO[60:], 1)
    assert [data for _, _, data in beginnings.end()] == [HELLO[:50]]


def test_what_is_no_tls_and_what_is_empty_is_left_out() -> None:
    beginnings = Beginnings()
    beginnings.take(segment(0), b"\0\0\0\x20\0\x12\0\3", 0)
    beginnings.take(segment(0, SERVER, CLIENT), b"", 0)
    assert list(beginnings.end()) == []


def test_the_same_addresses_may_begin_anew() -> None:
    beginnings = Beginnings()
    beginnings.take(segment(0), HELLO, 0)
    beginnings.take(segment(1 << 30), HELLO, 9)
    beginnings.take(segment(0, SERVER, CLIENT), HELLO[:60], 10)
    assert [len(data) for _, _, data in beginnings.end()] == [206, 206, 60]
