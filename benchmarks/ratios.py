"""Say how many times our CPU time tshark takes, workload by workload: `python -m benchmarks.ratios --folder CAPTURES`.

Prints Markdown: medians of rounds in which both take turns, start-up included, output thrown away. With `--other
COMMAND` another installed kafkasniff takes turns with them.
"""

import argparse
import datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import compare, machine
from benchmarks.read import OURS, THEIRS, prepare


class Work(NamedTuple):
    """One line of the table."""

    form: str
    """`list`, `json` or `records`."""
    workload: str
    size: int
    """In the workload's own unit."""


WORK = (
    Work("list", "bulk", 100),
    Work("list", "bulk", 500),
    Work("list", "small-calls", 200_000),
    Work("list", "small-calls", 1_000_000),
    Work("list", "tiny-calls", 200_000),
    Work("list", "many-connections", 20_000),
    Work("list", "many-connections", 100_000),
    Work("list", "disordered", 100),
    Work("list", "disordered", 500),
    Work("list", "elephant", 1_000),
    Work("json", "bulk", 20),
    Work("json", "small-calls", 20_000),
    Work("json", "wide", 20),
    Work("json", "bulk", 100),
    Work("json", "small-calls", 200_000),
    Work("json", "wide", 100),
    Work("records", "bulk", 20),
)
_OPTIONS = {"list": [], "json": ["--json"], "records": ["--json", "--records"]}


def main() -> None:
    """Measure the work that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratios", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="keeps the captures there and uses what it finds")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--other", help="another kafkasniff's command")
    parser.add_argument("--form", choices=_OPTIONS, help="only this form of output")
    parser.add_argument("--workload", help="only this workload")
    parser.add_argument("--size", type=int, help="only workloads of this size")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    today = datetime.datetime.now(datetime.UTC)
    print(f"{today:%Y-%m-%d}, {machine()}, medians of {arguments.rounds} rounds in turn\n")
    other = "| other CPU s | other's × ours " if arguments.other else ""
    print(f"| work | ours CPU s | ours MB | tshark CPU s | tshark MB | tshark's × ours {other}|")
    print("| --- |" + " ---: |" * (7 if other else 5), flush=True)
    for form, workload, size in WORK:
        wanted = (arguments.form, arguments.workload, arguments.size)
        if any(want not in (None, each) for want, each in zip(wanted, (form, workload, size), strict=True)):
            continue
        path = str(prepare(workload, size, arguments.folder))
        commands = {
            "ours": [*OURS, *_OPTIONS[form], path],
            "tshark": [*THEIRS[:2], *(["-T", "json"] if form != "list" else []), "-r", path],
        }
        if arguments.other:
            commands["other"] = [arguments.other, "read", *_OPTIONS[form], path]
        found = compare(commands, arguments.rounds)
        ours, theirs = found["ours"], found["tshark"]
        row = [f"{form}, `{workload}` {size:,}", f"{ours.cpu:.2f}", f"{ours.rss / 1e6:.0f}", f"{theirs.cpu:.2f}"]
        row += [f"{theirs.rss / 1e6:.0f}", f"{theirs.cpu / ours.cpu:.1f}"]
        if arguments.other:
            row += [f"{found['other'].cpu:.2f}", f"{found['other'].cpu / ours.cpu:.2f}"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
