"""What a connection is, and which calls it holds, from hand-made streams."""

import random
import re
import struct

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import KAFKA_SERVERS, Conversation, note_server
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import Gap
from kafkasniff.tcp.events import Connection, Endpoint
from tests.calls.detection.conversing import Event, converse
from tests.calls.hand_made import (
    BUDGET,
    SERVER,
    arrival,
    connection,
    data,
    gap,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    sized,
)


def calls(items: list[Call | Gap]) -> list[tuple[int | None, int, str]]:
    return [(item.api_key, item.correlation_id, item.outcome) for item in items if isinstance(item, Call)]


def test_calls_of_a_connection_seen_from_its_beginning() -> None:
    of = connection()
    items, conversation = converse(
        of,
        [
            data(of, 0, metadata_request(1), 1),
            data(of, 1, metadata_response(1), 2),
            data(of, 0, heartbeat_request(2), 3),
            data(of, 1, heartbeat_response(2, 27), 5),
        ],
    )
    assert calls(items) == [(3, 1, "answered"), (12, 2, "answered")]
    metadata, heartbeat = items
    assert isinstance(metadata, Call)
    assert isinstance(heartbeat, Call)
    assert (metadata.client, metadata.server) == ("10.0.0.1:51234", "10.0.0.2:19092")
    assert metadata.response_body is not None
    assert metadata.response_body.value is not None
    assert metadata.response_body.value["brokers"] == [{"nodeId": 7, "host": "broker-1", "port": 9092, "rack": None}]
    assert (heartbeat.total_ns, heartbeat.response_delay_ns) == (2_000_000, 2_000_000)
    assert [(error.path, error.code, error.name) for error in heartbeat.errors] == [
        ("errorCode", 27, "REBALANCE_IN_PROGRESS")
    ]
    assert conversation.protocol == "kafka"


@pytest.mark.parametrize("client", [0, 1])
def test_the_client_of_a_connection_without_a_beginning_is_found(client: int) -> None:
    of = connection(initiator=None)
    items, _ = converse(
        of,
        [
            data(of, client, metadata_request(41), 1),
            data(of, 1 - client, metadata_response(41), 2),
            data(of, client, heartbeat_request(42), 3),
            data(of, 1 - client, heartbeat_response(42), 4),
        ],
    )
    assert calls(items) == [(3, 41, "answered"), (12, 42, "answered")]
    (first, _) = items
    assert first.client == str(of.endpoints[client])


def test_a_start_in_the_middle_of_messages_on_both_sides() -> None:
    of = connection(initiator=None)
    items, _ = converse(
        of,
        [
            data(of, 1, metadata_response(6)[20:], 1),
            data(of, 0, metadata_request(7)[9:], 2),
            data(of, 0, heartbeat_request(8) + metadata_request(9), 3),
            data(of, 1, metadata_response(7), 4),
            data(of, 1, heartbeat_response(8) + metadata_response(9), 5),
        ],
    )
    assert calls(items) == [(None, 7, "request-not-captured"), (12, 8, "answered"), (3, 9, "answered")]


def test_a_lost_request_and_a_lost_answer() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    lost = len(heartbeat_request(2))
    events += [gap(of, 0, lost, 4), data(of, 0, heartbeat_request(3), 4), data(of, 1, heartbeat_response(2), 5)]
    events += [gap(of, 1, 10, 6), data(of, 0, metadata_request(4), 6), data(of, 1, metadata_response(4), 7)]
    items, _ = converse(of, events)
    assert calls(items) == [
        (3, 1, "answered"),
        (None, 2, "request-not-captured"),
        (12, 3, "response-not-captured"),
        (3, 4, "answered"),
    ]
    assert [(item.direction, item.length) for item in items if isinstance(item, Gap)] == [
        ("request", lost),
        ("response", 10),
    ]


def test_acks_zero_expects_no_answer() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, produce_request(1, 0), 1), data(of, 0, produce_request(2, 1), 2)]
    items, _ = converse(of, events)
    assert calls(items) == [(0, 1, "no-response-expected"), (0, 2, "unanswered")]


