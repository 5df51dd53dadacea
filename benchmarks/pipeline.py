"""Measure `kafkasniff pipeline` against one process that writes the same tables: `python -m benchmarks.pipeline`.

Needs the extra `spark`. CPU time and memory are those of all processes, looked at a few times a second: of one that
ends, the last moments are missing. Prints Markdown; nothing is asserted.
"""

import argparse
import datetime
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import machine
from benchmarks.read import prepare
from kafkasniff.capture.pcap import FILE_HEADER_LENGTH
from kafkasniff.capture.reader import CaptureReader

_LOOK_S = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Cost(NamedTuple):
    """What a command and all processes that it started took."""

    cpu: dict[str, float]
    """Seconds by kind of process."""
    wall: float
    rss: dict[str, int]
    """The largest resident set of one process by kind, in bytes."""


def cost_of(command: list[str]) -> Cost:
    """Run a command. Raises RuntimeError where it fails."""
    cpu: dict[int, tuple[str, float]] = {}
    rss: defaultdict[str, int] = defaultdict(int)
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=complaints)
        while process.poll() is None:
            for pid in _descendants(process.pid):
                try:
                    kind = _kind(pid, process.pid)
                    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                cpu[pid] = (kind, (int(fields[11]) + int(fields[12])) / _TICKS)
                rss[kind] = max(rss[kind], int(fields[21]) * _PAGE)
            time.sleep(_LOOK_S)
        if process.returncode:
            complaints.seek(0)
            raise RuntimeError(f"{shlex.join(command)}: {complaints.read()[-2000:].decode(errors='replace')}")
    totals: defaultdict[str, float] = defaultdict(float)
    for kind, seconds in cpu.values():
        totals[kind] += seconds
    return Cost(dict(totals), time.perf_counter() - begun, dict(rss))


def write_alone(sources: list[str], destination: str) -> None:
    """Write the tables of files that are one capture in this process, with the code that tasks use."""
    from kafkasniff.pipeline.options import Options
    from kafkasniff.pipeline.output import TableWriter
    from kafkasniff.pipeline.rows import item_rows
    from kafkasniff.reading import Reading

    writer, options = TableWriter(destination, "alone"), Options()
    for item in Reading(sources, connections=True, two_pass=True):
        writer.add(item_rows("alone", item, options))
    writer.close()


def cut(path: Path, folder: Path, files: int) -> None:
    """Cut a capture into files as tcpdump -C does, between packets."""
    folder.mkdir(exist_ok=True)
    size = path.stat().st_size
    ends = [size * number // files for number in range(1, files)]
    places = []
    reader = CaptureReader(str(path))
    for batch in reader:
        for offset in batch.offsets:
            if ends and (place := offset + reader.data_offset - 16) >= ends[0]:
                places.append(place)
                del ends[0]
    reader.close()
    with path.open("rb") as source:
        header = source.read(FILE_HEADER_LENGTH)
        for number, end in enumerate([*places, size]):
            with (folder / f"part_{number:03}.pcap").open("wb") as part:
                part.write(header)
                while left := end - source.tell():
                    part.write(source.read(min(left, 8 << 20)))


def _descendants(pid: int) -> list[int]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            children[int(parent)].append(int(name))
    found = [pid]
    for each in found:
        found += children[each]
    return found


def _kind(pid: int, root: int) -> str:
    if pid == root:
        return "driver"
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    return "JVM" if b"java" in command.partition(b"\0")[0] else "workers"


def _row(name: str, megabytes: float, cost: Cost, first: float) -> str:
    cpu = sum(cost.cpu.values())
    parts = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in cost.cpu.items())
    memory = ", ".join(f"{kind} {size / 1e6:.0f}" for kind, size in cost.rss.items())
    return f"| {name} | {cpu:.1f} ({parts}) | {megabytes / cpu:.1f} | {first / cpu:.2f} | {cost.wall:.1f} | {memory} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pipeline", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=600, help="default: %(default)s")
    parser.add_argument("--files", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kafkasniff-benchmarks")
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        *sources, destination = arguments.alone
        write_alone(sources, destination)
        return
    arguments.folder.mkdir(exist_ok=True)
    capture = prepare("bulk", arguments.megabytes, arguments.folder)
    parts = arguments.folder / f"bulk-{arguments.megabytes}-in-{arguments.files}"
    if not parts.is_dir():
        cut(capture, parts, arguments.files)
    files = sorted(str(path) for path in parts.iterdir())
    megabytes = sum(Path(path).stat().st_size for path in files) / 1e6
    print(
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}; bulk, {megabytes:.0f} MB in {len(files)} files\n"
    )
    print("| | CPU s | MB a CPU second | share of one process's rate | wall s | peak RSS MB, of one process |")
    print("| --- | --- | ---: | ---: | ---: | --- |", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        alone = cost_of([sys.executable, "-m", "benchmarks.pipeline", "--alone", *files, f"{folder}/alone"])
        first = sum(alone.cpu.values())
        print(_row("one process", megabytes, alone, first), flush=True)
        for master in ("local[1]", "local[2]"):
            command = [sys.executable, "-m", "kafkasniff", "pipeline", str(parts), f"{folder}/{master}"]
            print(_row(f"pipeline, {master}", megabytes, cost_of([*command, "--master", master]), first), flush=True)


if __name__ == "__main__":
    main()
