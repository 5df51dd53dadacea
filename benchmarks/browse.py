"""Measure `kafkasniff browse` on 1,000,000 small calls: `python -m benchmarks.browse [FOLDER]`.

On a pseudo-terminal of 100 by 40: when the first page stands there, beside `read --limit 100`; what a page costs; how
long a filter takes; memory of its processes when all is read. Prints Markdown. Nothing is asserted.
"""

import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.read import prepare

CALLS = 1_000_000
ROUNDS = 5
KEYS = (b" ", b" ", b"b", b"G", b"b", b"g", b" ", b"G", b"b", b"g")


class Terminal:
    """A command on a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        """Start it."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kafkasniff", *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, env=environment | {"TERM": "xterm-256color"},
        )  # fmt: skip
        os.close(theirs)
        self._ours = ours

    def until(self, pattern: bytes, seconds: float = 600) -> float:
        """Give how long after the start, or the last key, the output has what a regular expression says."""
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            shown += self.read(0.05)
            if re.search(pattern, shown):
                return time.monotonic() - self.begun
        sys.exit(f"{pattern!r} did not come; the last of the output: {shown[-2000:]!r}")

    def read(self, wait: float) -> bytes:
        """Give what is shown within so many seconds; empty: nothing."""
        return os.read(self._ours, 1 << 16) if select.select([self._ours], [], [], wait)[0] else b""

    def press(self, keys: bytes) -> None:
        """Press keys once nothing is drawn any more."""
        while self.read(0.3):
            pass
        self.begun = time.monotonic()
        os.write(self._ours, keys)

    def end(self) -> None:
        """End the command."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


class Used(NamedTuple):
    """What the processes of a command use; memory in MB."""

    resident: list[int]
    proportional: int
    cpu_seconds: float
    """Of the first one."""


def used(process: int) -> Used:
    children = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout.split()
    resident, proportional = [], 0
    for each in [str(process), *children]:
        status = Path(f"/proc/{each}/status").read_text()
        if "VmHWM" not in status:
            continue  # it has ended
        resident.append(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1000)  # type: ignore[index]
        rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
        proportional += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1]) // 1000  # type: ignore[index]
    times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return Used(resident, proportional, (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"))


def first_pages(path: str) -> tuple[float, float, float]:
    """Give the seconds until the first page of `read --limit 100`, and of `browse`, and until this takes keys."""
    rows = []
    for _ in range(ROUNDS):
        read = Terminal("read", path, "--limit", "100", "--no-pager")
        shown = read.until(rb"\s100 [^\n]*\n")
        read.end()
        browse = Terminal("browse", path)
        page = browse.until(rb"\s38 ")
        rows.append((shown, page, browse.until(rb"calls  reading|calls  d")))
        browse.end()
    one, other, keys = zip(*rows, strict=True)
    return statistics.median(one), statistics.median(other), statistics.median(keys)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    path = str(prepare("small-calls", CALLS, folder))
    shown, page, keys = first_pages(path)
    print("| what | seconds |\n| --- | --- |")
    print(
        f"| `read --limit 100` | {shown:.2f} |\n| first page of `browse` | {page:.2f} |\n"
        f"| until it takes keys | {keys:.2f} |"
    )
    browse = Terminal("browse", path)
    browse.until(rb"reading (?:[89]\d|100)%")
    reading = used(browse.process.pid)
    print(f"| all read and judged | {browse.until(rb'calls  d'):.1f} |")
    pages, costs = [], []
    for key in KEYS:
        before = used(browse.process.pid).cpu_seconds
        browse.press(key)
        pages.append(browse.until(rb"\x1b\[\d+;\d+H"))
        while browse.read(0.3):
            pass
        costs.append(used(browse.process.pid).cpu_seconds - before)
    print(f"| a page, median and longest | {statistics.median(pages):.3f}, {max(pages):.3f} |")
    print(f"| CPU for it, with 0.6 s of waiting | {statistics.median(costs):.3f} |")
    browse.press(b"&")
    browse.press(b"api == produce and latency > 1ms\r")
    print(f"| a filter over all | {browse.until(rb'of 1,[0-9,]+ calls'):.1f} |")
    found = used(browse.process.pid)
    sizes = " + ".join(map(str, reading.resident))
    print(f"\nMemory, in MB: {sizes} while it read; {found.proportional} when all was read, without what is shared.")
    browse.end()


if __name__ == "__main__":
    main()
