"""Tables: what calls, connections and findings tell, as columns.

- `declared` names the columns of every table, with type and meaning. Arrow's schemas, the pipeline's Parquet files,
  DuckDB's tables and the documentation come from there.
- `rows` makes the rows of what the engine gives, one by one: all that there is to tell of any call. `bodies` and
  `places` read for it what bodies name.
- `block.Block` holds rows of a table as `columns`. `call_tables.CallTables` fills those of `calls`, `batches` and
  `partitions`, in compiled code. Texts are numbered: a client id is held once a block. `call_reader` reads the bodies
  for them, by the fields that `layouts` gives roles, without making values of what no column has; what is rare or wrong
  it leaves to `rows`.
- `filling.TableFiller` gives blocks of all wanted tables; `spans` what was read of each file; `rings` which files
  belong together.
- `arrow` gives blocks to others by Arrow's C data interface, so that DuckDB, Polars, pandas and pyarrow take them
  without a copy, and without pyarrow being needed.

Nothing here knows of Spark, and only `spans` of files.
"""
