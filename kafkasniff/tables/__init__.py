"""Tables: what calls, connections and findings tell, as columns.

- `declared` names the columns of every table, with type and meaning. Arrow's schemas, the pipeline's Parquet files,
  DuckDB's tables and the documentation come from there.
- `rows` makes the rows of what the engine gives, one by one: all that there is to tell of any call. `bodies` and
  `topic_partitions` read for it what bodies name.
- `blocks` holds rows as columns, which DuckDB, Polars, pandas and pyarrow take without a copy.
- `calls` puts calls into blocks, in compiled code; what is rare or wrong it leaves to `rows`.
- `filling.TableFiller` gives blocks of all wanted tables; `spans` what was read of each file; `rings` which files
  belong together.

Nothing here knows of Spark, and only `spans` of files.
"""
