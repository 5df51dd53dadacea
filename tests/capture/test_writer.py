import io
import os
import shutil
import subprocess
from array import array
from pathlib import Path

import dpkt
import pytest
from scapy.utils import RawPcapNgReader

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.capture.writer import PcapngWriter, create, select_packets
from tests.capture.samples import (
    block,
    contents,
    enhanced,
    interface,
    option,
    pcap_header,
    pcap_record,
    section,
)

ETHERNET = Interface("a.pcap", 1, 6, 262_144, "eth0")
LOOPBACK = Interface("b.pcap", 0, 9, 96)


def test_bytes_are_those_of_the_format() -> None:
    stream = io.BytesIO()
    writer = PcapngWriter(stream)
    writer.write(b"abc", 60, 1_700_000_000_123_456_000, ETHERNET)
    writer.write(b"defg", 4, 1_700_000_000_123_456_789, LOOPBACK)
    writer.write_secrets(b"CLIENT_RANDOM 00 11\n")
    assert stream.getvalue() == (
        section()
        + interface(1, 262_144, option(2, b"eth0") + option(9, b"\6") + option(0, b""))
        + enhanced(b"abc", 1_700_000_000_123_456, 0, original=60)
        + interface(0, 96, option(9, b"\x09") + option(0, b""))
        + enhanced(b"defg", 1_700_000_000_123_456_789, 1)
        + block(10, b"KSLT" + (20).to_bytes(4, "little") + b"CLIENT_RANDOM 00 11\n")
    )


def test_a_batch_is_written_packet_by_packet() -> None:
    before, when = 1_700_000_000_123_456_000, 1_700_000_000_123_456_789
    packets = [
        (b"abc", 60, before, LOOPBACK),
        (b"defg", 4, when, ETHERNET),
        (b"hi", 2, when, LOOPBACK),
        (b"", 0, when, ETHERNET),
    ]
    one_by_one, at_once = io.BytesIO(), io.BytesIO()
    for stream in (one_by_one, at_once):
        writer = PcapngWriter(stream)
        for each in (ETHERNET, LOOPBACK):
            writer.write(b"first", 5, before, each)
        if stream is one_by_one:
            for packet in packets:
                writer.write(*packet)
        else:
            times = [time for _, _, time, _ in packets]
            columns = ([1, 4, 8, 10], [3, 4, 2, 0], [60, 4, 2, 0], times, [1, 2, 1, 2])
            interfaces = [Interface("c.pcap", 1), LOOPBACK, ETHERNET]
            writer.write_batch(PacketBatch(b".abcdefghi.", 7, *(array("q", column) for column in columns), interfaces))
    assert at_once.getvalue() == one_by_one.getvalue()


@pytest.mark.skipif(shutil.which("capinfos") is None, reason="capinfos (tshark) is not installed")
def test_capinfos_reads_what_was_dropped(tmp_path: Path) -> None:
    path = tmp_path / "out.pcapng"
    with path.open("wb") as stream:
        writer = PcapngWriter(stream)
        writer.write(b"abc" * 20, 60, 1_700_000_000_123_456_000, ETHERNET)
        writer.write_statistics(ETHERNET, 1_234, 56)
    statistics = CaptureReader(str(path))
    assert [len(batch) for batch in statistics] == [1]
    shown = subprocess.run(["capinfos", str(path)], capture_output=True, text=True, check=True).stdout
    assert "Number of stat entries = 1" in shown
    counts = b"\x04\0\x08\0" + (1_234).to_bytes(8, "little") + b"\x07\0\x08\0" + (56).to_bytes(8, "little")
    assert counts + bytes(4) in path.read_bytes()