PRODUCES = (
    "0000003e000000000000000000000001000003e80000000100017400000001000000000000001b00000000000000000000000fd20cbff50000"
    "ffffffff0000000176",
    "0000003e000000010000000100000001000003e80000000100017400000001000000000000001b00000000000000000000000fd20cbff50000"
    "ffffffff0000000176",
    "00000046000000020000000200000001000003e800000001000174000000010000000000000023000000000000000000000017c1672ac50100"
    "0000018bcfe56800ffffffff0000000176",
)
"""Produce v0, v1 and v2 with an empty client id and the correlation ids 0, 1 and 2, written by kafka-clients 3.9.1."""


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("cut", [4, 14, 40, None])
def test_a_first_produce_that_reads_as_small_integers(version: int, cut: int | None) -> None:
    """The first byte behind a handshake is a boundary."""
    request = bytes.fromhex(PRODUCES[version])
    of = connection()
    events: list[Event] = [data(of, 0, part, 1) for part in (request[:cut], request[cut:] if cut else b"") if part]
    items, conversation = converse(of, events)
    assert calls(items) == [(0, version, "unanswered")]
    assert conversation.protocol == "kafka"


def test_produce_requests_with_one_correlation_id_and_no_client_id() -> None:
    of = connection()
    request = bytes.fromhex(PRODUCES[0])
    items, _ = converse(of, [data(of, 0, request * 3, 1)])
    assert calls(items) == [(0, 0, "unanswered")] * 3


@pytest.mark.parametrize("body", [bytes(10), bytes(30), struct.pack(">hiii", 1, 1000, 0, 7)])
def test_small_integers_alone_are_no_produce(body: bytes) -> None:
    of = connection()
    items, conversation = converse(of, [data(of, 0, sized(bytes(10) + body), 1), data(of, 1, sized(bytes(4)), 2)])
    assert (items, conversation.protocol) == ([], "unknown")


def test_an_answer_that_reads_as_a_produce_of_nothing_is_no_request() -> None:
    """Where it is not known who the client is: error 2, an id of 26 and zeros, with what answers it seemingly."""
    of = connection(None)
    answer = sized(struct.pack(">hhih", 0, 2, 0x1A0000, 0) + struct.pack(">hii", 0, 0, 0))
    items, conversation = converse(of, [data(of, 1, answer, 1), data(of, 1, answer, 2)])
    assert (items, conversation.kafka) == ([], None)


OLD_API_VERSIONS = bytes.fromhex("0000001500120000000000a8000772646b61666b6100000000")
"""ApiVersions v0 of an old librdkafka, with an empty array behind its empty body (a capture of a third party)."""


@pytest.mark.parametrize("initiator", [None, 0])
@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("first", ["request", "response"])
def test_a_lone_api_versions_request_of_an_old_librdkafka(initiator: int | None, client: int, first: str) -> None:
    if initiator is not None:
        initiator = client
    entries = b"".join(struct.pack(">hhh", key, 0, 3) for key in range(56))
    answer = sized(struct.pack(">ihi", 168, 0, 56) + entries)
    of = connection(initiator)
    sent = [(client, OLD_API_VERSIONS), (1 - client, answer)]
    events: list[Event] = [
        data(of, direction, content, packet)
        for packet, (direction, content) in enumerate(sent if first == "request" else sent[::-1], 1)
    ]
    items, _ = converse(of, events)
    assert calls(items) == [(18, 168, "answered")]
    (call,) = items
    assert isinstance(call, Call)
    assert [problem.message for problem in call.problems] == ["expected the end of the body, found 4 more bytes"]
    assert call.response_body is not None
    assert call.response_body.value is not None
    assert len(call.response_body.value["apiKeys"]) == 56


