"""Calls as rows of blocks, in compiled code, without an object for each row.

`layouts` gives fields of bodies roles: what of a field a row shows. `call_reader.CallReader` reads the bodies of a call
by them, without making values of what no column has. `call_tables.CallTables` puts what was read into the blocks of
`calls`, `batches` and `partitions`; the columns that only the latter two have are in `part_rows`. What is rare or wrong
the reader leaves to `tables.rows`. `client_tally` adds up the clients.
"""
