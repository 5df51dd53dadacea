"""Whole connections taken by columns give what the careful path gives of them, or are refused."""

import struct

import pytest

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.calls.columns.lives import take_lives
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.streams import CallOptions
from kafkasniff.render.json.items import connection_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tcp import lives
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.calls.hand_made import (
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    sized,
    text,
)
from tests.tcp.conversations import Talk, batch

ONE_BY_ONE, BY_COLUMNS = TcpLimits(column_packets=1 << 62), TcpLimits(column_packets=1)

Parts = list[tuple[int, bytes]]


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "FEWEST", 1)


def compact(value: str) -> bytes:
    return bytes([len(value) + 1]) + value.encode()


def versions_request(correlation_id: int, client_id: bytes = text("shop"), more: bytes = b"") -> bytes:
    """ApiVersions v3, whose body names the client's software."""
    body = compact("librdkafka") + compact("2.6.0") + b"\0" + more
    return sized(struct.pack(">hhi", 18, 3, correlation_id) + client_id + b"\0" + body)


def versions_response(correlation_id: int, error_code: int = 0) -> bytes:
    """ApiVersions v3: Produce in versions 0 to 9."""
    keys = b"\x02" + struct.pack(">hhh", 0, 0, 9) + b"\0"
    return sized(struct.pack(">ih", correlation_id, error_code) + keys + struct.pack(">i", 0) + b"\0")


def unsupported(correlation_id: int) -> bytes:
    """ApiVersions refused by version, in the layout of version 0: ApiVersions itself in versions 0 to 2."""
    return sized(struct.pack(">ihihhh", correlation_id, 35, 1, 18, 0, 2))


def sasl_handshake(correlation_id: int) -> bytes:
    return sized(struct.pack(">hhi", 17, 1, correlation_id) + text("shop") + text("PLAIN"))


METADATA: Parts = [(0, metadata_request(2)), (1, metadata_response(2))]
VERSIONS: Parts = [(0, versions_request(1)), (1, versions_response(1))]
HEARTBEAT: Parts = [(0, heartbeat_request(3)), (1, heartbeat_response(3, 27))]

TAKEN: dict[str, Parts] = {
    "versions first": [*VERSIONS, *METADATA, *HEARTBEAT],
    "versions alone": VERSIONS,
    "without versions": [*METADATA, *HEARTBEAT],
    "null client id": [(0, versions_request(1, b"\xff\xff")), (1, versions_response(1)), *METADATA],
    "empty client id": [(0, versions_request(1, text(""))), (1, versions_response(1)), *METADATA],
    "two client ids": [*METADATA, (0, heartbeat_request(3, "other")), (1, heartbeat_response(3))],
    "two of equal length": [*METADATA, (0, heartbeat_request(3, "shoq")), (1, heartbeat_response(3))],
    "pipelined": [
        *VERSIONS,
        (0, metadata_request(2) + heartbeat_request(3)[:9]),
        (0, heartbeat_request(3)[9:]),
        (1, metadata_response(2) + heartbeat_response(3)),
    ],
    "answer in pieces": [(0, metadata_request(2)), (1, metadata_response(2)[:3]), (1, metadata_response(2)[3:])],
}
REFUSED: dict[str, Parts] = {
    "client id beyond ASCII": [(0, metadata_request(2, "größe")), (1, metadata_response(2))],
    "client id that is no UTF-8": [(0, versions_request(1, b"\x00\x02\xc3\x28")), (1, versions_response(1))],
    "first request in pieces": [
        (0, metadata_request(2)[:20]),
        (0, metadata_request(2)[20:]),
        (1, metadata_response(2)),
    ],
    "first two requests together": [
        (0, metadata_request(2) + heartbeat_request(3)),
        (1, metadata_response(2)),
        (1, heartbeat_response(3)),
    ],
    "bytes behind the first body": [(0, versions_request(1, more=b"\0\0\0")), (1, versions_response(1)), *METADATA],
    "versions again": [*VERSIONS, (0, versions_request(2)), (1, versions_response(2))],
    "versions not known": [(0, versions_request(1)), (1, unsupported(1)), *METADATA],
    "versions with an error": [(0, versions_request(1)), (1, versions_response(1, 41)), *METADATA],
    "login": [*VERSIONS, (0, sasl_handshake(2)), (1, sized(struct.pack(">ihi", 2, 0, 0))), *HEARTBEAT],
    "produce first": [(0, produce_request(1, 1)), (1, sized(struct.pack(">ii", 1, 0)))],
    "no answer wanted": [*VERSIONS, (0, produce_request(2, 0)), *HEARTBEAT],
    "unanswered": [*VERSIONS, (0, metadata_request(2))],
    "nothing answered": [(0, versions_request(1))],
    "another answer": [*VERSIONS, (0, metadata_request(2)), (1, metadata_response(7))],
    "answered twice": [*METADATA, (1, metadata_response(2))],
    "answered before": [*VERSIONS, (1, metadata_response(2)), (0, metadata_request(2))],
    "too small an answer": [*VERSIONS, (0, metadata_request(2)), (1, sized(b"\0\0"))],
    "unknown API": [*METADATA, (0, sized(struct.pack(">hhi", 999, 0, 3) + text("shop"))), (1, heartbeat_response(3))],
    "ends in a message": [*METADATA, (0, heartbeat_request(3)[:11])],
    "ends in bytes that are none": [*METADATA, (1, b"\xff\xff\xff\xff rest")],
    "server first": [(1, metadata_response(2)), *METADATA],
    "server only": [(1, metadata_response(2)), (1, heartbeat_response(3))],
    "no data": [],
    "HTTP": [(0, b"GET / HTTP/1.1\r\n\r\n"), (1, b"HTTP/1.1 200 OK\r\n\r\n")],
    "TLS": [(0, bytes.fromhex("160301004a010000460303") + bytes(68)), (1, bytes.fromhex("15030300020228"))],
    "PROXY header": [(0, b"PROXY TCP4 10.0.0.9 10.0.0.2 1 9092\r\n" + metadata_request(2)), (1, metadata_response(2))],
}


