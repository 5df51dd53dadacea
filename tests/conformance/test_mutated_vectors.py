"""Spoiled bodies: what Kafka's reader makes of them, and what it refuses."""

import json
from collections.abc import Callable

from kafkasniff.protocol.bodies import decode_body, find_errors, fits
from kafkasniff.protocol.bodies.scanning import scan_body
from tests.conformance.vector_rows import json_text, name_of, rows
from tests.protocol.bodies.json_reading import read_json


def test_bodies_that_kafka_reads_and_refuses(add_figure: Callable[..., None]) -> None:
    read = [row for row in rows("api-mutated") if row["kafka_reads"]]
    refused = [row for row in rows("api-mutated") if not row["kafka_reads"]]
    different = []
    for row in read:
        body = bytes.fromhex(row["body_hex"])
        decoded = decode_body(row["api_key"], row["api_version"], row["kind"], body, 0)
        if json_text(decoded.value) != json_text(row["json"]) or len(body) - decoded.end != row["bytes_left"]:
            different.append(name_of(row))
        trailing = [problem for problem in decoded.problems if problem[0] == decoded.end]
        assert bool(trailing) == (row["bytes_left"] > 0), name_of(row)
    accepted = []
    for row in refused:
        decoded = decode_body(row["api_key"], row["api_version"], row["kind"], bytes.fromhex(row["body_hex"]), 0)
        if decoded.value is not None or not decoded.problems or decoded.partial is None:
            accepted.append(name_of(row))
    add_figure("Mutated API vectors", "Kafka reads", rows=len(read), different=len(different))
    add_figure("Mutated API vectors", "Kafka refuses", rows=len(refused), different=len(accepted))
    assert different == []
    assert accepted == []


def test_every_sink_accepts_and_refuses_the_same() -> None:
    for row in rows("api-mutated"):
        key, version, kind = row["api_key"], row["api_version"], row["kind"]
        body = bytes.fromhex(row["body_hex"])
        decoded = decode_body(key, version, kind, body, 0)
        is_sound = decoded.value is not None and not decoded.problems
        assert fits(key, version, kind, body, 0) == is_sound, name_of(row)
        scan = scan_body(key, version, kind, body, 0, frozenset())
        assert (scan is not None) == is_sound, name_of(row)
        found = read_json(key, version, kind, True, body)
        assert (found is not None) == is_sound, name_of(row)
        if found is not None and scan is not None and decoded.value is not None:
            assert json_text(json.loads(found.text)) == json_text(decoded.value), name_of(row)
            assert found.errors == scan.errors == find_errors(key, version, kind, decoded.value), name_of(row)
