import pytest

from tests.pipeline.expected import comparable, expected_rows

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
