"""Events on their way to the rules: a row holds those of a while, and who takes rows puts their events in order again.

Spark takes some 20 µs to carry and sort a row, whatever it holds.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafkasniff.pipeline.indexes.pieces import Marks, Numbers
from kafkasniff.pipeline.inputs.places import open_at_random
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS

TAKEN = pa.schema(
    [*(schema_of(EVENTS).field(name) for name in (*EVENT_ORDER, "vantage", "item")), pa.field("wanted", pa.int8())]
)
"""What a task takes of events, with why it does (`shares`)."""

SPANS = pa.schema(
    [
        pa.field("task", pa.int32()),
        *(schema_of(EVENTS).field(name) for name in EVENT_ORDER),
        pa.field("events", pa.binary()),
    ]
)
"""Events with the task that takes them: many to a row, whose other columns are those of the first."""

_MOST_EVENTS = 256
_MOST_BYTES = 256 << 10
_LONGEST_NS = 10_000_000_000
"""What a row holds at most: those of all buckets that overlap in time are unpacked at once."""
_FEWEST_IN_ORDER = 4_096
"""Events from which on it is worth to put them in order."""

_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")
_ORDER = [(name, "ascending") for name in EVENT_ORDER]


def spans(task: int, events: pa.RecordBatch) -> pa.RecordBatch:
    """Give events in `TAKEN`, sorted by `EVENT_ORDER`, as rows of `SPANS`."""
    count = events.num_rows
    taken = np.cumsum(pc.binary_length(events.column("item")).to_numpy())
    limits = (np.arange(count) // _MOST_EVENTS, taken // _MOST_BYTES, events.column("time").to_numpy() // _LONGEST_NS)
    within = np.logical_and.reduce([limit[1:] == limit[:-1] for limit in limits])
    starts = [0, *(np.flatnonzero(~within) + 1).tolist()]
    packed = [_pack(events.slice(start, end - start)) for start, end in zip(starts, [*starts[1:], count], strict=True)]
    firsts = events.select(EVENT_ORDER).take(pa.array(starts))
    tasks = pa.array(np.full(len(starts), task, np.int32))
    return pa.RecordBatch.from_arrays([tasks, *firsts.columns, pa.array(packed, pa.binary())], schema=SPANS)


def in_order(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give the events of rows of `SPANS`, which are sorted by `EVENT_ORDER`, in `TAKEN` and sorted as well."""
    waiting: list[pa.Table] = []
    count, enough = 0, _FEWEST_IN_ORDER
    for batch in batches:
        firsts = zip(*(batch.column(name).to_pylist() for name in EVENT_ORDER), strict=True)
        for first, packed in zip(firsts, batch.column("events"), strict=True):
            if count >= enough:
                events = _sorted(waiting)
                ready = int(np.count_nonzero(_before(events, first)))
                yield from events.slice(0, ready).to_batches()
                # A copy, that those before may be forgotten.
                waiting = [events.slice(ready).take(pa.array(np.arange(events.num_rows - ready)))]
                count -= ready
                enough = 2 * count + _FEWEST_IN_ORDER
            waiting.append(_unpack(packed))
            count += waiting[-1].num_rows
    if waiting:
        yield from _sorted(waiting).to_batches()


def read_events(path: str) -> Iterator[pa.RecordBatch]:
    """Give the events in a file, a part of it at a time, each sorted by `EVENT_ORDER`."""
    with open_at_random(path) as source, pq.ParquetFile(source) as file:
        for group in range(file.num_row_groups):
            yield from file.read_row_group(group).combine_chunks().sort_by(_ORDER).to_batches()


def by_vantage(events: pa.RecordBatch, values: Mapping[str, int], otherwise: int = 0) -> Numbers:
    """Give for each event what `values` has for its vantage."""
    encoded = events.column("vantage").dictionary_encode()
    of_each = np.array([values.get(vantage, otherwise) for vantage in encoded.dictionary.to_pylist()], np.int64)
    found: Numbers = of_each[encoded.indices.to_numpy()]
    return found


def put_back(events: pa.RecordBatch, ahead: Mapping[str, int]) -> pa.RecordBatch:
    """Give events in order by one clock, where those of vantages are `ahead` of it (ns)."""
    times = pa.array(events.column("time").to_numpy() - by_vantage(events, ahead))
    place = events.schema.get_field_index("time")
    (found,) = _sorted([pa.Table.from_batches([events]).set_column(place, "time", times)]).to_batches()
    return found


def _pack(events: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, TAKEN, options=_COMPRESSED) as stream:
        stream.write_batch(events)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _unpack(packed: pa.BinaryScalar) -> pa.Table:
    with pa.ipc.open_stream(packed.as_buffer()) as stream:
        return stream.read_all()


def _sorted(tables: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).combine_chunks().sort_by(_ORDER)


def _before(events: pa.Table, bound: tuple[Any, ...]) -> Marks:
    """Tell which events come before one."""
    before, equal = np.zeros(events.num_rows, np.bool_), np.ones(events.num_rows, np.bool_)
    for name, value in zip(EVENT_ORDER, bound, strict=True):
        column = events.column(name).to_numpy()
        before |= equal & (column < value)
        equal &= column == value
    return before
