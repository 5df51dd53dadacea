"""Verdicts on connections, from hand-made first bytes."""

import struct

import pytest

from kafkasniff.calls.detection.undecided import Undecided, Verdict
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.tcp.events import Endpoint
from tests.calls.hand_made import (
    SERVER,
    connection,
    data,
    gap,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    sized,
)

Piece = tuple[int, bytes]
"""A direction, and bytes of a segment."""

KERBEROS = bytes.fromhex("608202b206092a864886f71201020201006e82") + bytes(40)
"""RFC 2743, 3.1: how an initial token begins, and Kerberos' mechanism (RFC 4121)."""
PROXY = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"
WHOLE_START, RESPONSES_ALONE = (
    "answers that count their correlation ids up from the connection's beginning",
    "responses whose sizes, ids and bodies agree, though no request was captured whole",
)


def undecided(
    *pieces: Piece,
    initiator: int | None = 0,
    limits: CallLimits | None = None,
    servers: dict[Endpoint, int] | None = None,
    budget: Budget | None = None,
) -> Undecided:
    of = connection(initiator)
    made = Undecided(of, limits or CallLimits(), servers or {}, budget or Budget(1 << 30))
    for packet, (direction, content) in enumerate(pieces):
        made.push(data(of, direction, content, packet))
    return made


def decide(*pieces: Piece, initiator: int | None = 0) -> Verdict | None:
    return undecided(*pieces, initiator=initiator).decide(0)


@pytest.mark.parametrize("client", [0, 1])
def test_a_request_at_the_beginning_is_kafka(client: int) -> None:
    verdict = decide((client, metadata_request(1)), initiator=client)
    assert verdict is not None
    assert (verdict.protocol, verdict.client, verdict.place) == ("kafka", client, 0)


@pytest.mark.parametrize("length", [1025, 10_000, 32_767])
def test_a_first_request_with_a_long_client_id_is_kafka(length: int) -> None:
    request = metadata_request(1, client_id="s" * length)
    for cuts in (1, 13, 14, 29):
        assert decide((0, request[:cuts])) is None
    verdict = decide((0, request))
    assert verdict is not None
    assert (verdict.protocol, verdict.place) == ("kafka", 0)


@pytest.mark.parametrize("client", [0, 1])
def test_without_a_beginning_both_directions_are_searched(client: int) -> None:
    rest = metadata_request(1)[-9:]
    verdict = decide((client, rest + metadata_request(2) + heartbeat_request(3)), initiator=None)
    assert verdict is not None
    assert (verdict.protocol, verdict.client, verdict.place) == ("kafka", client, len(rest))


def test_nothing_tells_nothing() -> None:
    assert decide() is None
    assert decide((0, b"\0\0")) is None
    assert undecided().decide_at_end(0) == Verdict("unknown", "nothing in it proves a protocol")


def test_first_bytes_that_are_no_request_are_unknown_or_another_protocol() -> None:
    unknown = Verdict("unknown", "its first bytes are no Kafka request")
    assert decide((0, struct.pack(">ihhih", 20, 999, 0, 1, 0) + bytes(20))) == unknown
    assert decide((0, b"GET / HTTP/1.1\r\nHost: broker\r\n\r\n")) == Verdict("http", "begins with GET")


