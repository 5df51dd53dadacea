"""Calls, connections and findings as blocks of rows of the tables that are asked for."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tables.blocks.arrow import export_stream
from kafkasniff.tables.blocks.block import Block, fields_of
from kafkasniff.tables.blocks.columns import ROWS
from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.calls.call_tables import CallTables
from kafkasniff.tables.declared import (
    BATCHES,
    CALLS,
    CONNECTIONS,
    ERRORS,
    PARTITIONS_NAMED,
    RECORDS,
    TABLES,
)
from kafkasniff.tables.more_rows import MoreRows
from kafkasniff.tables.partition_rows import partition_rows
from kafkasniff.tables.rings import ring_of
from kafkasniff.tables.rows import Placed, connection_row, item_rows
from kafkasniff.tcp.events import Connection

GiveBlock = Callable[[str, Any], None]
"""Takes the name of a table and what has `__arrow_c_stream__`."""

_MOST_BYTES = 4 << 20
"""Bytes of keys and values that wait in a block."""


class TableFiller:
    """Takes what the engine gives, and hands on the rows of the wanted tables in blocks."""

    def __init__(self, wanted: Mapping[str, Collection[str] | None], give: GiveBlock) -> None:
        """Hand blocks of the `wanted` tables to `give`; of some with certain columns only (None: all)."""
        self._wanted = wanted
        self._give = give
        self._tables = CallTables(wanted, give)
        self._parts = wanted.keys() & {ERRORS.name, BATCHES.name, RECORDS.name}
        self._blocks: dict[str, RowBlock] = {}
        self._more = MoreRows(self._wanted)

    def take(self, items: list[Item]) -> None:
        """Take calls, connections and what else the engine gives; the list is empty then."""
        items.reverse()
        while items:
            item = self._tables.take(items)
            if isinstance(item, Call):
                self._add_parts(item)
            elif isinstance(item, ConnectionReport) and CONNECTIONS.name in self._wanted:
                self.add_rows([connection_row(vantage_of(item.connection), item)])

    def _add_parts(self, call: Call) -> None:
        """Add of the call that was taken last what is not in the blocks of the engine."""
        vantage = vantage_of(call.connection)
        self.add_rows(self._more.rows(vantage, call))
        if not self._tables.reader.is_whole:
            self._add_rows_of(vantage, call, self._parts)
            if PARTITIONS_NAMED.name in self._wanted:
                self.add_rows(partition_rows(vantage, call))
        elif self._tables.reader.codes:
            self._add_rows_of(vantage, call, self._parts & {ERRORS.name})

    def add_rows(self, placed: Iterable[Placed]) -> None:
        """Take rows that were made elsewhere, or are few."""
        for name, _, row in placed:
            if name not in self._wanted:
                continue
            block = self._blocks.get(name)
            if block is None:
                block = self._blocks[name] = RowBlock(TABLES[name], self._wanted[name])
            block.add(row)
            if len(block.rows) == ROWS or block.bytes > _MOST_BYTES:
                self._give(name, self._blocks.pop(name))

    def flush(self) -> None:
        """Hand on what waits."""
        self._tables.flush()
        for name in list(self._blocks):
            self._give(name, self._blocks.pop(name))

    def _add_rows_of(self, vantage: str, call: Call, names: Collection[str]) -> None:
        if names:
            rows = item_rows(vantage, call, RECORDS.name in names)
            self.add_rows(placed for placed in rows if placed[0] in names)


@lru_cache(maxsize=1)
def _vantage(file: str) -> str:
    return ring_of(file)


def vantage_of(connection: Connection) -> str:
    """Give the capture point of a connection, as far as the name of its first file tells."""
    return _vantage(connection.first.interface.file)


def blocks_of(calls: Iterable[Call]) -> Iterator[Block]:
    """Give calls in blocks of `ROWS`, the last one shorter."""
    found: list[Block] = []
    tables = CallTables({CALLS.name: None}, lambda _, block: found.append(block))
    for call in calls:
        tables.add(call)
        if found:
            yield found.pop()
    tables.flush()
    yield from found


def stream_calls(calls: Iterable[Call]) -> object:
    """Give calls as an Arrow stream (a capsule), taken from `calls` as the consumer asks for batches."""
    return export_stream(fields_of(CALLS), (block.as_batch() for block in blocks_of(calls)))
