# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Calls, their record batches and partitions as rows of blocks, without an object for each row."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.api_keys import HEARTBEAT
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import RequestHeader, api_name
from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.blocks.columns import MOST_COMMON, OF_CONNECTION, Common
from kafkasniff.tables.bodies import SETTINGS
from kafkasniff.tables.calls.call_reader import CallReader
from kafkasniff.tables.declared import BATCHES, CALLS, PARTITIONS_NAMED
from kafkasniff.tables.more_rows import asked_apis
from kafkasniff.tables.partition_rows import apis_telling
from kafkasniff.tables.rings import ring_of
from kafkasniff.tables.rows import Told, told_of
from kafkasniff.tcp.events import Connection

if not cython.compiled:
    from kafkasniff.tables.calls.part_rows import put_batch, put_partition

_SETTINGS = len(SETTINGS)
_HEARTBEAT = HEARTBEAT
_MOST_NUMBERS = MOST_COMMON - 1
_NO_API = Common(0, (None, None, None))
_CLIENT, _CLIENT_ID, _SECURITY, _PRINCIPAL, _SOFTWARE = map(
    OF_CONNECTION.index, ("client", "client_id", "security_protocol", "principal", "software_name")
)
_ERRORS = "errors"
DECOMPRESSED = "decompressed_bytes"
"""The column of `batches` that is not null for compressed batches only where it is named among those wanted."""
_TABLES = {table.name: table for table in (CALLS, BATCHES, PARTITIONS_NAMED)}


