"""Find the highest packet rate that live capture keeps: `python -m benchmarks.live [--seconds 60]`, as root.

tcpreplay sends synthetic captures through a pair of interfaces, again and again with other addresses. A rate is kept
when the kernel drops no packet and no line is printed more than a second after its packet. `kafkasniff live`,
`kafkasniff live --json` and `tshark -i` take turns, trial by trial. With `--rate` the programs may take as long as
they want for what comes in `--seconds`: the CPU time of a packet does not depend on who else is on the machine.
Prints Markdown; nothing is asserted.
"""

import argparse
import datetime
import math
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
PATIENT_BUFFER_MIB = 512
OURS = [sys.executable, "-m", "kafkasniff", "live", NEAR, "--buffer"]
THEIRS = [
    "tshark", "-n", "-l", "-i", NEAR, "-Y", "kafka",
    "-T", "fields", "-e", "frame.time_epoch", "-e", "_ws.col.Info", "-B",
]  # fmt: skip
COMMANDS = {
    "kafkasniff live": OURS,
    "tshark -i": THEIRS,
    "kafkasniff live --json": [*OURS[:-1], "--json", OURS[-1]],
    "kafkasniff live --json --jobs 2": [*OURS[:-1], "--json", "--jobs", "2", OURS[-1]],
}
"""Without the size of the memory for packets that wait."""
SIZES = {"bulk": 20, "small-calls": 100_000}
"""Of workloads, in their own units: much data in few calls, and many calls with little data."""
SMALLEST_RATE = 8_000
HALVINGS = 2
BACK = 0.85
"""What is tried next of a rate that was not kept for long."""
REACHED = 0.9
"""Of a rate, for tcpreplay to have been able to send it."""
LARGEST_LAG = 1.0
QUIET_SECONDS = 1.2
"""Without a line, after which none is waited for any more."""
DAY = 86_400
WARM_UP_SECONDS = 2
"""Of each attempt, whose lags do not count."""
REPEATS = 1_000_000
"""Of a capture; more than there is time for."""
JSON_TIMES = re.compile(rb'"time":"([^"]+)".*"totalTimeMs":([0-9.]+)')
TIME = re.compile(r"^ *\d* *(\d\d):(\d\d):(\d\d\.\d+) ")
DROPPED = re.compile(r"^(process \d+ of \d+: )?.*?([\d,]+) packets? dropped", re.MULTILINE)
"""Whose drops, with `--jobs`, and how many."""


class Outcome(NamedTuple):
    """What became of a rate."""

    sent: int
    wanted: int
    """Packets a second …"""
    rate: float
    """… and what tcpreplay reached."""
    dropped: int
    lag: float
    """Seconds; the largest of the lines looked at."""
    lines: int
    cpu: float
    """Seconds, of the command and what it started."""

    @property
    def kept(self) -> bool:
        """Tell whether all packets were sent at this rate and seen, and their lines printed in time."""
        in_time = not self.dropped and self.lag < LARGEST_LAG and self.lines > 0
        return in_time and self.rate > REACHED * self.wanted


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
                self.lag = max(self.lag, _since(whole[1], came))

    def end(self) -> None:
        """Wait for the end."""
        self._thread.join()


def _since(line: bytes, came: float) -> float:
    """Seconds from the end of what a line of `kafkasniff` or tshark tells of to `came`."""
    if line.startswith(b"{"):
        # A call that no answer came for has no total time.
        found = JSON_TIMES.search(line)
        if found is None:
            return 0.0
        began = datetime.datetime.fromisoformat(found[1][:26].decode()).replace(tzinfo=datetime.UTC)
        return came - began.timestamp() - float(found[2]) / 1000
    text = line.decode()
    shown = TIME.search(text)
    if shown is None:
        # tshark has seconds since 1970; the lines of `kafkasniff` without a time tell of no call.
        first = text.split(maxsplit=1)[0]
        return came - float(first) if "." in first else 0.0
    since = int(shown[1]) * 3600 + int(shown[2]) * 60 + float(shown[3])
    # The line says when the call ended.
    return (came - since) % DAY


