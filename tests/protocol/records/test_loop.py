import pytest

from kafkasniff.protocol.records.loop import read_one_by_one
from tests.protocol.records.made_batches import BASE_TIMESTAMP, record, varint

MOST = 1000

THREE = record(0, b"k", b"v") + record(1, None, None, timestamp_delta=5) + record(2, b"", b"", timestamp_delta=-3)


def test_offsets_timestamps_keys_and_values() -> None:
    raw = read_one_by_one(THREE, 3, 100, BASE_TIMESTAMP, MOST)
    assert raw.errors == []
    assert [list(item.values()) for item in raw.records] == [
        [100, BASE_TIMESTAMP, "k", "v", ()],
        [101, BASE_TIMESTAMP + 5, None, None, ()],
        [102, BASE_TIMESTAMP - 3, "", "", ()],
    ]
    assert [list(item) for item in raw.records] == [["offset", "timestamp", "key", "value", "headers"]] * 3
    assert raw.texts == ["k", "v", "", ""]


@pytest.mark.parametrize("length", [63, 64, 8191, 8192, 200_000])
def test_varints_of_one_two_and_three_bytes(length: int) -> None:
    encoded = record(length, b"k" * length, b"v" * length, [(b"h" * length, b"w" * length)], timestamp_delta=length)
    raw = read_one_by_one(encoded, 1, 7, BASE_TIMESTAMP, MOST)
    assert raw.errors == []
    (item,) = raw.records
    assert (item["offset"], item["timestamp"]) == (7 + length, BASE_TIMESTAMP + length)
    assert (item["key"], item["value"]) == ("k" * length, "v" * length)
    assert item["headers"] == ({"key": "h" * length, "value": "w" * length},)


def test_headers() -> None:
    headers = [(b"trace", b"\xff\x00"), (b"", None), (b"trace", b"")]
    raw = read_one_by_one(record(0, None, b"v", headers), 1, 0, 0, MOST)
    assert raw.records[0]["headers"] == (
        {"key": "trace", "value": "\xff\x00"},
        {"key": "", "value": None},
        {"key": "trace", "value": ""},
    )
    assert sorted(raw.texts) == ["", "", "trace", "trace", "v", "\xff\x00"]


def test_timestamps_and_offsets_wrap_in_64_bits() -> None:
    most = 2**63 - 1
    encoded = record(1, None, None, timestamp_delta=1) + record(0, None, None, timestamp_delta=-(2**63))
    raw = read_one_by_one(encoded, 2, most, most, MOST)
    assert [(item["offset"], item["timestamp"]) for item in raw.records] == [(-(2**63), -(2**63)), (most, -1)]
    raw = read_one_by_one(record(0, None, None, timestamp_delta=most), 1, 0, 5, MOST)
    assert raw.records[0]["timestamp"] == -(2**63) + 4


@pytest.mark.parametrize(
    ("encoded", "count", "read", "offset", "path", "message"),
    [
        (THREE[:-1], 3, 2, 16, ".records[2]", "expected 3 records, found the end"),
        (THREE, 4, 3, len(THREE), ".records[3]", "expected 4 records, found the end"),
        (THREE, 2, 2, 16, ".records[2]", "expected 2 records, found 7 more bytes"),
        (
            varint(9) + record(0, None, None)[1:] + THREE,
            2,
            0,
            0,
            ".records[0]",
            "expected a record of 10 bytes, found 7",
        ),
        (varint(2) + b"\0\0" + varint(1), 1, 0, 0, ".records[0]", "found the end"),
        (record(0, b"k", None)[:-1] + varint(-1), 1, 0, 7, ".records[0]", "expected the number of headers, found -1"),
        (
            varint(8) + b"\0\0\0\x01\x01" + varint(1) + varint(-1) + b"\0",
            1,
            0,
            7,
            ".records[0]",
            "found a length of -1",
        ),
        (varint(9) + b"\0\0\0" + b"\x80" * 6, 1, 0, 4, ".records[0]", "varint of at most 5 bytes"),
        (varint(-9) + THREE[1:], 1, 0, 0, ".records[0]", "expected a record of -8 bytes, found 9"),
    ],
)
def test_broken_records_end_the_reading_and_keep_those_before(
    encoded: bytes, count: int, read: int, offset: int, path: str, message: str
) -> None:
    raw = read_one_by_one(encoded, count, 0, 0, MOST)
    assert len(raw.records) == read
    (error,) = raw.errors
    assert (error.offset, error.path) == (offset, path)
    assert message in error.message


