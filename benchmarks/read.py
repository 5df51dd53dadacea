"""Compare `kafkasniff read` with tshark on synthetic captures: `python -m benchmarks.read [WORKLOAD...]`.

Prints Markdown: the proof that both decode every body, then CPU time, wall time and memory. Nothing is asserted.
"""

import argparse
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Measurement, compare, machine, run, table
from benchmarks.workloads import WORKLOADS

OURS = [str(Path(sys.executable).with_name("kafkasniff")), "read"]
"""The command as it is installed beside the interpreter that runs the benchmark."""
THEIRS = ["tshark", "-n", "-r"]


class Sizes(NamedTuple):
    """Sizes of a workload, in its own unit."""

    full: int
    """For the list."""
    small: int
    """For JSON, which takes tshark minutes on the full size, and to see whether memory grows."""


SIZES = {
    "bulk": Sizes(500, 100),
    "modern-bulk": Sizes(500, 100),
    "disordered": Sizes(500, 100),
    "elephant": Sizes(1000, 100),
    "wide": Sizes(100, 20),
    "small-calls": Sizes(1_000_000, 100_000),
    "tiny-calls": Sizes(200_000, 50_000),
    "many-connections": Sizes(100_000, 10_000),
}

START = "start-up"
"""What to name to measure the start of the program alone."""

NOT_ALL_DECODED = {
    "modern-bulk": "tshark 4.0 does not know Produce v12 and Fetch v17, so it does less work",
    "disordered": "messages with segments that are missing from the capture cannot be had",
}
"""Workloads of which not every body is decoded, and why."""

WITHOUT_RECORDS = frozenset({"wide", "tiny-calls"})
"""Workloads in which there are none."""

START_CONNECTIONS = 2
"""Of the capture on which start-up is measured: some 20 packets."""

UNEQUAL = "tshark prints the records and every field's raw value too; kafkasniff batch headers, their CRC verified"
"""What must be known to read the comparison of JSON fairly."""


def prepare(name: str, size: int, folder: Path) -> Path:
    """Make a workload unless it is there already."""
    path = folder / f"{name}-{size}.pcap"
    # In a process of its own: measure.run wants its caller small.
    command = [sys.executable, "-m", "benchmarks.workloads", name, f"--{WORKLOADS[name].unit}", str(size), str(path)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return path


def report(name: str, folder: Path, rounds: int) -> None:
    """Prove and measure one workload."""
    sizes, unit = SIZES[name], WORKLOADS[name].unit
    full, small = (str(prepare(name, size, folder)) for size in sizes)
    print(f"\n## {name}: {WORKLOADS[name].connections.__doc__}\n", flush=True)
    for path in (small, full):
        proof = subprocess.run([sys.executable, "-m", "benchmarks.proof", path], check=False)
        if proof.returncode and name not in NOT_ALL_DECODED:
            sys.exit(f"{path}: not every body was decoded")
        print(flush=True)
    if name in NOT_ALL_DECODED:
        print(f"{NOT_ALL_DECODED[name]}.\n")

    print(f"List, {sizes.full} {unit}:\n", flush=True)
    lists = {"kafkasniff read": [*OURS, full], "tshark -n -r": [*THEIRS, full]}
    list_medians = compare(lists, rounds)
    print(table(list_medians) + "\n")

    print(f"JSON, {sizes.small} {unit} ({UNEQUAL}):\n", flush=True)
    ours = {"kafkasniff read --json": [*OURS, "--json", small]}
    if name not in WITHOUT_RECORDS:
        ours["kafkasniff read --json --records"] = [*OURS, "--json", "--records", small]
    theirs = "tshark -n -T json -r"
    text_medians = compare({**ours, theirs: ["tshark", "-n", "-T", "json", "-r", small]}, rounds)
    print(table(text_medians) + "\n")
    for command in ours:
        ratio = text_medians[theirs].cpu / text_medians[command].cpu
        print(f"`{theirs}` takes {ratio:.1f} times the CPU time of `{command}`.")
    print()

    list_small, text_full = run([*OURS, small]), run([*OURS, "--json", full])
    print("Growth of peak RSS with the size of the capture:\n")
    print(f"| command | {sizes.small} {unit} | {sizes.full} {unit} | ratio |\n| --- | ---: | ---: | ---: |")
    print(growth("kafkasniff read", list_small, list_medians["kafkasniff read"]))
    print(growth("kafkasniff read --json", text_medians["kafkasniff read --json"], text_full), flush=True)


def report_start(folder: Path, rounds: int) -> None:
    """Measure what there is to wait for before anything is read."""
    tiny = str(prepare("many-connections", START_CONNECTIONS, folder))
    print("\n## start-up: help, and a capture of some 20 packets\n", flush=True)
    commands = {
        "kafkasniff --help": [*OURS[:-1], "--help"],
        "kafkasniff read": [*OURS, tiny],
        "kafkasniff read --json": [*OURS, "--json", tiny],
        "tshark -n -r": [*THEIRS, tiny],
    }
    print(table(compare(commands, rounds)), flush=True)


def growth(command: str, small: Measurement, full: Measurement) -> str:
    """Give the row of a command that ran on two sizes."""
    return f"| `{command}` | {small.rss / 1e6:.0f} MB | {full.rss / 1e6:.0f} MB | {full.rss / small.rss:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.read", description=__doc__)
    parser.add_argument(
        "workloads",
        nargs="*",
        choices=[*SIZES, START],
        metavar="WORKLOAD",
        help=f"default: bulk; of {', '.join([*SIZES, START])}",
    )
    parser.add_argument("--folder", type=Path, help="keeps the captures there and uses what it finds")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    arguments = parser.parse_args()
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}, medians of {arguments.rounds} rounds in turn")
    with tempfile.TemporaryDirectory(prefix="kafkasniff-") as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.workloads or ["bulk"]:
            if name == START:
                report_start(folder, arguments.rounds)
            else:
                report(name, folder, arguments.rounds)


if __name__ == "__main__":
    main()
