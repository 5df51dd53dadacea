"""Shapes of requests, against what `struct` reads at every place."""

import random
import struct

from kafkasniff.calls.resync.shapes import next_shape, request_shapes

TELLING = (0, 0, 0, 0, 1, 7, 8, 15, 16, 31, 32, 127, 128, 255)


def has_shape(data: bytes, place: int) -> bool:
    size, key, version = struct.unpack_from(">ihh", data, place)
    return bool(8 <= size < 1 << 28 and 0 <= key < 128 and 0 <= version < 32)


def test_shapes_are_found_wherever_they_are() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        data = bytearray(chance.choice(TELLING) for _ in range(chance.randrange(40)))
        begin = chance.randrange(10)
        expected = [place for place in range(begin, len(data) - 7) if has_shape(data, place)]
        assert list(request_shapes(data, begin)) == expected


def test_the_smallest_request_is_found_and_no_smaller_one() -> None:
    assert next_shape(bytearray(b"\0\0\0\x08\0\x12\0\x03"), 0) == 0
    assert next_shape(bytearray(b"\0\0\0\x07\0\x12\0\x03"), 0) == -1
    assert next_shape(bytearray(b"\0\0\0\x08\0\x12\0"), 0) == -1
