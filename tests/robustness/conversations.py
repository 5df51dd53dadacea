"""Kafka conversations composed from byte vectors made by Kafka's own classes.

A vector gives the header and the body of one message; a conversation puts a request and a response of the same API and
version together under one correlation id, many of them on one connection.
"""

import gzip
import json
import struct
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

import crc32c

from tests.conftest import VECTORS

Style = Literal["idle", "busy"]
"""`idle`: one request at a time, long pauses; `busy`: several in flight, frames that share segments."""

SASL_KEYS = {17, 36}
"""SaslHandshake and SaslAuthenticate change what the bytes after them mean, so random ones are no conversation."""

UNSUPPORTED_VERSION = 35
"""With this error ApiVersions answers in the v0 layout (KIP-511), which the vectors of higher versions do not do."""

PRODUCE, FETCH, CONTROLLED_SHUTDOWN, API_VERSIONS = 0, 1, 7, 18

CLIENT_IDS = (
    "producer-1",
    "consumer-billing-3",
    "adminclient-2",
    "rdkafka",
    "sarama",
    "kgo",
    "kafka-python-2.0.2",
    "zahlungen-größe-7",
    "7",
    None,
)
"""What clients call themselves: by default, when someone named them, and not at all."""


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

    def numbered(self, correlation_id: int) -> "Message":
        """Give the same message under another correlation id."""
        at = 8 if self.side == "request" else 4
        frame = self.frame[:at] + correlation_id.to_bytes(4, "big", signed=True) + self.frame[at + 4 :]
        return replace(self, frame=frame, correlation_id=correlation_id)

    def from_client(self, client_id: str | None) -> "Message":
        """Give the same request from a client of this id; ControlledShutdown v0 names none."""
        if (self.api_key, self.api_version) == (CONTROLLED_SHUTDOWN, 0):
            return self
        own = 14 + len((self.client_id or "").encode())
        content = self.frame[4:12] + _nullable_string(client_id) + self.frame[own:]
        longer = 4 + len(content) - len(self.frame)
        return replace(self, frame=_frame(content), header_end=self.header_end + longer, client_id=client_id)


@dataclass(frozen=True, slots=True, eq=False)
class SentCall:
    """A request and its response; no response where Kafka sends none (Produce with acks=0)."""

    request: Message
    response: Message | None

    def numbered(self, correlation_id: int) -> "SentCall":
        """Give the same call under another correlation id."""
        response = None if self.response is None else self.response.numbered(correlation_id)
        return SentCall(self.request.numbered(correlation_id), response)

    def from_client(self, client_id: str | None) -> "SentCall":
        """Give the same call by a client of this id."""
        return SentCall(self.request.from_client(client_id), self.response)


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
    header = bytes.fromhex(row["header_hex"])
    message = Message(
        side=row["kind"],
        frame=_frame(header + bytes.fromhex(row["body_hex"])),
        header_end=4 + len(header),
        api_key=row["api_key"],
        api_version=row["api_version"],
        correlation_id=row["header_json"]["correlationId"],
        client_id=row["header_json"].get("clientId"),
        body=row["json"],
    )
    return message.numbered(correlation_id)


def combine(request: dict[str, Any], response: dict[str, Any], correlation_id: int) -> SentCall:
    """Put a row of a request and a row of a response together."""
    answered = not (request["api_key"] == PRODUCE and request["json"]["acks"] == 0)
    return SentCall(_message(request, correlation_id), _message(response, correlation_id) if answered else None)


def vector_call(rng: Random, correlation_id: int) -> SentCall:
    """Draw a request and a response of one API and version."""
    requests, responses = rng.choice(vectors())
    return combine(rng.choice(requests), rng.choice(responses), correlation_id)


def _string(text: str) -> bytes:
    return len(text.encode()).to_bytes(2, "big") + text.encode()


def _nullable_string(text: str | None) -> bytes:
    return b"\xff\xff" if text is None else _string(text)


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


