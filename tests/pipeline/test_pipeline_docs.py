"""docs/pipeline.md: its tables are those of the code, and its queries answer what they say."""

import json
import math
import re
import shutil
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.reading import Reading
from kafkasniff.render.json.items import connection_line
from kafkasniff.render.json.lines import JsonLines
from tests.conftest import needs_shared
from tests.pipeline.findings.compared import farther
from tests.pipeline.labelled import MISBEHAVE, SOME, culprit
from tests.pipeline.runs import CAPTURES, write
from tools.make_tables import with_tables

PAGE = Path("docs/pipeline.md").read_text()
QUERIES = dict(re.findall(r"^###? ([^\n]+)\n(?:(?!\n##).)*?```sql\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))


def test_the_tables_are_those_declared():
    assert with_tables(PAGE) == PAGE


def ask(spark, question):
    (title,) = [title for title in QUERIES if title.startswith(question)]
    return answer(spark, title)


@cache
def answer(spark, title):
    return [row.asDict() for row in spark.sql(QUERIES[title]).collect()]


@needs_shared
def test_each_question_is_answered(spark, labelled_tables):
    questions = [title for title in QUERIES if title.endswith("?")]
    assert len(questions) >= 10
    for question in questions:
        assert ask(spark, question), question


@needs_shared
def test_what_the_recordings_were_made_to_show_comes_first(spark, labelled_tables):
    leaders = ask(spark, "Which topics have the most errors")
    assert (leaders[0]["topic"], leaders[0]["errors"]) == (culprit("not-leader-loop-1")["topic"], 40)
    assert ask(spark, "How often does each group rebalance")[0]["group"] == culprit("rebalance-storm-1")["group"]
    old = ask(spark, "Who still uses Produce v2")
    assert {row["client_id"] for row in old} <= set(culprit("below-kafka4-minimum-1")["client_id"])


@needs_shared
def test_what_goes_wrong_most_is_what_diagnose_says(spark, labelled_tables):
    wanted = defaultdict(list)
    for name in SOME:
        diagnosis = Diagnosis()
        for item in Reading([str(MISBEHAVE / f"{name}.pcap")], connections=True):
            diagnosis.feed(item)
        for finding in diagnosis.findings():
            wanted[finding.severity, finding.rule].append(finding.count)

    found = ask(spark, "What goes wrong most")

    assert {"not-leader-loop", "rebalance-storm", "connection-churn"} <= {row["rule"] for row in found}
    assert {(row["severity"], row["rule"]): (row["findings"], row["times"]) for row in found} == {
        key: (len(counts), sum(counts)) for key, counts in wanted.items()
    }


@pytest.fixture(scope="module")
def shown():
    """All lines of `read --json --connections --two-pass` of the recordings, by type."""
    found = defaultdict(list)
    for name in SOME:
        for item in Reading([str(MISBEHAVE / f"{name}.pcap")], connections=True, two_pass=True):
            if isinstance(item, Call):
                found["call"].append(json.loads(JsonLines().line(item)))
            elif isinstance(item, ConnectionReport):
                found["connection"].append(json.loads(connection_line(item)))
    return found


def host(line):
    return line["client"].split(":")[0]


def api(line):
    return line["requestHeader"].get("requestApiKeyName")


def client_id(line):
    return line["requestHeader"].get("clientId")


def server(line):
    return line["server"]


def version(line):
    return line["requestHeader"]["requestApiVersion"]


def group(line):
    return line["request"]["groupId"]


SOFTWARE = (
    lambda line: line["clientInformation"]["softwareName"],
    lambda line: line["clientInformation"]["softwareVersion"],
)


def topic_of(line, where, path):
    """Give the topic of the outermost element of the path that names one."""
    array, index = path.split("]")[0].split("[")
    named = line[where][array][int(index)]
    return named.get("name") or named.get("topic") or line["topics"][named["topicId"]]


def grouped(lines, *keys):
    groups = defaultdict(list)
    for line in lines:
        groups[tuple(key(line) for key in keys)].append(line)
    return groups


@needs_shared
def test_the_delays_of_brokers_are_those_of_the_lines(spark, labelled_tables, shown):
    waiting = ("FETCH", "JOIN_GROUP", "SYNC_GROUP")
    answered = [line for line in shown["call"] if line["outcome"] == "answered" and api(line) not in waiting]
    wanted = {}
    for key, lines in grouped(
        answered, server, lambda line: moment(line["time"]).replace(second=0, microsecond=0)
    ).items():
        delays = sorted(line["responseDelayMs"] for line in lines)
        wanted[key] = (len(delays), delays[math.ceil(0.99 * len(delays)) - 1])

    found = ask(spark, "How slow is each broker")

    assert {(row["server"], row["minute"].astimezone(UTC)): (row["calls"], row["p99_ms"]) for row in found} == wanted


@needs_shared
def test_the_users_of_old_produce_are_those_of_the_lines(spark, labelled_tables, shown):
    old = [line for line in shown["call"] if api(line) == "PRODUCE" and version(line) <= 2]
    wanted = {
        key: (max(map(version, lines)), len(lines)) for key, lines in grouped(old, client_id, host, *SOFTWARE).items()
    }

    found = ask(spark, "Who still uses Produce v2")

    key = ("client_id", "host", "software_name", "software_version")
    assert {tuple(row[name] for name in key): (row["newest"], row["calls"]) for row in found} == wanted


@needs_shared
def test_the_errors_for_want_of_a_leader_are_those_of_the_lines(spark, labelled_tables, shown):
    names = ("NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "FENCED_LEADER_EPOCH")
    errors = [(line, error) for line in shown["call"] for error in line.get("errors", ()) if error["name"] in names]
    wanted = defaultdict(list)
    for line, error in errors:
        wanted[topic_of(line, error["where"], error["path"])].append(line)

    found = ask(spark, "Which topics have the most errors")

    assert {row["topic"]: (row["errors"], row["clients"]) for row in found} == {
        topic: (len(lines), len(set(map(client_id, lines)))) for topic, lines in wanted.items()
    }


@needs_shared
def test_the_rebalances_are_those_of_the_lines(spark, labelled_tables, shown):
    asked = [line for line in shown["call"] if api(line) in ("JOIN_GROUP", "SYNC_GROUP", "HEARTBEAT")]
    wanted = {}
    for key, lines in grouped(asked, lambda line: moment(line["time"]).date(), group).items():
        names = Counter(map(api, lines))
        told = sum(any(error["name"] == "REBALANCE_IN_PROGRESS" for error in line.get("errors", ())) for line in lines)
        wanted[key] = (names["JOIN_GROUP"], names["SYNC_GROUP"], told)

    found = ask(spark, "How often does each group rebalance")

    columns = ("joins", "syncs", "told_to_rejoin")
    assert {(row["date"], row["group"]): tuple(row[name] for name in columns) for row in found} == wanted


@needs_shared
def test_the_calls_without_an_answer_are_those_of_the_lines(spark, labelled_tables, shown):
    silent = grouped([line for line in shown["call"] if line["outcome"] == "unanswered"], client_id, server, api)

    found = ask(spark, "Which calls were never answered")

    assert {(row["client_id"], row["server"], row["api_name"]): row["calls"] for row in found} == {
        key: len(lines) for key, lines in silent.items()
    }
    for row in found:
        lines = silent[row["client_id"], row["server"], row["api_name"]]
        assert row["last"].astimezone(UTC) == max(moment(line["time"]) for line in lines)
        assert (row["file"], row["packet"]) in {(line["requestFile"], line["requestPacket"]) for line in lines}


@needs_shared
def test_the_waits_for_produce_are_those_of_the_lines(spark, labelled_tables, shown):
    produced = [line for line in shown["call"] if api(line) == "PRODUCE" and line["outcome"] == "answered"]
    wanted = {}
    for key, lines in grouped(produced, client_id, host).items():
        times = sorted(line["totalTimeMs"] for line in lines)
        # The smallest that so large a part of them does not exceed.
        wanted[key] = (len(times), *(times[math.ceil(part * len(times)) - 1] for part in (0.5, 0.99)))

    found = ask(spark, "Which clients wait longest")

    assert {(row["client_id"], row["host"]): (row["calls"], row["median_ms"], row["p99_ms"]) for row in found} == dict(
        sorted(wanted.items(), key=lambda each: -each[1][2])[:20]
    )
    assert [row["p99_ms"] for row in found] == sorted((row["p99_ms"] for row in found), reverse=True)


@needs_shared
def test_the_connections_that_hardly_live_are_those_of_the_lines(spark, labelled_tables, shown):
    wanted = {}
    begun = [line for line in shown["connection"] if line["began"] == "handshake"]
    for key, lines in grouped(begun, host, server).items():
        lasted = [moment(line["lastTime"]) - moment(line["time"]) for line in lines]
        silent = [line for line in lines if line["fromServer"]["bytes"] == 0]
        short = sum(each < timedelta(seconds=5) for each in lasted)
        wanted[key] = (len(lines), sum(line["calls"] for line in lines), short, len(silent))

    found = ask(spark, "Who makes connections")

    columns = ("connections", "calls", "short", "without_answer")
    assert {(row["host"], row["server"]): tuple(row[name] for name in columns) for row in found} == wanted
    assert found[0]["short"] > 50


@needs_shared
def test_the_shares_of_failed_calls_are_those_of_the_lines(spark, labelled_tables, shown):
    wanted = {}
    for key, lines in grouped(shown["call"], client_id, api).items():
        if failed := sum(bool(line.get("errors")) for line in lines):
            percent = (Decimal(100 * failed) / len(lines)).quantize(Decimal("0.1"), ROUND_HALF_UP)
            wanted[key] = (len(lines), failed, float(percent))

    found = ask(spark, "Which share of each client's calls fails")

    assert len(wanted) > 3
    assert {
        (row["client_id"], row["api_name"]): (row["calls"], row["failed"], row["percent"]) for row in found
    } == wanted


@needs_shared
def test_the_bytes_of_topics_are_those_of_the_bodies(spark, labelled_tables, shown):
    wanted = Counter()
    records = Counter()
    for line in shown["call"]:
        side = {"PRODUCE": "request", "FETCH": "response"}.get(api(line))
        for batch in line.get("batches", ()):
            if batch["where"] == side:
                topic = topic_of(line, side, batch["path"])
                wanted[topic, api(line)] += batch["sizeInBytes"]
                records[topic, api(line)] += batch["recordCount"] or 0

    found = ask(spark, "Which topics bring the most bytes")

    assert {name for _, name in wanted} == {"PRODUCE", "FETCH"}
    assert {(row["topic"], row["api_name"]): (row["bytes"], row["records"] or 0) for row in found} == {
        key: (size, records[key]) for key, size in wanted.items()
    }


@needs_shared
def test_the_versions_of_software_are_those_of_the_lines(spark, labelled_tables, shown):
    wanted = {}
    for (*named, name), lines in grouped(shown["call"], *SOFTWARE, api).items():
        versions = [version(line) for line in lines if name is not None]
        if versions:
            wanted[*named, name] = (min(versions), max(versions), len({host(line) for line in lines}), len(lines))

    found = ask(spark, "Which versions of each API")

    columns = ("oldest", "newest", "hosts", "calls")
    key = ("software_name", "software_version", "api_name")
    assert {tuple(row[name] for name in key): tuple(row[name] for name in columns) for row in found} == wanted


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")[:26] + "+00:00")


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
