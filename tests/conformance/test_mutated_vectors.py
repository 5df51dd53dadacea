"""Spoiled bodies: what Kafka's reader makes of them, and what it refuses."""

from collections.abc import Callable

import pytest

from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.interpreter import interpret
from tests.conformance.vector_rows import decoder_of, json_text, name_of, rows


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


def test_compiled_decoders_accept_and_refuse_as_the_interpreter_does() -> None:
    for row in rows("api-mutated"):
        definition = api_definition(row["api_key"], row["kind"])
        body = bytes.fromhex(row["body_hex"])
        slow = interpret(definition, row["api_version"], body)
        decoder = decoder_of(row["api_key"], row["api_version"], row["kind"])
        if slow.error is None and not slow.malformed_texts:
            assert decoder(body, 0, []) == (slow.value, slow.end), name_of(row)
        else:
            with pytest.raises(ProtocolError):
                decoder(body, 0, [])