@pytest.mark.parametrize("initiator", [None, 0])
@pytest.mark.parametrize("client_id", ["0000", "ffff"], ids=["empty", "null"])
def test_the_same_without_a_name(initiator: int | None, client_id: str) -> None:
    of = connection(initiator)
    request = sized(bytes.fromhex(f"00120000000000a8{client_id}00000000"))
    answer = sized(struct.pack(">ihi", 168, 0, 56) + b"".join(struct.pack(">hhh", key, 0, 3) for key in range(56)))
    items, _ = converse(of, [data(of, 0, request, 1), data(of, 1, answer, 2)])
    assert calls(items) == [(18, 168, "answered")]


def test_a_kerberos_token_needs_no_handshake() -> None:
    """As Java clients of 0.9 log in: tokens alone, each behind its size."""
    of = connection()
    first = sized(bytes.fromhex("6082010006092a864886f71201020201006e82") + bytes(242))
    events: list[Event] = [
        data(of, 0, first, 1),
        data(of, 1, sized(bytes.fromhex("606b06092a864886f71201020202006f") + bytes(93)), 2),
        data(of, 0, metadata_request(0), 3),
        data(of, 1, metadata_response(0), 4),
    ]
    items, conversation = converse(of, events)
    assert [(item.direction, item.size) for item in items if isinstance(item, RawToken)] == [
        ("request", 261),
        ("response", 109),
    ]
    assert calls(items) == [(3, 0, "answered")]
    assert conversation.report(arrival(9)).evidence == "a Kerberos token as older clients send it"


def test_a_server_speaks_kafka_from_the_earliest_moment_at_which_that_was_proven() -> None:
    servers: dict[Endpoint, int] = {}
    for time in (20, 10, 30):
        note_server(servers, SERVER, time)
    assert servers == {SERVER: 10}
    for port in range(KAFKA_SERVERS + 1):
        note_server(servers, Endpoint("10.0.0.3", port), 40)
    assert (len(servers), servers[SERVER]) == (KAFKA_SERVERS, 10)


def test_raw_tokens_follow_a_handshake_of_version_0() -> None:
    of = connection()
    handshake = sized(b"\x00\x11\x00\x00\xff\xff\xff\xff\x00\x04shop\x00\x05PLAIN")
    agreed = sized(b"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x01\x00\x05PLAIN")
    events: list[Event] = [
        data(of, 0, handshake, 1),
        data(of, 1, agreed, 2),
        data(of, 0, sized(b"\x00alice\x00alice-secret"), 3),
        data(of, 1, sized(b""), 4),
        data(of, 0, metadata_request(0), 5),
        data(of, 1, metadata_response(0), 6),
    ]
    items, _ = converse(of, events)
    assert calls(items) == [(17, -1, "answered"), (3, 0, "answered")]
    assert [item.security_protocol for item in items if isinstance(item, Call)] == ["SASL_PLAINTEXT"] * 2


def test_an_impossible_size_costs_no_good_call() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    events += [data(of, 0, b"\x7f\xff\xff\xff\x00\x03\x00\x01", 3)]
    events += [data(of, 0, metadata_request(2), 4), data(of, 1, metadata_response(2), 5)]
    items, _ = converse(of, events)
    assert calls(items) == [(3, 1, "answered"), (3, 2, "answered")]
    second = items[1]
    assert isinstance(second, Call)
    assert "impossible message size, 2147483647" in second.problems[0].message


