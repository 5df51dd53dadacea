import io
import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.capture.writer import PcapngWriter
from tests.capture.samples import (
    contents,
    enhanced,
    interface,
    pcap_header,
    pcap_record,
    read,
    section,
)
from tests.conftest import ROOT, SHARED, needs_shared

PACKETS = [b"", b"a", b"bc" * 9, b"", bytes(70), b"end"]


def small_pcap() -> tuple[bytes, list[int], int]:
    """Give a capture, where each of its records ends, and the length of the header."""
    data, ends = pcap_header(), []
    for packet in PACKETS:
        data += pcap_record(packet)
        ends.append(len(data))
    return data, ends, 24


def small_pcapng() -> tuple[bytes, list[int], int]:
    data, ends = section() + interface(), []
    for packet in PACKETS:
        data += enhanced(packet)
        ends.append(len(data))
    return data, ends, 28


@pytest.mark.parametrize("make", [small_pcap, small_pcapng])
@pytest.mark.parametrize("chunk_bytes", [1, 7, 1 << 20])
def test_every_prefix(make: Callable[[], tuple[bytes, list[int], int]], chunk_bytes: int) -> None:
    data, ends, header_length = make()
    boundaries = {header_length, *ends, len(section() + interface()) if header_length == 28 else header_length}
    for length in range(len(data) + 1):
        prefix = data[:length]
        if length < header_length:
            with pytest.raises(CaptureError) as caught:
                read(prefix, chunk_bytes)
            assert str(caught.value).startswith("-: byte 0: ")
            continue
        batches, reader = read(prefix, chunk_bytes)
        whole = sum(end <= length for end in ends)
        assert contents(batches) == PACKETS[:whole]
        if length in boundaries:
            assert reader.damage is None
        else:
            start = max(boundary for boundary in boundaries if boundary < length)
            assert str(reader.damage).startswith(f"-: byte {start}: ")
            assert f"found {length - start}" in str(reader.damage)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: empty: expected a pcap or pcapng magic number, found nothing"),
        (b"# notes\n", "byte 0: not a capture: expected a pcap or pcapng magic number, found 23 20 6e 6f"),
        (b"PK\3\4", "byte 0: not a capture: expected a pcap or pcapng magic number, found 50 4b 03 04"),
        (b"\xd4\xc3", "byte 0: not a capture: expected a pcap or pcapng magic number, found d4 c3"),
        (pcap_header()[:20], "byte 0: cut: expected 24 bytes of a pcap file header, found 20"),
        (section()[:10], "byte 0: cut: expected 12 bytes of a pcapng section header block, found 10"),
        (section()[:20], "byte 0: cut: expected 28 bytes of a pcapng section header block, found 20"),
        (
            section()[:8] + bytes(20),
            "byte 0: expected a byte-order magic, 1a 2b 3c 4d either way round, found 00 00 00 00",
        ),
        (section(major=3), "byte 0: expected pcapng version 1, found 3.0"),
    ],
)
def test_what_is_no_capture(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(data)
    with pytest.raises(CaptureError) as caught:
        CaptureReader(str(path))
    assert str(caught.value) == f"{path}: {message}"


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.pcap"):
        with pytest.raises(CaptureError, match=f"{path}: cannot be opened: "):
            CaptureReader(str(path))


def test_name_says_nothing_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "capture.gz"
    path.write_bytes(pcap_header() + pcap_record(b"x"))
    reader = CaptureReader(str(path))
    assert contents(reader) == [b"x"]
    assert reader.interfaces[0].file == str(path)


def test_cut_packet_is_told_with_offset_and_number() -> None:
    data = pcap_header() + pcap_record(b"whole") + pcap_record(bytes(74))
    _, reader = read(data[:-50])
    assert str(reader.damage) == "-: byte 45: packet 2: cut: expected 90 bytes of a packet record, found 40"


def test_packet_longer_than_a_chunk() -> None:
    expected = [b"a", random.Random(3).randbytes(200_000), b"b"]
    batches, reader = read(pcap_header() + b"".join(map(pcap_record, expected)), 4096)
    assert contents(batches) == expected
    assert reader.damage is None


def test_batches_keep_to_the_chunk(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_header() + pcap_record(bytes(1000)) * 2000)
    reader = CaptureReader(str(path), chunk_bytes=100_000)
    sizes = [len(batch.data) for batch in reader]
    assert max(sizes) <= 100_000 + 1016
    assert reader.damage is None


def test_regular_file_is_open_only_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_header() + pcap_record(b"x", 5) + pcap_record(b"y", 6))
    before = os.listdir("/proc/self/fd")
    reader = CaptureReader(str(path))
    assert os.listdir("/proc/self/fd") == before
    assert reader.first_time() == 5_000_000_000
    assert os.listdir("/proc/self/fd") == before
    assert contents(reader) == [b"x", b"y"]
    assert os.listdir("/proc/self/fd") == before


