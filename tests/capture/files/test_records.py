"""Records of pcap and enhanced packet blocks of pcapng, laid out by the drafts (draft-ietf-opsawg-pcap, -pcapng)."""

import struct

import pytest

from kafkasniff.capture.files.records import EnhancedPackets, RecordWalker
from kafkasniff.capture.files.walk import MAX_BATCH_PACKETS, Columns

SECOND = 1_000_000_000


def record(
    order: str, seconds: int, fraction: int, content: bytes, original: int | None = None, more: int = 0
) -> bytes:
    """A record of pcap; `more` bytes of header are behind its four numbers, as Kuznetzov's form has them."""
    lengths = (len(content), len(content) if original is None else original)
    return struct.pack(f"{order}IIII", seconds, fraction, *lengths) + bytes(more) + content


def walked(walker: RecordWalker, data: bytes, position: int = 0) -> tuple[list[tuple[int, ...]], int, int, str | None]:
    columns = Columns()
    found = walker.walk(data, position, columns)
    rows = zip(columns.offsets, columns.captured, columns.original, columns.times, strict=True)
    return [*rows], *found


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("fraction_ns", "nanoseconds"), [(1_000, 7_000), (1, 7)])
def test_records_in_both_orders_and_with_both_fractions(order: str, fraction_ns: int, nanoseconds: int) -> None:
    walker = RecordWalker(order == ">", 16, fraction_ns, 1_000, False)
    data = record(order, 0xFFFFFFFF, 7, b"abc", 1_500) + record(order, 1, 0, b"")
    expected = [(16, 3, 1_500, 0xFFFFFFFF * SECOND + nanoseconds), (35, 0, 0, SECOND)]
    assert walked(walker, data) == (expected, 35, 16, None)


def test_a_record_that_is_not_whole_says_what_it_needs() -> None:
    walker = RecordWalker(False, 16, 1, 1_000, False)
    first, second = record("<", 1, 0, b"abc"), record("<", 2, 0, b"defgh")
    whole = first + second
    for there in range(len(first), len(whole)):
        rows, position, need, damage = walked(walker, whole[:there])
        assert ([row[0] for row in rows], position, damage) == ([16], len(first), None)
        assert need == (16 if there < len(first) + 16 else 16 + 5)
    assert [row[0] for row in walked(walker, whole)[0]] == [16, 35]
    assert walked(walker, whole, len(first)) == ([(35, 5, 5, 2 * SECOND)], len(whole), 16, None)
    assert walked(walker, whole, -1)[0] == []


def test_a_header_may_be_longer() -> None:
    walker = RecordWalker(False, 24, 1, 1_000, False)
    assert walked(walker, record("<", 1, 0, b"abc", more=8))[0] == [(24, 3, 3, SECOND)]


@pytest.mark.parametrize(("length", "taken"), [(1_000, True), (1_001, False)])
def test_a_length_that_no_packet_has_is_damage(length: int, taken: bool) -> None:
    walker = RecordWalker(False, 16, 1, 1_000, False)
    rows, position, _, damage = walked(walker, record("<", 1, 0, bytes(length)))
    assert (len(rows), position) == ((1, 16 + length) if taken else (0, 0))
    assert damage == (None if taken else "expected at most 1000 bytes of packet data, found a length of 1001")


def test_a_captured_length_above_the_original_one() -> None:
    """Some systems swap both; elsewhere the packet has at least what was captured of it."""
    data = record("<", 1, 0, b"abcdef", 4)
    assert walked(RecordWalker(False, 16, 1, 1_000, False), data)[0] == [(16, 6, 6, SECOND)]
    assert walked(RecordWalker(False, 16, 1, 1_000, True), data)[0] == [(16, 4, 6, SECOND)]


def test_a_walk_ends_with_a_full_batch() -> None:
    walker = RecordWalker(False, 16, 1, 1_000, False)
    rows, position, _, damage = walked(walker, record("<", 1, 0, b"") * (MAX_BATCH_PACKETS + 1))
    assert (len(rows), position, damage) == (MAX_BATCH_PACKETS, 16 * MAX_BATCH_PACKETS, None)