@pytest.mark.parametrize("size", [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\x00\x00\x00"])
def test_an_impossible_size_at_the_beginning_costs_no_good_call(size: bytes) -> None:
    of = connection()
    events: list[Event] = [data(of, 0, size + b"\x00\x03\x00\x01" + bytes(8), 1)]
    events += [data(of, 0, metadata_request(1), 2), data(of, 1, metadata_response(1), 3)]
    events += [data(of, 0, metadata_request(2), 4), data(of, 1, metadata_response(2), 5)]
    items, _ = converse(of, events)
    assert calls(items) == [(3, 1, "answered"), (3, 2, "answered")]
    first = items[0]
    assert isinstance(first, Call)
    assert "impossible message size" in first.problems[0].message


def test_an_impossible_size_at_the_end_is_said() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    items, conversation = converse(of, [*events, data(of, 0, b"\x7f\xff\xff\xff\x00\x03\x00\x01", 3)])
    assert calls(items) == [(3, 1, "answered")]
    assert conversation.kafka is not None
    assert conversation.kafka.correlator.unread == ["an impossible message size, 2147483647"]


def test_a_tls_alert_to_a_plain_client_is_no_answer() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, bytes.fromhex("15030300020246"), 2)]
    items, _ = converse(of, events)
    assert calls(items) == [(3, 1, "unanswered")]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        # An encrypted alert (RFC 5246, 6.2.3): its first bytes would be a size of 352,518,912 bytes.
        (bytes.fromhex("150303001a") + bytes(range(200, 226)), ["a message size, 352518912, without its message"]),
        # The beginning of a Fetch request of 2 MiB: what is behind the size is plausible.
        (bytes.fromhex("00200000000100040000000200026d65") + bytes(8), []),
        (b"\x15\x03\x03", ["3 bytes, too few for a size prefix"]),
    ],
    ids=["no message", "the beginning of one", "less than a size"],
)
def test_what_ends_a_stream_soon_behind_a_large_size_is_judged(rest: bytes, said: list[str]) -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    conversation = Conversation(of, CallLimits(), CallOptions(), Budget(1 << 30))
    items = [item for event in [*events, data(of, 0, rest, 3)] for item in conversation.take(event)]
    of.ended_by = "fin"
    items += conversation.end(arrival(9))
    assert calls(items) == [(3, 1, "answered")]
    assert conversation.kafka is not None
    assert conversation.kafka.correlator.unread == said


def test_a_proxy_protocol_header_is_stripped() -> None:
    of = connection()
    header = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 9092\r\n"
    events: list[Event] = [data(of, 0, header + metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    assert calls(converse(of, events)[0]) == [(3, 1, "answered")]


@pytest.mark.parametrize("initiator", [0, None])
def test_random_bytes_are_no_kafka(initiator: int | None) -> None:
    chance = random.Random(3)
    for _ in range(30):
        of = connection(initiator)
        shapes = (chance.randbytes(900), bytes(900), b"\x00\x00\x00\x14" * 225, sized(bytes(20)) * 40)
        events: list[Event] = [data(of, number % 2, chance.choice(shapes), number) for number in range(1, 20)]
        items, conversation = converse(of, events)
        assert items == []
        assert conversation.kafka is None


def test_an_answer_too_large_to_believe_is_refused_once() -> None:
    """Found by fuzzing: a search gave the same place again and again, one call within the other."""
    of = connection()
    events: list[Event] = [
        data(of, 0, heartbeat_request(4), 2),
        data(of, 1, heartbeat_response(4), 3),
        gap(of, 0, 100, 4),
        data(of, 0, heartbeat_request(8), 5),
        gap(of, 1, 100, 6),
        data(of, 1, (1_500_000).to_bytes(4, "big") + (5).to_bytes(4, "big") + bytes(200), 7),
        data(of, 1, heartbeat_response(8), 8),
    ]
    assert calls(converse(of, events)[0])[0] == (12, 4, "answered")


def test_the_report_shows_how_the_answers_began() -> None:
    of = connection()
    alert = bytes.fromhex("15030300020250")
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, alert[:3], 2), data(of, 1, alert[3:], 3)]
    assert converse(of, events)[1].report(arrival(9)).response_start == alert[:3]
    assert converse(of, [data(of, 0, metadata_request(1), 1)])[1].report(arrival(9)).response_start == b""
    assert converse(of, [data(of, 1, bytes(20), 1)])[1].report(arrival(9)).response_start == bytes(8)


