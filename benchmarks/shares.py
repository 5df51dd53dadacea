"""What each task costs that looks at a share of one cluster's events: `python -m benchmarks.shares [CALLS] [TASKS]`.

The workload is `small-calls`. The rules run in this process, without Spark, first in one task that has them all; each
figure is CPU seconds, the less of two rounds.
"""

import gc
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from benchmarks.workloads import make
from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.findings import shares
from kafkasniff.pipeline.findings.diagnosing import ClusterDiagnosis
from kafkasniff.pipeline.findings.event_spans import in_order
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.findings.shares import Share, dealt, shares_of
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.tasks import COLLECTION_THRESHOLDS
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS

_ORDER = [(name, "ascending") for name in EVENT_ORDER]
_BATCH = 64
_ROUNDS = 2


def events_of(path: str) -> tuple[pa.RecordBatch, list[Interface]]:
    """Give the events of a capture, as the rules are fed them, and its interfaces."""
    engine, packer, rows = Engine(report_connections=True), EventPacker("small-calls", 0, 1 << 62), []
    interfaces: list[Interface] = []
    for batch in CaptureReader(path):
        for number, each in enumerate(batch.interfaces[len(interfaces) :], len(interfaces)):
            described = (each.file, each.link_type, each.time_digits, each.snap_length, each.name)
            interfaces.append(PlacedInterface(*described, part=0, number=number))
        batch.interfaces = interfaces
        rows += [packer.row(item, at_end=False)[2] for item in engine.feed(batch)]
    rows += [packer.row(item, at_end=True)[2] for item in engine.flush()]
    (events,) = table_of(rows, EVENTS.schema).sort_by(_ORDER).combine_chunks().to_batches()
    return events, interfaces


def seconds(share: Share, events: pa.RecordBatch, interfaces: list[Interface]) -> tuple[int, float]:
    """Give how many events a task takes, and how long (CPU seconds)."""
    taken = pa.Table.from_batches(dealt(events, {"small-calls": 0}, [share])).sort_by(_ORDER).combine_chunks()
    found = []
    for _ in range(_ROUNDS):
        diagnosis = ClusterDiagnosis(share.rules)
        diagnosis.reader.interfaces = {0: interfaces}
        begun = time.process_time()
        for each in in_order(taken.to_batches(max_chunksize=_BATCH)):
            diagnosis.feed(each)
        diagnosis.diagnosis.found()
        found.append(time.process_time() - begun)
    return sum(each.num_rows for each in in_order(taken.to_batches())), min(found)


def main() -> None:
    """Print the table."""
    calls, tasks = (int(text) for text in (*sys.argv[1:], "20000", "2")[:2])
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small-calls.pcap")
        make("small-calls", calls, path)
        events, interfaces = events_of(str(path))
    shares.EVENTS_A_TASK = -(-events.num_rows // tasks)
    print(f"{events.num_rows:,} events\n\n| task | rules | events | CPU s |\n| --- | ---: | ---: | ---: |")
    for share in (Share(0), *shares_of([["small-calls"]], {"small-calls": events.num_rows}, tasks)):
        clients = "all" if share.clients is None else f"{share.clients[0] + 1} of {share.clients[1]}"
        count, cost = seconds(share, events, interfaces)
        print(f"| clients: {clients} | {len(share.rules)} | {count:,} | {cost:.2f} |")


if __name__ == "__main__":
    main()
