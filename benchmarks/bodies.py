"""Time the decoding of bodies: `python -m benchmarks.bodies` prints microseconds a message.

Whether it decodes (`fits`); its JSON; `decode_body`; and `find_errors` on the decoded value.
"""

import struct
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from benchmarks.primitives import compact_array, compact_bytes, compact_string
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body, find_errors, fits
from kafkasniff.protocol.bodies.json_tables import json_table
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.primitives import MAX_ELEMENTS

ROUNDS = 5
SECONDS_A_ROUND = 0.05

NO_TAGS = b"\0"
NULL = b"\0"
TOPIC_ID = bytes(range(16))


class Sample(NamedTuple):
    """A body to decode."""

    title: str
    api_key: int
    version: int
    kind: Kind
    body: bytes


def heartbeat_request() -> bytes:
    return compact_string("a-group") + struct.pack(">i", 7) + compact_string("consumer-1-0f6c") + NULL + NO_TAGS


def offset_commit_request(partitions: int) -> bytes:
    positions = (struct.pack(">iqi", index, 4711, 3) + compact_string("") + NO_TAGS for index in range(partitions))
    topic = compact_string("orders") + compact_array(positions) + NO_TAGS
    member = compact_string("a-group") + struct.pack(">i", 7) + compact_string("consumer-1-0f6c") + NULL
    return member + compact_array([topic]) + NO_TAGS


def offset_commit_response(partitions: int) -> bytes:
    results = (struct.pack(">ih", index, 0) + NO_TAGS for index in range(partitions))
    topic = compact_string("orders") + compact_array(results) + NO_TAGS
    return struct.pack(">i", 0) + compact_array([topic]) + NO_TAGS


def metadata_response(topics: int, partitions: int) -> bytes:
    nodes = compact_array(struct.pack(">i", node) for node in (1, 2, 3))
    brokers = (
        struct.pack(">i", node) + compact_string(f"broker-{node}") + struct.pack(">i", 9092) + NULL + NO_TAGS
        for node in (1, 2, 3)
    )
    states = [
        struct.pack(">hiii", 0, index, 1, 5) + nodes + nodes + compact_array([]) + NO_TAGS
        for index in range(partitions)
    ]
    entries = (
        struct.pack(">h", 0)
        + compact_string(f"topic-{index}")
        + TOPIC_ID
        + b"\0"
        + compact_array(states)
        + struct.pack(">i", -(2**31))
        + NO_TAGS
        for index in range(topics)
    )
    cluster = compact_string("a-cluster") + struct.pack(">i", 1)
    return struct.pack(">i", 0) + compact_array(brokers) + cluster + compact_array(entries) + NO_TAGS


def produce_request(records: bytes) -> bytes:
    partition = struct.pack(">i", 0) + compact_bytes(records) + NO_TAGS
    topic = compact_string("orders") + compact_array([partition]) + NO_TAGS
    return NULL + struct.pack(">hi", -1, 30000) + compact_array([topic]) + NO_TAGS


def fetch_response(records: bytes, partitions: int) -> bytes:
    fetched = (
        struct.pack(">ihqqq", index, 0, 9, 9, 0) + NULL + struct.pack(">i", -1) + compact_bytes(records) + NO_TAGS
        for index in range(partitions)
    )
    topic = compact_string("orders") + compact_array(fetched) + NO_TAGS
    return struct.pack(">ihi", 0, 0, 77) + compact_array([topic]) + NO_TAGS


SAMPLES = [
    Sample("Heartbeat request v4", 12, 4, "request", heartbeat_request()),
    Sample("Heartbeat response v4", 12, 4, "response", struct.pack(">ih", 0, 0) + NO_TAGS),
    Sample("OffsetCommit request v8, 3 partitions", 8, 8, "request", offset_commit_request(3)),
    Sample("OffsetCommit response v8, 3 partitions", 8, 8, "response", offset_commit_response(3)),
    Sample("Metadata response v12, 3 topics x 3 partitions", 3, 12, "response", metadata_response(3, 3)),
    Sample("Metadata response v12, 1,000 partitions", 3, 12, "response", metadata_response(10, 100)),
    Sample("Produce request v9, one batch of 20 kB", 0, 9, "request", produce_request(bytes(20_000))),
    Sample("Fetch response v12, three batches of 20 kB", 1, 12, "response", fetch_response(bytes(20_000), 3)),
]


def microseconds(function: Callable[[], Any]) -> float:
    """Give the median CPU time of a call over some rounds."""
    begun = time.process_time()
    function()
    calls = max(1, int(SECONDS_A_ROUND / max(time.process_time() - begun, 1e-6)))
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(calls):
            function()
        times.append((time.process_time() - begun) / calls * 1e6)
    return median(times)


def table_seconds() -> tuple[int, float]:
    """Make every table; give their number and the CPU time, without that of importing the definitions."""
    kinds: tuple[Kind, Kind] = ("request", "response")
    definitions = [(api, api_definition(api.key, kind)) for api in APIS.values() for kind in kinds]
    begun = time.process_time()
    tables = [
        make_table(definition, version)
        for api, definition in definitions
        for version in range(api.first_version, api.last_version + 1)
    ]
    return len(tables), time.process_time() - begun


def main() -> None:
    """Print the table."""
    count, seconds = table_seconds()
    print(f"{count} tables made in {seconds * 1e3:.0f} ms\n")
    print("| message | bytes | fits | JSON | decode_body | find_errors |")
    print("| --- | --- | --- | --- | --- | --- |")
    writer = JsonWriter()
    for title, key, version, kind, body in SAMPLES:
        table = json_table(key, version, kind, False)
        value = decode_body(key, version, kind, body, 0).value
        if value is None or not fits(key, version, kind, body, 0):
            raise SystemExit(f"{title}: does not decode")
        figures = (
            microseconds(lambda: fits(key, version, kind, body, 0)),  # noqa: B023
            microseconds(lambda: writer.read(table, body, 0, MAX_ELEMENTS)),  # noqa: B023
            microseconds(lambda: decode_body(key, version, kind, body, 0)),  # noqa: B023
            microseconds(lambda: find_errors(key, version, kind, value)),  # noqa: B023
        )
        print(f"| {title} | {len(body):,} | {' | '.join(f'{figure:.1f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