@cython.final
@cython.cclass
class CallTables:
    """Takes calls as rows of those of the tables `calls`, `batches` and `partitions` that are wanted."""

    def __init__(self, wanted: Mapping[str, Collection[str] | None], give: Callable[[str, Any], None]) -> None:
        """Begin without rows; `wanted` names tables, and the columns of each that are kept (None: all).

        `give` takes the name of a table and a block of `ROWS` rows.
        """
        self._wanted = wanted
        self._give = give
        self.calls = self._block_of("calls")
        self.batches = self._block_of("batches")
        self.partitions = self._block_of("partitions")
        columns = wanted.get("calls") if wanted.keys() == {"calls"} else None
        # Problems are found in what is read.
        reads_all = columns is None or "problems" in columns
        apis = apis_telling(wanted["partitions"]) if self.partitions is not None else frozenset()
        self.reader = CallReader(apis, None if reads_all else frozenset(columns or ()))
        self._shows_errors = _ERRORS in wanted
        self._shows_parts = self._shows_errors or "batches" in wanted or "records" in wanted or "partitions" in wanted
        self._asked_apis = asked_apis(wanted)
        # It takes long: who wants all columns does without.
        self._decompresses = DECOMPRESSED in (wanted.get("batches") or ())
        self._connections: dict[Connection, Common] = {}
        self._common: dict[tuple[Any, ...], Common] = {}
        self._apis: dict[int, Common] = {}
        self._connection = self._api = _NO_API
        self._interface: Any = None
        self._file = ""
        self.vantage: str | None = None
        """The capture point of the calls that come; None: their ring."""
        self.added = True
        """Whether the call that was taken last has rows."""
        self.leaves_doubtful = False
        """Whether calls get no rows that were not read whole, or name topics by ids of which no name is known."""

    def _block_of(self, name: str) -> Block | None:
        if name not in self._wanted:
            return None
        return Block(_TABLES[name], self._wanted[name])

    def hand_on(self, name: str, block: Block) -> None:
        """Give a block, and begin another."""
        setattr(self, name, self._block_of(name))
        block.finish()
        self._give(name, block)

    def flush(self) -> None:
        """Give what waits."""
        for name in _TABLES:
            block = getattr(self, name)
            if block is not None and len(block):
                self.hand_on(name, block)

    def take(self, items: list[Any]) -> Any:
        """Add calls, which it takes from the end of a list, until an item is to be looked at.

        Gives that item: what is no call, or a call of which there is more to tell than rows of these tables; after a
        call that the reader has not read whole, also its batches and partitions; with `leaves_doubtful` also calls
        that get no rows. None where there is none.
        """
        reader = self.reader
        while items:
            item = items.pop()
            if not isinstance(item, Call):
                return item
            call = item
            reader.read_call(call)
            self.added = not (self.leaves_doubtful and self._is_doubtful(call))
            if not self.added:
                return item
            self._add_read(call)
            if not reader.is_whole:
                if self._shows_parts or self._asked_apis:
                    return item
                continue
            if self.batches is not None:
                for found in reader.batches:
                    self._begin_row(self.batches, call)
                    put_batch(self.batches, call, found, self._decompresses)
                    if self.batches.end_row():
                        self.hand_on("batches", self.batches)
            if self.partitions is not None:
                for index in range(reader.told):
                    self._begin_row(self.partitions, call)
                    put_partition(self.partitions, call, reader.pool[index])
                    if self.partitions.end_row():
                        self.hand_on("partitions", self.partitions)
            if reader.codes and self._shows_errors:
                return item
            header = call.header
            if (
                self._asked_apis
                and header is not None
                and header.api_key in self._asked_apis
                and (header.api_key != _HEARTBEAT or reader.codes)
            ):
                return item
        return None

    def add(self, call: Call) -> None:
        """Read a call and add its row to `calls`, where that is wanted."""
        self.reader.read_call(call)
        self._add_read(call)

    def _is_doubtful(self, call: Call) -> bool:
        """Tell whether the call that was read last was not read whole, or lacks names of topics."""
        ids = self.reader.topic_ids
        return not self.reader.is_whole or (bool(ids) and len(call.context.topics.of(ids)) < len(ids))

    def _add_read(self, call: Call) -> None:
        """Add the row of the call that was read last."""
        reader = self.reader
        self._know(call)
        block = self.calls
        if block is None:
            return
        self._begin_row(block, call)
        request, response = call.request, call.response
        header: RequestHeader | None = call.header
        block.number(call.correlation_id if header is None else header.correlation_id)
        told: Told | None = None
        if not reader.is_whole:
            told = told_of(call)
            if told.version is None:
                block.skip(1)
            else:
                block.number(told.version)
        elif response is None or header is None:
            block.skip(1)
        else:
            block.number(header.api_version)
        block.text(call.outcome)
        if request is None or response is None:
            block.skip(2)
        else:
            block.real((response.last.time - request.first.time) / 1e6)
            block.real((response.first.time - request.last.time) / 1e6)
        if call.pending_ns is None:
            block.skip(1)
        else:
            block.real(call.pending_ns / 1e6)
        if request is None:
            block.skip(1)
        else:
            block.number(request.size)
        if response is None:
            block.skip(1)
        else:
            block.number(response.size)
        self._put_last(block, request)
        self._put_last(block, response)
        if told is None:
            self._put_read(block, call)
        else:
            block.texts(told.topics)
            block.texts(told.groups)
            block.texts(told.error_names)
            block.texts(told.problems)
        block.skip(4)
        if told is None:
            if reader.is_set == 0:
                block.skip(_SETTINGS)
            else:
                for index in range(_SETTINGS):
                    if reader.is_set >> index & 1:
                        block.number(reader.settings[index])
                    else:
                        block.skip(1)
            block.text(reader.rack)
        else:
            for value in told.settings:
                if value is None:
                    block.skip(1)
                else:
                    block.number(value)
            block.text(told.rack)
        if block.end_row():
            self.hand_on("calls", block)

    def _know(self, call: Call) -> None:
        """Find what the rows of a call have in common with others."""
        if len(self._common) == _MOST_NUMBERS or len(self._apis) == _MOST_NUMBERS:
            # Their numbers begin again.
            self.flush()
            self._connections.clear()
            self._common.clear()
            self._apis.clear()
        header = call.header
        client_id = None if header is None else header.client_id
        found = self._connections.get(call.connection)
        if found is not None:
            known = found.values
            if (
                known[_CLIENT] is not call.client
                or known[_CLIENT_ID] is not client_id
                or known[_SECURITY] is not call.security_protocol
                or known[_PRINCIPAL] is not call.principal
                or known[_SOFTWARE] is not call.software_name
                or known[_SOFTWARE + 1] is not call.software_version
            ):
                found = None
        self._connection = self._new_connection(call, client_id) if found is None else found
        if header is None:
            self._api = _NO_API
            return
        key = header.api_key << 16 | header.api_version
        api = self._apis.get(key)
        if api is None:
            values = header.api_key, api_name(header.api_key), header.api_version
            api = self._apis[key] = Common(len(self._apis) + 1, values)
        self._api = api

    def _new_connection(self, call: Call, client_id: str | None) -> Common:
        client = call.client
        values = (
            self.vantage or ring_of(call.connection.first.interface.file),
            f"{client}-{call.server}",
            call.connection.epoch,
            client,
            client.rpartition(":")[0],
            call.server,
            client_id,
            call.security_protocol,
            call.principal,
            call.software_name,
            call.software_version,
        )
        found = self._common.get(values)
        if found is None:
            found = self._common[values] = Common(len(self._common), values)
        self._connections[call.connection] = found
        return found

    def _begin_row(self, block: Block, call: Call) -> None:
        """Set the columns that all tables have whose rows are of calls."""
        frame, direction = call.request, "request"
        if frame is None:
            frame, direction = call.response, "response"
        assert frame is not None
        block.begin_row(self._connection, self._api, direction, frame.stream_offset, frame.first.time)

    def _put_last(self, block: Block, frame: Frame | None) -> None:
        """Set which packet completed a message."""
        if frame is None:
            block.skip(2)
            return
        arrival = frame.last
        if arrival.interface is not self._interface:
            self._interface, self._file = arrival.interface, arrival.interface.file
        block.text(self._file)
        block.number(arrival.packet)

    def _put_read(self, block: Block, call: Call) -> None:
        """Set the lists of a call that was read."""
        reader = self.reader
        if reader.topic_ids:
            block.texts(reader.topics | dict.fromkeys(call.context.topics.of(reader.topic_ids).values()))
        elif reader.topics:
            block.texts(reader.topics)
        else:
            block.skip(1)
        if reader.groups:
            block.texts(reader.groups)
        else:
            block.skip(1)
        if reader.codes:
            block.texts(dict.fromkeys([error_name(code) for _, _, code in reader.codes]))
        else:
            block.skip(1)
        block.skip(1)
