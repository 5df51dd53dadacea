"""Measure `kafkasniff pipeline`: `python -m benchmarks.pipeline PART...`, each of which prints a table in Markdown.

Data are those of `benchmarks.herd`: rotated files of 250 MB with thousands of connections and an elephant. Needs the
extra `spark`, and `tshark` for the part `usual`. CPU time and memory are those of all processes, looked at a few times
a second: of one that ends, the last moments are missing. Nothing is asserted.
"""

import argparse
import datetime
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.herd import FILE_BYTES, Herd
from benchmarks.measure import NOT_AS_USERS, machine
from benchmarks.usual import lost_calls, usual_way
from kafkasniff.capture.files.pcap import FILE_HEADER_LENGTH

_SOME_CALLS = Path(__file__).parents[1] / "captures" / "java-4.3.1-basic.pcap"
_LOOK_S = 0.25
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
        environment = {name: value for name, value in os.environ.items() if name not in NOT_AS_USERS}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=complaints, env=environment)
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


def write_alone(what: str, sources: list[str], destination: str) -> None:
    """Write tables of files that are one capture in this process, with the code that tasks use.

    `what`: `calls` alone, or `all` tables that Spark's tasks write, the findings among them.
    """
    from kafkasniff.calls.call import Call
    from kafkasniff.diagnose.engine import Diagnosis
    from kafkasniff.pipeline.options import Options
    from kafkasniff.pipeline.rows.output import TableWriter
    from kafkasniff.reading import Reading
    from kafkasniff.render.diagnosis.rows import finding_rows
    from kafkasniff.tables.rows import item_rows

    writer, options, diagnosis = TableWriter(destination, "alone"), Options(), Diagnosis()
    for items in Reading(sources, connections=what == "all").batches():
        for item in items:
            if what == "all":
                writer.add(item_rows("alone", item, options.records))
                diagnosis.feed(item)
            elif isinstance(item, Call):
                writer.add([next(item_rows("alone", item, options.records))])
    if what == "all":
        writer.add(finding_rows(["alone"], diagnosis.findings()))
    writer.close()


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


def resident(root: int) -> dict[str, int]:
    """Give the largest resident set (bytes) of one process of a kind, of those that a command started, as it is now."""
    found: defaultdict[str, int] = defaultdict(int)
    for pid in _descendants(root):
        try:
            kind, pages = _kind(pid, root), int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
        found[kind] = max(found[kind], pages * _PAGE)
    return found


def _kind(pid: int, root: int) -> str:
    if pid == root:
        return "driver"
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    return "JVM" if b"java" in command.partition(b"\0")[0] else "workers"


class Bench:
    """The data, and where results go."""

    def __init__(self, folder: Path, captures: Path | None) -> None:
        """Keep the data in `folder`, and for as long as they are measured what comes of them.

        `captures`: a folder with files that are measured in place of a herd, all of them.
        """
        self._folder = folder
        self._captures = captures
        self._herd = folder / "herd"

    @property
    def name(self) -> str:
        """Say what the data are."""
        return "herd" if self._captures is None else self._captures.name

    def files(self, megabytes: int) -> list[Path]:
        """Give the first files of the herd, which are made where they are missing."""
        if self._captures is not None:
            return sorted(path for path in self._captures.iterdir() if path.is_file())
        count = max(megabytes * 1_000_000 // FILE_BYTES, 1)
        found = sorted(self._herd.glob("part_*.pcap")) if self._herd.is_dir() else []
        if len(found) < count:
            Herd(count).write(self._herd)
            found = sorted(self._herd.glob("part_*.pcap"))
        return found[:count]

    def alone(self, what: str, files: list[Path]) -> Cost:
        """Measure one process."""
        with tempfile.TemporaryDirectory(dir=self._folder) as out:
            command = [sys.executable, "-m", "benchmarks.pipeline", "--folder", str(self._folder), "alone", what]
            return cost_of([*command, *map(str, files), out])

    def command(self, name: str, files: list[Path], *options: str) -> Cost:
        """Measure a command that reads captures in one process."""
        return cost_of([sys.executable, "-m", "kafkasniff", name, *map(str, files), *options])

    def pipeline(self, master: str, files: list[Path], processors: str | None = None) -> Cost:
        """Measure the pipeline, on these processors alone where they are given."""
        with tempfile.TemporaryDirectory(dir=self._folder) as out:
            command = [sys.executable, "-m", "kafkasniff", "pipeline", *map(str, files), out, "--master", master]
            return cost_of([*(["taskset", "-c", processors] if processors else []), *command])


HEAD = """
| | CPU s | MB a CPU second | wall s | MB/s | peak RSS MB, of one process |
| --- | --- | ---: | ---: | ---: | --- |"""


def _row(name: str, megabytes: float, cost: Cost) -> None:
    cpu = sum(cost.cpu.values())
    parts = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in cost.cpu.items())
    memory = ", ".join(f"{kind} {size / 1e6:.0f}" for kind, size in cost.rss.items())
    print(
        f"| {name} | {cpu:.1f} ({parts}) | {megabytes / cpu:.1f} | {cost.wall:.1f} | {megabytes / cost.wall:.1f} |"
        f" {memory} |",
        flush=True,
    )


def _size(files: list[Path]) -> float:
    return sum(path.stat().st_size for path in files) / 1e6


