"""Measure what `--jobs` brings: `python -m benchmarks.jobs`.

Prints Markdown: wall and CPU time of one process and of several, in turn. Nothing is asserted.
"""

import argparse
import datetime
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import compare, machine
from benchmarks.read import prepare

KAFKASNIFF = [sys.executable, "-m", "kafkasniff"]

WORK = {
    "`read --json`, 100,000 small calls": ("small-calls", 100_000, ["read", "--json"]),
    "`read`, 100,000 small calls": ("small-calls", 100_000, ["read"]),
    "`diagnose`, 100,000 small calls": ("small-calls", 100_000, ["diagnose"]),
    "`read --json`, 100 MB bulk": ("bulk", 100, ["read", "--json"]),
    "`read --json --records`, 20 MB bulk": ("bulk", 20, ["read", "--json", "--records"]),
}
"""Workload, its size and the command by what is measured."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="compared with one process; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kafkasniff-benchmarks")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    busy = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}, load averages {busy}\n")
    print(f"| work | wall s, 1 job | wall s, {arguments.jobs} jobs | wall, × | CPU s, 1 job | ", end="")
    print(f"CPU s, {arguments.jobs} jobs | CPU, × |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for name, (workload, size, command) in WORK.items():
        path = str(prepare(workload, size, arguments.folder))
        commands = {str(jobs): [*KAFKASNIFF, *command, path, "--jobs", str(jobs)] for jobs in (1, arguments.jobs)}
        one, several = compare(commands, arguments.rounds).values()
        print(
            f"| {name} | {one.wall:.2f} | {several.wall:.2f} | {several.wall / one.wall:.2f}"
            f" | {one.cpu:.2f} | {several.cpu:.2f} | {several.cpu / one.cpu:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
