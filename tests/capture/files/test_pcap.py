import io

import dpkt
import pytest

from tests.capture.samples import contents, pcap_header, pcap_record, read


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "nanoseconds", "digits"), [(0xA1B2C3D4, 123_456_000, 6), (0xA1B23C4D, 123_456, 9)])
def test_byte_orders_and_time_units(order: str, magic: int, nanoseconds: int, digits: int) -> None:
    data = pcap_header(order, magic, snap_length=96, network=113) + pcap_record(
        b"abc", 7, 123_456, order, original=1500
    )
    (batch,), reader = read(data)
    assert list(batch.times) == [7_000_000_000 + nanoseconds]
    assert (list(batch.captured), list(batch.original)) == ([3], [1500])
    assert contents([batch]) == [b"abc"]
    (interface,) = reader.interfaces
    assert (interface.link_type, interface.time_digits, interface.snap_length) == (113, digits, 96)
    assert reader.damage is None


def test_kuznetzov_records_have_eight_more_bytes() -> None:
    data = pcap_header(magic=0xA1B2CD34)
    data += pcap_record(b"first", padding=b"12345678") + pcap_record(b"second", padding=b"87654321")
    batches, reader = read(data)
    assert contents(batches) == [b"first", b"second"]
    assert reader.damage is None


def test_ixia_files_have_four_more_header_bytes_and_nanoseconds() -> None:
    (batch,), _ = read(pcap_header(magic=0x1C0001AC) + b"\x15\0\0\0" + pcap_record(b"first", 1, 5))
    assert contents([batch]) == [b"first"]
    assert list(batch.times) == [1_000_000_005]


def test_aix_link_types_and_nanoseconds() -> None:
    (batch,), reader = read(pcap_header(">", version=(2, 2), network=6) + pcap_record(b"x", 1, 999_999_999, ">"))
    assert reader.interfaces[0].link_type == 1
    assert list(batch.times) == [1_999_999_999]


def test_old_versions_with_lengths_swapped() -> None:
    # sf-pcap.c of libpcap: up to version 2.3 the original length may come first.
    swapped = b"\1\0\0\0\0\0\0\0" + (60).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    (batch,), _ = read(pcap_header(version=(2, 2)) + swapped + pcap_record(b"defg", original=70))
    assert contents([batch]) == [b"abc", b"defg"]
    assert list(batch.original) == [60, 70]


def test_bits_of_the_frame_check_sequence_are_no_link_type() -> None:
    _, reader = read(pcap_header(network=0x24000071))  # FCS of 4 bytes present; LINKTYPE_LINUX_SLL
    assert reader.interfaces[0].link_type == 113


def test_original_length_is_never_below_captured() -> None:
    (batch,), _ = read(pcap_header() + pcap_record(b"abcd", original=2))
    assert (list(batch.captured), list(batch.original)) == ([4], [4])


def test_packets_longer_than_the_snap_length_are_believed_up_to_256_kib() -> None:
    batches, reader = read(pcap_header(snap_length=96) + pcap_record(bytes(262_144)))
    assert [len(packet) for packet in contents(batches)] == [262_144]
    assert reader.damage is None


@pytest.mark.parametrize("snap_length", [0, 65_535, 262_144])
def test_absurd_length_is_damage(snap_length: int) -> None:
    absurd = pcap_record(b"")[:8] + b"\xff\xff\xff\x7f" * 2 + bytes(100)
    batches, reader = read(pcap_header(snap_length=snap_length) + pcap_record(b"good") + absurd)
    assert contents(batches) == [b"good"]
    assert str(reader.damage) == (
        "-: byte 44: packet 2: expected at most 262144 bytes of packet data, found a length of 2147483647"
    )


def test_absurd_length_with_absurd_snap_length_is_damage() -> None:
    absurd = pcap_record(b"")[:8] + b"\xff\xff\xff\x7f" * 2
    _, reader = read(pcap_header(snap_length=0xFFFFFFFF) + absurd)
    assert "expected at most 134217728 bytes" in str(reader.damage)


def test_more_packets_than_a_batch_holds() -> None:
    count = 150_000
    batches, reader = read(pcap_header() + pcap_record(b"") * count, chunk_bytes=16 << 20)
    assert max(len(batch) for batch in batches) == 16_384
    assert sum(len(batch) for batch in batches) == count
    next_packets = [batch.first_packet + len(batch) for batch in batches]
    assert [1, *next_packets[:-1]] == [batch.first_packet for batch in batches]
    assert reader.damage is None


def test_what_dpkt_writes() -> None:
    stream = io.BytesIO()
    writer = dpkt.pcap.Writer(stream, snaplen=1500, linktype=101, nano=True)
    packets = [(b"one", 1.5), (b"", 2.25), (b"three" * 300, 3.125)]
    writer.writepkts((time, data) for data, time in packets)
    batches, reader = read(stream.getvalue())
    assert contents(batches) == [data for data, _ in packets]
    assert [time for batch in batches for time in batch.times] == [1_500_000_000, 2_250_000_000, 3_125_000_000]
    assert (reader.interfaces[0].link_type, reader.interfaces[0].time_digits) == (101, 9)
