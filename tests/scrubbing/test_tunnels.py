"""Captures of tunnels and of IPv6 with extensions, scrubbed."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.capture.writer import PcapngWriter
from kafkasniff.scrubbing.packets import checksum
from tests.conftest import CAPTURES
from tests.scrubbing.checking import check, scrubbed

HARDWARE = bytes.fromhex("0a11223344550a66778899aa")
OUTER = bytes([198, 51, 100, 7, 198, 51, 100, 8])


def ipv4(protocol: int, payload: bytes) -> bytes:
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0) + OUTER
    return header[:10] + checksum(header) + header[12:] + payload


def udp(port: int, payload: bytes) -> bytes:
    return ipv4(17, struct.pack(">HHHH", 50_000, port, 8 + len(payload), 0x1234) + payload)


def vxlan(frame: bytes) -> bytes:
    return udp(4789, b"\x08\0\0\0\0\0\x2a\0" + frame)


def geneve(frame: bytes) -> bytes:
    return udp(6081, b"\2\0\x65\x58\0\0\x2a\0" + b"\1\3\x80\1host" + frame)


def gre(frame: bytes) -> bytes:
    return ipv4(47, b"\0\0\x08\0" + frame[14:])


def gre_with_ethernet(frame: bytes) -> bytes:
    return ipv4(47, b"\x20\0\x65\x58\0\0\0\x2a" + frame)


def ip_in_ip(frame: bytes) -> bytes:
    return ipv4(4, frame[14:])


@pytest.mark.parametrize("wrap", [vxlan, geneve, gre, gre_with_ethernet, ip_in_ip])
def test_what_is_in_tunnels_is_scrubbed_too(wrap: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "tunnel.pcapng"
    with path.open("wb") as stream:
        writer = PcapngWriter(stream)
        interface = Interface("x", 1, 6, 0)
        for batch in CaptureReader(str(CAPTURES / "java-4.3.1-basic.pcap")):
            for index in range(len(batch)):
                start = batch.offsets[index]
                frame = batch.data[start : start + batch.captured[index]]
                made = HARDWARE + b"\x08\0" + wrap(HARDWARE + frame[12:])
                writer.write(made, len(made), batch.arrival(index).time, interface)
    assert check(path, tmp_path, tshark=shutil.which("tshark") is not None) == []
    content = scrubbed(path, tmp_path).read_bytes()
    for name in (HARDWARE[:6], HARDWARE[6:], OUTER, b"host", b"\x7f\0\0\1\x7f\0\0\1"):
        assert name not in content
