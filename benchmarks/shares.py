"""What each task costs that looks at a share of one cluster's events: `python -m benchmarks.shares`.

The workload is `small-calls`, or any capture. The rules run in this process, without Spark, first in one task that has
them all; each figure is CPU seconds, the less of two rounds.
"""

import argparse
import gc
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from benchmarks.measure import machine
from benchmarks.workloads import make
from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.findings.diagnosing import ClusterDiagnosis
from kafkasniff.pipeline.findings.event_spans import in_order
from kafkasniff.pipeline.findings.events import ACROSS, SLOTS, EventPacker
from kafkasniff.pipeline.findings.shares import Share, deals_of, dealt
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.pipeline.tasks import COLLECTION_THRESHOLDS
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS

_ORDER = [(name, "ascending") for name in EVENT_ORDER]
_BATCH = 64
_ROUNDS = 2


def events_of(path: str) -> tuple[pa.RecordBatch, list[Interface], dict[int, int]]:
    """Give the events of a capture, as the rules are fed them, its interfaces, and how the events are spread."""
    engine, packer, rows = Engine(report_connections=True), EventPacker("small-calls", 0, 1 << 62), []
    interfaces: list[Interface] = []
    for batch in CaptureReader(path):
        for number, each in enumerate(batch.interfaces[len(interfaces) :], len(interfaces)):
            described = (each.file, each.link_type, each.time_digits, each.snap_length, each.name)
            interfaces.append(PlacedInterface(*described, part=0, number=number))
        batch.interfaces = interfaces
        rows += [packer.row(item, at_end=False) for item in engine.feed(batch)]
    rows += [packer.row(item, at_end=True) for item in engine.flush()]
    (events,) = table_of(rows, schema_of(EVENTS)).sort_by(_ORDER).combine_chunks().to_batches()
    return events, interfaces, packer.loads


def seconds(share: Share, events: pa.RecordBatch, interfaces: list[Interface]) -> tuple[int, float]:
    """Give how many events a task takes, and how long (CPU seconds)."""
    taken = pa.Table.from_batches(dealt(events, {"small-calls": 0}, [share])).sort_by(_ORDER).combine_chunks()
    found = []
    for _ in range(_ROUNDS):
        diagnosis = ClusterDiagnosis(share)
        diagnosis.reader.interfaces = {0: interfaces}
        begun = time.process_time()
        for each in in_order(taken.to_batches(max_chunksize=_BATCH)):
            diagnosis.feed(each)
        diagnosis.found()
        found.append(time.process_time() - begun)
    return sum(each.num_rows for each in in_order(taken.to_batches())), min(found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shares", description=__doc__)
    parser.add_argument("--calls", type=int, default=60_000, help="of `small-calls`; default: %(default)s")
    parser.add_argument("--capture", help="in its place")
    parser.add_argument("--tasks", type=int, default=2, help="that run at once; default: %(default)s")
    options = parser.parse_args()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    with tempfile.TemporaryDirectory() as folder:
        path = options.capture or str(Path(folder, "small-calls.pcap"))
        if not options.capture:
            make("small-calls", options.calls, Path(path))
        events, interfaces, loads = events_of(path)
    print(f"{events.num_rows:,} events, {loads[ACROSS]:,} of them for rules across clients; {machine()}\n")
    print("| task | rules | events | CPU s |\n| --- | ---: | ---: | ---: |")
    costs = []
    for share in (Share(0), *(Share(0, *deal) for deal in deals_of(loads, options.tasks))):
        clients = "all" if share.slots is None else f"{len(share.slots)} of {SLOTS} parts"
        count, cost = seconds(share, events, interfaces)
        costs.append(cost)
        print(f"| clients: {clients} | {len(share.rules) + len(share.rules_across)} | {count:,} | {cost:.2f} |")
    print(f"\nAll tasks together: {sum(costs[1:]) / costs[0]:.2f} x one; longest {max(costs[1:]):.2f} s,", end=" ")
    print(f"{max(costs[1:]) * (len(costs) - 1) / sum(costs[1:]):.2f} x the mean")


if __name__ == "__main__":
    main()
