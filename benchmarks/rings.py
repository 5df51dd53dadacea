"""Whether a follower's memory, state and time for a step stay flat over many small files of a ring.

    python -m benchmarks.rings CAPTURE [--files 10000] [--a-step 100] [--names 500] [--late 50] [--folder FOLDER]

Cuts a capture in the classic format into so many files, which come in the order of time, so many for each step. They
have `--names` names: of more files the later ones overwrite the earlier. One in `--late` comes a step too late. After
each step it waits until the follower has read all that is whole, and prints the seconds and bytes.
"""

import argparse
import datetime
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from benchmarks.left_alone import parts
from benchmarks.measure import machine
from benchmarks.pipeline import resident

SEED = 20261124
_SETTLED_S = 30
"""Files look as if nothing was written to them for so long, so that none waits to be whole."""


def metrics_at(address: str) -> dict[str, float]:
    """Give the samples without labels of a follower, by name."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    samples = [sample for family in families for sample in family.samples if not sample.labels]
    return {each.name.removeprefix("kafkasniff_pipeline_"): each.value for each in samples}


def bytes_below(folder: Path) -> int:
    """Give the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a file of the ring as tcpdump leaves one behind."""
    path = folder / name
    path.write_bytes(data)
    os.utime(path, (time.time() - _SETTLED_S,) * 2)


def steps(address: str, pid: int, options: argparse.Namespace, captures: Path, tables: Path) -> None:
    """Let the files come, and print a line for each step."""
    draw, late = random.Random(SEED), list[int]()
    pieces = parts(Path(options.capture), options.files)
    before = metrics_at(address)
    print("| files | late | s for a step | state kB | driver, worker, JVM MB |\n| ---: | ---: | ---: | ---: | --- |")
    were_late = 0
    for first in range(0, options.files, options.a_step):
        numbers = range(first, min(first + options.a_step, options.files))
        kept = [number for number in numbers if number + 1 == options.files or draw.randrange(options.late)]
        were_late += len(late)
        for number in sorted([*late, *kept]):
            put(captures, f"part_{number % options.names:05}.pcap", pieces[number])
        late = [number for number in numbers if number not in kept]
        begun, waiting = time.monotonic(), 2.0
        while waiting > 1:  # the newest file of the ring waits
            time.sleep(0.2)
            found = metrics_at(address)
            if found["files_total"] > before["files_total"]:
                waiting = found["waiting_files"]
        before = found
        sizes = resident(pid)
        memory = ", ".join(f"{sizes.get(kind, 0) / 1e6:.0f}" for kind in ("driver", "workers", "JVM"))
        state = sum(bytes_below(each) for each in tables.glob("_state-*"))
        seconds = time.monotonic() - begun
        print(f"| {numbers[-1] + 1:,} | {were_late} | {seconds:.1f} | {state / 1e3:.0f} | {memory} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rings", description=__doc__)
    parser.add_argument("capture")
    for name, default in (("files", 10_000), ("a-step", 100), ("names", 500), ("late", 50)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--folder")
    options = parser.parse_args()
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}; {Path(options.capture).name}\n")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        captures, tables = Path(folder, "captures"), Path(folder, "tables")
        captures.mkdir()
        command = [sys.executable, "-m", "kafkasniff", "pipeline", "--follow", captures, tables, "--master", "local[2]"]
        served = ["--still", "60m", "--metrics", "127.0.0.1:0"]
        with subprocess.Popen(
            [*command, *served], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            try:
                address = next(line for line in process.stderr if line.startswith("metrics at ")).split()[2]
                steps(address, process.pid, options, captures, tables)
            finally:
                process.send_signal(signal.SIGTERM)
                process.communicate()


if __name__ == "__main__":
    main()