def efficiency(bench: Bench, arguments: argparse.Namespace) -> None:
    """Compare the pipeline with one process, by CPU time."""
    files = bench.files(arguments.megabytes)
    size = _size(files)
    print(f"{_heading()}; {bench.name}, {size:.0f} MB in {len(files)} files\n{HEAD}")
    costs = {f"one process, {what}": bench.alone(what, files) for what in ("calls", "all")}
    for name, cost in costs.items():
        _row(name, size, cost)
    piped = bench.pipeline("local[2]", files)
    _row("pipeline, local[2]", size, piped)
    for name, cost in costs.items():
        workers = sum(cost.cpu.values()) / piped.cpu["workers"]
        print(f"\nRate for a CPU second against {name}: {sum(cost.cpu.values()) / sum(piped.cpu.values()):.2f}", end="")
        print(f" of all processes, {workers:.2f} of the workers alone")


def commands(bench: Bench, arguments: argparse.Namespace) -> None:
    """Compare the pipeline with the commands that write the same tables and findings, by CPU time."""
    files = bench.files(arguments.megabytes)
    size = _size(files)
    print(f"{_heading()}; {bench.name}, {size:.0f} MB in {len(files)} files, load {os.getloadavg()[0]:.1f}\n{HEAD}")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as out:
        alone = [bench.command("tables", files, "-o", out), bench.command("diagnose", files, "--json")]
    for name, cost in zip(("`tables`", "`diagnose`"), alone, strict=True):
        _row(name, size, cost)
    _row("pipeline, local[2]", size, bench.pipeline("local[2]", files))


def processors(bench: Bench, arguments: argparse.Namespace) -> None:
    """Compare one processor with two."""
    files = bench.files(arguments.megabytes)
    size = _size(files)
    print(
        f"{_heading()}; {bench.name}, {size:.0f} MB in {len(files)} files, load {os.getloadavg()[0]:.1f} before\n{HEAD}"
    )
    one = bench.pipeline("local[1]", files, "0")
    _row("taskset -c 0, local[1]", size, one)
    two = bench.pipeline("local[2]", files, "0,1")
    _row("taskset -c 0,1, local[2]", size, two)
    print(f"\nTwo processors against one: {one.wall / two.wall:.2f} × by the clock")


def sizes(bench: Bench, arguments: argparse.Namespace) -> None:
    """Compare sizes: time, and memory of the workers."""
    print(f"{_heading()}; {bench.name}, pipeline, local[2]\n{HEAD}")
    for megabytes in arguments.sizes:
        files = bench.files(megabytes)
        _row(f"{len(files)} files", _size(files), bench.pipeline("local[2]", files))


def many_files(bench: Bench, arguments: argparse.Namespace) -> None:
    """Measure many files without packets beside one that has some: what the driver takes to know them all."""
    print(f"{_heading()}; pipeline, local[2], load {os.getloadavg()[0]:.1f} before\n{HEAD}")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        shutil.copy(_SOME_CALLS, folder)
        head = _SOME_CALLS.read_bytes()[:FILE_HEADER_LENGTH]
        for number in range(arguments.files):
            Path(folder, f"trace_{number:06}.pcap").write_bytes(head)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        _row(f"{arguments.files:,} files without packets", size, bench.pipeline("local[2]", [Path(folder)]))


def usual(bench: Bench, arguments: argparse.Namespace) -> None:
    """Compare with tshark to CSV, a file at a time, which Spark then reads."""
    files = bench.files(arguments.megabytes)
    size = _size(files)
    print(f"{_heading()}; {bench.name}, {size:.0f} MB in {len(files)} files\n{HEAD}")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as out:
        command = [sys.executable, "-m", "benchmarks.pipeline", "--folder", out, "by-tshark"]
        theirs = cost_of([*command, *map(str, files), out])
        _row("tshark to CSV, Spark reads that", size, theirs)
        ours = bench.pipeline("local[2]", files)
        _row("pipeline, local[2]", size, ours)
        ratio = sum(theirs.cpu.values()) / sum(ours.cpu.values())
        print(
            f"\nAgainst the usual way: {ratio:.1f} × less CPU time, {theirs.wall / ours.wall:.1f} × less by the clock"
        )
        print(f"\n{lost_calls(files, Path(out))}")


def _heading() -> str:
    return f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}"


PARTS = {
    "efficiency": efficiency,
    "commands": commands,
    "processors": processors,
    "sizes": sizes,
    "files": many_files,
    "usual": usual,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pipeline", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kafkasniff-benchmarks")
    parser.add_argument("--captures", type=Path, help="files to measure in place of a herd: a folder")
    commands = parser.add_subparsers(dest="part", required=True)
    for name, part in PARTS.items():
        command = commands.add_parser(name, help=part.__doc__)
        if name == "sizes":
            command.add_argument("sizes", type=int, nargs="*", default=[1_000, 5_000, 10_000], metavar="MEGABYTES")
        elif name == "files":
            command.add_argument("files", type=int, nargs="?", default=100_000)
        else:
            default = 500 if name == "usual" else 5_000
            command.add_argument("--megabytes", type=int, default=default, help="default: %(default)s")
    # What the parts measure in processes of their own.
    command = commands.add_parser("alone")
    command.add_argument("what", choices=("calls", "all"))
    command.add_argument("paths", nargs="+")
    commands.add_parser("by-tshark").add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    if arguments.part == "alone":
        *sources, destination = arguments.paths
        write_alone(arguments.what, sources, destination)
    elif arguments.part == "by-tshark":
        *sources, destination = arguments.paths
        usual_way([Path(each) for each in sources], Path(destination))
    else:
        arguments.folder.mkdir(exist_ok=True)
        PARTS[arguments.part](Bench(arguments.folder, arguments.captures), arguments)


if __name__ == "__main__":
    main()
