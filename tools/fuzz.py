"""Spoil messages, captures and files without end, and watch how kafkasniff takes them.

    python -m tools.fuzz [--seed N] [--count ROUNDS]

Each round has one seed and draws 1,000 messages, 100 captures and 50 files from it. An exception, an input that takes
over a second of CPU, a capture that shows something else packet by packet than in batches, and memory that grows are
reported with the seed; `--seed N --count 1` plays a round again.
"""

import argparse
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import kafkasniff
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.protocol.bodies import decode_body
from tests.robustness.mutate import spoiled_body, spoiled_capture, spoiled_file
from tests.robustness.running import look_at, singly

MESSAGES, CAPTURES, FILES = 1_000, 100, 50
BOTH_WAYS, LARGE = 5, 50
"""One capture of so many is read packet by packet too, or is large and read both ways."""
LONGEST = 1.0
"""Seconds of CPU that any one input may take."""
SETTLED = 20
"""Rounds after which memory should grow no more."""
GROWTH = 64 << 10
"""KiB by which the peak of memory may still grow then."""


class Watch:
    """Runs inputs, and keeps count of what went wrong."""

    def __init__(self) -> None:
        """Begin with nothing gone wrong."""
        self.failures = 0
        self.longest = 0.0

    def run(self, name: str, take: Callable[[], Any]) -> None:
        """Run one input; report an exception or too much CPU time under its name."""
        begin = time.process_time()
        try:
            take()
        except Exception:
            self.failures += 1
            print(f"{name}: exception\n{traceback.format_exc()}", flush=True)
        used = time.process_time() - begin
        self.longest = max(self.longest, used)
        if used > LONGEST:
            self.failures += 1
            print(f"{name}: {used:.2f} s of CPU", flush=True)


def peak_memory() -> int:
    """Give the most memory that the process ever had resident, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def one_round(seed: int, watch: Watch, path: Path) -> None:
    """Draw and run the inputs of one seed."""
    rng = Random(seed)
    for number in range(MESSAGES):
        body = spoiled_body(rng)
        watch.run(
            f"seed {seed} message {number} {body}",
            lambda body=body: decode_body(body.api_key, body.api_version, body.side, body.data, 0),
        )
    for number in range(CAPTURES):
        large = number % LARGE == 0
        batches, name = spoiled_capture(rng, large), f"seed {seed} capture {number}"
        watch.run(name, lambda batches=batches: look_at(batches))
        if large or number % BOTH_WAYS == 0:
            watch.run(f"{name} packet by packet", lambda batches=batches: show_the_same(batches))
    for number in range(FILES):
        path.write_bytes(spoiled_file(rng))
        watch.run(f"seed {seed} file {number}", lambda: read_through(path))


def show_the_same(batches: list[PacketBatch]) -> None:
    """Hold what is shown of a capture in batches against what is shown packet by packet."""
    assert look_at(singly(batches)) == look_at(batches), "something else is shown packet by packet"


def read_through(path: Path) -> int:
    """Read a file to its end, or to where it cannot be read."""
    try:
        return sum(1 for _ in kafkasniff.read([str(path)]))
    except kafkasniff.CaptureError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first round's seed")
    parser.add_argument("--count", type=int, help="rounds; without end when not given")
    options = parser.parse_args()
    watch = Watch()
    settled = 0
    rounds = count() if options.count is None else range(options.count)
    with tempfile.TemporaryDirectory() as folder:
        for number in rounds:
            seed = options.seed + number
            one_round(seed, watch, Path(folder) / "spoiled")
            memory = peak_memory()
            if number == SETTLED:
                settled = memory
            if settled and memory > settled + GROWTH:
                watch.failures += 1
                print(f"seed {seed}: memory grew from {settled >> 10} to {memory >> 10} MiB", flush=True)
                settled = memory
            done = number + 1
            print(
                f"seed {seed}: {done * MESSAGES} messages, {done * CAPTURES} captures, {done * FILES} files; "
                f"{watch.failures} failures, longest {watch.longest * 1000:.0f} ms, peak {memory >> 10} MiB",
                flush=True,
            )
    sys.exit(1 if watch.failures else 0)


if __name__ == "__main__":
    main()
