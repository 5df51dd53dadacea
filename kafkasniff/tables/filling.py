"""Calls, connections and findings as blocks of rows of the tables that are asked for."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.calls.items import Item
from kafkasniff.tables.arrow import column_of, export_stream
from kafkasniff.tables.block import ROWS, BatchBlock, CallBlock, fields_of_table
from kafkasniff.tables.call_reader import CallReader
from kafkasniff.tables.declared import ALL_TABLES, BATCHES, CALLS, CONNECTIONS, ERRORS, RECORDS, Table
from kafkasniff.tables.more_rows import MORE_ROWS, MoreRows
from kafkasniff.tables.rings import ring_of
from kafkasniff.tables.rows import Placed, Row, connection_row, item_rows
from kafkasniff.tcp.events import Connection

GiveBlock = Callable[[str, Any], None]
"""Takes the name of a table and what has `__arrow_c_stream__`."""

_MOST_BYTES = 4 << 20
"""Bytes of keys and values that wait in a block."""


class RowBlock:
    """Rows of any table, for those that are few."""

    def __init__(self, table: Table) -> None:
        """Begin without rows."""
        self._table = table
        self.rows: list[Row] = []
        self.bytes = 0

    def add(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)
        if self._table is RECORDS:
            self.bytes += sum(len(each) for each in row if isinstance(each, bytes))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows as an Arrow stream of one batch."""
        fields = fields_of_table(self._table)
        columns = zip(*self.rows, strict=True)
        found = [column_of(field.type, values) for field, values in zip(fields, columns, strict=True)]
        return export_stream(fields, iter([(len(self.rows), found)]))


class TableFiller:
    """Takes what the engine gives, and hands on the rows of the wanted tables in blocks."""

    def __init__(self, wanted: Collection[str], give: GiveBlock) -> None:
        """Hand blocks of the `wanted` tables to `give`."""
        self._wanted = frozenset(wanted)
        self._give = give
        self._records = RECORDS.name in wanted
        self._reader = CallReader()
        self._calls = CallBlock(self._reader)
        self._batches = BatchBlock()
        self._blocks: dict[str, RowBlock] = {}
        self._more = MoreRows(self._wanted)

    def take(self, items: list[Item]) -> None:
        """Take calls, connections and what else the engine gives; the list is empty then."""
        if not self._wanted.isdisjoint(MORE_ROWS):
            for item in items:
                if isinstance(item, Call):
                    self.add_rows(self._more.rows(vantage_of(item.connection), item))
        items.reverse()
        calls_alone = self._wanted <= {CALLS.name}
        while items:
            item = self._calls.add_from(items, calls_alone)
            if isinstance(item, Call):
                self._add_parts(item)
            elif isinstance(item, ConnectionReport) and CONNECTIONS.name in self._wanted:
                self.add_rows([connection_row(vantage_of(item.connection), item)])
            if self._calls.length == ROWS:
                self._flush_calls()

    def _add_parts(self, call: Call) -> None:
        """Add errors, batches and records of the call that the reader has read last."""
        reader = self._reader
        if not reader.is_whole:
            self._add_rows_of(call, (ERRORS.name, BATCHES.name, RECORDS.name))
            return
        if BATCHES.name in self._wanted:
            for found in reader.batches:
                self._batches.add(call, found)
                if self._batches.length == ROWS:
                    self._flush_batches()
        if reader.codes and ERRORS.name in self._wanted:
            self._add_rows_of(call, (ERRORS.name,))

    def add_rows(self, placed: Iterable[Placed]) -> None:
        """Take rows that were made elsewhere, or are few."""
        for name, _, row in placed:
            if name not in self._wanted:
                continue
            block = self._blocks.get(name)
            if block is None:
                block = self._blocks[name] = RowBlock(ALL_TABLES[name])
            block.add(row)
            if len(block.rows) == ROWS or block.bytes > _MOST_BYTES:
                self._give(name, self._blocks.pop(name))

    def flush(self) -> None:
        """Hand on what waits."""
        self._flush_calls()
        self._flush_batches()
        for name in list(self._blocks):
            self._give(name, self._blocks.pop(name))

    def _flush_calls(self) -> None:
        block, self._calls = self._calls, CallBlock(self._reader)
        if block.length and CALLS.name in self._wanted:
            self._give(CALLS.name, block)

    def _flush_batches(self) -> None:
        block, self._batches = self._batches, BatchBlock()
        if block.length:
            self._give(BATCHES.name, block)

    def _add_rows_of(self, call: Call, names: tuple[str, ...]) -> None:
        rows = item_rows(vantage_of(call.connection), call, self._records)
        self.add_rows(placed for placed in rows if placed[0] in names)


def vantage_of(connection: Connection) -> str:
    """Give the capture point of a connection, as far as the name of its first file tells."""
    return ring_of(connection.first.interface.file)
