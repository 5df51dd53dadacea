"""A real capture in two files, one with a clock that is behind: `kafkasniff read a b` loses and invents nothing."""

import json
import struct
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.conftest import SHARED, needs_shared

Record = tuple[int, bytes]
"""Time in microseconds, and the record behind its time stamp."""

MILLISECOND = 1_000
PATH = SHARED / "captures" / "healthy" / "java-3.9.1-clients.pcap"


def second_half(position: int, count: int, record: Record) -> bool:
    return position >= count // 2


def middle(position: int, count: int, record: Record) -> bool:
    return count // 3 <= position < 2 * count // 3


def from_servers(position: int, count: int, record: Record) -> bool:
    # Behind two lengths, and the headers of Ethernet and IPv4; servers have the lower ports.
    source, destination = struct.unpack_from(">HH", record[1], 8 + 14 + 20)
    return source < destination


def split(into: Path, is_second: Callable[[int, int, Record], bool], shift: int) -> list[Path]:
    """Divide the capture among two files, the second with a clock that is ahead by `shift` microseconds."""
    data = PATH.read_bytes()
    assert data[:4] == b"\xd4\xc3\xb2\xa1"
    assert data[20:24] == struct.pack("<I", 1)
    records: list[Record] = []
    at = 24
    while at < len(data):
        seconds, fraction, captured = struct.unpack_from("<III", data, at)
        records.append((seconds * 1_000_000 + fraction, data[at + 8 : at + 16 + captured]))
        at += 16 + captured
    parts = [data[:24], data[:24]]
    for position, record in enumerate(records):
        second = is_second(position, len(records), record)
        time = record[0] + second * shift
        parts[second] += struct.pack("<II", *divmod(time, 1_000_000)) + record[1]
    paths = [into / "first.pcap", into / "second.pcap"]
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(part)
    return paths


def calls(paths: list[Path]) -> Counter[str]:
    """Give each call without its times, files and packets."""
    found: Counter[str] = Counter()
    run = subprocess.run([*COMMAND, "read", "--json", *map(str, paths)], capture_output=True, check=True)
    for line in run.stdout.splitlines():
        item = json.loads(line)
        assert item["type"] == "call"
        kept = ("connection", "requestHeader", "request", "response", "outcome", "problems", "requestSizeBytes")
        found[json.dumps({name: item.get(name) for name in kept})] += 1
    return found


@pytest.fixture(scope="module")
def whole() -> Counter[str]:
    return calls([PATH])


@needs_shared
@pytest.mark.parametrize("shift", [-2 * MILLISECOND, -300 * MILLISECOND])
@pytest.mark.parametrize("part", [second_half, middle, from_servers])
def test_a_clock_that_is_behind(
    part: Callable[[int, int, Record], bool], shift: int, tmp_path: Path, whole: Counter[str]
) -> None:
    paths = split(tmp_path, part, shift)
    assert calls(paths) == whole
    assert calls(paths[::-1]) == whole
