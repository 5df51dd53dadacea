from datetime import UTC, datetime

import pytest
from pyspark.sql.datasource import EqualTo, GreaterThan

from kafkasniff.pipeline.source import FilteringReader
from tests.pipeline.expected import columns_of, comparable, expected_rows

RING = [f"captures/rotate-size/part-0{number}.pcap" for number in range(9)]


@pytest.mark.parametrize("table", ["calls", "batches", "connections"])
def test_the_frame_has_the_rows_of_read(spark, table):
    frame = spark.read.format("kafkasniff").option("table", table).load("captures/rotate-size")

    assert comparable(table, frame.toArrow().to_pylist()) == expected_rows(RING)[table]


def test_without_options_rows_are_calls(spark):
    frame = spark.read.format("kafkasniff").load("captures/rotate-size/*.pcap")

    assert frame.filter("vantage = 'captures/rotate-size/part'").count() == sum(expected_rows(RING)["calls"].values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs a path"),
        ({"path": "captures", "table": "rows"}, "there is no table 'rows'"),
        ({"path": "captures", "from": "noon"}, "'noon' is no number of nanoseconds"),
    ],
)
def test_wrong_options_are_refused(spark, options, message):
    with pytest.raises(Exception, match=message):
        spark.read.format("kafkasniff").options(**options).load().count()


@pytest.fixture
def pushing(spark):
    name = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(name, "true")
    yield spark.read.format("kafkasniff").option("pushdown", "true")
    spark.conf.unset(name)


@pytest.mark.parametrize("table", ["calls", "batches", "connections"])
@pytest.mark.parametrize(
    "asked",
    [
        "api_name = 'PRODUCE'",
        "api_key IN (0, 3) AND client_id = 'no such client'",
        "api_version > 4 AND api_version <= 12",
        "time >= (SELECT 0) AND api_name <> 'PRODUCE'",
        "time_ns >= {middle}",
        "time < timestamp_micros({middle} div 1000)",
        "time IN (timestamp_micros(0), timestamp_micros({middle} div 1000))",
        "client_host = '127.0.0.1' OR api_key = 3",
        "client_id IS NULL",
    ],
)
def test_filters_give_the_rows_that_spark_would(spark, pushing, table, asked):
    frame = spark.read.format("kafkasniff").option("table", table).load("captures/rotate-size")
    if table == "connections" and ("api" in asked or "client_" in asked):
        asked = "time_ns >= {middle}"
    times = sorted(row.time_ns for row in frame.select("time_ns").collect())
    asked = asked.format(middle=times[len(times) // 2]).replace("(SELECT 0)", "timestamp_micros(0)")

    found = pushing.option("table", table).load("captures/rotate-size").filter(asked)

    assert comparable(table, found.toArrow().to_pylist()) == comparable(
        table, frame.filter(asked).toArrow().to_pylist()
    )


def test_rows_are_made_of_the_calls_alone_that_are_wanted():
    reader = FilteringReader({"path": "captures/rotate-size"})
    asked = [EqualTo(("api_name",), "METADATA"), GreaterThan(("time",), datetime(1970, 1, 2, tzinfo=UTC))]

    assert [*reader.pushFilters(asked)] == asked
    (partition,) = reader.partitions()
    found = [row for batch in reader.read(partition) for row in batch.to_pylist()]

    place = columns_of("calls").index("api_name")
    wanted = sum(row[place] == "METADATA" for row in expected_rows(RING)["calls"].elements())
    assert len(found) == wanted > 0
