"""Blocks of rows of any table, for those that are few."""

from collections.abc import Collection

from kafkasniff.tables.blocks.arrow import Batch, column_of, export_stream
from kafkasniff.tables.blocks.block import fields_of
from kafkasniff.tables.declared import RECORDS, Table
from kafkasniff.tables.rows import Row


class RowBlock:
    """Rows of a table, of which only the wanted columns are given."""

    def __init__(self, table: Table, wanted: Collection[str] | None = None) -> None:
        """Begin without rows; with `wanted`, only the columns called so are given."""
        self.fields = fields_of(table, wanted)
        self._names = [each.name for each in table.columns]
        self._holds_records = table is RECORDS
        self.rows: list[Row] = []
        self.bytes = 0

    def add(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)
        if self._holds_records:
            self.bytes += sum(len(each) for each in row if isinstance(each, bytes))

    def as_batch(self) -> Batch:
        """Give the rows as Arrow's interface takes them."""
        values = zip(*self.rows, strict=True) if self.rows else [()] * len(self._names)
        columns = dict(zip(self._names, values, strict=True))
        return len(self.rows), [column_of(field.type, columns[field.name]) for field in self.fields]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows as an Arrow stream of one batch."""
        return export_stream(self.fields, iter([self.as_batch()]))
