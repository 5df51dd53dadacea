"""Arrow's schemas of the tables."""

import pyarrow as pa

from kafkasniff.tables.declared import Table

_TYPES = {
    **{
        name: pa.type_for_alias(name)
        for name in ("int8", "int16", "int32", "int64", "double", "bool", "string", "binary")
    },
    "date32": pa.date32(),
    "timestamp[us, tz=UTC]": pa.timestamp("us", tz="UTC"),
    "list<string>": pa.list_(pa.string()),
    "list<struct<key: string, value: binary>>": pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])),
}


def data_type(name: str) -> pa.DataType:
    """Give the type of a column that has `name` in the declarations."""
    return _TYPES[name]


def schema_of(table: Table) -> pa.Schema:
    """Give Arrow's schema of the files of a table; `PARTITIONS` stand in their paths."""
    return pa.schema([(column.name, data_type(column.type)) for column in table.columns])
