# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Calls as rows of a block: columns of the table `calls`, filled without reading a body."""

from array import array
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Frame
from kafkasniff.tables.arrow import ArrowColumn, ArrowField, Batch, export_stream
from kafkasniff.tables.declared import CALLS
from kafkasniff.tcp.events import Connection

ROWS = 16_384
"""Calls in a block at most."""

_FROM_BODIES = frozenset(("response_api_version", "topics", "groups", "error_names", "problems"))
_NOT_OF_A_CALL = frozenset(("vantage",))

FIELDS = [
    ArrowField(column.name, column.type) for column in CALLS.columns if column.name not in _FROM_BODIES | _NOT_OF_A_CALL
]
"""The columns of a block: those of the table `calls` that are known before a body is read."""

_NARROW = {"int16": "h", "int32": "i"}


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

    def put(self, row: int, text: str | None) -> None:
        """Set the text of a row."""
        if text is None:
            self._valid[row >> 3] &= 0xFF ^ (1 << (row & 7))
            self.nulls += 1
            return
        place = self._places.get(text)
        if place is None:
            place = self._places[text] = len(self._places)
        self._values[row] = place

    def texts(self) -> list[str]:
        """Give the texts by their places."""
        return [*self._places]


@cython.final
@cython.cclass
class CallBlock:
    """Calls as rows, `ROWS` at most; Arrow's consumers take it by `__arrow_c_stream__`."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.length = 0
        self.connection = TextColumn(ROWS)
        self.epoch = NumberColumn(ROWS)
        self.direction = TextColumn(ROWS)
        self.stream_offset = NumberColumn(ROWS)
        self.time = NumberColumn(ROWS)
        self.time_ns = NumberColumn(ROWS)
        self.client = TextColumn(ROWS)
        self.server = TextColumn(ROWS)
        self.api_key = NumberColumn(ROWS)
        self.api_name = TextColumn(ROWS)
        self.api_version = NumberColumn(ROWS)
        self.client_id = TextColumn(ROWS)
        self.correlation_id = NumberColumn(ROWS)
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
        self.security_protocol = TextColumn(ROWS)
        self.principal = TextColumn(ROWS)
        self.software_name = TextColumn(ROWS)
        self.software_version = TextColumn(ROWS)
        self._last: Connection | None = None
        self._client = self._name = ""

    def __len__(self) -> int:
        """Give the number of calls."""
        return self.length

    def add(self, call: Call) -> None:
        """Add a call as a row; IndexError where `ROWS` are there."""
        row = self.length
        request, response, header = call.request, call.response, call.header
        frame = response if request is None else request
        assert frame is not None
        begin = frame.first.time
        if call.connection is not self._last or call.client is not self._client:
            self._last = call.connection
            self._client = call.client
            self._name = f"{call.client}-{call.server}"
        self.connection.put(row, self._name)
        self.epoch.put(row, call.connection.epoch)
        self.direction.put(row, "response" if request is None else "request")
        self.stream_offset.put(row, frame.stream_offset)
        self.time.put(row, begin // 1000)
        self.time_ns.put(row, begin)
        self.client.put(row, call.client)
        self.server.put(row, call.server)
        self.api_name.put(row, call.api_name)
        if header is None:
            self.api_key.put_null(row)
            self.api_version.put_null(row)
            self.client_id.put(row, None)
            self.correlation_id.put(row, call.correlation_id)
        else:
            self.api_key.put(row, header.api_key)
            self.api_version.put(row, header.api_version)
            self.client_id.put(row, header.client_id)
            self.correlation_id.put(row, header.correlation_id)
        self.outcome.put(row, call.outcome)
        if request is None or response is None:
            self.total_time_ms.put_null(row)
            self.response_delay_ms.put_null(row)
        else:
            self.total_time_ms.put(row, (response.last.time - begin) / 1e6)
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
        self.length = row + 1

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

    def columns(self) -> dict[str, Any]:
        """Give the columns by their names, in the order of `FIELDS`."""
        return {
            "connection": self.connection,
            "epoch": self.epoch,
            "direction": self.direction,
            "stream_offset": self.stream_offset,
            "time": self.time,
            "time_ns": self.time_ns,
            "client": self.client,
            "server": self.server,
            "api_key": self.api_key,
            "api_name": self.api_name,
            "api_version": self.api_version,
            "client_id": self.client_id,
            "correlation_id": self.correlation_id,
            "outcome": self.outcome,
            "total_time_ms": self.total_time_ms,
            "response_delay_ms": self.response_delay_ms,
            "pending_ms": self.pending_ms,
            "request_size_bytes": self.request_size_bytes,
            "response_size_bytes": self.response_size_bytes,
            "request_file": self.request_file,
            "request_packet": self.request_packet,
            "response_file": self.response_file,
            "response_packet": self.response_packet,
            "security_protocol": self.security_protocol,
            "principal": self.principal,
            "software_name": self.software_name,
            "software_version": self.software_version,
        }

    def as_batch(self) -> Batch:
        """Give the block as Arrow's interface takes it. No call may be added any more."""
        columns = []
        for field, column in zip(FIELDS, self.columns().values(), strict=True):
            values = column.values
            if field.type in _NARROW:
                values = array(_NARROW[field.type], values[: self.length])
            texts = column.texts() if isinstance(column, TextColumn) else None
            columns.append(ArrowColumn(values, column.valid if column.nulls else None, column.nulls, texts))
        return self.length, columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the block as an Arrow stream of one batch; another schema than `FIELDS` is not made."""
        return export_stream(FIELDS, iter([self.as_batch()]))


def blocks_of(calls: Iterable[Call]) -> Iterator[CallBlock]:
    """Give calls in blocks of `ROWS`, the last one shorter."""
    block = CallBlock()
    for call in calls:
        block.add(call)
        if block.length == ROWS:
            yield block
            block = CallBlock()
    if block.length:
        yield block


def stream_calls(calls: Iterable[Call]) -> object:
    """Give calls as an Arrow stream (a capsule), taken from `calls` as the consumer asks for batches."""
    return export_stream(FIELDS, (block.as_batch() for block in blocks_of(calls)))