def attempt(
    command: Sequence[str],
    capture: Path,
    rate: int,
    seconds: int,
    most_lag: float = LARGEST_LAG,
    buffer: int = BUFFER_MIB,
) -> Outcome:
    """Replay at `rate` packets a second for `seconds`, and look at what `command` makes of it.

    Ends when a line comes later than `most_lag`. `buffer` is the memory for packets that wait, in MiB.
    """
    process = subprocess.Popen(
        [*command, str(buffer)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # What tshark leaves behind when it is killed goes with the captures.
        env=os.environ | {"TMPDIR": str(capture.parent)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    lines = Lines(process.stdout.fileno())
    while b"istening on" not in (message := process.stderr.readline()) and b"Capturing on" not in message:
        if not message:
            raise RuntimeError(f"{command[0]} ended before it began")
    time.sleep(0.5)
    replay = subprocess.Popen(
        ["tcpreplay", "--quiet", "--preload-pcap", "--unique-ip", f"--loop={REPEATS}", f"--duration={seconds}",
         f"--pps={rate}", f"--intf1={FAR}", str(capture)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    # What the programs load when the first packets come is no part of the rate that they keep.
    time.sleep(WARM_UP_SECONDS)
    lines.lag = 0.0
    while replay.poll() is None and lines.lag < most_lag:
        time.sleep(0.05)
    replay.send_signal(signal.SIGINT)
    text, _ = replay.communicate()
    sent = re.search(r"Actual: (\d+) packets .* in ([\d.]+) seconds", text)
    assert sent is not None, text
    seen, deadline = 0, time.monotonic() + QUIET_SECONDS
    while lines.lag < most_lag and time.monotonic() < deadline:
        time.sleep(0.05)
        if lines.count != seen:
            seen, deadline = lines.count, time.monotonic() + QUIET_SECONDS
    # At the end calls are shown that the end of the replay left without an answer.
    lag = lines.lag
    if lag < most_lag:
        process.send_signal(signal.SIGINT)
    else:
        # What still waits says nothing more.
        os.killpg(process.pid, signal.SIGKILL)
    messages = process.stderr.read().decode()
    # Of tshark with dumpcap, which captures for it.
    _, _, used = os.wait4(process.pid, 0)
    lines.end()
    # The last line of each process, its closing line, has the sum.
    dropped = sum({name: int(number.replace(",", "")) for name, number in DROPPED.findall(messages)}.values())
    reached = int(sent[1]) / float(sent[2])
    return Outcome(int(sent[1]), rate, reached, dropped, lag, lines.count, used.ru_utime + used.ru_stime)


def highest(
    name: str, command: Sequence[str], capture: Path, seconds: int, trial: int
) -> Generator[None, None, Outcome | None]:
    """Double the rate in short trials until it is not kept, halve the distance twice, and hold what is left.

    Pauses after each trial. Returns the longest outcome; None when no rate is kept.
    """

    def tried(rate: int, how_long: int) -> Outcome:
        outcome = attempt(command, capture, rate, how_long)
        print(f"{name} at {rate:,}/s for {how_long} s: {outcome}", file=sys.stderr)
        return outcome

    low, high = 0, SMALLEST_RATE
    while tried(high, trial).kept:
        yield
        low, high = high, high * 2
    yield
    for _ in range(HALVINGS):
        middle = (low + high) // 2
        low, high = (middle, high) if tried(middle, trial).kept else (low, middle)
        yield
    while low >= SMALLEST_RATE // 4:
        outcome = tried(low, seconds)
        if outcome.kept:
            return outcome
        yield
        low = int(low * BACK)
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
    parser.add_argument("--rate", type=int, help="measure what a packet costs at this rate, and look for no other")
    parser.add_argument("--trial", type=int, default=5, help="seconds of a trial while the rate is looked for")
    parser.add_argument("--workload", action="append", choices=SIZES, help="what is replayed; all of these by default")
    parser.add_argument(
        "--program", action="append", choices=COMMANDS, help="what is measured; the first two by default"
    )
    parser.add_argument("--other", help="another kafkasniff's command, whose `live` takes turns with them")
    arguments = parser.parse_args()
    commands = {name: COMMANDS[name] for name in arguments.program or list(COMMANDS)[:2]}
    if arguments.other:
        commands["other kafkasniff live"] = [arguments.other, *OURS[3:]]
    if os.environ.get("KAFKASNIFF_OWN_NETWORK") is None:
        # All in a network of its own, which goes when this ends.
        os.environ["KAFKASNIFF_OWN_NETWORK"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-m", "benchmarks.live", *sys.argv[1:]])
    wire()
    buffer = PATIENT_BUFFER_MIB if arguments.rate else BUFFER_MIB
    print(f"{machine()}; {arguments.seconds} s, {buffer} MiB for packets that wait\n")
    print("| | packets/s | packets | dropped | largest lag | lines | CPU µs a packet |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for workload in arguments.workload or SIZES:
            capture = prepare(workload, SIZES[workload], Path(folder))
            if arguments.rate:
                for name, command in commands.items():
                    outcome = attempt(command, capture, arguments.rate, arguments.seconds, math.inf, PATIENT_BUFFER_MIB)
                    print(f"| {workload}: {name} | {cells(outcome)} |", flush=True)
                continue
            searches = {
                name: highest(f"{workload}: {name}", command, capture, arguments.seconds, arguments.trial)
                for name, command in commands.items()
            }
            for name, outcome in in_turn(searches).items():
                print(f"| {workload}: {name} | {cells(outcome)} |", flush=True)


def cells(outcome: Outcome | None) -> str:
    if outcome is None:
        return "none | | | | |"
    shown = f"{outcome.rate:,.0f} | {outcome.sent:,} | {outcome.dropped} | {outcome.lag:.2f} s | {outcome.lines:,}"
    return f"{shown} | {outcome.cpu / outcome.sent * 1e6:.1f}"


if __name__ == "__main__":
    main()
