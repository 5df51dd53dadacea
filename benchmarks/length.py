"""Peak memory by how long a capture is: `python -m benchmarks.length [COMMAND...] [--megabytes 1000 10000]`.

`bulk` of each size is written to a named pipe, from which `kafkasniff COMMAND -` reads (`read` unless told otherwise).
Its output is thrown away. Prints CPU seconds and peak resident set sizes as Markdown. Nothing is asserted.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Imports nothing large: until it executes its command a child counts this process's memory as its own.
from benchmarks.measure import machine, run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.length", description=__doc__)
    parser.add_argument("commands", nargs="*", default=["read"])
    parser.add_argument("--megabytes", nargs="+", default=["1000", "10000"])
    arguments = parser.parse_args()
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}, one run each\n")
    print("| command | MB of `bulk` | CPU s | peak RSS MB |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="kafkasniff-") as folder:
        pipe = str(Path(folder, "bulk.pcap"))
        os.mkfifo(pipe)
        for command in arguments.commands:
            for megabytes in arguments.megabytes:
                write = [sys.executable, "-m", "benchmarks.workloads", "bulk", "--megabytes", megabytes, pipe]
                # The shell opens the pipe, and becomes the command.
                read = f"exec {sys.executable} -m kafkasniff {command} - < {pipe}"
                with subprocess.Popen(write, stdout=subprocess.DEVNULL) as writer:
                    try:
                        taken = run(["sh", "-c", read])
                    finally:
                        writer.kill()
                print(
                    f"| `kafkasniff {command} -` | {megabytes} | {taken.cpu:.1f} | {taken.rss / 1e6:.0f} |", flush=True
                )


if __name__ == "__main__":
    main()
