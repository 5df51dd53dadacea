"""Rows of a table, held as columns and given by Arrow's C data interface.

`block.Block` is filled row by row in compiled code. `columns` holds its values: texts are numbered, a client id is held
once a block, and what the calls of a connection have in common is set at a block's end. `row_block.RowBlock` holds rows
of any table as tuples, for those that are few. `arrow` gives both to DuckDB, Polars, pandas and pyarrow without a copy,
and without pyarrow being needed.
"""
