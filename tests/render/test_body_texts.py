"""The JSON of bodies read as columns against Kafka's own, and against that of the decoder where bytes are damaged."""

import gzip
import json
from collections import defaultdict
from random import Random
from typing import Any

import numpy as np
import orjson
import pytest

from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.body_columns import Buffer, body_reader
from kafkasniff.protocol.fields import Kind
from kafkasniff.render.body_texts import body_pieces, texts
from kafkasniff.render.json_columns import json_readers
from kafkasniff.render.text_blocks import squeezed
from tests.conftest import VECTORS, needs_shared

KINDS: tuple[Kind, Kind] = ("request", "response")


def vectors(kind: Kind) -> dict[tuple[int, int], list[tuple[bytes, Any]]]:
    """Bodies that Kafka wrote, with its JSON, by API and version; of those that are read by columns."""
    found: dict[tuple[int, int], list[tuple[bytes, Any]]] = defaultdict(list)
    with gzip.open(VECTORS / f"api-{kind}s.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            layout = row["api_key"], row["api_version"]
            if json_readers(*layout) is not None:
                found[layout].append((bytes.fromhex(row["body_hex"]), row["json"]))
    return found


def read(layout: tuple[int, int], kind: Kind, bodies: list[bytes], random: Random) -> list[bytes | None]:
    """Give the JSON of bodies; None for those that are odd."""
    data, starts = bytearray(b"\xff" * 3), []
    for body in bodies:
        starts.append(len(data))
        # Between other bytes, which must not matter.
        data += body + bytes(random.randrange(256) for _ in range(random.randrange(4)))
    buffer, start = Buffer(bytes(data) + bytes(8)), np.array(starts)
    reader = body_reader(*layout, kind)
    assert reader is not None
    columns, odd = reader.read(buffer, start, start + [len(body) for body in bodies])
    found = texts(body_pieces(buffer, columns, len(bodies)), len(bodies))
    return [None if out else squeezed(text) for text, out in zip(found, odd.tolist(), strict=True)]


@needs_shared
@pytest.mark.parametrize("kind", KINDS)
def test_kafka_s_own_bytes(kind: Kind) -> None:
    random, plain = Random(3), 0
    for layout, rows in vectors(kind).items():
        for text, (_, expected) in zip(read(layout, kind, [body for body, _ in rows], random), rows, strict=True):
            assert text is None or orjson.loads(text) == expected
            plain += text is not None
    assert plain > 400


@needs_shared
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes(kind: Kind) -> None:
    random, plain = Random(4), 0
    for layout, rows in vectors(kind).items():
        bodies = []
        for body, _ in rows:
            changed = bytearray(body)
            for _ in range(random.randrange(3)):
                if changed:
                    changed[random.randrange(len(changed))] = random.choice((0, 1, 2, 0x22, 0x41, 0x7F, 0x80, 0xFF))
            bodies += [bytes(changed), bytes(changed[: random.randint(0, len(changed))])]
        for text, body in zip(read(layout, kind, bodies, random), bodies, strict=True):
            if text is None:
                continue
            decoded = decode_body(*layout, kind, body, 0)
            assert not decoded.problems
            assert text == orjson.dumps(decoded.value)
            plain += 1
    assert plain > 250