def test_file_that_is_gone_when_its_turn_comes_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_header() + pcap_record(b"x"))
    reader = CaptureReader(str(path))
    path.unlink()
    assert list(reader) == []
    assert "No such file or directory" in str(reader.damage)


def test_first_time_of_a_stream_loses_no_packet() -> None:
    reader = CaptureReader(io.BytesIO(pcap_header() + pcap_record(b"x", 5) + pcap_record(b"y", 6)))
    assert reader.first_time() == 5_000_000_000
    assert reader.first_time() == 5_000_000_000
    assert contents(reader) == [b"x", b"y"]


def test_first_time_of_a_damaged_file_loses_no_packet(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_header() + pcap_record(b"x", 5) + b"\xff" * 16)
    reader = CaptureReader(str(path))
    assert reader.first_time() == 5_000_000_000
    assert contents(reader) == [b"x"]
    assert "byte 41: packet 2: expected at most 262144 bytes" in str(reader.damage)


def test_first_time_of_a_capture_without_packets(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_header() + b"cut")
    reader = CaptureReader(str(path))
    assert reader.first_time() is None
    assert list(reader) == []
    assert "expected 16 bytes of a packet record, found 3" in str(reader.damage)


def gzip_piece() -> Callable[[bytes], bytes]:
    """Give a function that compresses a stream so that each piece comes out at once."""
    compressor = zlib.compressobj(wbits=31)
    return lambda piece: compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize("make_compress", [lambda: bytes, gzip_piece])
@pytest.mark.parametrize(("start", "record"), [(pcap_header(), pcap_record), (section(), enhanced)])
def test_packets_of_a_pipe_come_as_they_are_written(
    start: bytes, record: Callable[[bytes], bytes], make_compress: Callable[[], Callable[[bytes], bytes]]
) -> None:
    compress = make_compress()
    out_end, in_end = os.pipe()
    with open(out_end, "rb") as stream:
        os.write(in_end, compress(start))
        reader = CaptureReader(stream)
        batches = iter(reader)
        if record is enhanced:
            os.write(in_end, compress(interface()))
        for packet in (b"first", b"second", b"third"):
            os.write(in_end, compress(record(packet)))
            assert contents([next(batches)]) == [packet]
        os.close(in_end)
        assert next(batches, None) is None
        # The gzip stream was never finished.
        assert (reader.damage is None) == (compress is bytes)


def test_standard_input() -> None:
    program = """
        from kafkasniff.capture.files.reader import CaptureReader
        reader = CaptureReader("-")
        print([batch.captured[index] for batch in reader for index in range(len(batch))], reader.interfaces[0].file)
    """
    data = pcap_header() + pcap_record(b"abc") + pcap_record(b"")
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], input=data, capture_output=True, check=True, cwd=ROOT
    )
    assert run.stdout == b"[3, 0] -\n"


packets_and_times = st.lists(
    st.tuples(st.binary(max_size=300), st.integers(0, 4_000_000_000_000_000_000), st.integers(0, 2000)), max_size=40
)
chunk_sizes = st.sampled_from([1, 7, 64 << 10])


