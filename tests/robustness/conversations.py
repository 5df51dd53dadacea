"""Kafka conversations composed from byte vectors made by Kafka's own classes.

A vector gives the header and the body of one message; a conversation puts a request and a response of the same API and
version together under one correlation id, many of them on one connection.
"""

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from tests.conftest import VECTORS

Style = Literal["idle", "busy"]
"""`idle`: one request at a time, long pauses; `busy`: several in flight, frames that share segments."""

SASL_KEYS = {17, 36}
"""SaslHandshake and SaslAuthenticate change what the bytes after them mean, so random ones are no conversation."""

UNSUPPORTED_VERSION = 35
"""With this error ApiVersions answers in the v0 layout (KIP-511), which the vectors of higher versions do not do."""

PRODUCE, FETCH, API_VERSIONS = 0, 1, 18


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One message as it goes over the wire."""

    side: Literal["request", "response"]
    frame: bytes
    """Size prefix, header and body."""
    header_end: int
    """Bytes from the frame's start to the body, the size prefix included."""
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body: Any
    """What Kafka's own JSON converter makes of the body."""


@dataclass(frozen=True, slots=True, eq=False)
class SentCall:
    """A request and its response; no response where Kafka sends none (Produce with acks=0)."""

    request: Message
    response: Message | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The calls of one connection, in the order of their requests and responses."""

    client: tuple[str, int]
    server: tuple[str, int]
    calls: list[SentCall]
    style: Style
    start: int
    """Time of the SYN: nanoseconds since 1970-01-01 UTC."""

    def messages(self, direction: int) -> list[Message]:
        """Give the messages that the client (0) or the server (1) sends, in order."""
        if direction == 0:
            return [call.request for call in self.calls]
        return [call.response for call in self.calls if call.response is not None]


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def vectors() -> list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Give the rows of each API and version: requests beside responses, in a fixed order."""
    requests, responses = defaultdict(list), defaultdict(list)
    for row in _rows(VECTORS / "api-requests.jsonl.gz"):
        requests[row["api_key"], row["api_version"]].append(row)
    for row in _rows(VECTORS / "api-responses.jsonl.gz"):
        if not (row["api_key"] == API_VERSIONS and row["json"]["errorCode"] == UNSUPPORTED_VERSION):
            responses[row["api_key"], row["api_version"]].append(row)
    return [(requests[key], responses[key]) for key in sorted(requests) if key[0] not in SASL_KEYS]


def _message(row: dict[str, Any], correlation_id: int) -> Message:
    header = bytearray.fromhex(row["header_hex"])
    at = 4 if row["kind"] == "request" else 0
    header[at : at + 4] = correlation_id.to_bytes(4, "big", signed=True)
    content = bytes(header) + bytes.fromhex(row["body_hex"])
    return Message(
        side=row["kind"],
        frame=len(content).to_bytes(4, "big") + content,
        header_end=4 + len(header),
        api_key=row["api_key"],
        api_version=row["api_version"],
        correlation_id=correlation_id,
        client_id=row["header_json"].get("clientId"),
        body=row["json"],
    )


def vector_call(rng: Random, correlation_id: int) -> SentCall:
    """Draw a request and a response of one API and version."""
    requests, responses = rng.choice(vectors())
    request, response = rng.choice(requests), rng.choice(responses)
    answered = not (request["api_key"] == PRODUCE and request["json"]["acks"] == 0)
    return SentCall(_message(request, correlation_id), _message(response, correlation_id) if answered else None)


def _string(text: str) -> bytes:
    return len(text).to_bytes(2, "big") + text.encode()


def _filler(rng: Random, size: int) -> bytes:
    """Give bytes that tempt a search for frames: random ones, zeros, small integers, text."""
    out = bytearray()
    while len(out) < size:
        kind = rng.randrange(4)
        if kind == 0:
            out += rng.randbytes(rng.randrange(1, 2000))
        elif kind == 1:
            out += bytes(rng.randrange(1, 400))
        elif kind == 2:
            out += b"".join(rng.randrange(64).to_bytes(4, "big") for _ in range(rng.randrange(1, 200)))
        else:
            out += b"a value of some length, " * rng.randrange(1, 40)
    return bytes(out[:size])


