from random import Random

from kafkasniff.protocol.records.columns import LEAST_COUNT, read_by_columns
from kafkasniff.protocol.records.loop import read_one_by_one
from tests.protocol.records.made_batches import BASE_TIMESTAMP, Header, record

MOST = 100_000


def made_records(random: Random, count: int) -> bytes:
    """Encode records as they occur: with null and empty keys and values, binary ones, some with headers."""
    encoded = []
    for index in range(count):
        headers: list[Header] = [(b"trace", random.randbytes(8)), (b"", None)] if random.random() < 0.1 else []
        key = random.choice([None, b"", b"k", random.randbytes(40)])
        value = random.choice([None, b"", random.randbytes(random.randrange(300))])
        encoded.append(record(index, key, value, headers, timestamp_delta=random.randrange(-500, 8000)))
    return b"".join(encoded)


def test_gives_what_the_loop_gives() -> None:
    random = Random(6)
    for count in (LEAST_COUNT, 137, 500):
        content = made_records(random, count)
        for kind in (bytes, bytearray):
            columns = read_by_columns(kind(content), count, 2**40, BASE_TIMESTAMP, MOST)
            loop = read_one_by_one(kind(content), count, 2**40, BASE_TIMESTAMP, MOST)
            assert columns is not None
            assert columns.records == loop.records
            assert [list(item) for item in columns.records] == [list(item) for item in loop.records]
            assert sorted(filter(None, columns.texts)) == sorted(filter(None, loop.texts))
            assert loop.errors == columns.errors == []


def test_numbers_and_texts_are_plain_python() -> None:
    columns = read_by_columns(made_records(Random(7), 100), 100, 5, 6, MOST)
    assert columns is not None
    assert {type(item["offset"]) for item in columns.records} == {int}
    assert {type(item["timestamp"]) for item in columns.records} == {int}


def test_leaves_unusual_records_to_the_loop() -> None:
    usual = made_records(Random(8), 100)
    for unusual in (
        record(100, None, b"v", timestamp_delta=8192),
        record(8192, None, b"v"),
        record(100, b"k" * 8192, b"v"),
        record(100, None, b"v" * 8192),
    ):
        assert read_by_columns(usual + unusual, 101, 0, 0, MOST) is None
        assert read_one_by_one(usual + unusual, 101, 0, 0, MOST).errors == []


def test_leaves_every_error_to_the_loop() -> None:
    content = made_records(Random(9), 100)
    assert read_by_columns(content, 101, 0, 0, MOST) is None
    assert read_by_columns(content, 99, 0, 0, MOST) is None
    assert read_by_columns(content, 100, 0, 0, 99) is None
    assert read_by_columns(b"", 100, 0, 0, MOST) is None
    # A length of -9 differs from one of 8 in one bit.
    short = record(0, b"k", b"v")
    assert read_by_columns(short * 100, 100, 0, 0, MOST) is not None
    assert read_by_columns(short * 99 + b"\x11" + short[1:], 100, 0, 0, MOST) is None
    random = Random(10)
    for _ in range(300):
        broken = bytearray(content)
        broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
        found = read_by_columns(broken[: random.randrange(len(broken) - 100, len(broken) + 1)], 100, 0, 0, MOST)
        loop = read_one_by_one(broken, 100, 0, 0, MOST)
        assert found is None or (found.records == loop.records and not loop.errors)