def _zigzag(value: int) -> bytes:
    number = value << 1 ^ value >> 31
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def _batch(value: bytes) -> bytes:
    """Give a record batch of magic 2 that holds one record without a key."""
    record = b"\0" + _zigzag(0) + _zigzag(0) + _zigzag(-1) + _zigzag(len(value)) + value + _zigzag(0)
    record = _zigzag(len(record)) + record
    checked = struct.pack(">hiqqqhii", 0, 0, 1_790_000_000_000, 1_790_000_000_000, -1, -1, -1, 1) + record
    rest = struct.pack(">ibI", 0, 2, crc32c.crc32c(checked)) + checked
    return struct.pack(">qi", 0, len(rest)) + rest


def large_call(rng: Random, correlation_id: int, size: int) -> SentCall:
    """Compose a Produce v8 request or a Fetch v4 response with a record of `size` bytes (Kafka protocol guide)."""
    batch = _batch(_filler(rng, size))
    records = len(batch).to_bytes(4, "big") + batch
    number = correlation_id.to_bytes(4, "big")
    one_partition = b"\0\0\0\1" + _string("bulk") + b"\0\0\0\1" + b"\0\0\0\7"
    if rng.random() < 0.5:
        api = (PRODUCE, 8)
        request_body = b"\xff\xff" + b"\xff\xff" + b"\0\0\x75\x30" + one_partition + records
        partitions: list[dict[str, Any]] = [{"index": 7, "recordsSizeInBytes": len(batch)}]
        topics: list[dict[str, Any]] = [{"name": "bulk", "partitionData": partitions}]
        request: Any = {"transactionalId": None, "acks": -1, "timeoutMs": 30000, "topicData": topics}
        response_body = b"\0\0\0\0" + b"\0\0\0\0"
        response: Any = {"responses": [], "throttleTimeMs": 0}
    else:
        api = (FETCH, 4)
        request_body = struct.pack(">iiiibi", -1, 500, 1, 50_000_000, 0, 0)
        request = {"replicaId": -1, "maxWaitMs": 500, "minBytes": 1, "maxBytes": 50_000_000}
        request |= {"isolationLevel": 0, "topics": []}
        response_body = b"\0\0\0\0" + one_partition + struct.pack(">hqqi", 0, 99, 98, -1) + records
        partitions = [{"partitionIndex": 7, "errorCode": 0, "highWatermark": 99, "lastStableOffset": 98}]
        partitions[0] |= {"abortedTransactions": None, "recordsSizeInBytes": len(batch)}
        response = {"throttleTimeMs": 0, "responses": [{"topic": "bulk", "partitions": partitions}]}
    header = struct.pack(">hh", *api) + number + _string("large")
    return SentCall(
        Message("request", _frame(header + request_body), 4 + len(header), *api, correlation_id, "large", request),
        Message("response", _frame(number + response_body), 8, *api, correlation_id, None, response),
    )


def _frame(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


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
    draw: Callable[[Random, int], SentCall] = vector_call,
) -> list[Conversation]:
    """Compose conversations of `calls` calls each; every `large_every`-th call has a message of several segments.

    All calls of a conversation have one client id, as those of real clients have.
    `draw` composes the other calls. With `reuse` all connections have one 4-tuple and follow each other in time, else
    they run at the same time.
    """
    conversations = []
    start = 1_790_000_000_000_000_000
    for number in range(connections):
        octet = 1 if reuse else number + 1
        client = (f"2001:db8::{octet:x}" if ipv6 else f"10.0.{octet >> 8}.{octet & 255}", 50_000 + octet)
        server = ("2001:db8::ffff" if ipv6 else "10.9.9.9", server_port)
        first_id = rng.randrange(4)
        client_id = rng.choice(CLIENT_IDS)
        sent = []
        for position in range(calls):
            if large_every and position % large_every == large_every - 1:
                size = rng.randrange(large_size // 2, large_size)
                call = large_call(rng, first_id + position, size)
            else:
                call = draw(rng, first_id + position)
            sent.append(call.from_client(client_id))
        begin = start + number * (60_000_000_000 if reuse else 137_000)
        conversations.append(Conversation(client, server, sent, style, begin))
    return conversations
