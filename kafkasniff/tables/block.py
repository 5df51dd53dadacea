# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Calls and record batches as rows of blocks: columns of the tables `calls` and `batches`."""

import sys
from array import array
from collections.abc import Iterable, Iterator
from struct import Struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Frame
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import RequestHeader, api_name
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.tables.arrow import ArrowColumn, ArrowField, Batch, column_of, encoded, export_stream, pack_bits
from kafkasniff.tables.call_reader import CallReader
from kafkasniff.tables.declared import BATCHES, CALLS, Table
from kafkasniff.tables.rings import ring_of
from kafkasniff.tables.rows import told_of
from kafkasniff.tcp.events import Connection

ROWS = 16_384
"""Calls in a block at most."""

_NARROW = {"int8": "b", "int16": "h", "int32": "i"}

_BATCH = Struct(">qiibIhiqqqhii")
"""The header of a record batch of magic 2, as DefaultRecordBatch lays it out."""


def _narrowed(values: Any, code: str) -> bytearray:
    """Give numbers of eight bytes in fewer."""
    parts = memoryview(values).cast("B").cast(code)  # type: ignore[call-overload]
    step = 8 // parts.itemsize
    return bytearray(parts[(0 if sys.byteorder == "little" else step - 1) :: step])


def fields_of_table(table: Table) -> list[ArrowField]:
    """Give the columns of a table as those of a stream."""
    return [ArrowField(column.name, column.type) for column in table.columns]


FIELDS = fields_of_table(CALLS)
BATCH_FIELDS = fields_of_table(BATCHES)


