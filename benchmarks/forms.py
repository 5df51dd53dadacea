"""The same calls as other captures hold them, against tshark: `python -m benchmarks.forms --folder CAPTURES`.

Written as pcapng or compressed, behind VLAN tags or by `tcpdump -i any`, over IPv6 or VXLAN, or cut by a snap length.
Prints Markdown: medians of rounds in which both take turns, start-up included, output thrown away.
"""

import argparse
import datetime
import gzip
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import dpkt

from benchmarks.measure import compare, machine
from benchmarks.read import OURS, THEIRS, prepare

ETHERNET, LINUX_SLL2 = 1, 276
SNAP_LENGTHS = 96, 128, 256

Record = tuple[float, bytes]


def vlan(frame: bytes) -> bytes:
    """Put a frame behind the tag of a VLAN (IEEE 802.1Q)."""
    return frame[:12] + b"\x81\x00\x00\x05" + frame[12:]


def sll2(frame: bytes) -> bytes:
    """Give what `tcpdump -i any` writes of an IPv4 frame."""
    return struct.pack("!HHIHBB6sH", 0x0800, 0, 2, 1, 0, 6, frame[6:12], 0) + frame[14:]


def ipv6(frame: bytes) -> bytes:
    """Give the segment of an IPv4 frame in IPv6, its addresses in 2001:db8::/96."""
    header = (frame[14] & 15) * 4
    segment = frame[14 + header : 14 + int.from_bytes(frame[16:18], "big")]
    addresses = b"".join(b"\x20\x01\x0d\xb8" + bytes(8) + frame[at : at + 4] for at in (26, 30))
    return frame[:12] + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(segment), 6, 64) + addresses + segment


def vxlan(frame: bytes) -> bytes:
    """Put a frame into virtual network 5 (RFC 7348), between two hosts."""
    inner = struct.pack("!II", 8 << 24, 5 << 8) + frame
    datagram = dpkt.udp.UDP(sport=50_000, dport=4_789, ulen=8 + len(inner), data=inner)
    packet = dpkt.ip.IP(src=b"\x0a\x09\0\1", dst=b"\x0a\x09\0\2", p=17, data=datagram, len=28 + len(inner))
    return frame[:14] + bytes(packet)


def records(capture: Path) -> Iterator[Record]:
    """Give times and frames of a pcap file."""
    with capture.open("rb") as file:
        yield from dpkt.pcap.Reader(file)


def reframed(change: Callable[[bytes], bytes], link_type: int = ETHERNET) -> Callable[[Path, Path], None]:
    """Write a pcap file of changed frames."""

    def write(capture: Path, to: Path) -> None:
        with to.open("wb") as file:
            writer = dpkt.pcap.Writer(file, linktype=link_type)
            for time, frame in records(capture):
                writer.writepkt_time(change(frame), time)

    return write


def as_pcapng(capture: Path, to: Path) -> None:
    """Write a pcapng file."""
    with to.open("wb") as file:
        writer = dpkt.pcapng.Writer(file)
        for time, frame in records(capture):
            writer.writepkt(frame, time)


def compressed(capture: Path, to: Path) -> None:
    """Write a file as gzip does."""
    to.write_bytes(gzip.compress(capture.read_bytes(), 6))


def cut(length: int) -> Callable[[Path, Path], None]:
    """Write what is there of each packet with a snap length."""

    def write(capture: Path, to: Path) -> None:
        data, at = capture.read_bytes(), 24
        parts = [data[:at]]
        while at < len(data):
            seconds, fraction, captured, original = struct.unpack_from("<4I", data, at)
            kept = min(captured, length)
            parts.append(struct.pack("<4I", seconds, fraction, kept, original) + data[at + 16 : at + 16 + kept])
            at += 16 + captured
        to.write_bytes(b"".join(parts))

    return write


FORMS = {
    "pcapng": (as_pcapng, ".pcapng"),
    "gzip": (compressed, ".pcap.gz"),
    "VLAN": (reframed(vlan), ".pcap"),
    "any interface (SLL2)": (reframed(sll2, LINUX_SLL2), ".pcap"),
    "IPv6": (reframed(ipv6), ".pcap"),
    "VXLAN": (reframed(vxlan), ".pcap"),
    **{f"snap length {length}": (cut(length), ".pcap") for length in SNAP_LENGTHS},
}


def main() -> None:
    """Write each form once, and measure it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forms", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="keeps the captures there and uses what it finds")
    parser.add_argument("--calls", type=int, default=200_000, help="small calls; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    plain = prepare("small-calls", arguments.calls, arguments.folder)
    paths = {"pcap": plain}
    for name, (write, ending) in FORMS.items():
        paths[name] = plain.with_name(f"{plain.stem}-{name.replace(' ', '-').lower()}{ending}")
        if not paths[name].exists():
            write(plain, paths[name])
    today = datetime.datetime.now(datetime.UTC)
    print(f"{today:%Y-%m-%d}, {machine()}, {arguments.calls:,} small calls, medians of {arguments.rounds} in turn\n")
    print("| form | ours CPU s | tshark CPU s | tshark's × ours |\n| --- | ---: | ---: | ---: |")
    for name, path in paths.items():
        found = compare({"ours": [*OURS, str(path)], "tshark": [*THEIRS[:2], "-r", str(path)]}, arguments.rounds)
        ours, theirs = found["ours"], found["tshark"]
        row = [name, f"{ours.cpu:.2f}", f"{theirs.cpu:.2f}", f"{theirs.cpu / ours.cpu:.1f}"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
