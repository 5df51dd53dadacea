"""The clients of a recording, against its calls one by one."""

from collections import Counter
from typing import Any

import duckdb

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.tables.calls.client_tally import ClientTally
from kafkasniff.tables.filling import blocks_of
from tests.conftest import CAPTURES

RECORDING = CAPTURES / "java-4.3.1-basic.pcap"


def calls() -> list[Call]:
    return [item for item in kafkasniff.read([str(RECORDING)]) if isinstance(item, Call)]


def taken(tally: ClientTally) -> list[dict[str, Any]]:
    stream = tally.take()  # noqa: F841
    found = duckdb.sql("select * from stream")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_clients_are_counted_over_blocks_who_had_most_calls_first() -> None:
    items = calls()
    tally = ClientTally()
    # In three blocks, as those of a long capture are.
    for part in (items[:30], items[30:31], items[31:]):
        for block in blocks_of(part):
            tally.add(block)
    # What a client calls before it is known who it is counts apart.
    expected = Counter((call.client_id, call.principal) for call in items)
    assert len(tally) == len(expected)
    rows = taken(tally)
    assert {(row["client_id"], row["principal"]): row["calls"] for row in rows} == expected
    assert [row["calls"] for row in rows] == sorted(expected.values(), reverse=True)
    for row in rows:
        own = (row["client_id"], row["principal"])
        times = [call.time.time // 1_000 for call in items if (call.client_id, call.principal) == own]
        found = [round(row[name].timestamp() * 1_000_000) for name in ("first_time", "last_time")]
        assert found == [min(times), max(times)]
        assert (row["client_host"], row["software_name"]) == ("127.0.0.1", "apache-kafka-java")


def test_it_begins_anew_when_it_was_taken() -> None:
    tally = ClientTally()
    for block in blocks_of(calls()):
        tally.add(block)
    taken(tally)
    assert len(tally) == 0
    assert taken(tally) == []
