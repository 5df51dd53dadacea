"""Rows of many calls at once, in columns: what `rows.call_rows` gives of each, without an object a call."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kafkasniff.calls.call import Side
from kafkasniff.calls.columns.calls import CallColumns, CallRows, Numbers
from kafkasniff.calls.columns.messages import CLIENT_ID_LENGTH, CLIENT_ID_LENGTH_AT
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.facts import CallFacts
from kafkasniff.calls.topics import NO_ID, KnownNames
from kafkasniff.pipeline.bodies import Body, Names, fields_of_rows, names_in
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.places import place_of
from kafkasniff.pipeline.rows import BATCH_FIELDS
from kafkasniff.pipeline.tables import BATCHES, CALLS
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.protocol.headers import api_name, response_header_version
from kafkasniff.protocol.primitives import RecordsField, java_text
from kafkasniff.protocol.records.batches import as_json, read_batches
from kafkasniff.render.words import file_name

_KEY_COLUMNS = 13
"""Columns of `calls` that its batches have too."""
_NO_BODY: dict[str, Any] = {}


class Seen(NamedTuple):
    """What was seen of calls."""

    tables: dict[str, pa.Table]
    """The rows that they make, by table."""
    left: frozenset[int]
    """Calls, by their row in the columns, that have to be made one by one: all with an error or a problem, and more."""
    bodies: dict[int, tuple[Body, Body]]
    """Request and response of those among the others that have records, by row; places count from the frame's start."""


class _Side(NamedTuple):
    """What rows need of one side of a call. Equal bodies may share it."""

    names: Names
    records: Sequence[RecordsField]
    value: dict[str, Any]
    """Where there are records, what tells of their topics."""


class _Reader:
    """Reads one side of the calls of one API in one version."""

    __slots__ = ("_fields", "_key", "_side", "_version")

    def __init__(self, key: int, version: int, side: Side) -> None:
        self._key = key
        self._version = version
        self._side: Side = side
        self._fields = fields_of_rows(key, version, side)

    def read(self, data: bytes) -> _Side | None:
        """Read a body; None for one with an error code or any problem."""
        scan = scan_body(self._key, self._version, self._side, data, 0, self._fields)
        if scan is None or scan.errors:
            return None
        names = names_in(self._key, self._version, self._side, scan.value)
        return _Side(names, scan.records, scan.value) if scan.records else _Side(names, (), _NO_BODY)


class _Layout(NamedTuple):
    """What reads the calls of one API in one version."""

    request: _Reader
    response: _Reader
    response_header: int
    """Bytes before the response's body: the correlation id, and the count of tagged fields, which is zero."""