def test_bytes_that_a_search_let_go_are_said() -> None:
    of, budget = connection(), Budget(1 << 30)
    conversation = Conversation(of, CallLimits(search_bytes=10_000), CallOptions(), budget)
    filler = random.Random(3).randbytes(1_448)
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    events += [gap(of, 0, 500, 3), gap(of, 1, 500, 3)]
    events += [data(of, side, filler, 4) for side in (0, 1) for _ in range(20)]
    events += [data(of, 0, metadata_request(9), 5), data(of, 1, metadata_response(9), 6)]
    items = [item for event in events for item in conversation.take(event)]
    items += conversation.end(arrival(9))
    (found,) = [item for item in items if isinstance(item, Call) and item.correlation_id == 9]
    text = re.compile(r"before this message stood (\d+) bytes that were let go, as no message was found in them")
    sizes = [int(match.group(1)) for problem in found.problems if (match := text.fullmatch(problem.message))]
    assert [problem.where for problem in found.problems] == ["request", "response"]
    # Some of the 28,960 bytes were still held when the message was found.
    assert all(18_000 < size < 28_960 for size in sizes)
    assert "searched for messages in vain" in " ".join(budget.notes())


def test_bytes_let_go_before_a_connection_was_known_are_said() -> None:
    of, budget = connection(initiator=None), Budget(1 << 30)
    conversation = Conversation(of, CallLimits(search_bytes=10_000), CallOptions(), budget)
    events: list[Event] = [data(of, 0, random.Random(3).randbytes(1_448), 4) for _ in range(20)]
    events += [data(of, 0, metadata_request(9), 5), data(of, 1, metadata_response(9), 6)]
    events += [data(of, 0, metadata_request(10), 7)]
    items = [item for event in events for item in conversation.take(event)]
    (found,) = [item for item in items if isinstance(item, Call)]
    assert "were let go" in found.problems[0].message


def test_a_packet_that_the_snap_length_cut_is_no_gap_to_be_told() -> None:
    of = connection()
    items, _ = converse(
        of,
        [
            data(of, 0, heartbeat_request(1), 1),
            gap(of, 1, 10, 5),
            gap(of, 1, 1_000, 6, cut=True),
            gap(of, 1, 20, 7),
            data(of, 1, heartbeat_response(1), 8),
        ],
    )
    assert [item.length for item in items if isinstance(item, Gap)] == [10, 20]


def _cut(snap: int, seed: int) -> list[tuple[int, bytes, int, int]]:
    """Give segments of a pipelining client and its server, of each no more than `snap` bytes, with what lacks of it."""
    chance = random.Random(seed)
    segments: list[tuple[int, bytes, int, int]] = []
    at, packet = 0, 0
    while at < 60:
        asked = range(at, at + chance.randrange(1, 5))
        at = asked.stop
        topic = "orders" * chance.randrange(1, 6)
        made = [
            metadata_request(each, topic=topic) if chance.random() < 0.5 else heartbeat_request(each) for each in asked
        ]
        requests = b"".join(made)
        answers = b"".join(
            metadata_response(each, topic=topic) if request[5] == 3 else heartbeat_response(each)
            for each, request in zip(asked, made, strict=True)
        )
        for direction, stream in enumerate((requests, answers)):
            step = chance.choice((60, 200, 1_000))
            for start in range(0, len(stream), step):
                packet += 1
                segment = stream[start : start + step]
                segments.append((direction, segment[:snap], max(len(segment) - snap, 0), packet))
    return segments


@pytest.mark.parametrize("snap", [14, 26, 60, 150])
def test_cut_segments_that_come_next_give_the_same_calls_as_their_bytes_and_gaps(snap: int) -> None:
    for seed in range(20):
        of = connection()
        segments = _cut(snap, seed)
        events: list[Event] = []
        for direction, content, missing, packet in segments:
            events.append(data(of, direction, content, packet))
            if missing:
                events.append(gap(of, direction, missing, packet, cut=True))
        searched, _ = converse(of, events)
        of = connection()
        conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
        found: list[Call | Gap] = []
        for direction, content, missing, packet in segments:
            conversation.take_segment(direction, content, missing, arrival(packet), found)
        of.ended_by = "fin"
        found += conversation.end(arrival(1_000))
        assert _told(found) == _told(searched)


def _told(items: list[Call | Gap]) -> list[tuple[object, ...]]:
    return [
        (item.api_key, item.correlation_id, item.outcome, item.ended.packet, _of(item.request), _of(item.response))
        for item in items
        if isinstance(item, Call)
    ]


