"""What a packet costs in batches of different sizes: `python -m benchmarks.batch_sizes CAPTURE`.

Gives the packets of a capture to the engine of live capture and makes the lines of a list. Prints Markdown: medians of
CPU time; nothing is asserted.
"""

import argparse
import gc
import statistics
import time
from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchmarks.measure import machine
from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.cli.main import COLLECTION_THRESHOLDS
from kafkasniff.cli.showing.reading import LineFormat, terminal_format
from kafkasniff.listening import LIVE_LIMITS, SETTLED_NS

SIZES = (250, 1_000, 2_000, 4_000, 16_000)


def cut(batches: Iterable[PacketBatch], size: int) -> list[PacketBatch]:
    """Cut batches into smaller ones of `size` packets."""
    found = []
    for batch in batches:
        for start, end in pairwise([*range(0, len(batch), size), len(batch)]):
            begin, stop = batch.offsets[start], batch.offsets[end - 1] + batch.captured[end - 1]
            offsets = array("q", [at - begin for at in batch.offsets[start:end]])
            columns = (
                column[start:end] for column in (batch.captured, batch.original, batch.times, batch.interface_ids)
            )
            found.append(
                PacketBatch(batch.data[begin:stop], batch.first_packet + start, offsets, *columns, batch.interfaces)
            )
    return found


def show(items: Iterable[object], form: LineFormat) -> None:
    """Make the lines of calls."""
    for item in items:
        if isinstance(item, Call):
            form.learn(item)
            form.call(item)


def cost(batches: Sequence[PacketBatch]) -> float:
    """Give the CPU time of a packet in µs."""
    engine, form = Engine(LIVE_LIMITS), terminal_format("absolute", 0)
    # Modules are loaded with the first batches of all.
    begun, seen = 0.0, 0
    for index, batch in enumerate(batches):
        if index == len(batches) // 5:
            begun, seen = time.process_time(), 0
        show(engine.feed(batch), form)
        show(engine.tick(batch.times[-1] - SETTLED_NS), form)
        seen += len(batch)
    return (time.process_time() - begun) / seen * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    whole = list(CaptureReader(arguments.capture))
    pieces = {size: cut(whole, size) for size in SIZES}
    found: dict[int, list[float]] = {size: [] for size in SIZES}
    for _ in range(arguments.rounds):
        for size in SIZES:
            found[size].append(cost(pieces[size]))
    print(f"{machine()}; CPU time of a packet\n")
    print("| packets in a batch |", " | ".join(f"{size:,}" for size in SIZES), "|")
    print("| --- |", " | ".join("---:" for _ in SIZES), "|")
    print("| µs |", " | ".join(f"{statistics.median(found[size]):.1f}" for size in SIZES), "|")


if __name__ == "__main__":
    main()
