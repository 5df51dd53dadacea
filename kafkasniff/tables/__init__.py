"""Tables: what calls, connections and findings tell, as columns.

- `declared` names the columns of every table, with type and meaning. Arrow's schemas, the pipeline's Parquet files and
  the documentation come from there.
- `block.CallBlock` takes calls as rows of the table `calls` into columns of numbers. Texts are numbered: an address or
  a client id is held once a block. It has the columns that are known without reading a body.
- `arrow` gives blocks to others by Arrow's C data interface, so that DuckDB, Polars, pandas and pyarrow take them
  without a copy, and without pyarrow being needed.

Nothing here knows of Spark or of files.
"""
