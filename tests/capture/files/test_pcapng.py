import io
import struct
from fractions import Fraction

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.capture.files import pcapng
from tests.capture.samples import block, contents, enhanced, interface, option, pcap_header, read, section

ORDERS = pytest.mark.parametrize("order", ["<", ">"])


@ORDERS
def test_enhanced_packets(order: str) -> None:
    data = section(order) + interface(113, 96, option(2, b"eth0", order) + option(0, b"", order), order)
    data += enhanced(b"abc", 1_700_000_000_123_456, order=order, original=1500, options=option(1, b"comment", order))
    (batch,), reader = read(data)
    assert contents([batch]) == [b"abc"]
    assert list(batch.times) == [1_700_000_000_123_456_000]
    assert list(batch.original) == [1500]
    arrival = batch.arrival(0)
    assert (arrival.packet, arrival.interface.name, arrival.interface.link_type) == (1, "eth0", 113)
    assert (arrival.interface.snap_length, arrival.interface.time_digits) == (96, 6)
    assert reader.damage is None


@pytest.mark.parametrize(
    ("resolution", "ticks", "time", "digits"),
    [
        (0, 5, 5_000_000_000, 6),
        (3, 5_250, 5_250_000_000, 6),
        (6, 5_000_001, 5_000_001_000, 6),
        (7, 50_000_001, 5_000_000_100, 9),
        (9, 5_000_000_001, 5_000_000_001, 9),
        (12, 5_000_000_001_999, 5_000_000_001, 9),
        (0x80, 5, 5_000_000_000, 6),
        (0x80 | 10, 5 * 1024 + 512, 5_500_000_000, 6),
        (0x80 | 20, (5 << 20) + 1, 5_000_000_953, 9),
        (0x80 | 32, (5 << 32) + (1 << 31), 5_500_000_000, 9),
    ],
)
def test_time_resolution(resolution: int, ticks: int, time: int, digits: int) -> None:
    data = section() + interface(options=option(9, bytes([resolution]))) + enhanced(b"x", ticks)
    (batch,), reader = read(data)
    assert list(batch.times) == [time]
    assert reader.interfaces[0].time_digits == digits


@ORDERS
def test_time_offset_in_seconds(order: str) -> None:
    options = option(14, struct.pack(order + "q", 1_700_000_000), order)
    (batch,), _ = read(section(order) + interface(options=options, order=order) + enhanced(b"x", 250_000, order=order))
    assert list(batch.times) == [1_700_000_000_250_000_000]


def test_times_that_a_batch_cannot_hold_become_the_nearest() -> None:
    options = option(14, struct.pack("<q", -10))
    data = section() + interface(options=options) + enhanced(b"x", 1_000_000) + enhanced(b"x", (1 << 64) - 1)
    (batch,), reader = read(data)
    assert list(batch.times) == [0, (1 << 63) - 1]
    assert reader.damage is None


