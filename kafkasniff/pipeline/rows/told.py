"""What brokers tell of themselves: each task of each micro-batch tells it, and the tables have it once."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafkasniff.pipeline.inputs.places import open_at_random
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import APIS_OFFERED, BROKERS, Table
from kafkasniff.tables.rows import Placed

TOLD = {table.name: table for table in (BROKERS, APIS_OFFERED)}
"""The tables, by name."""

_TELLS = ["vantage", "server"]
"""Columns that say who told what a broker offers, and to whom."""


def told_once(table: Table, paths: Sequence[str]) -> list[Placed]:
    """Give the rows in the files of one of `TOLD`, each with its earliest time; of what a broker offers its first."""
    schema = schema_of(table)
    rows = pa.concat_tables(pq.ParquetFile(open_at_random(path)).read() for path in paths)
    if table is APIS_OFFERED:
        rows = rows.join(rows.group_by(_TELLS).aggregate([("time", "min")]), _TELLS)
        rows = rows.filter(pc.equal(rows["time"], rows["time_min"]))
    names = [name for name in schema.names if name != "time"]
    found = rows.group_by(names).aggregate([("time", "min")]).rename_columns([*names, "time"]).select(schema.names)
    time = schema.names.index("time")
    found = found.set_column(time, "time", found["time"].cast(pa.int64()))
    found = found.sort_by([(name, "ascending") for name in schema.names])
    columns = [column.to_pylist() for column in found.columns]
    return [(table.name, row[time] * 1000, row) for row in zip(*columns, strict=True)]
