"""Run commands in turn and compare their CPU time, wall time and memory: `python -m benchmarks.measure CMD CMD...`."""

import argparse
import os
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

# Imports nothing large: until it executes its command a child counts this process's memory as its own.


NOT_AS_USERS = frozenset({"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"})
"""What some build machines set: without compiled modules kept, each start compiles all of them again."""


class Measurement(NamedTuple):
    """What one run of a command took, or the medians of several."""

    cpu: float
    """Seconds of CPU time, user and system."""
    wall: float
    """Seconds."""
    rss: float
    """Peak resident set size in bytes."""


def run(command: Sequence[str]) -> Measurement:
    """Run a command with its output thrown away; raises `RuntimeError` with its complaints when it fails."""
    with tempfile.TemporaryFile() as complaints:
        begun = time.perf_counter()
        process = os.posix_spawnp(
            command[0],
            list(command),
            {name: value for name, value in os.environ.items() if name not in NOT_AS_USERS},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, complaints.fileno(), 2),
            ],
        )
        _, status, usage = os.wait4(process, 0)
        wall = time.perf_counter() - begun
        if status:
            complaints.seek(0)
            raise RuntimeError(f"{shlex.join(command)}: {complaints.read()[-2000:].decode(errors='replace')}")
    # Linux counts ru_maxrss in KiB.
    return Measurement(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def compare(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Measurement]:
    """Run the named commands in turn, `rounds` times, and give the medians."""
    runs: dict[str, list[Measurement]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {name: Measurement(*map(median, zip(*taken, strict=True))) for name, taken in runs.items()}


def table(measurements: Mapping[str, Measurement]) -> str:
    """Lay out measurements in Markdown, each with its CPU time and memory as multiples of the first's."""
    lines = [
        "| command | CPU s | wall s | peak RSS MB | CPU, × the first | RSS, × the first |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    first = next(iter(measurements.values()))
    for name, (cpu, wall, rss) in measurements.items():
        lines.append(
            f"| `{name}` | {cpu:.2f} | {wall:.2f} | {rss / 1e6:.0f} | {cpu / first.cpu:.2f} | {rss / first.rss:.2f} |"
        )
    return "\n".join(lines)


def machine() -> str:
    """Describe the machine by its cores and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    model = next(
        (line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "unknown processor",
    )
    return f"{os.cpu_count()} cores ({model}), {memory / 2**30:.0f} GiB"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measure", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("commands", nargs="+", metavar="CMD", help="a command line in quotes; the first is the measure")
    arguments = parser.parse_args()
    print(table(compare({line: shlex.split(line) for line in arguments.commands}, arguments.rounds)))


if __name__ == "__main__":
    main()