def test_dpkt_and_scapy_read_what_was_written() -> None:
    stream = io.BytesIO()
    writer = PcapngWriter(stream)
    packets = [(b"one", 1_500_000_000), (b"", 2_250_000_000), (b"three" * 300, 3_125_000_000)]
    for data, time in packets:
        writer.write(data, len(data), time, ETHERNET)
    stream.seek(0)
    assert [(data, int(time * 1e9)) for time, data in dpkt.pcapng.Reader(stream)] == packets
    stream.seek(0)
    assert [data for data, _ in RawPcapNgReader(stream)] == [data for data, _ in packets]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "out.pcapng"
    with path.open("wb") as stream:
        writer = PcapngWriter(stream)
        writer.write_secrets(b"CLIENT_RANDOM 00 11\n")
        writer.write(bytes(60), 1500, 1_700_000_000_123_456_000, ETHERNET)
        writer.write(bytes(70), 70, 1_700_000_000_123_456_789, LOOPBACK)
    fields = ["-e", "frame.time_epoch", "-e", "frame.cap_len", "-e", "frame.len", "-e", "frame.interface_name"]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", *fields]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    first, second = run.stdout.splitlines()
    assert first.split("\t") == ["1700000000.123456000", "60", "1500", "eth0"]
    assert second.split("\t")[:3] == ["1700000000.123456789", "70", "70"]


def test_file_without_packets_is_a_capture() -> None:
    stream = io.BytesIO()
    PcapngWriter(stream)
    stream.seek(0)
    reader = CaptureReader(stream)
    assert (list(reader), reader.damage) == ([], None)


def test_full_disk() -> None:
    with open("/dev/full", "wb", buffering=0) as stream, pytest.raises(CaptureError) as caught:
        PcapngWriter(stream)
    assert str(caught.value) == "/dev/full: cannot be written: No space left on device"


def test_selected_packets_of_several_files_in_time_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.pcap", tmp_path / "second.pcapng"
    first.write_bytes(pcap_header() + b"".join(pcap_record(f"a{n}".encode(), n * 2, original=90) for n in range(1, 6)))
    secrets = block(10, b"KSLT" + (4).to_bytes(4, "little") + b"keys")
    packets = b"".join(enhanced(f"b{n}".encode(), n * 2_000_000 + 1) for n in range(1, 6))
    second.write_bytes(section() + secrets + interface(113) + packets)
    stream = io.BytesIO()
    wanted = {str(first): {1, 4}, str(second): {2, 3, 99}}
    assert select_packets([str(first), str(second), str(first)], wanted, PcapngWriter(stream)) == 4
    stream.seek(0)
    reader = CaptureReader(stream)
    batches = list(reader)
    assert contents(batches) == [b"a1", b"b2", b"b3", b"a4"]
    assert [time for batch in batches for time in batch.times] == [2 * 10**9, 4_000_001_000, 6_000_001_000, 8 * 10**9]
    assert [length for batch in batches for length in batch.original] == [90, 2, 2, 90]
    assert [listed.link_type for listed in reader.interfaces] == [1, 113]
    assert reader.take_secrets() == []


@pytest.mark.parametrize(("private", "mode"), [(True, 0o600), (False, 0o644)])
def test_a_private_file_is_for_its_owner_alone(tmp_path: Path, private: bool, mode: int) -> None:
    before = os.umask(0o022)
    try:
        with create(str(tmp_path / "new"), private=private) as stream:
            assert os.fstat(stream.fileno()).st_mode & 0o777 == mode
    finally:
        os.umask(before)
    with pytest.raises(CaptureError, match="exists already"):
        create(str(tmp_path / "new"), private=private)


def test_selection_from_standard_input_is_refused() -> None:
    with pytest.raises(CaptureError, match="standard input, which cannot be read twice"):
        select_packets(["-"], {"-": {1}}, PcapngWriter(io.BytesIO()))


def test_selection_of_a_file_that_is_gone(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.pcap")
    with pytest.raises(CaptureError, match="cannot be opened"):
        select_packets([path], {path: {1}}, PcapngWriter(io.BytesIO()))
