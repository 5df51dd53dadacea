"""Cases of files: capture formats, compression, settings, key logs, names."""

import bz2
import struct
from collections.abc import Iterator
from pathlib import Path

from tools.hostile.case import Case, Given, case
from tools.hostile.wire import SYN, Connection, conversation, heartbeat, write_pcap

FILE = "hostile.pcapng"


def block(kind: int, content: bytes) -> bytes:
    """Write a pcapng block."""
    content += bytes(-len(content) % 4)
    size = struct.pack("<I", len(content) + 12)
    return struct.pack("<I", kind) + size + content + size


def option(code: int, value: bytes) -> bytes:
    """Write a pcapng option."""
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


SECTION = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(*options: bytes, snaplen: int = 0) -> bytes:
    """Write an interface description of raw IP."""
    return block(1, struct.pack("<HHI", 101, 0, snaplen) + b"".join(options))


def enhanced(packet: bytes, number: int, at: int = 0, *options: bytes) -> bytes:
    """Write an enhanced packet of an interface."""
    head = struct.pack("<IIIII", number, 417_000, at, len(packet), len(packet))
    return block(6, head + packet + bytes(-len(packet) % 4) + b"".join(options))


def good_blocks(number: int = 0) -> bytes:
    """Write the packets of a call."""
    return b"".join(enhanced(packet, number, at) for at, packet in enumerate(conversation(heartbeat(2))))


def interfaces(folder: Path, scale: float) -> Given:
    """A pcapng file of 10,000 interfaces with names and comments of 60 kB, compressed with zstd"""
    from backports import zstd

    count = int(10_000 * scale)
    with zstd.open(folder / f"{FILE}.zst", "wb") as stream:
        stream.write(SECTION)
        for number in range(count):
            name = b"%08d" % number + b"n" * 59_992
            stream.write(interface(option(2, name), option(1, name)))
        stream.write(good_blocks(0))
    return Given([f"{FILE}.zst"])


def windows(folder: Path, scale: float) -> Given:
    """Eight zstd files with windows of 128 MiB"""
    from backports import zstd

    names = [f"{number}.pcapng.zst" for number in range(8)]
    options = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.content_size_flag: 0}
    comment = block(0x0BAD, bytes(1 << 20))
    for name in names:
        packer = zstd.ZstdCompressor(options=options)
        pieces = [packer.compress(SECTION + interface() + good_blocks())]
        pieces += [packer.compress(comment) for _ in range(int(150 * scale))]
        (folder / name).write_bytes(b"".join(pieces) + packer.compress(good_blocks()) + packer.flush())
    return Given(names, refused=True)


def bz2_ratio(folder: Path, scale: float) -> Given:
    """1,500 bytes of bz2 that hold 200 MB"""
    # A pcap of one packet record, of which all is zero: empty packets at time 0.
    packer = bz2.BZ2Compressor()
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 101)
    packet = struct.pack("<IIII", 1_790_000_000, 0, 200_000, 200_000) + bytes(200_000)
    pieces = [packer.compress(head)] + [packer.compress(packet) for _ in range(int(1_000 * scale))]
    (folder / "hostile.pcap.bz2").write_bytes(b"".join(pieces) + packer.flush())
    return Given(["hostile.pcap.bz2"], refused=True)


def settings_recursion(folder: Path, scale: float) -> Given:
    """A kafkasniff.toml of 40 kB of arrays within arrays"""
    (folder / "kafkasniff.toml").write_text("x = " + "[" * 20_000 + "]" * 20_000 + "\n")
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    return Given(["good.pcap"], refused=True)


def settings_keys(folder: Path, scale: float) -> Given:
    """A kafkasniff.toml of 40 kB with one key of 20,000 parts"""
    (folder / "kafkasniff.toml").write_text("x." * 20_000 + "x = 1\n")
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    return Given(["good.pcap"], refused=True)


def settings_endless(folder: Path, scale: float) -> Given:
    """A kafkasniff.toml that is a link to /dev/zero"""
    (folder / "kafkasniff.toml").symlink_to("/dev/zero")
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    return Given(["good.pcap"], refused=True)


def names(folder: Path, scale: float) -> Given:
    """Files whose names hold terminal sequences and line ends: captures, one cut, one that is none, one not there"""
    evil = "\x1b]0;owned\x07\n\x9b31m.pcap"
    write_pcap(folder / evil, conversation(heartbeat(2)))
    data = (folder / evil).read_bytes()
    (folder / f"cut{evil}").write_bytes(data[:-7])
    return Given([evil, f"cut{evil}"], refused=True)


def names_of_none(folder: Path, scale: float) -> Given:
    """The same of a file that is no capture"""
    evil = "\x1b]0;owned\x07\n\x9b31m.pcap"
    (folder / evil).write_bytes(b"no capture" * 20)
    return Given([evil], refused=True)


