"""Questions: named SQL over the tables, and the database that answers them.

- `database.Database` holds the tables of captures in DuckDB, in memory or in a file. Blocks of rows go in by Arrow's C
  data interface; what does not fit in memory goes to a temporary folder.
- `*.sql` are the named questions; the comment on top of each says what it answers. `named` reads them and puts in what
  differs from case to case. They use functions that Spark has too; where DuckDB has another name for one, `database`
  defines it.
- `tables` are those that a text mentions: only these are filled.

Nothing here knows how answers are shown.
"""
