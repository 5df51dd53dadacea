"""Workers on this machine import the pyspark that is installed."""

import pyarrow as pa
import pyspark

from kafkasniff.pipeline.daemon import without_zips


def test_zips_of_spark_alone_are_left_out():
    path = ["/a/pyspark.zip", "/a/py4j-0.10.9.9-src.zip", "/usr/lib/python311.zip", "/a/pyspark", "/b/others.zip"]

    assert without_zips(path) == ["/usr/lib/python311.zip", "/a/pyspark", "/b/others.zip"]


def place(batches):
    import sys

    import pyspark

    for _ in batches:
        yield pa.RecordBatch.from_arrays(
            [pa.array([pyspark.__file__, *(each for each in sys.path if "pyspark.zip" in each)])], names=["place"]
        )


def test_workers_have_no_zip_of_spark(spark):
    found = spark.range(1).mapInArrow(place, "place string").collect()

    assert [row.place for row in found] == [pyspark.__file__]


def modules(batches):
    import sys

    for _ in batches:
        pa.array([1.5])
        yield pa.RecordBatch.from_arrays([pa.array([*sys.modules])], names=["module"])


def test_workers_import_no_pandas(spark):
    found = {row.module for row in spark.range(1).mapInArrow(modules, "module string").collect()}

    assert "pyarrow" in found
    assert "pandas" not in found