@given(
    st.integers(0, 255),
    st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-5_000_000_000, 5_000_000_000),
    st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 10_000_000_000), min_size=1, max_size=5),
)
def test_times_of_any_clock_are_those_of_exact_fractions(resolution: int, seconds: int, ticks: list[int]) -> None:
    options = option(9, bytes([resolution])) + option(14, struct.pack("<q", seconds))
    data = section() + interface(options=options) + b"".join(enhanced(b"x", each) for each in ticks)
    (batch,), _ = read(data)
    per_second = Fraction(2 if resolution & 0x80 else 10) ** (resolution & 0x7F)
    exact = [each / per_second * 1_000_000_000 // 1 + seconds * 1_000_000_000 for each in ticks]
    assert list(batch.times) == [min(max(each, 0), (1 << 63) - 1) for each in exact]


def test_several_interfaces() -> None:
    data = section() + interface(1, options=option(9, b"\x09")) + interface(276, options=option(2, b"any"))
    data += enhanced(b"a", 1, number=1) + enhanced(b"b", 2_000, number=0)
    (batch,), _ = read(data)
    assert [batch.arrival(index).interface.link_type for index in range(2)] == [276, 1]
    assert list(batch.times) == [1_000, 2_000]


def test_names_of_interfaces_are_cut_and_packets_keep_their_interfaces() -> None:
    count = pcapng.MAX_NAMES_BYTES // pcapng.MAX_NAME_BYTES + 10
    data = section() + b"".join(
        interface(number % 2, options=option(2, b"%06d" % number + bytes(1000)) + option(9, b"\x09"))
        for number in range(count)
    )
    data += enhanced(b"a", 1, number=count - 1) + enhanced(b"b", 2, number=4)
    (batch,), reader = read(data)
    last, fifth = (batch.arrival(index).interface for index in range(2))
    assert (last.link_type, last.time_digits, last.name) == ((count - 1) % 2, 9, "")
    assert (fifth.link_type, fifth.time_digits, fifth.name) == (0, 9, "000004" + "\0" * 250)
    assert sum(len(each.name) for each in reader.interfaces) == 1 << 20
    assert reader.notes == ["-: interface names cut: at most 256 bytes of each and 1 MiB of all are kept"]
    assert reader.damage is None


def test_options_without_end_are_not_looked_at() -> None:
    name = option(2, b"eth0")
    for before, expected in ((10, "eth0"), (100_000, "")):
        _, reader = read(section() + interface(options=option(1, b"") * before + name))
        assert [each.name for each in reader.interfaces] == [expected]


def test_sections_of_both_byte_orders_each_with_its_own_interfaces() -> None:
    data = section("<") + interface(1) + enhanced(b"little", 1)
    data += section(">") + interface(113, order=">") + enhanced(b"big", 2, order=">")
    data += section("<") + interface(1) + enhanced(b"again", 3)
    batches, reader = read(data)
    assert contents(batches) == [b"little", b"big", b"again"]
    links = [batch.arrival(index).interface.link_type for batch in batches for index in range(len(batch))]
    assert links == [1, 113, 1]
    assert [listed.link_type for listed in reader.interfaces] == [1, 113]


def test_packet_of_an_earlier_sections_interface_is_damage() -> None:
    batches, reader = read(section() + interface() + enhanced(b"a") + section() + enhanced(b"b"))
    assert contents(batches) == [b"a"]
    assert "packet 2: expected one of the section's 0 interfaces, found number 0" in str(reader.damage)


@ORDERS
def test_simple_packets_bear_the_time_before_them(order: str) -> None:
    data = section(order) + interface(snap_length=4, order=order)
    data += block(3, struct.pack(order + "I", 3) + b"abc", order)
    data += enhanced(b"x", 5, order=order)
    data += block(3, struct.pack(order + "I", 100) + b"cut!", order)
    (batch,), reader = read(data)
    assert contents([batch]) == [b"abc", b"x", b"cut!"]
    assert list(batch.original) == [3, 1, 100]
    assert list(batch.times) == [0, 5_000, 5_000]
    assert reader.damage is None


@ORDERS
def test_obsolete_packet_block(order: str) -> None:
    fields = struct.pack(order + "HHIIII", 1, 7, 0, 5, 3, 90)
    data = section(order) + interface(1, order=order) + interface(101, order=order) + block(2, fields + b"abc", order)
    (batch,), _ = read(data)
    assert contents([batch]) == [b"abc"]
    assert (batch.times[0], batch.original[0], batch.arrival(0).interface.link_type) == (5_000, 90, 101)


@ORDERS
def test_secrets_are_handed_on(order: str) -> None:
    key_log = b"CLIENT_RANDOM 00 11\n"
    secrets = block(10, struct.pack(order + "II", 0x544C534B, len(key_log)) + key_log + b"\0\0\0\0", order)
    other = block(10, struct.pack(order + "II", 0x57474B4C, 4) + b"wire", order)
    batches, reader = read(section(order) + secrets + other + interface(order=order) + enhanced(b"x", order=order))
    assert reader.take_secrets() == [key_log]
    assert contents(batches) == [b"x"]


def test_blocks_that_say_nothing_of_packets_are_passed_over() -> None:
    others = block(4, b"\0\0\0\0") + block(5, bytes(12)) + block(0xBAD, bytes(4)) + block(0x40000BAD, bytes(4))
    others += block(9, b"journal entry") + block(0x12345678, b"")
    batches, reader = read(section() + others + interface() + others + enhanced(b"x") + others)
    assert contents(batches) == [b"x"]
    assert reader.damage is None


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (block(6, struct.pack("<IIIII", 0, 0, 0, 9, 9) + b"12345678"), "expected 9 bytes of packet data, found 8"),
        (block(6, bytes(16)), "expected a packet block with 20 bytes of fields, found 16"),
        (block(3, b""), "expected a simple packet block with 4 bytes of fields, found none"),
        (block(3, b"\x09\0\0\0" + bytes(8)), "expected 9 bytes of packet data, found 8"),
        (block(1, bytes(4)), "expected an interface description of 8 bytes or more, found 4"),
        (block(10, bytes(4)), "expected a decryption secrets block with 8 bytes of fields, found 4"),
        (block(10, struct.pack("<II", 0x544C534B, 5) + b"1234"), "expected 5 bytes of secrets, found 4"),
        (enhanced(b"x")[:-4] + b"\xff\0\0\0", "expected the block length 36 again at the block's end, found 255"),
        (bytes(16), "expected a block length of 12 or more and a multiple of 4, found 0"),
        (b"\6\0\0\0\x21\0\0\0" + bytes(30), "expected a block length of 12 or more and a multiple of 4, found 33"),
        (b"\6\0\0\0\0\0\0\x40" + bytes(30), "a multiple of 4, found 1073741824"),
        (section()[:8] + bytes(20), "expected a byte-order magic, 1a 2b 3c 4d either way round, found 00 00 00 00"),
        (section(major=2), "expected pcapng version 1, found 2.0"),
        (pcap_header() + bytes(100), "found 262146"),
    ],
)
def test_damage_is_named_and_all_before_it_is_given(bad: bytes, reason: str) -> None:
    good = section() + interface() + enhanced(b"one") + enhanced(b"two")
    batches, reader = read(good + bad + enhanced(b"behind"))
    assert contents(batches) == [b"one", b"two"]
    assert reason in str(reader.damage)
    assert str(reader.damage).startswith(f"-: byte {len(good)}: packet 3: ")


def test_simple_packet_without_interface_is_damage() -> None:
    _, reader = read(section() + block(3, bytes(4)))
    assert "expected an interface description before the first packet" in str(reader.damage)


def test_options_that_do_not_fit_are_left() -> None:
    options = option(2, b"eth0") + struct.pack("<HH", 9, 200) + b"\x09"
    batches, reader = read(section() + interface(options=options) + enhanced(b"x", 5))
    assert reader.interfaces[0].name == "eth0"
    assert list(batches[0].times) == [5_000]


def test_interfaces_without_end_are_damage() -> None:
    descriptions = b"".join(interface(snap_length=number) for number in range(65_537))
    _, reader = read(section() + descriptions)
    assert "expected at most 65536 interfaces, found more" in str(reader.damage)


def test_what_dpkt_writes() -> None:
    stream = io.BytesIO()
    writer = dpkt.pcapng.Writer(stream)
    packets = [(b"one", 1.5), (b"", 2.25), (b"three" * 300, 3.125)]
    writer.writepkts((time, data) for data, time in packets)
    batches, _ = read(stream.getvalue())
    assert contents(batches) == [data for data, _ in packets]
    assert [time for batch in batches for time in batch.times] == [1_500_000_000, 2_250_000_000, 3_125_000_000]