def key_log_large(folder: Path, scale: float) -> Given:
    """A key log of 33 MB with 200,000 secrets"""
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    with (folder / "keys.log").open("w") as stream:
        for number in range(int(200_000 * scale)):
            stream.write(f"CLIENT_TRAFFIC_SECRET_0 {number:064x} {number:096x}\n")
    return Given(["good.pcap"], options=("--keylog", "keys.log"))


def key_log_lines(folder: Path, scale: float) -> Given:
    """A key log of 50 MB that is one line"""
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    (folder / "keys.log").write_bytes(b"CLIENT_RANDOM " + b"0" * int(50_000_000 * scale))
    return Given(["good.pcap"], options=("--keylog", "keys.log"), refused=True)


def key_log_device(folder: Path, scale: float) -> Given:
    """A key log that is /dev/zero"""
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    return Given(["good.pcap"], options=("--keylog", "/dev/zero"), refused=True)


def capture_secrets(folder: Path, scale: float) -> Given:
    """A pcapng file of 1,000 decryption secrets blocks of 60 kB, none of use"""
    line = "".join(f"CLIENT_TRAFFIC_SECRET_0 {number:064x} {number:096x}\n" for number in range(320)).encode()
    secrets = block(0x0A, struct.pack("<II", 0x544C534B, len(line)) + line)
    with (folder / FILE).open("wb") as stream:
        stream.write(SECTION + interface())
        for _ in range(int(1_000 * scale)):
            stream.write(secrets)
        stream.write(good_blocks())
    return Given([FILE])


def odd_blocks(folder: Path, scale: float) -> Given:
    """pcapng blocks of odd sizes, sections within each other, options without end, interfaces that are none"""
    with (folder / FILE).open("wb") as stream:
        for number in range(int(2_000 * scale) or 1):
            stream.write(SECTION + interface(option(9, bytes([number & 0xFF])), option(0xFFF, b"o" * (number & 0xFF))))
            stream.write(enhanced(b"\x45" * (number & 0x3F), 0, number, option(1, b"c" * 100)))
            stream.write(block(6, struct.pack("<IIIII", 0, 0, 0, 4, 0xFFFFFFFF) + b"abcd"))
            stream.write(block(3, struct.pack("<I", 0xFFFFFFFF) + b"\x45" * 40))
            stream.write(block(0x80000000 | number, bytes(number & 0x7F)))
            stream.write(interface(snaplen=0xFFFFFFFF))
        stream.write(SECTION + interface() + good_blocks() + block(6, struct.pack("<IIIII", 7, 0, 0, 0, 0)))
        stream.write(struct.pack("<II", 6, 0x7FFFFFF0) + b"cut")
    return Given([FILE], refused=True)


def huge_snaplen(folder: Path, scale: float) -> Given:
    """A pcap file with a snap length of 4 GiB, a packet that announces 4 GiB, times beyond all"""
    packets: Iterator[bytes] = conversation(heartbeat(2))
    write_pcap(folder / "hostile.pcap", packets, snaplen=0xFFFFFFFF)
    with (folder / "hostile.pcap").open("ab") as stream:
        syn = Connection(9).segment(0, SYN, at=0)
        stream.write(struct.pack("<IIII", 0xFFFFFFFF, 0xFFFFFFFF, len(syn), len(syn)) + syn)
        stream.write(struct.pack("<IIII", 0, 0, 0xFFFFFFF0, 0xFFFFFFF0) + bytes(1_000))
    return Given(["hostile.pcap"], refused=True)


def time_steps(folder: Path, scale: float) -> Given:
    """A pcapng file of 20,000 packets at the ends of time, in resolutions of 2^-127 and 10^-127 seconds"""
    with (folder / FILE).open("wb") as stream:
        stream.write(SECTION)
        for resolution in (0xFF, 0x7F, 0x80, 0):
            stream.write(interface(option(9, bytes([resolution])), option(14, b"\x7f" + b"\xff" * 7)))
        for number in range(int(20_000 * scale) or 1):
            packet = Connection(number & 0xFF).segment(0, SYN, at=0)
            head = struct.pack("<IIIII", number & 3, 0xFFFFFFFF * (number >> 2 & 1), number, len(packet), len(packet))
            stream.write(block(6, head + packet))
        stream.write(good_blocks(0))
    return Given([FILE], refused=True)


def many_files(folder: Path, scale: float) -> Given:
    """2,000 captures of one packet each"""
    listed = []
    for number, packet in zip(range(int(2_000 * scale)), _endless(), strict=False):
        write_pcap(folder / f"{number}.pcap", [packet])
        listed.append(f"{number}.pcap")
    return Given(listed, refused=True)


def _endless() -> Iterator[bytes]:
    while True:
        yield from conversation(heartbeat(2))


FILES: tuple[Case, ...] = tuple(
    map(
        case,
        (
            interfaces, windows, bz2_ratio, settings_recursion, settings_keys, settings_endless, names, names_of_none,
            key_log_large, key_log_lines, key_log_device, capture_secrets, odd_blocks, huge_snaplen, time_steps,
            many_files,
        ),
    )
)  # fmt: skip
