"""What `kafkasniff read --json` says of captures, in the columns of the tables, to compare with these."""

import json
import os
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cache

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.reading import Reading
from kafkasniff.render.json.items import connection_line
from kafkasniff.render.json.lines import JsonLines
from tests.json_fields import CALL_FIELDS, HEADER_FIELDS

BATCH_FIELDS = {
    "where": "where",
    "path": "path",
    "magic": "magic",
    "base_offset": "baseOffset",
    "last_offset": "lastOffset",
    "partition_leader_epoch": "partitionLeaderEpoch",
    "compression": "compression",
    "timestamp_type": "timestampType",
    "base_timestamp": "baseTimestamp",
    "max_timestamp": "maxTimestamp",
    "producer_id": "producerId",
    "producer_epoch": "producerEpoch",
    "base_sequence": "baseSequence",
    "is_transactional": "isTransactional",
    "is_control": "isControl",
    "record_count": "recordCount",
    "size_in_bytes": "sizeInBytes",
    "crc_valid": "crcValid",
}
CONNECTION_FIELDS = {
    "connection": "connection",
    "client": "client",
    "server": "server",
    "protocol": "protocol",
    "evidence": "evidence",
    "calls": "calls",
    "round_trip_ms": "roundTripMs",
    "began": "began",
    "ended": "ended",
    "ended_by": "endedBy",
    "first_file": "firstFile",
    "first_packet": "firstPacket",
    "last_file": "lastFile",
    "last_packet": "lastPacket",
}
COUNTER_FIELDS = {
    "packets": "packets",
    "bytes": "bytes",
    "retransmissions": "retransmissions",
    "out_of_order": "outOfOrder",
    "gaps": "gaps",
    "gap_bytes": "gapBytes",
    "cut_packets": "cutPackets",
    "conflicts": "conflicts",
}
COMPARED = ("calls", "errors", "batches", "connections")


def expected_rows(paths: list[str], key_log: str | None = None) -> dict[str, Counter[tuple]]:
    """Give the rows by table that follow from the lines of `read --json --connections --two-pass`."""
    return _expected_rows(tuple((path, os.stat(path).st_mtime_ns) for path in paths), key_log)


@cache
def _expected_rows(files: tuple[tuple[str, int], ...], key_log: str | None) -> dict[str, Counter[tuple]]:
    """Give them; many tests ask for those of the same files."""
    paths = [path for path, _ in files]
    rows: dict[str, list[dict]] = {name: [] for name in COMPARED}
    for item in Reading(paths, connections=True, two_pass=True, key_log=key_log):
        if isinstance(item, Call):
            _add_call(json.loads(JsonLines().line(item)), rows)
        elif isinstance(item, ConnectionReport):
            rows["connections"].append(_connection(json.loads(connection_line(item))))
    return {name: comparable(name, found) for name, found in rows.items()}


def comparable(table: str, rows: Iterable[dict]) -> Counter[tuple]:
    """Give rows in any order, by the columns that the JSON lines have too."""
    names = columns_of(table)
    return Counter(tuple(_hashable(row[name]) for name in names) for row in rows)


def columns_of(table: str) -> list[str]:
    """Give the columns that are compared."""
    call = ["connection", "time", "client", "server", *HEADER_FIELDS]
    if table == "calls":
        return ["time", *CALL_FIELDS, *HEADER_FIELDS, "software_name", "software_version", "error_names", "problems"]
    if table == "errors":
        return [*(name for name in call if name != "correlation_id"), "where", "path", "code", "name"]
    if table == "batches":
        return [*(name for name in call if name != "correlation_id"), *BATCH_FIELDS, "decompressed_bytes"]
    counters = [f"{side}_{name}" for side in ("client", "server") for name in COUNTER_FIELDS]
    return ["time", "last_time", *CONNECTION_FIELDS, *counters, "tunnel"]


def _add_call(line: dict, rows: dict[str, list[dict]]) -> None:
    call = {name: line.get(field) for name, field in CALL_FIELDS.items()}
    call |= {name: line["requestHeader"].get(field) for name, field in HEADER_FIELDS.items()}
    call["time"] = _time(line["time"])
    client = line["clientInformation"]
    call["software_name"], call["software_version"] = client["softwareName"], client["softwareVersion"]
    call["error_names"] = list(dict.fromkeys(error["name"] for error in line.get("errors", ())))
    call["problems"] = [problem["message"] for problem in line.get("problems", ())]
    rows["calls"].append(call)
    rows["errors"] += [call | error for error in line.get("errors", ())]
    for batch in line.get("batches", ()):
        row = call | {name: batch[field] for name, field in BATCH_FIELDS.items()}
        row["decompressed_bytes"] = batch["sizeInBytes"] if batch["compression"] == "none" else None
        rows["batches"].append(row)


def _connection(line: dict) -> dict:
    row = {name: line[field] for name, field in CONNECTION_FIELDS.items()}
    row["time"], row["last_time"] = _time(line["time"]), _time(line["lastTime"])
    for side, of_side in (("client", line["fromClient"]), ("server", line["fromServer"])):
        row |= {f"{side}_{name}": of_side[field] for name, field in COUNTER_FIELDS.items()}
    row["tunnel"] = line.get("tunnel", [])
    return row


def _time(text: str) -> datetime:
    """Give a time in microseconds, which is what Spark's timestamps have."""
    whole, fraction = text.rstrip("Z").split(".")
    return datetime.fromisoformat(f"{whole}.{fraction[:6]}+00:00")


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