def _of(frame: Frame | None) -> tuple[object, ...]:
    return () if frame is None else (frame.size, frame.data, frame.stream_offset, frame.last.packet)


def reported(of: Connection, events: list[Event], limits: CallLimits | None = None) -> tuple[str, str]:
    """Give what a connection is said to be, and why."""
    report = converse(of, events, limits)[1].report(arrival(9))
    return report.protocol, report.evidence


UNPROVEN = sized(struct.pack(">hhih", 500, 0, 7, 4) + b"shop" + b"\xff" * 40)
"""A request of an API that no release has: it may be one, and proves nothing."""


def test_why_a_connection_is_what_it_is() -> None:
    assert reported(connection(), []) == ("empty", "no data was seen")
    assert reported(connection(), [data(connection(), 0, metadata_request(1), 1)]) == (
        "kafka",
        "a request at byte 0 of what 10.0.0.1:51234 sent, and more",
    )
    assert reported(connection(), [data(connection(), 0, bytes(40), 1)]) == (
        "unknown",
        "its first bytes are no Kafka request",
    )
    assert reported(connection(), [data(connection(), 0, UNPROVEN, 1)]) == (
        "unknown",
        "nothing in it proves a protocol",
    )
    http = [data(connection(), 0, b"GET / HTTP/1.1\r\n\r\n", 1)]
    assert reported(connection(), http) == reported(connection(None), http) == ("http", "begins with GET")


def test_where_a_request_proves_a_connection_is_told_from_its_first_byte_on() -> None:
    of = connection(None)
    evidence = reported(of, [data(of, 1, b"tail", 1), data(of, 1, metadata_request(8) + metadata_request(9), 2)])
    assert evidence == ("kafka", "a request at byte 4 of what 10.0.0.2:19092 sent, and more")


def test_what_another_protocol_sends_later_is_not_looked_at() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, b"GET / HTTP/1.1\r\n\r\n", 1), gap(of, 0, 9, 2)]
    events += [data(of, 0, metadata_request(1) + metadata_request(2), 3)]
    assert converse(of, events)[0] == []
    assert reported(of, events)[0] == "http"


def test_a_server_that_speaks_first_is_recognised() -> None:
    of = connection()
    assert reported(of, [data(of, 1, b"SSH-2.0-OpenSSH_9.2p1\r\n", 1)]) == ("ssh", "begins with SSH-2.")


def test_a_connection_that_proves_nothing_is_given_up_after_some_bytes() -> None:
    of, budget, size = connection(), Budget(1 << 30), 1_000
    conversation = Conversation(of, CallLimits(undecided_bytes=size), CallOptions(), budget)
    # A size that leads far ahead, behind which anything may stand.
    start = struct.pack(">ihhih", 1 << 20, 500, 0, 7, 4) + b"shop"
    conversation.take(data(of, 0, start + b"\xff" * (size - len(start)), 1))
    assert conversation.protocol is None
    conversation.take(data(of, 0, b"\xff", 2))
    assert conversation.protocol == "unknown"
    assert conversation.report(arrival(9)).evidence == "no Kafka in 1001 bytes"
    assert budget.notes() == ["connection taken for no Kafka: nothing in its first 0 MiB proves it: 1"]


@pytest.mark.parametrize(("size", "raw"), [(0, False), (1, True), (0xFFFF, True), (0x10000, False), (-1, False)])
def test_a_kerberos_token_has_64_kib_at_most(size: int, raw: bool) -> None:
    of = connection()
    token = bytes.fromhex("6082010006092a864886f71201020201006e82")
    _, conversation = converse(of, [data(of, 0, struct.pack(">i", size) + token + bytes(40), 1)])
    assert (conversation.kafka is not None) == raw


def test_nothing_waits_in_a_connection_that_is_not_decided() -> None:
    of = connection()
    conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    assert conversation.tick(10**18) == []
    conversation.take(data(of, 0, metadata_request(1)[:9], 1))
    assert (conversation.tick(10**18), conversation.protocol) == ([], None)