def large_call(rng: Random, correlation_id: int, size: int) -> SentCall:
    """Compose a Produce v8 request or a Fetch v4 response with `size` bytes of records, by the layout of the Kafka protocol guide."""
    records = _filler(rng, size)
    if rng.random() < 0.5:
        header = b"\0\0" + b"\0\x08" + correlation_id.to_bytes(4, "big") + _string("large")
        body = b"\xff\xff" + b"\xff\xff" + b"\0\0\x75\x30" + b"\0\0\0\1" + _string("bulk") + b"\0\0\0\1" + b"\0\0\0\7"
        request = _compose(
            "request", PRODUCE, 8, correlation_id, "large", header,
            body + size.to_bytes(4, "big") + records,
            {"transactionalId": None, "acks": -1, "timeoutMs": 30000, "topicData": [
                {"name": "bulk", "partitionData": [{"index": 7, "recordsSizeInBytes": size}]}]},
        )  # fmt: skip
        response = _compose(
            "response", PRODUCE, 8, correlation_id, None, correlation_id.to_bytes(4, "big"),
            b"\0\0\0\0" + b"\0\0\0\0", {"responses": [], "throttleTimeMs": 0},
        )  # fmt: skip
        return SentCall(request, response)
    header = b"\0\1" + b"\0\x04" + correlation_id.to_bytes(4, "big") + _string("large")
    request = _compose(
        "request", FETCH, 4, correlation_id, "large", header,
        b"\xff\xff\xff\xff" + b"\0\0\1\xf4" + b"\0\0\0\1" + b"\x03\x20\0\0" + b"\0" + b"\0\0\0\0",
        {"replicaId": -1, "maxWaitMs": 500, "minBytes": 1, "maxBytes": 0x03200000, "isolationLevel": 0, "topics": []},
    )  # fmt: skip
    body = b"\0\0\0\0" + b"\0\0\0\1" + _string("bulk") + b"\0\0\0\1" + b"\0\0\0\7" + b"\0\0" + (99).to_bytes(8, "big")
    response = _compose(
        "response", FETCH, 4, correlation_id, None, correlation_id.to_bytes(4, "big"),
        body + (98).to_bytes(8, "big") + b"\xff\xff\xff\xff" + size.to_bytes(4, "big") + records,
        {"throttleTimeMs": 0, "responses": [{"topic": "bulk", "partitions": [{
            "partitionIndex": 7, "errorCode": 0, "highWatermark": 99, "lastStableOffset": 98,
            "abortedTransactions": None, "recordsSizeInBytes": size}]}]},
    )  # fmt: skip
    return SentCall(request, response)


def _compose(
    side: Literal["request", "response"], api_key: int, api_version: int, correlation_id: int,
    client_id: str | None, header: bytes, body: bytes, value: Any,
) -> Message:  # fmt: skip
    frame = (len(header) + len(body)).to_bytes(4, "big") + header + body
    return Message(side, frame, 4 + len(header), api_key, api_version, correlation_id, client_id, value)


def compose(
    rng: Random,
    *,
    connections: int,
    calls: int,
    style: Style = "busy",
    large_every: int = 0,
    large_size: int = 30_000,
    ipv6: bool = False,
    reuse: bool = False,
    server_port: int = 39092,
) -> list[Conversation]:
    """Compose conversations of `calls` calls each; every `large_every`-th call has a message of several segments.

    With `reuse` all connections have one 4-tuple and follow each other in time; else they run at the same time.
    """
    conversations = []
    start = 1_790_000_000_000_000_000
    for number in range(connections):
        octet = 1 if reuse else number + 1
        client = (f"2001:db8::{octet:x}" if ipv6 else f"10.0.{octet >> 8}.{octet & 255}", 50_000 + octet)
        server = ("2001:db8::ffff" if ipv6 else "10.9.9.9", server_port)
        first_id = rng.randrange(4)
        sent = []
        for position in range(calls):
            if large_every and position % large_every == large_every - 1:
                size = rng.randrange(large_size // 2, large_size)
                sent.append(large_call(rng, first_id + position, size))
            else:
                sent.append(vector_call(rng, first_id + position))
        begin = start + number * (60_000_000_000 if reuse else 137_000)
        conversations.append(Conversation(client, server, sent, style, begin))
    return conversations
