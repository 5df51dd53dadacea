"""Partitions, events of groups and what brokers offer, beside the JSON lines of the same captures."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kafkasniff.calls.call import Call
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tables.declared import TABLES
from kafkasniff.tables.filling import TableFiller
from tests.conftest import CAPTURES, SHARED

_SHARED = sorted((SHARED / "captures" / "healthy").glob("*.pcap*")) if SHARED.is_dir() else []
_BY_NAME = {path.name: path for path in (*_SHARED, *sorted(CAPTURES.glob("*.pcap*")))}
"""What lies in both folders is the same."""
FILES = [path for name, path in _BY_NAME.items() if path.stat().st_size < 150_000 and "tls" not in name]


def rows_of(path: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    names = [column.name for column in TABLES[name].columns]

    def take(_: str, block: Any) -> None:
        found.extend(dict(zip(names, row, strict=True)) for row in duckdb.sql("SELECT * FROM block").fetchall())

    filler = TableFiller({name: None}, take)
    for items in Reading([str(path)], metrics=False).batches():
        filler.take(items)
    filler.flush()
    return found


def lines_of(path: Path) -> list[dict[str, Any]]:
    lines = JsonLines()
    return [json.loads(lines.line(item)) for item in Reading([str(path)], metrics=False) if isinstance(item, Call)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_partitions_that_were_fetched(path: Path) -> None:
    rows = [row for row in rows_of(path, "partitions") if row["api_name"] == "FETCH"]
    told = []
    for line in lines_of(path):
        if line["requestHeader"].get("requestApiKeyName") != "FETCH" or line.get("response") is None:
            continue
        for topic_at, topic in enumerate(line["response"]["responses"]):
            for at, each in enumerate(topic["partitions"]):
                where = f"responses[{topic_at}].partitions[{at}].records"
                batches = [batch for batch in line.get("batches", ()) if batch["path"] == where]
                told.append(
                    (
                        topic.get("topic") or line.get("topics", {}).get(topic.get("topicId")),
                        each["partitionIndex"],
                        each["errorCode"],
                        each["highWatermark"],
                        each.get("logStartOffset"),
                        each.get("recordsSizeInBytes", 0),
                        sum(batch["recordCount"] or 0 for batch in batches),
                    )
                )
    names = ("topic", "partition", "error_code", "high_watermark", "log_start_offset", "bytes", "records")
    answered = [row for row in rows if row["high_watermark"] is not None]
    assert sorted([tuple(row[name] for name in names) for row in answered], key=repr) == sorted(told, key=repr)
    assert all(row["lag"] is None or row["lag"] >= 0 for row in rows)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_partitions_that_were_committed(path: Path) -> None:
    rows = [row for row in rows_of(path, "partitions") if row["api_name"] == "OFFSET_COMMIT"]
    told = [
        (
            topic.get("name") or line.get("topics", {}).get(topic.get("topicId")),
            each["partitionIndex"],
            each["committedOffset"],
        )
        for line in lines_of(path)
        if line["requestHeader"].get("requestApiKeyName") == "OFFSET_COMMIT" and line.get("request") is not None
        for topic in line["request"]["topics"]
        for each in topic["partitions"]
    ]
    assert sorted([(row["topic"], row["partition"], row["offset"]) for row in rows], key=repr) == sorted(told, key=repr)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_group_events(path: Path) -> None:
    rows, lines = rows_of(path, "group_events"), lines_of(path)
    by_api = {api: [line for line in lines if line["requestHeader"].get("requestApiKeyName") == api] for api in _EVENTS}
    for api, event in _EVENTS.items():
        told = [line for line in by_api[api] if line.get("request") is not None]
        found = [row for row in rows if row["api_name"] == api]
        assert {row["event"] for row in found} <= {event}
        count = (
            sum(len(line["request"].get("members") or (1,)) for line in told)
            if api != "HEARTBEAT"
            else sum(bool((line.get("response") or {}).get("errorCode")) for line in told)
        )
        assert len(found) == count
        assert {row["group"] for row in found} <= {line["request"]["groupId"] for line in told}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_members_subscribe_to_and_get(path: Path) -> None:
    rows, lines = rows_of(path, "group_events"), lines_of(path)
    for api, kind, of in (
        ("JOIN_GROUP", "ConsumerProtocolSubscription", lambda value: value["topics"]),
        ("SYNC_GROUP", "ConsumerProtocolAssignment", _assigned),
    ):
        side = "request" if api == "JOIN_GROUP" else "response"
        told = [
            sorted(
                {
                    name
                    for each in line.get("decoded", ())
                    if (each["where"], each["type"]) == (side, kind) and each["value"]
                    for name in of(each["value"])
                }
            )
            for line in lines
            if line["requestHeader"].get("requestApiKeyName") == api and line.get("request") is not None
        ]
        column = "topics" if api == "JOIN_GROUP" else "assignment"
        assert sorted(sorted(row[column]) for row in rows if row["api_name"] == api) == sorted(told)


def _assigned(value: dict[str, Any]) -> list[str]:
    return [f"{each['topic']}-{number}" for each in value["assignedPartitions"] for number in each["partitions"]]


_EVENTS = {"JOIN_GROUP": "join", "SYNC_GROUP": "sync", "LEAVE_GROUP": "leave", "HEARTBEAT": "heartbeat"}


def test_what_a_broker_offers() -> None:
    path = CAPTURES / "java-4.3.1-basic.pcap"
    told = next(line["response"]["apiKeys"] for line in lines_of(path) if "apiKeys" in (line.get("response") or {}))
    rows = rows_of(path, "apis_offered")
    assert [(row["api_key"], row["min_version"], row["max_version"]) for row in rows] == [
        (each["apiKey"], each["minVersion"], each["maxVersion"]) for each in told
    ]
    assert rows[0]["api_name"] == "PRODUCE"


def test_brokers_and_logins() -> None:
    path = CAPTURES / "java-4.3.1-basic.pcap"
    places = {
        (each["host"], str(each["port"]), each["nodeId"], each["rack"])
        for line in lines_of(path)
        if line["requestHeader"].get("requestApiKeyName") == "METADATA"
        for each in line["response"]["brokers"]
    }
    rows = rows_of(path, "brokers")
    assert {(*row["server"].rsplit(":", 1), row["node_id"], row["rack"]) for row in rows} == places
    assert rows_of(path, "logins") == []
