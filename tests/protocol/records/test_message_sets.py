import struct

import pytest

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.message_sets import (
    make_absolute,
    read_key_and_value,
    read_message_set,
    single_message,
)
from tests.protocol.records.made_batches import message, simple_batch

MOST = 100


@pytest.mark.parametrize(
    ("key", "value"), [(b"key", b"value"), (None, b"value"), (b"key", None), (None, None), (b"", b"")]
)
def test_key_and_value(key: bytes | None, value: bytes | None) -> None:
    encoded = message(key, value)
    assert read_key_and_value(encoded, 18, len(encoded)) == (key, value)


@pytest.mark.parametrize(
    ("encoded", "offset", "text"),
    [
        (b"\0\0\0", 0, "expected the length of the key, found 3 bytes left"),
        (struct.pack(">i", 5) + b"1234", 4, "expected a key of 5 bytes, found 4 left"),
        (struct.pack(">i", 2**31 - 1), 4, "expected a key of 2147483647 bytes, found 0 left"),
        (struct.pack(">i", -1) + b"\0\0", 4, "expected the length of the value, found 2 bytes left"),
        (struct.pack(">iii", -1, 9, 0), 8, "expected a value of 9 bytes, found 4 left"),
        (struct.pack(">iii", -1, 0, 0), 8, "expected the end of the message, found 4 more bytes"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(encoded: bytes, offset: int, text: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        read_key_and_value(encoded, 0, len(encoded))
    assert (refused.value.offset, refused.value.message) == (offset, text)


def test_a_single_message_is_a_record() -> None:
    raw = single_message(5, 6, None, b"\xff")
    assert raw.records == [{"offset": 5, "timestamp": 6, "key": None, "value": "\xff", "headers": ()}]
    assert raw.texts == ["\xff"]


@pytest.mark.parametrize(("magic", "timestamp"), [(0, -1), (1, 77)])
def test_wrapped_messages(magic: int, timestamp: int) -> None:
    content = message(b"a", b"1", magic, 3, timestamp=77) + message(None, None, magic, 9, timestamp=77)
    raw = read_message_set(content, MOST)
    assert raw.errors == []
    assert [tuple(item.values())[:4] for item in raw.records] == [(3, timestamp, "a", "1"), (9, timestamp, None, None)]


def test_broken_wrapped_messages_keep_those_before() -> None:
    first, second = message(b"a", b"1", 1), message(b"b", b"2", 1)
    flipped = second[:-1] + b"3"
    for content, count, path, text in (
        (first + second[:-1], 1, ".records[1]", f"expected a message, found {len(second) - 1} bytes left"),
        (first + second[:9], 1, ".records[1]", "expected a message, found 9 bytes left"),
        (first + simple_batch(1), 1, ".records[1]", "expected a message of magic 0 or 1 like its wrapper, found 2"),
        (first + message(b"b", b"2", 1, attributes=2), 1, ".records[1]", "not itself compressed"),
        (flipped + first, 2, ".records[0]", "expected the CRC"),
        (first + bytes(30), 1, ".records[1]", "at least 26 bytes"),
    ):
        raw = read_message_set(content, MOST)
        assert len(raw.records) == count
        (error,) = raw.errors
        assert error.path == path
        assert text in error.message


def test_no_more_messages_than_allowed() -> None:
    raw = read_message_set(message(None, b"v") * 5, 4)
    assert len(raw.records) == 4
    assert raw.errors[0].message == "4 messages are shown, more would take too much memory"


@pytest.mark.parametrize(
    ("wrapper_offset", "wrapped", "absolute"),
    [
        (5002, [0, 1, 2], [5000, 5001, 5002]),
        (9, [0, 4], [5, 9]),
        (2, [0, 1, 2], [0, 1, 2]),
        (0, [0, 1], [0, 1]),
        (2**63 - 1, [0, -5], [-(2**63) + 4, 2**63 - 1]),
    ],
)
def test_wrapped_offsets_count_up_to_the_wrappers(wrapper_offset: int, wrapped: list[int], absolute: list[int]) -> None:
    records = [{"offset": offset} for offset in wrapped]
    make_absolute(records, wrapper_offset)
    assert [record["offset"] for record in records] == absolute


def test_a_wrapper_offset_below_the_last_one_is_refused() -> None:
    with pytest.raises(ProtocolError, match="at least the last message's offset 2, found 1"):
        make_absolute([{"offset": 0}, {"offset": 2}], 1)