def test_a_server_tells_another_protocol_too() -> None:
    assert decide((1, b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n")) == Verdict("ssh", "begins with SSH-2.")


def refused(request: bytes, *pieces: Piece, by: str = "fin", direction: int = 1) -> Verdict:
    """A connection that ends after a request, with the verdict."""
    of = connection()
    of.ended_by, of.ended_direction = by, direction
    made = Undecided(of, CallLimits(), {}, Budget(1 << 30))
    for packet, (of_side, content) in enumerate([(0, request), *pieces]):
        made.push(data(of, of_side, content, packet))
    return made.decide_at_end(0)


def in_version(version: int, api_key: int = 3, client_id: str = "shop-1") -> bytes:
    header = struct.pack(">hhih", api_key, version, 1, len(client_id)) + client_id.encode()
    return sized(header + struct.pack(">ih", 1, 6) + b"orders")


def test_a_version_that_no_release_has_is_kafka_where_the_server_closes() -> None:
    """Recorded with Kafka 4.3.1: Metadata v99 gets no answer but a FIN."""
    verdict = refused(in_version(99))
    assert (verdict.protocol, verdict.client, verdict.place) == ("kafka", 0, 0)
    assert refused(in_version(99), by="rst").protocol == "kafka"
    assert refused(in_version(99, client_id="abc")).protocol == "unknown"  # A name that chance may bring.
    assert refused(in_version(99, client_id="\0\1\2\3\4")).protocol == "unknown"
    assert refused(in_version(99, api_key=3_000)).protocol == "unknown"
    assert refused(in_version(99) + b"\0").protocol == "unknown"
    assert refused(in_version(99)[:-1]).protocol == "unknown"
    assert refused(in_version(99), (1, b"+OK bye\r\n"[1:])).protocol == "unknown"
    assert refused(in_version(99), direction=0).protocol == "unknown"  # The client gives up.
    assert refused(in_version(99), by="capture-end").protocol == "unknown"


def test_a_damaged_size_at_the_beginning_waits_for_what_follows() -> None:
    """Of a message whose size is none the first byte is a boundary all the same."""
    damaged = b"\xff\xff\xff\xf0" + metadata_request(1)[4:]
    assert decide((0, damaged)) is None
    verdict = decide((0, damaged), (0, metadata_request(2)), (0, heartbeat_request(3)))
    assert verdict is not None
    assert (verdict.protocol, verdict.place) == ("kafka", 0)
    # Text is no damaged size.
    assert decide((0, b"stun" + metadata_request(1)[4:])) == Verdict("unknown", "its first bytes are no Kafka request")


@pytest.mark.parametrize(
    ("size", "kafka"), [(0, False), (1, True), (len(KERBEROS), True), ((1 << 16) - 1, True), (1 << 16, False)]
)
@pytest.mark.parametrize("before", [b"", PROXY], ids=["alone", "behind a PROXY header"])
def test_a_kerberos_token_at_the_beginning_is_an_older_client(size: int, kafka: bool, before: bytes) -> None:
    """KIP-43: tokens behind a size of four bytes, without a header of Kafka."""
    verdict = decide((0, before + struct.pack(">i", size) + KERBEROS))
    assert verdict is not None
    told = (verdict.protocol, verdict.place, verdict.raw_sasl)
    assert told == (("kafka", len(before), True) if kafka else ("unknown", None, False))


def test_a_proxy_header_is_waited_for_and_passed_over() -> None:
    assert decide((0, PROXY[:20])) is None
    verdict = decide((0, PROXY), (0, metadata_request(1)))
    assert verdict is not None
    assert (verdict.protocol, verdict.place) == ("kafka", len(PROXY))


def test_responses_alone_prove_a_connection_whose_requests_were_not_captured() -> None:
    answers: list[Piece] = [(1, heartbeat_response(number)) for number in range(5)]
    assert decide(*answers[:4]) is None
    assert decide(*answers) == Verdict("kafka", WHOLE_START, 0, 0)
    # Bytes of the client may still prove more.
    assert decide((0, b"\0\0"), *answers) is None


def later_answers(initiator: int | None, since: int | None) -> Undecided:
    """Two answers whose ids are no beginning."""
    of_kafka = {} if since is None else {SERVER: since}
    return undecided((1, metadata_response(700)), (1, metadata_response(701)), initiator=initiator, servers=of_kafka)


@pytest.mark.parametrize("since", [None, 5])
def test_fewer_responses_are_proof_where_the_server_is_known_to_speak_kafka(since: int | None) -> None:
    assert later_answers(0, since).decide(4) is None
    found = later_answers(0, since).decide(5)
    assert found == (None if since is None else Verdict("kafka", RESPONSES_ALONE, 0, response_place=0))


def test_a_connection_that_the_capture_ends_knows_servers_that_became_known_later() -> None:
    of = connection()
    of.ended_by = "capture-end"
    made = Undecided(of, CallLimits(), {SERVER: 5}, Budget(1 << 30))
    for packet, number in enumerate((700, 701)):
        made.push(data(of, 1, metadata_response(number), packet))
    assert made.decide(4) == Verdict("kafka", RESPONSES_ALONE, 0, response_place=0)


def test_at_the_end_bytes_of_the_client_prove_no_more() -> None:
    answers: list[Piece] = [(1, metadata_response(number)) for number in range(700, 708)]
    made = undecided((0, b"\0\0"), *answers)
    assert made.decide(0) is None
    assert made.decide_at_end(0) == Verdict("kafka", RESPONSES_ALONE, 0, response_place=0)


@pytest.mark.parametrize(("most", "unknown"), [(99, True), (100, False)])
def test_so_many_bytes_that_prove_nothing_are_no_kafka(most: int, unknown: bool) -> None:
    budget = Budget(1 << 30)
    limits = CallLimits(undecided_bytes=most)
    made = undecided((0, b"\xff" * 60), (1, b"\xfe" * 40), initiator=None, limits=limits, budget=budget)
    assert made.seen == 100
    assert made.decide(0) == (Verdict("unknown", "no Kafka in 100 bytes") if unknown else None)
    assert bool(budget.notes()) == unknown


def test_what_reads_as_a_request_may_be_a_response_where_the_client_is_not_known() -> None:
    """Produce v0 has the API key and the version of a response's id: the answer 0, and others that count up."""
    answers = b"".join(sized(struct.pack(">i", number) + struct.pack(">ih", 1, 0) + bytes(6)) for number in range(1, 4))
    verdict = decide((0, answers), initiator=None)
    assert verdict is None or verdict.protocol != "kafka"


def test_a_gap_is_held_too_and_all_is_let_go() -> None:
    of = connection(None)
    made = Undecided(of, CallLimits(), {}, Budget(1 << 30))
    made.push(data(of, 0, b"\xff" * 30, 1))
    made.push_gap(gap(of, 0, 50, 2))
    made.push(data(of, 0, metadata_request(2) + metadata_request(3), 3))
    verdict = made.decide(0)
    assert verdict is not None
    assert (verdict.protocol, verdict.client, verdict.place) == ("kafka", 0, 80)
    assert [made.held(direction).held > 0 for direction in (0, 1)] == [True, False]
    made.release()
    assert made.held(0).held == 0
