"""docs/pipeline.md: its tables are those of the code, and its queries answer what they say."""

import json
import re
import shutil
import struct
from pathlib import Path

import pytest

from kafkasniff.reading import Reading
from kafkasniff.render.json_lines import call_line
from tests.conftest import SHARED, needs_shared
from tests.pipeline.test_job import CAPTURES, write
from tools.make_tables import with_tables

PAGE = Path("docs/pipeline.md").read_text()
QUERIES = dict(re.findall(r"^###? ([^\n]+)\n(?:(?!\n##).)*?```sql\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))
MISBEHAVE = SHARED / "captures" / "misbehave"
SOME = ("not-leader-loop-1", "rebalance-storm-1", "below-kafka4-minimum-1", "connection-churn-1", "response-timeout-1")


def test_the_tables_are_those_declared():
    assert with_tables(PAGE) == PAGE


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    write(spark, [MISBEHAVE / f"{name}.pcap" for name in SOME], folder)
    for table in ("calls", "errors", "batches", "connections", "findings", "files"):
        spark.read.parquet(str(folder / table)).createOrReplaceTempView(table)
    return folder


def ask(spark, question):
    (query,) = [query for title, query in QUERIES.items() if title.startswith(question)]
    return [row.asDict() for row in spark.sql(query).collect()]


def lines(name):
    return [json.loads(call_line(call)) for call in Reading([str(MISBEHAVE / f"{name}.pcap")])]


def culprit(name):
    return json.loads((MISBEHAVE / f"{name}.json").read_text())["culprit"]


@needs_shared
def test_each_question_is_answered(spark, tables):
    questions = [title for title in QUERIES if title.endswith("?")]
    assert len(questions) >= 10
    for question in questions:
        assert ask(spark, question), question


@needs_shared
def test_answers_are_those_of_the_recordings(spark, tables):
    of_all = [line for name in SOME for line in lines(name)]

    leaders = ask(spark, "Which topics have the most errors")
    assert (leaders[0]["topic"], leaders[0]["errors"]) == (culprit("not-leader-loop-1")["topic"], 40)
    rebalances = ask(spark, "How often does each group rebalance")
    assert rebalances[0]["group"] == culprit("rebalance-storm-1")["group"]
    assert rebalances[0]["joins"] == sum(
        line["requestHeader"]["requestApiKeyName"] == "JOIN_GROUP" for line in lines("rebalance-storm-1")
    )
    old = ask(spark, "Who still uses Produce v2")
    assert {row["client_id"] for row in old} <= set(culprit("below-kafka4-minimum-1")["client_id"])
    silent = ask(spark, "Which calls were never answered")
    assert sum(row["calls"] for row in silent) == sum(line["outcome"] == "unanswered" for line in of_all)
    brokers = ask(spark, "How slow is each broker")
    assert {row["server"] for row in brokers} <= {line["server"] for line in of_all}
    worst = ask(spark, "What goes wrong most")
    assert {"not-leader-loop", "rebalance-storm", "connection-churn"} <= {row["rule"] for row in worst}


def test_the_time_in_the_network_is_the_difference_of_both_sides(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    shutil.copy(CAPTURES / "librdkafka.pcap", captures / "broker.pcap")
    away = 10_000
    (captures / "client.pcap").write_bytes(farther((CAPTURES / "librdkafka.pcap").read_bytes(), away))

    write(spark, [captures], tmp_path / "tables")
    spark.read.parquet(str(tmp_path / "tables" / "calls")).createOrReplaceTempView("calls")
    spark.sql(QUERIES["Time in the network"])

    found = spark.sql("SELECT * FROM network_time").collect()
    answered = sum(call.outcome == "answered" for call in Reading([str(captures / "broker.pcap")]))
    assert len(found) == answered > 10
    assert {(row.client_vantage, row.broker_vantage) for row in found} == {
        (str(captures / "client"), str(captures / "broker"))
    }
    assert {round(row.network_ms, 3) for row in found} == {2 * away / 1000}


def farther(capture, microseconds):
    """Give a capture as it would have been made so far from the broker: requests sooner, answers later."""
    packets, place = [], 24
    (link_type,) = struct.unpack_from("<I", capture, 20)
    while place < len(capture):
        seconds, fraction, length, _ = struct.unpack_from("<IIII", capture, place)
        tcp = place + 16 + {1: 14, 0: 4, 113: 16, 276: 20}[link_type] + 20
        source, destination = struct.unpack_from(">HH", capture, tcp)
        time = seconds * 1_000_000 + fraction + (microseconds if source < destination else -microseconds)
        packets.append((time, capture[place + 8 : place + 16 + length]))
        place += 16 + length
    packets.sort(key=lambda packet: packet[0])
    return capture[:24] + b"".join(struct.pack("<II", *divmod(time, 1_000_000)) + rest for time, rest in packets)
