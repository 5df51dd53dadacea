"""Parquet files of Arrow's batches, by the description at https://parquet.apache.org/docs/file-format/.

- `thrift` writes the structures of headers and footers.
- `encodings` packs numbers in compiled code: dictionary places and levels as runs or bits, numbers as differences.
- `file` lays out pages, column chunks and row groups.

A dictionary of texts that a batch has is written as it is, so that no text is looked at twice.
"""
