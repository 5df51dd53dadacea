"""Apache Parquet: columns as `arrow` has them, written as files that DuckDB, Spark, pyarrow and Polars read.

The format is that of https://parquet.apache.org/docs/file-format/. A block becomes a row group; each column has one
page in it, and one more for the texts that it names by numbers.

- `encodings` packs numbers into as few bits as they need, in compiled code.
- `schema` says what a column of the declared tables is in a file; `levels` where lists begin and what is null.
- `thrift` writes what stands around the pages.
- `writer.ParquetFile` puts blocks into a file.
"""