def test_every_cut_and_every_flipped_bit_is_survived() -> None:
    encoded = record(0, b"key", b"value", [(b"h", b"w")]) + THREE
    for length in range(len(encoded)):
        assert len(read_one_by_one(encoded[:length], 4, 0, 0, MOST).errors) == 1
    for bit in range(len(encoded) * 8):
        flipped = bytearray(encoded)
        flipped[bit // 8] ^= 1 << bit % 8
        raw = read_one_by_one(bytes(flipped), 4, 0, 0, MOST)
        assert len(raw.records) == 4 or raw.errors


def test_no_more_records_or_headers_than_allowed() -> None:
    raw = read_one_by_one(THREE, 3, 0, 0, 2)
    assert len(raw.records) == 2
    assert raw.errors[0].message == "2 of 3 records are shown, all would take too much memory"
    raw = read_one_by_one(record(0, None, None, [(b"", None)] * 50), 1, 0, 0, 49)
    assert raw.records == []
    assert raw.errors[0].message == "expected headers that take less memory, found 50"


def test_a_count_beyond_the_content_costs_nothing() -> None:
    raw = read_one_by_one(THREE, 2**31 - 1, 0, 0, 2**31)
    assert len(raw.records) == 3
    assert len(raw.errors) == 1


@pytest.mark.parametrize(
    ("encoded", "value"),
    [
        # From Kafka's ByteUtilsTest.
        ("00", 0),
        ("01", -1),
        ("02", 1),
        ("7e", 63),
        ("7f", -64),
        ("8001", 64),
        ("8101", -65),
        ("fe7f", 8191),
        ("ff7f", -8192),
        ("808001", 8192),
        ("feffffff0f", 2**31 - 1),
        ("ffffffff0f", -(2**31)),
    ],
)
def test_varints(encoded: str, value: int) -> None:
    delta = bytes.fromhex(encoded)
    raw = read_one_by_one(with_deltas(delta, delta), 1, 0, 0, MOST)
    assert (raw.errors, raw.records[0]["timestamp"], raw.records[0]["offset"]) == ([], value, value)


@pytest.mark.parametrize(
    ("encoded", "value"), [("feffffffffffffffff01", 2**63 - 1), ("ffffffffffffffffff01", -(2**63))]
)
def test_varints_of_64_bits(encoded: str, value: int) -> None:
    raw = read_one_by_one(with_deltas(bytes.fromhex(encoded), b"\0"), 1, 0, 0, MOST)
    assert (raw.errors, raw.records[0]["timestamp"]) == ([], value)


@pytest.mark.parametrize(
    ("timestamp", "offset", "most", "at"), [(b"\x80" * 10 + b"\1", b"\0", 10, 2), (b"\0", b"\x80" * 5 + b"\1", 5, 3)]
)
def test_longer_varints_are_refused(timestamp: bytes, offset: bytes, most: int, at: int) -> None:
    (error,) = read_one_by_one(with_deltas(timestamp, offset), 1, 0, 0, MOST).errors
    assert error.message == f"expected a varint of at most {most} bytes, found a longer one"
    assert error.offset == at


def with_deltas(timestamp: bytes, offset: bytes) -> bytes:
    """Give a record without key, value and headers."""
    content = b"\0" + timestamp + offset + b"\1\1\0"
    return varint(len(content)) + content