@cython.final
@cython.cclass
class NumberColumn:
    """A column of integers, some of which may be null."""

    def __init__(self, rows: int) -> None:
        """Begin with no nulls."""
        self.values = array("q", bytes(8 * rows))
        self.valid = bytearray(b"\xff" * (rows // 8))
        self._values = self.values
        self._valid = self.valid
        self.nulls = 0

    def put(self, row: int, value: int) -> None:
        """Set the value of a row."""
        self._values[row] = value

    def put_null(self, row: int) -> None:
        """Make a row null."""
        self._valid[row >> 3] &= 0xFF ^ (1 << (row & 7))
        self.nulls += 1


@cython.final
@cython.cclass
class TimeColumn:
    """A column of times in milliseconds, some of which may be null."""

    def __init__(self, rows: int) -> None:
        """Begin with no nulls."""
        self.values = array("d", bytes(8 * rows))
        self.valid = bytearray(b"\xff" * (rows // 8))
        self._values = self.values
        self._valid = self.valid
        self.nulls = 0

    def put(self, row: int, value: float) -> None:
        """Set the value of a row."""
        self._values[row] = value

    def put_null(self, row: int) -> None:
        """Make a row null."""
        self._valid[row >> 3] &= 0xFF ^ (1 << (row & 7))
        self.nulls += 1


@cython.final
@cython.cclass
class TextColumn:
    """A column of texts, each held once, some of which may be null."""

    def __init__(self, rows: int) -> None:
        """Begin with no texts and no nulls."""
        self.values = array("i", bytes(4 * rows))
        self.valid = bytearray(b"\xff" * (rows // 8))
        self._values = self.values
        self._valid = self.valid
        self.nulls = 0
        self._places: dict[str, int] = {}
        self._last: str | None = None
        self._last_place = 0

    def put(self, row: int, text: str | None) -> None:
        """Set the text of a row."""
        if text is self._last and text is not None:
            self._values[row] = self._last_place
            return
        if text is None:
            self._valid[row >> 3] &= 0xFF ^ (1 << (row & 7))
            self.nulls += 1
            return
        found = self._places.get(text)
        place = len(self._places) if found is None else found
        if found is None:
            self._places[text] = place
        self._values[row] = self._last_place = place
        self._last = text

    def texts(self) -> list[str]:
        """Give the texts by their places."""
        return [*self._places]


@cython.final
@cython.cclass
class ListColumn:
    """A column of lists of texts, each text held once; none is null."""

    def __init__(self, rows: int) -> None:
        """Begin with no texts."""
        self.values = array("i", bytes(4 * rows + 4))
        self._ends = self.values
        self.nulls = 0
        self.elements: list[bytes] = []
        self._encoded: dict[str, bytes] = {}

    def put(self, row: int, texts: Iterable[str]) -> None:
        """Set the texts of a row, which is the one after that set before."""
        for text in texts:
            raw = self._encoded.get(text)
            if raw is None:
                raw = self._encoded[text] = encoded(text)
            self.elements.append(raw)
        self._ends[row + 1] = len(self.elements)

    def put_none(self, row: int) -> None:
        """Make the list of a row empty."""
        self._ends[row + 1] = self._ends[row]

    def inner(self) -> ArrowColumn:
        """Give the elements of all lists."""
        return column_of("binary", self.elements)


@cython.cclass
class CallColumns:
    """The columns that all tables have whose rows are of calls; `ROWS` rows at most."""

    def __init__(self) -> None:
        """Begin without rows."""
        self.length = 0
        self.vantage = TextColumn(ROWS)
        self.connection = TextColumn(ROWS)
        self.epoch = NumberColumn(ROWS)
        self.direction = TextColumn(ROWS)
        self.stream_offset = NumberColumn(ROWS)
        self.time = NumberColumn(ROWS)
        self.time_ns = NumberColumn(ROWS)
        self.client = TextColumn(ROWS)
        self.client_host = TextColumn(ROWS)
        self.server = TextColumn(ROWS)
        self.api_key = NumberColumn(ROWS)
        self.api_name = TextColumn(ROWS)
        self.api_version = NumberColumn(ROWS)
        self.client_id = TextColumn(ROWS)
        self._last: Connection | None = None
        self._batch: Batch | None = None
        self._client = self._host = self._name = self._file = self._vantage = ""

    def __len__(self) -> int:
        """Give the number of rows."""
        return self.length

    def put_call(self, row: int, call: Call) -> None:
        """Set the columns of a row by its call."""
        request, header = call.request, call.header
        frame = call.response if request is None else request
        assert frame is not None
        begin = frame.first.time
        if call.connection is not self._last or call.client is not self._client:
            self._last = call.connection
            self._client = call.client
            self._name = f"{call.client}-{call.server}"
            self._host = call.client.rpartition(":")[0]
            file = call.connection.first.interface.file
            if file != self._file:
                self._file, self._vantage = file, ring_of(file)
        self.vantage.put(row, self._vantage)
        self.connection.put(row, self._name)
        self.epoch.put(row, call.connection.epoch)
        self.direction.put(row, "response" if request is None else "request")
        self.stream_offset.put(row, frame.stream_offset)
        self.time.put(row, begin // 1000)
        self.time_ns.put(row, begin)
        self.client.put(row, call.client)
        self.client_host.put(row, self._host)
        self.server.put(row, call.server)
        if header is None:
            self.api_key.put_null(row)
            self.api_name.put(row, None)
            self.api_version.put_null(row)
            self.client_id.put(row, None)
        else:
            self.api_key.put(row, header.api_key)
            self.api_name.put(row, api_name(header.api_key))
            self.api_version.put(row, header.api_version)
            self.client_id.put(row, header.client_id)

    def batch_of(self, fields: list[ArrowField]) -> Batch:
        """Give the rows as Arrow's interface takes them; none may be added any more."""
        if self._batch is not None:
            return self._batch
        found = []
        for field in fields:
            column = getattr(self, field.name)
            values = column.values
            children: tuple[tuple[int, ArrowColumn], ...] = ()
            if field.type in _NARROW:
                values = _narrowed(values[: self.length], _NARROW[field.type])
            elif field.type == "bool":
                values = pack_bits(values[: self.length])
            if isinstance(column, ListColumn):
                children = ((len(column.elements), column.inner()),)
            texts = column.texts() if isinstance(column, TextColumn) else None
            valid = column.valid if column.nulls else None
            found.append(ArrowColumn(values, valid, column.nulls, texts, None, children))
        self._batch = self.length, found
        return self._batch


@cython.final
@cython.cclass
class CallBlock(CallColumns):
    """Calls as rows of the table `calls`; Arrow's consumers take it by `__arrow_c_stream__`."""

    def __init__(self, reader: CallReader | None = None) -> None:
        """Begin without calls; `reader` reads their bodies."""
        super().__init__()
        self.reader = reader or CallReader()
        self.correlation_id = NumberColumn(ROWS)
        self.response_api_version = NumberColumn(ROWS)
        self.outcome = TextColumn(ROWS)
        self.total_time_ms = TimeColumn(ROWS)
        self.response_delay_ms = TimeColumn(ROWS)
        self.pending_ms = TimeColumn(ROWS)
        self.request_size_bytes = NumberColumn(ROWS)
        self.response_size_bytes = NumberColumn(ROWS)
        self.request_file = TextColumn(ROWS)
        self.request_packet = NumberColumn(ROWS)
        self.response_file = TextColumn(ROWS)
        self.response_packet = NumberColumn(ROWS)
        self.topics = ListColumn(ROWS)
        self.groups = ListColumn(ROWS)
        self.error_names = ListColumn(ROWS)
        self.problems = ListColumn(ROWS)
        self.security_protocol = TextColumn(ROWS)
        self.principal = TextColumn(ROWS)
        self.software_name = TextColumn(ROWS)
        self.software_version = TextColumn(ROWS)

    def add(self, call: Call) -> bool:
        """Add a call as a row; tell whether `reader` has read all of it. IndexError where `ROWS` are there."""
        row = self.length
        self.put_call(row, call)
        request, response = call.request, call.response
        header: RequestHeader | None = call.header
        if header is None:
            self.correlation_id.put(row, call.correlation_id)
        else:
            self.correlation_id.put(row, header.correlation_id)
        self.outcome.put(row, call.outcome)
        if request is None or response is None:
            self.total_time_ms.put_null(row)
            self.response_delay_ms.put_null(row)
        else:
            self.total_time_ms.put(row, (response.last.time - request.first.time) / 1e6)
            self.response_delay_ms.put(row, (response.first.time - request.last.time) / 1e6)
        if call.pending_ns is None:
            self.pending_ms.put_null(row)
        else:
            self.pending_ms.put(row, call.pending_ns / 1e6)
        self._completed(row, request, self.request_size_bytes, self.request_file, self.request_packet)
        self._completed(row, response, self.response_size_bytes, self.response_file, self.response_packet)
        self.security_protocol.put(row, call.security_protocol)
        self.principal.put(row, call.principal)
        self.software_name.put(row, call.software_name)
        self.software_version.put(row, call.software_version)
        is_read = self._put_told(row, call)
        self.length = row + 1
        return is_read

    def add_from(self, items: list[Any], calls_alone: bool) -> Any:
        """Add calls, which it takes from the end of a list, until `ROWS` are there or an item is to be looked at.

        Gives that item: what is no call, or, unless `calls_alone`, a call of which there is more to tell than its row.
        None where there is none.
        """
        reader = self.reader
        while items and self.length < ROWS:
            item = items.pop()
            if not isinstance(item, Call):
                return item
            is_read = self.add(item)
            if not calls_alone and (not is_read or reader.batches or reader.codes):
                return item
        return None

    def _put_told(self, row: int, call: Call) -> bool:
        """Set what the bodies tell."""
        reader = self.reader
        if not reader.read_call(call):
            told = told_of(call)
            if told.version is None:
                self.response_api_version.put_null(row)
            else:
                self.response_api_version.put(row, told.version)
            self.topics.put(row, told.topics)
            self.groups.put(row, told.groups)
            self.error_names.put(row, told.error_names)
            self.problems.put(row, told.problems)
            return False
        if call.response is None or call.header is None:
            self.response_api_version.put_null(row)
        else:
            self.response_api_version.put(row, call.header.api_version)
        if reader.topic_ids:
            self.topics.put(row, reader.topics | dict.fromkeys(call.context.topics.of(reader.topic_ids).values()))
        elif reader.topics:
            self.topics.put(row, reader.topics)
        else:
            self.topics.put_none(row)
        if reader.groups:
            self.groups.put(row, reader.groups)
        else:
            self.groups.put_none(row)
        if reader.codes:
            self.error_names.put(row, dict.fromkeys([error_name(code) for _, _, code in reader.codes]))
        else:
            self.error_names.put_none(row)
        self.problems.put_none(row)
        return True

    def _completed(
        self, row: int, frame: Frame | None, sizes: NumberColumn, files: TextColumn, packets: NumberColumn
    ) -> None:
        """Set the size of a message, and which packet completed it."""
        if frame is None:
            sizes.put_null(row)
            files.put(row, None)
            packets.put_null(row)
            return
        arrival = frame.last
        sizes.put(row, frame.size)
        files.put(row, arrival.interface.file)
        packets.put(row, arrival.packet)

    def as_batch(self) -> Batch:
        """Give the block as Arrow's interface takes it. No call may be added any more."""
        return self.batch_of(FIELDS)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the block as an Arrow stream of one batch; another schema than `FIELDS` is not made."""
        return export_stream(FIELDS, iter([self.as_batch()]))


@cython.final
@cython.cclass
class BatchBlock(CallColumns):
    """Record batches that a `CallReader` has found, as rows of the table `batches`."""

    def __init__(self) -> None:
        """Begin without batches."""
        super().__init__()
        self.where = TextColumn(ROWS)
        self.path = TextColumn(ROWS)
        self.topic = TextColumn(ROWS)
        self.partition = NumberColumn(ROWS)
        self.magic = NumberColumn(ROWS)
        self.base_offset = NumberColumn(ROWS)
        self.last_offset = NumberColumn(ROWS)
        self.partition_leader_epoch = NumberColumn(ROWS)
        self.compression = TextColumn(ROWS)
        self.timestamp_type = TextColumn(ROWS)
        self.base_timestamp = NumberColumn(ROWS)
        self.max_timestamp = NumberColumn(ROWS)
        self.producer_id = NumberColumn(ROWS)
        self.producer_epoch = NumberColumn(ROWS)
        self.base_sequence = NumberColumn(ROWS)
        self.is_transactional = NumberColumn(ROWS)
        self.is_control = NumberColumn(ROWS)
        self.record_count = NumberColumn(ROWS)
        self.size_in_bytes = NumberColumn(ROWS)
        self.crc_valid = NumberColumn(ROWS)

    def add(self, call: Call, found: tuple[Any, ...]) -> None:
        """Add one of the reader's `batches` of a call; IndexError where `ROWS` are there."""
        row = self.length
        frame, where, path, topic, is_id, partition, at = found
        header = _BATCH.unpack_from(frame.data, at)
        base, counted, leader_epoch, magic, _, attributes, last, first_time, last_time, producer = header[:10]
        self.put_call(row, call)
        self.where.put(row, where)
        self.path.put(row, path)
        self.topic.put(row, call.context.topics.get(topic) if is_id else topic)
        self.partition.put(row, partition)
        self.magic.put(row, magic)
        self.base_offset.put(row, base)
        self.last_offset.put(row, base + last)
        self.partition_leader_epoch.put(row, leader_epoch)
        self.compression.put(row, COMPRESSIONS[attributes & 7])
        self.timestamp_type.put(row, "LogAppendTime" if attributes & 8 else "CreateTime")
        self.base_timestamp.put(row, first_time)
        self.max_timestamp.put(row, last_time)
        self.producer_id.put(row, producer)
        self.producer_epoch.put(row, header[10])
        self.base_sequence.put(row, header[11])
        self.is_transactional.put(row, attributes >> 4 & 1)
        self.is_control.put(row, attributes >> 5 & 1)
        self.record_count.put(row, header[12])
        self.size_in_bytes.put(row, counted + 12)
        self.crc_valid.put(row, 1)
        self.length = row + 1

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the block as an Arrow stream of one batch; no batch may be added any more."""
        return export_stream(BATCH_FIELDS, iter([self.batch_of(BATCH_FIELDS)]))


def blocks_of(calls: Iterable[Call]) -> Iterator[CallBlock]:
    """Give calls in blocks of `ROWS`, the last one shorter."""
    reader = CallReader()
    block = CallBlock(reader)
    for call in calls:
        block.add(call)
        if block.length == ROWS:
            yield block
            block = CallBlock(reader)
    if block.length:
        yield block


def stream_calls(calls: Iterable[Call]) -> object:
    """Give calls as an Arrow stream (a capsule), taken from `calls` as the consumer asks for batches."""
    return export_stream(FIELDS, (block.as_batch() for block in blocks_of(calls)))