@given(packets=packets_and_times, chunk_bytes=chunk_sizes, digits=st.sampled_from([6, 9]))
def test_what_our_writer_wrote_reads_back_equal(
    packets: list[tuple[bytes, int, int]], chunk_bytes: int, digits: int
) -> None:
    stream = io.BytesIO()
    writer = PcapngWriter(stream)
    written_interface = Interface("x", 113, digits, 1000, "eth0")
    unit = 1 if digits == 9 else 1000
    for data, time, cut in packets:
        writer.write(data, len(data) + cut, time, written_interface)
    batches, reader = read(stream.getvalue(), chunk_bytes)
    assert reader.damage is None
    assert contents(batches) == [data for data, _, _ in packets]
    assert [time for batch in batches for time in batch.times] == [time // unit * unit for _, time, _ in packets]
    assert [length for batch in batches for length in batch.original] == [len(data) + cut for data, _, cut in packets]
    for listed in reader.interfaces:
        assert (listed.link_type, listed.time_digits, listed.snap_length, listed.name) == (113, digits, 1000, "eth0")


@given(packets=packets_and_times, chunk_bytes=chunk_sizes)
def test_what_dpkt_wrote_reads_back_equal(packets: list[tuple[bytes, int, int]], chunk_bytes: int) -> None:
    stream = io.BytesIO()
    writer = dpkt.pcap.Writer(stream, nano=True)
    for data, time, _ in packets:
        writer.writepkt_time(data, time // 1_000_000_000)
    batches, reader = read(stream.getvalue(), chunk_bytes)
    assert reader.damage is None
    assert contents(batches) == [data for data, _, _ in packets]
    assert [time for batch in batches for time in batch.times] == [
        time // 1_000_000_000 * 1_000_000_000 for _, time, _ in packets
    ]


def test_mutated_captures_never_raise() -> None:
    source = random.Random(11)
    captures = [small_pcap()[0], small_pcapng()[0] + section(">") + interface(order=">") + enhanced(b"x", order=">")]
    for _ in range(3000):
        data = bytearray(source.choice(captures))
        for _ in range(source.randint(1, 4)):
            data[source.randrange(len(data))] = source.choice([0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)])
        try:
            batches, _ = read(bytes(data), source.choice([16, 1 << 20]))
        except CaptureError:
            continue
        for batch in batches:
            assert max(batch.offsets[i] + batch.captured[i] for i in range(len(batch))) <= len(batch.data)


@needs_shared
def test_healthy_captures_have_as_many_packets_as_their_description_says() -> None:
    folder = SHARED / "captures" / "healthy"
    checked = 0
    for description_path in sorted(folder.glob("*.json")):
        description = json.loads(description_path.read_text())
        names = description.get("files") or [path.name for path in folder.glob(f"{description_path.stem}.pcap*")]
        readers = [CaptureReader(str(folder / name)) for name in names]
        count = sum(len(batch) for reader in readers for batch in reader)
        assert count == description["capture"]["packets"], description_path.name
        assert all(reader.damage is None for reader in readers)
        checked += 1
    assert checked > 90


LINK_TYPES = {"ether": 1, "null": 0, "rawip": 101, "linux-sll": 113, "linux-sll2": 276}


@needs_shared
def test_foreign_captures_have_as_many_packets_as_capinfos_says() -> None:
    fixtures = SHARED / "fixtures"
    for entry in json.loads((fixtures / "other-pcaps" / "manifest.json").read_text()):
        reader = CaptureReader(str(fixtures / entry["path"]))
        count = sum(len(batch) for batch in reader)
        if entry.get("unreadable_by_capinfos"):
            continue
        assert (count, reader.damage) == (entry["packets"], None), entry["path"]
        if count and entry["link"] in LINK_TYPES:
            assert reader.interfaces[0].link_type == LINK_TYPES[entry["link"]]


@needs_shared
@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    "name",
    [
        "fixtures/other-pcaps/file_format/google__be_test006.pcapng",
        "fixtures/other-pcaps/file_format/google__le_test016.pcapng",
        "fixtures/other-pcaps/file_format/wireshark__dhcp-nanosecond.pcapng",
        "fixtures/other-pcaps/file_format/wireshark__many_interfaces.pcapng.1",
        "fixtures/other-pcaps/file_format/arkime__bigendian.pcap",
        "captures/healthy/nanoseconds.pcap",
        "captures/healthy/dumpcap-pcapng.pcapng",
    ],
)
def test_times_and_lengths_are_those_of_tshark(name: str) -> None:
    fields = [word for field in ("time_epoch", "cap_len", "len") for word in ("-e", f"frame.{field}")]
    command = ["tshark", "-n", "-r", str(SHARED / name), "-T", "fields", *fields]
    times, lengths = [], []
    for line in subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines():
        seconds, captured, original = line.split("\t")
        whole, _, fraction = seconds.partition(".")
        # A simple packet block has no time.
        times.append(int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0")) if seconds else None)
        lengths.append((int(captured), int(original)))
    batches = list(CaptureReader(str(SHARED / name)))
    assert [row for batch in batches for row in zip(batch.captured, batch.original, strict=True)] == lengths
    found = [time for batch in batches for time in batch.times]
    assert [time and found[index] for index, time in enumerate(times)] == times


@needs_shared
def test_embedded_secrets_are_the_key_log_beside_the_capture() -> None:
    folder = SHARED / "captures" / "healthy"
    reader = CaptureReader(str(folder / "tls13-python-embedded.pcapng"))
    assert sum(len(batch) for batch in reader) > 0
    embedded = set(b"".join(reader.take_secrets()).split(b"\n"))
    beside = {line for line in (folder / "tls13-python.keys").read_bytes().split(b"\n") if b" " in line}
    assert {line for line in embedded if line.startswith(b"CLIENT_TRAFFIC_SECRET")} <= beside
