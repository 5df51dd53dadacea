"""Streams that are held, and the messages that Kafka's own classes wrote."""

import gzip
import json
from typing import Any

from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import BUDGET, connection, data, gap
from tests.conftest import VECTORS

OF = connection()


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def held(*segments: bytes) -> HeldStream:
    made = HeldStream(1 << 22, BUDGET)
    for packet, segment in enumerate(segments):
        made.push(data(OF, 0, segment, packet))
    return made


def behind_a_gap(before: bytes, lost: int, *segments: bytes) -> HeldStream:
    made = held(before)
    made.push_gap(gap(OF, 0, lost, 0))
    for packet, segment in enumerate(segments):
        made.push(data(OF, 0, segment, packet + 1))
    return made