def enhanced(order: str, interface: int, ticks: int, content: bytes, original: int | None = None) -> bytes:
    padded = content + bytes(-len(content) % 4)
    length = 32 + len(padded)
    lengths = (len(content), len(content) if original is None else original)
    numbers = (6, length, interface, ticks >> 32, ticks & 0xFFFFFFFF, *lengths)
    return struct.pack(f"{order}7I", *numbers) + padded + struct.pack(f"{order}I", length)


def taken(walker: EnhancedPackets, data: bytes) -> tuple[list[tuple[int, ...]], int]:
    columns = Columns()
    position = walker.take(data, 0, columns)
    rows = zip(
        *(columns.offsets, columns.captured, columns.original, columns.times, columns.interface_ids), strict=True
    )
    return [*rows], position


def section(order: str = "<") -> EnhancedPackets:
    """Two interfaces, 5 and 9 of the file: of microseconds, and of 1/1024 s, an hour ahead."""
    made = EnhancedPackets(order == ">")
    made.describe(5, 1_000, 1, 0)
    made.describe(9, SECOND, 1_024, 3_600 * SECOND)
    return made


@pytest.mark.parametrize("order", "<>")
def test_blocks_in_both_orders_with_the_clocks_of_their_interfaces(order: str) -> None:
    data = enhanced(order, 0, (3 << 32) + 4, b"abcde", 60) + enhanced(order, 1, 1_024 + 256, b"")
    expected = [
        (28, 5, 60, ((3 << 32) + 4) * 1_000, 5),
        (40 + 28, 0, 0, 3_600 * SECOND + SECOND + SECOND // 4, 9),
    ]
    assert taken(section(order), data) == (expected, len(data))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, 5),  # another type of block
        (4, 42),  # a length that is no multiple of four
        (4, 44),  # one beyond the end
        (8, 2),  # an interface that was not described
        (20, 9),  # more packet data than the block has room for
        (36, 44),  # another length at its end
    ],
)
def test_what_is_no_usual_block_is_left(at: int, value: int) -> None:
    good = enhanced("<", 0, 1, b"abcdefgh")
    other = good[:at] + struct.pack("<I", value) + good[at + 4 :]
    rows, position = taken(section(), good + other)
    assert (len(rows), position) == (1, len(good))


def test_a_block_that_is_not_whole_is_left() -> None:
    good = enhanced("<", 0, 1, b"abcdefgh")
    for there in range(len(good)):
        assert taken(section(), good + good[:there])[1] == len(good)


def test_times_before_1970_and_beyond_a_machine_word() -> None:
    """A clock with an offset may come out before 1970; one that would run over is left to what takes its time."""
    walker = EnhancedPackets(False)
    walker.describe(0, 1, 1, -50)
    walker.describe(1, SECOND, 1, 0)
    walker.describe(2, SECOND, 1 << 40, 0)
    assert [row[3] for row in taken(walker, enhanced("<", 0, 49, b"") + enhanced("<", 0, 51, b""))[0]] == [0, 1]
    most = (1 << 61) // SECOND
    assert taken(walker, enhanced("<", 1, most - 1, b""))[0][0][3] == (most - 1) * SECOND
    assert taken(walker, enhanced("<", 1, most, b""))[0] == []
    # Numerator and denominator of this one do not fit together.
    assert taken(walker, enhanced("<", 2, 1, b""))[0] == []


def test_what_is_captured_is_never_more_than_there_was() -> None:
    assert taken(section(), enhanced("<", 0, 1, b"abcde", 3))[0][0][1:3] == (5, 5)


def test_a_batch_is_filled_up_and_not_beyond() -> None:
    columns = Columns()
    walker, block = section(), enhanced("<", 0, 1, b"")
    data = block * MAX_BATCH_PACKETS
    position = walker.take(data, len(block) * (MAX_BATCH_PACKETS - 3), columns)
    assert (len(columns.offsets), position) == (3, len(data))
    assert walker.take(data, 0, columns) == len(block) * (MAX_BATCH_PACKETS - 3)
    assert len(columns.offsets) == MAX_BATCH_PACKETS
