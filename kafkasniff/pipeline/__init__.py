"""Directories of captures into tables, on Spark, with the same layers inside. Needs the extra `kafkasniff[spark]`."""