def frames(parts: Parts, port: int = 40_000) -> list[bytes]:
    talk = Talk(client_port=port).open()
    for side, content in parts:
        talk.send(side, content)
    return talk.close().frames


def items(packets: list[bytes], limits: TcpLimits) -> list[Item]:
    engine = Engine(tcp_limits=limits, report_connections=True)
    return [*engine.feed(batch(packets)), *engine.flush()]


def shown(packets: list[bytes], limits: TcpLimits) -> list[bytes]:
    found = items(packets, limits)
    assert all(isinstance(item, (Call, ConnectionReport)) for item in found)
    return [JsonLines().line(item) if isinstance(item, Call) else connection_line(item) for item in found]  # type: ignore[arg-type]


def taken(parts: Parts, limits: CallLimits | None = None, options: CallOptions | None = None) -> int:
    """How many connections of one are taken."""
    reassembler = Reassembler(BY_COLUMNS)
    reassembler.feed(batch(frames(parts)))
    (each,) = reassembler.lives
    found, refused = take_lives(each, options or CallOptions(), limits or CallLimits())
    assert (0 if found is None else len(found)) + len(refused) == 1
    return 0 if found is None else len(found)


@pytest.mark.parametrize("name", [*TAKEN, *REFUSED])
def test_both_paths_give_the_same(name: str) -> None:
    parts = {**TAKEN, **REFUSED}[name]
    packets = frames(parts)
    assert shown(packets, BY_COLUMNS) == shown(packets, ONE_BY_ONE)
    assert taken(parts) == (name in TAKEN)


def test_connections_between_each_other_give_the_same() -> None:
    apart = [frames(parts, 40_000 + index) for index, parts in enumerate({**TAKEN, **REFUSED}.values())]
    packets = [own[index] for index in range(max(map(len, apart))) for own in apart if index < len(own)]
    assert shown(packets, BY_COLUMNS) == shown(packets, ONE_BY_ONE)


def test_calls_say_who_the_client_is() -> None:
    found = items(frames(TAKEN["versions first"]), BY_COLUMNS)
    first, second, third, report = found
    assert isinstance(first, Call)
    assert isinstance(second, Call)
    assert isinstance(third, Call)
    assert isinstance(report, ConnectionReport)
    assert [call.api_key for call in (first, second, third)] == [18, 3, 12]
    assert {(call.software_name, call.software_version) for call in (first, second)} == {("librdkafka", "2.6.0")}
    assert [call.principal for call in (first, second, third)] == [None, "User:ANONYMOUS", "User:ANONYMOUS"]
    assert third.errors[0].code == 27
    assert (first.client, first.server) == ("10.0.0.1:40000", "10.0.0.2:9092")
    assert first.connection is third.connection is report.connection
    assert (report.protocol, report.calls) == ("kafka", 3)
    assert report.response_start == versions_response(1)[:8]


def test_limits_refuse() -> None:
    parts = TAKEN["pipelined"]
    assert taken(parts, CallLimits(pending_calls=2)) == 0
    assert taken(parts, CallLimits(pending_bytes=60)) == 0
    assert taken(parts, CallLimits(search_bytes=20)) == 0
    assert taken(parts, CallLimits(kept_message_bytes=30)) == 0
    assert taken(parts, options=CallOptions(keep_packets=True)) == 0
