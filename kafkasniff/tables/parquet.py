"""How the columns of tables are laid out in Parquet files."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kafkasniff.tables.declared import BATCHES, CALLS, PARTITIONS_NAMED

if TYPE_CHECKING:
    import pyarrow as pa

_HARDLY_REPEATED = {
    CALLS.name: (
        *("stream_offset", "time", "time_ns", "correlation_id"),
        *("request_size_bytes", "response_size_bytes", "request_packet"),
    ),
    BATCHES.name: ("stream_offset", "time", "time_ns", "base_timestamp", "max_timestamp", "size_in_bytes"),
    PARTITIONS_NAMED.name: ("offset",),
}
"""Columns whose packed differences zstd does not shorten; in `partitions` the rows of a call repeat theirs."""


def parquet_options(table: str, schema: "pa.Schema") -> dict[str, Any]:
    """Give arguments for `pyarrow.parquet.ParquetWriter`: texts as dictionaries, integers as packed differences.

    `schema` has the columns of the table called `table`; texts may be dictionaries in it, which files do not tell.
    """
    import pyarrow as pa

    leaves = [leaf for field in schema for leaf in _leaves(field.name, field.type)]
    unlike = _HARDLY_REPEATED.get(table, ())
    return {
        "compression": {path: "none" if path in unlike else "zstd" for path, _ in leaves},
        "use_dictionary": [path for path, kind in leaves if pa.types.is_string(kind)],
        "column_encoding": {
            path: "DELTA_BINARY_PACKED"
            for path, kind in leaves
            if pa.types.is_integer(kind) or pa.types.is_timestamp(kind)
        },
        "store_schema": False,
    }


def _leaves(path: str, kind: "pa.DataType") -> Iterator["tuple[str, pa.DataType]"]:
    """Give the paths that Parquet has for a column's values, and their types."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        yield path, kind.value_type
    elif pa.types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type)
    else:
        yield path, kind