def test_calls_that_wait_too_long_are_given() -> None:
    of = connection()
    conversation = Conversation(of, CallLimits(pending_ns=1_000), CallOptions(), BUDGET)
    conversation.take(data(of, 0, metadata_request(1), 1))
    assert conversation.tick(arrival(1).time + 999) == []
    (call,) = conversation.tick(arrival(1).time + 1_000)
    assert isinstance(call, Call)
    assert (call.correlation_id, call.outcome) == (1, "response-not-captured")


@pytest.mark.parametrize("kept", [8, 9])
def test_eight_bytes_of_each_beginning_are_shown(kept: int) -> None:
    of = connection()
    assert converse(of, [data(of, 1, b"begins so"[:kept], 1)])[1].report(arrival(9)).response_start == b"begins s"


def test_a_first_request_may_come_in_pieces_and_with_any_client_id() -> None:
    """Not all prove what they are with their first segment."""
    requests = {
        "no name": [metadata_request(1, client_id="")],
        "unprintable": [metadata_request(1, client_id="a\tb")],
        "two": [metadata_request(1) + metadata_request(2)],
        "one and a half": [metadata_request(1) + metadata_request(2)[:9], metadata_request(2)[9:]],
        "long": [metadata_request(1, topic="t" * 2_000)],
        "half": [metadata_request(1)[:20], metadata_request(1)[20:]],
    }
    for name, segments in requests.items():
        of = connection()
        events: list[Event] = [data(of, 0, segment, packet) for packet, segment in enumerate(segments, 1)]
        events += [data(of, 1, metadata_response(1), 8)]
        items, conversation = converse(of, events)
        assert conversation.protocol == "kafka", name
        assert calls(items)[0] == (3, 1, "answered"), name


def test_a_request_behind_a_proxy_header_in_two_segments() -> None:
    of = connection()
    header = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 9092\r\n"
    events: list[Event] = [data(of, 0, header[:20], 1), data(of, 0, header[20:] + metadata_request(1), 2)]
    items, conversation = converse(of, [*events, data(of, 1, metadata_response(1), 3)])
    assert calls(items) == [(3, 1, "answered")]
    assert conversation.report(arrival(9)).evidence.startswith(f"a request at byte {len(header)} of what")


@pytest.mark.parametrize(("since", "proven"), [(2, True), (3, True), (4, False), (None, False)])
def test_two_answers_are_enough_of_a_server_that_was_known_by_then(since: int | None, proven: bool) -> None:
    of = connection(None)
    options = CallOptions()
    if since is not None:
        options.kafka_servers[SERVER] = arrival(since).time
    conversation = Conversation(of, CallLimits(), options, BUDGET)
    conversation.take(data(of, 1, metadata_response(300), 2))
    conversation.take(data(of, 1, metadata_response(301), 3))
    assert (conversation.kafka is not None) == proven


def test_a_server_that_became_known_is_remembered_with_its_time() -> None:
    of, options = connection(), CallOptions()
    conversation = Conversation(of, CallLimits(), options, BUDGET)
    conversation.take(data(of, 0, metadata_request(1), 5))
    assert options.kafka_servers == {SERVER: arrival(5).time}


def test_gaps_are_told_in_their_place_and_with_both_ends() -> None:
    of = connection()
    events: list[Event] = [data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)]
    events += [gap(of, 1, 7, 3), data(of, 0, metadata_request(2), 4), data(of, 1, metadata_response(2), 5)]
    items, _ = converse(of, events)
    assert [type(item) for item in items] == [Call, Gap, Call]
    told = items[1]
    assert isinstance(told, Gap)
    assert (told.client, told.server, told.direction, told.length) == (
        "10.0.0.1:51234",
        "10.0.0.2:19092",
        "response",
        7,
    )


def test_a_gap_at_the_end_of_a_direction_is_told_where_it_had_data() -> None:
    for sent, told in ((1, [7]), (0, [])):
        of = connection()
        of.counters[1].data_bytes = sent
        items, _ = converse(of, [data(of, 0, metadata_request(1), 1), gap(of, 1, 7, 3)])
        assert [item.length for item in items if isinstance(item, Gap)] == told