class _Lists:
    """Lists of texts, of which many rows have the same."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ...], int] = {}
        self.rows: list[int] = []

    def add(self, texts: Iterable[str]) -> None:
        """Give the next row its texts, those that are not empty and each once."""
        key = tuple(dict.fromkeys(text for text in texts if text))
        self.rows.append(self._numbers.setdefault(key, len(self._numbers)))

    def array(self) -> pa.Array:
        """Give the lists of all rows."""
        return pa.array(list(self._numbers), pa.list_(pa.string())).take(pa.array(self.rows, pa.int32()))


def see(vantage: str, runs: Sequence[CallRows], options: Options, named: bool = False) -> Seen:
    """Make rows of calls, as far as they are asked for; `runs` are rows of the same columns, one or more.

    With `named`, calls with topic ids of which a name is not known are left.
    """
    if options.records:
        return Seen({}, frozenset(row for each in runs for row in range(each.start, each.stop)), {})
    columns = runs[0].columns
    data = columns.data
    taken: list[int] = []
    left: list[int] = []
    topics, groups = _Lists(), _Lists()
    batches: list[tuple[Any, ...]] = []
    batch_rows: list[int] = []
    bodies: dict[int, tuple[Body, Body]] = {}
    for row, fields in chain.from_iterable(enumerate(each.fields(), each.start) for each in runs):
        _, key, version, _, request, _, body, request_end, response, response_end, time, _ = fields
        if not options.wants(time):
            continue
        layout = _layout(key, version)
        asked = layout.request.read(data[body:request_end]) if layout is not None else None
        if layout is None or asked is None:
            left.append(row)
            continue
        # Kafka knows no tagged fields there, so that their count is one byte, and zero.
        behind = response + layout.response_header
        answered = layout.response.read(data[behind:response_end]) if data[response + 4 : behind] in _UNTAGGED else None
        if answered is None:
            left.append(row)
            continue
        names = _names_at(columns, row)
        ids = (*asked.names.topic_ids, *answered.names.topic_ids)
        known = names.of(ids) if ids else {}
        if named and any(each not in known and each != NO_ID for each in ids):
            left.append(row)
            continue
        if asked.records or answered.records:
            found = _batches("request", data[body:request_end], asked, names)
            more = _batches("response", data[behind:response_end], answered, names)
            if found is None or more is None:
                left.append(row)
                continue
            found += more
            batches += found
            bodies[row] = _body(version, asked, body - request), _body(version, answered, behind - response)
            batch_rows += [len(taken)] * len(found)
        taken.append(row)
        topics.add((*asked.names.topics, *answered.names.topics, *known.values()))
        groups.add((*asked.names.groups, *answered.names.groups))
    if not taken:
        return Seen({}, frozenset(left), bodies)
    calls = _calls(vantage, columns, np.array(taken, np.int64), topics.array(), groups.array())
    tables = {CALLS.name: calls}
    if batches:
        tables[BATCHES.name] = _batch_table(calls, batches, batch_rows)
    return Seen(tables, frozenset(left), bodies)


def _body(version: int, side: _Side, shift: int) -> Body:
    records = [RecordsField(path, start + shift, end + shift) for path, start, end in side.records]
    return Body(version, side.value, records)


_UNTAGGED = (b"", b"\0")


@cache
def _layout(key: int, version: int) -> _Layout | None:
    """Give what reads a layout; None where messages may lie within the messages."""
    if key in HOLDING_APIS:
        return None
    header = 4 + response_header_version(key, version)
    return _Layout(_Reader(key, version, "request"), _Reader(key, version, "response"), header)


def _names_at(columns: CallColumns, row: int) -> KnownNames:
    """Give the names of topic ids that are known to a call."""
    return columns.known[bisect_right(columns.known, row, key=itemgetter(0)) - 1][1]


def _batches(side: Side, data: bytes, body: _Side, names: KnownNames) -> list[tuple[Any, ...]] | None:
    """Give the last columns of the batches in a body; None where anything is wrong with one."""
    rows: list[tuple[Any, ...]] = []
    for path, start, end in body.records:
        batches, problems = read_batches(data, start, end, side=side)
        if problems:
            return None
        if batches:
            place = place_of(body.value, path, names)
            rows += [(side, path, *place, *map(as_json(batch).__getitem__, BATCH_FIELDS)) for batch in batches]
    return rows


def _calls(vantage: str, columns: CallColumns, rows: Numbers, topics: pa.Array, groups: pa.Array) -> pa.Table:
    count = len(rows)
    begun, asked, answered = columns.request_time[rows], columns.request_packets[rows], columns.response_packets[rows]
    times = np.frombuffer(columns.batch.times, np.int64)
    sent, keys, offsets = times[asked[:, 1]], columns.api_key[rows], columns.request_offset[rows]
    request_files, numbers = _completed(columns, asked[:, 1])
    carried = np.flatnonzero(np.isin(rows, list(columns.carried))).tolist() if columns.carried else ()
    if carried:
        texts = request_files.to_pylist()
        for place in carried:
            frame = columns.carried[rows.item(place)]
            offsets[place], sent[place], numbers[place] = frame.stream_offset, frame.last.time, frame.last.packet
            texts[place] = file_name(frame.last.interface.file)
        request_files = pa.array(texts, pa.string())
    response_files, response_numbers = _completed(columns, answered[:, 1])
    nothing = pa.nulls(count, pa.float64())
    empty = pa.array([[]], pa.list_(pa.string())).take(pa.array(np.zeros(count, np.int32)))

    def of_run(value: Callable[[CallFacts], str | int | None], kind: pa.DataType) -> pa.Array:
        return pa.array([value(columns.facts[run]) for run in runs.tolist()], kind).take(run_of)

    runs, inverse = np.unique(columns.run[rows], return_inverse=True)
    run_of = pa.array(inverse)
    api_keys, inverse = np.unique(keys, return_inverse=True)
    names = pa.array([api_name(key) for key in api_keys.tolist()], pa.string()).take(pa.array(inverse))
    text = pa.string()
    arrays = [
        _same(vantage, count),
        of_run(lambda facts: f"{facts.client}-{facts.server}", text),
        pa.array([columns.connection(run).epoch for run in runs.tolist()], pa.int32()).take(run_of),
        _same("request", count),
        pa.array(offsets),
        pa.array(begun // 1000).cast(pa.timestamp("us", tz="UTC")),
        pa.array(begun),
        of_run(lambda facts: facts.client, text),
        of_run(lambda facts: facts.server, text),
        pa.array(keys.astype(np.int16)),
        names,
        pa.array(columns.api_version[rows].astype(np.int16)),
        _client_ids(columns, rows),
        pa.array(columns.correlation_id[rows].astype(np.int32)),
        pa.array(columns.api_version[rows].astype(np.int16)),
        _same("answered", count),
        pa.array((columns.response_time[rows] - begun) / 1e6),
        pa.array((times[answered[:, 0]] - sent) / 1e6),
        nothing,
        pa.array(columns.request_end[rows] - columns.request[rows]),
        pa.array(columns.response_end[rows] - columns.response[rows]),
        request_files,
        pa.array(numbers),
        response_files,
        pa.array(response_numbers),
        topics,
        groups,
        empty,
        empty,
        of_run(lambda facts: facts.security_protocol, text),
        of_run(lambda facts: facts.principal, text),
        of_run(lambda facts: facts.software_name, text),
        of_run(lambda facts: facts.software_version, text),
    ]
    return pa.Table.from_arrays(arrays, schema=CALLS.schema)


def _batch_table(calls: pa.Table, batches: list[tuple[Any, ...]], rows: list[int]) -> pa.Table:
    """Give the rows of batches, each with the number of its call's row."""
    keys = calls.select(range(_KEY_COLUMNS)).take(pa.array(rows, pa.int64()))
    schema = BATCHES.schema
    columns = zip(*batches, strict=True)
    found = [pa.array(column, schema.field(_KEY_COLUMNS + number).type) for number, column in enumerate(columns)]
    return pa.Table.from_arrays([*keys.columns, *found], schema=schema)


def _completed(columns: CallColumns, packets: Numbers) -> tuple[pa.Array, NDArray[np.int64]]:
    """Give file and number of packets that are given by their index in the batch."""
    batch = columns.batch
    files = pa.array([file_name(each.file) for each in batch.interfaces], pa.string())
    places = np.frombuffer(batch.interface_ids, np.int64)[packets]
    if batch.numbers is None:
        return files.take(pa.array(places)), packets + batch.first_packet
    return files.take(pa.array(places)), np.frombuffer(batch.numbers, np.int64)[packets]


def _client_ids(columns: CallColumns, rows: Numbers) -> pa.Array:
    data = columns.data
    begins, ends = columns.request[rows] + CLIENT_ID_LENGTH_AT, columns.client_id_end[rows]
    raw = [data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    # A null client id has a length below zero.
    texts = {each: None if each[0] & 0x80 else java_text(each[CLIENT_ID_LENGTH:]) for each in set(raw)}
    return pa.array([texts[each] for each in raw], pa.string())


def _same(text: str, count: int) -> pa.Array:
    return pa.array([text], pa.string()).take(pa.array(np.zeros(count, np.int32)))
