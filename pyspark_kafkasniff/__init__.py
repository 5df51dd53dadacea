"""Lets Spark find the data source: it looks for `DefaultSource` in modules whose names begin with `pyspark_`."""

from kafkasniff.pipeline.source import CallSource as DefaultSource

__all__ = ["DefaultSource"]
