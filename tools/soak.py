"""Replay a capture many times with shifted addresses through the engine of live capture, and watch the memory:
`python tools/soak.py CAPTURE [--packets 100000000] [--diagnose]`.

Prints a line now and then; exits 1 when the resident set grew by more than a tenth after the first minute: by the
medians of the first and the last quarter of what was seen then, as it goes up and down with the batch at hand. What is
remembered on purpose must be there after that minute: 10,000 ended connections and 1,000 Fetch sessions, some 2 kB for
each. A capture with few connections needs many turns for that.
"""

import argparse
import gc
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.cli.main import COLLECTION_THRESHOLDS
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.listening import LIVE_LIMITS, SETTLED_NS

SECOND = 1_000_000_000
MIB = 1 << 20
SETTLED_SECONDS = 60
LOOK_SHARE = 20
"""The rules are asked for their findings for such a part of the time at most, as in live capture."""
GROWTH = 1.1
ETHERNET_ADDRESSES_AT = {1: 26, 113: 28}
"""Position of the IPv4 source address in a packet by link type; the destination follows it."""


def resident() -> int:
    """Give the resident set in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


class Shifted:
    """Batches of a capture again and again, each time later and between other addresses."""

    def __init__(self, path: str) -> None:
        """Hold the capture at `path`."""
        self._batches = list(CaptureReader(path))
        self._places = [_address_places(batch) for batch in self._batches]
        self._length = self._batches[-1].times[-1] - self._batches[0].times[0] + SECOND
        self.packets = sum(map(len, self._batches))

    def batches(self, turn: int) -> Iterator[PacketBatch]:
        """Give the batches of turn `turn`, 0 for the first."""
        for batch, places in zip(self._batches, self._places, strict=True):
            data = np.frombuffer(batch.data, np.uint8).copy()
            # Both addresses of a packet by the same, so that both directions still belong to each other.
            for byte, value in enumerate(turn.to_bytes(3, "big"), 1):
                data[places + byte] += value
                data[places + 4 + byte] += value
            times = np.frombuffer(batch.times, np.int64) + turn * self._length
            shifted = type(batch.times)("q", times.tobytes())
            yield PacketBatch(
                data.tobytes(), batch.first_packet + turn * self.packets, batch.offsets, batch.captured,
                batch.original, shifted, batch.interface_ids, batch.interfaces,
            )  # fmt: skip


def _address_places(batch: PacketBatch) -> np.ndarray:
    """Give where the source addresses of the IPv4 packets stand in the batch's data."""
    places = []
    for index in range(len(batch)):
        at = ETHERNET_ADDRESSES_AT[batch.interfaces[batch.interface_ids[index]].link_type]
        start = batch.offsets[index]
        if batch.data[start + at - 14 : start + at - 12] == b"\x08\x00":
            places.append(start + at)
    return np.array(places, np.int64)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--packets", type=int, default=100_000_000)
    parser.add_argument("--report", type=float, default=10, help="seconds between lines")
    parser.add_argument("--diagnose", action="store_true", help="run all rules over what the engine gives")
    arguments = parser.parse_args()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    capture, engine = Shifted(arguments.capture), Engine(LIVE_LIMITS, report_connections=arguments.diagnose)
    diagnosis = Diagnosis() if arguments.diagnose else None
    begun = reported = next_look = time.monotonic()
    packets = turn = 0
    looks: list[int] = []
    outcomes: Counter[str] = Counter()
    while packets < arguments.packets:
        for batch in capture.batches(turn):
            for item in engine.feed(batch) + engine.tick(batch.times[-1] - SETTLED_NS):
                if isinstance(item, Call):
                    outcomes[item.outcome] += 1
                if diagnosis is not None:
                    diagnosis.feed(item)
            packets += len(batch)
        turn += 1
        if diagnosis is not None and time.monotonic() >= next_look:
            began = time.monotonic()
            diagnosis.findings()
            next_look = time.monotonic() + LOOK_SHARE * (time.monotonic() - began)
        now = time.monotonic()
        if now - reported >= arguments.report or packets >= arguments.packets:
            reported = now
            size = resident()
            if now - begun >= SETTLED_SECONDS:
                looks.append(size)
            rate = packets / (now - begun)
            print(
                f"{now - begun:7.0f} s  {packets:13,} packets  {rate:9,.0f}/s  {engine.counts.calls:12,} calls"
                f"  {size / MIB:7.1f} MiB",
                flush=True,
            )
    print(dict(outcomes))
    if len(looks) < 8:
        print("too short to tell whether memory grows")
        return 0
    quarter = len(looks) // 4
    first, last = statistics.median(looks[:quarter]), statistics.median(looks[-quarter:])
    print(
        f"after the first minute {min(looks) / MIB:.1f} to {max(looks) / MIB:.1f} MiB; medians of the first and the"
        f" last quarter {first / MIB:.1f} and {last / MIB:.1f} MiB, {last / first:.3f} times as much"
    )
    return last > GROWTH * first


if __name__ == "__main__":
    sys.exit(main())
