"""Find the highest packet rate that live capture keeps: `python -m benchmarks.live [--seconds 60]`, as root.

tcpreplay sends a synthetic capture of small calls through a pair of interfaces, each time with other addresses. A rate
is kept when the kernel drops no packet and no line is printed more than a second after its packet. `kafkasniff live`
and `tshark -i` take turns, trial by trial. Prints Markdown; nothing is asserted.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import machine
from benchmarks.read import prepare

NEAR, FAR = "near0", "far0"
BUFFER_MIB = 64
OURS = [sys.executable, "-m", "kafkasniff", "live", NEAR, "--buffer", str(BUFFER_MIB)]
THEIRS = [
    "tshark", "-n", "-l", "-i", NEAR, "-B", str(BUFFER_MIB), "-Y", "kafka",
    "-T", "fields", "-e", "frame.time_epoch", "-e", "_ws.col.Info",
]  # fmt: skip
SIZES = {"bulk": 20, "small-calls": 5_000}
"""Of workloads, in their own units: much data in few calls, and many calls with little data."""
SMALLEST_RATE = 4_000
TRIES = 2
"""A rate that is not kept so often in trials is too high: other programs may have been in the way once."""
LARGEST_LAG = 1.0
DAY = 86_400
LATENCY = re.compile(r" {2,}([\d.]+) (µs|ms|s)(?: |$)")
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1}
DROPPED = re.compile(r"([\d,]+) packets? dropped")


class Outcome(NamedTuple):
    """What became of a rate."""

    sent: int
    rate: float
    """Packets a second that tcpreplay reached."""
    dropped: int
    lag: float
    """Seconds; the largest of the lines looked at."""
    lines: int
    cpu: float
    """Seconds, of the command and what it started."""

    @property
    def kept(self) -> bool:
        """Tell whether all packets were seen, and their lines printed in time."""
        return not self.dropped and self.lag < LARGEST_LAG and self.lines > 0


class Lines:
    """Reads what a command prints, and how long after its packet the last line of each piece comes."""

    def __init__(self, stream: int) -> None:
        """Read the file descriptor `stream` to its end."""
        self.count = 0
        self.lag = 0.0
        self._stream = stream
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while piece := os.read(self._stream, 1 << 20):
            came = time.time()
            self.count += piece.count(b"\n")
            whole = piece[: piece.rfind(b"\n")].rsplit(b"\n", 1)
            if len(whole) == 2:
                self.lag = max(self.lag, _since(whole[1].decode(), came))

    def end(self) -> None:
        """Wait for the end."""
        self._thread.join()


def _since(line: str, came: float) -> float:
    """Seconds from the end of what a line of `kafkasniff` or tshark tells of to `came`."""
    text = line.split(maxsplit=1)[0]
    if ":" not in text:
        return came - float(text)
    hours, minutes, seconds = text.split(":")
    began = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    took = LATENCY.search(line)
    return (came - began - (float(took[1]) * UNITS[took[2]] if took else 0)) % DAY


def attempt(command: Sequence[str], capture: Path, packets: int, rate: int, seconds: int) -> Outcome:
    """Replay at `rate` packets a second for about `seconds`, and look at what `command` makes of it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    lines = Lines(process.stdout.fileno())
    while b"istening on" not in (message := process.stderr.readline()) and b"Capturing on" not in message:
        if not message:
            raise RuntimeError(f"{command[0]} ended before it began")
    time.sleep(1)
    replay = subprocess.run(
        ["tcpreplay", "--quiet", "--preload-pcap", "--unique-ip", f"--loop={max(rate * seconds // packets, 1)}",
         f"--pps={rate}", f"--intf1={FAR}", str(capture)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    sent = re.search(r"Actual: (\d+) packets .* in ([\d.]+) seconds", replay.stdout)
    assert sent is not None
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    messages = process.stderr.read().decode()
    # Of tshark with dumpcap, which captures for it.
    _, _, used = os.wait4(process.pid, 0)
    lines.end()
    # The closing line has the sum.
    dropped = int(next(reversed(DROPPED.findall(messages)), "0").replace(",", ""))
    cpu = used.ru_utime + used.ru_stime
    return Outcome(int(sent[1]), int(sent[1]) / float(sent[2]), dropped, lines.lag, lines.count, cpu)


def highest(
    name: str, command: Sequence[str], capture: Path, packets: int, seconds: int, trial: int
) -> Generator[None, None, Outcome | None]:
    """Double the rate in short trials until it is not kept, halve the distance twice, and hold what is left.

    Pauses after each trial. Returns the longest outcome; None when no rate is kept.
    """

    def tried(rate: int, how_long: int) -> Outcome:
        outcome = attempt(command, capture, packets, rate, how_long)
        print(f"{name} at {rate:,}/s for {how_long} s: {outcome}", file=sys.stderr)
        return outcome

    def kept(rate: int) -> Generator[None, None, bool]:
        for _ in range(TRIES):
            if tried(rate, trial).kept:
                yield
                return True
            yield
        return False

    low, high = 0, SMALLEST_RATE
    while (yield from kept(high)):
        low, high = high, high * 2
    for _ in range(2):
        middle = (low + high) // 2
        low, high = (middle, high) if (yield from kept(middle)) else (low, middle)
    while low >= SMALLEST_RATE // 2:
        outcome = tried(low, seconds)
        if outcome.kept:
            return outcome
        yield
        low = low * 3 // 4
    return None


def in_turn(searches: dict[str, Generator[None, None, Outcome | None]]) -> dict[str, Outcome | None]:
    """Let searches go on one trial after the other; give what each found."""
    found: dict[str, Outcome | None] = {}
    while len(found) < len(searches):
        for name, search in searches.items():
            if name not in found:
                try:
                    next(search)
                except StopIteration as end:
                    found[name] = end.value
    return found


def wire() -> None:
    """Make a pair of interfaces in this process's network."""
    subprocess.run(["ip", "link", "add", NEAR, "type", "veth", "peer", "name", FAR], check=True)
    for name in (NEAR, FAR):
        subprocess.run(["ip", "link", "set", name, "up", "mtu", "65535"], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="how long a rate must be kept")
    parser.add_argument("--trial", type=int, default=10, help="seconds of a trial while the rate is looked for")
    parser.add_argument("--workload", action="append", choices=SIZES, help="what is replayed; all of these by default")
    arguments = parser.parse_args()
    if os.environ.get("KAFKASNIFF_OWN_NETWORK") is None:
        # All in a network of its own, which goes when this ends.
        os.environ["KAFKASNIFF_OWN_NETWORK"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-m", "benchmarks.live", *sys.argv[1:]])
    wire()
    print(f"{machine()}; {arguments.seconds} s, {BUFFER_MIB} MiB for packets that wait\n")
    print("| | packets/s kept | packets | dropped | largest lag | lines | CPU µs a packet |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for workload in arguments.workload or SIZES:
            capture = prepare(workload, SIZES[workload], Path(folder))
            packets = count_packets(capture)
            searches = {
                name: highest(name, command, capture, packets, arguments.seconds, arguments.trial)
                for name, command in (("kafkasniff live", OURS), ("tshark -i", THEIRS))
            }
            for name, outcome in in_turn(searches).items():
                print(f"| {workload}: {name} | {cells(outcome)} |", flush=True)


def count_packets(capture: Path) -> int:
    done = subprocess.run(["capinfos", "-c", "-M", "-r", "-T", str(capture)], capture_output=True, check=True)
    return int(done.stdout.split()[-1])


def cells(outcome: Outcome | None) -> str:
    if outcome is None:
        return "none | | | | |"
    shown = f"{outcome.rate:,.0f} | {outcome.sent:,} | {outcome.dropped} | {outcome.lag:.2f} s | {outcome.lines:,}"
    return f"{shown} | {outcome.cpu / outcome.sent * 1e6:.1f}"


if __name__ == "__main__":
    main()
