import struct

import pytest
from rich.cells import cell_len

from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.text.lines import CallLines
from tests.protocol.records.made_batches import simple_batch
from tests.render.made_calls import (
    MILLISECOND,
    arrival,
    heartbeat_call,
    made_call,
    made_connection,
    metadata_call,
    request_bytes,
    text,
)

METADATA_LINE = (
    "     0 12:00:00.124690        10.0.0.1:51234 → 10.0.0.2:9092         shop                 "
    "Metadata v1            42 1.23 ms orders → 1 broker, 1 topic\n"
)


def test_a_line_has_every_column() -> None:
    assert CallLines().call(metadata_call()) == METADATA_LINE
    call = metadata_call()
    call.number = 1_234_567
    assert CallLines(time_of="request").call(call).startswith("1234567 12:00:00.123456 ")


def test_errors_stand_before_the_summary_with_their_count() -> None:
    line = CallLines().call(metadata_call(error_code=6))
    assert "1.23 ms NOT_LEADER_OR_FOLLOWER  orders → 1 broker" in line


def test_the_broker_id_is_known_once_metadata_told_it() -> None:
    lines = CallLines()
    assert " 10.0.0.2:9092 " in lines.call(heartbeat_call())
    lines.learn(metadata_call())
    assert " 10.0.0.2:9092/7 " in lines.call(heartbeat_call())


@pytest.mark.parametrize("width", [None, 200, 160, 130, 100, 80, 60])
def test_columns_stay_where_they_are_when_a_long_value_came(width: int | None) -> None:
    lines = CallLines(width)
    first = lines.call(metadata_call())
    lines.call(metadata_call(client_id="a-client-id-" * 8))
    assert lines.call(metadata_call()) == first


def test_client_ids_are_cut_inside_and_never_alike() -> None:
    lines = CallLines(80)
    assert " bill…ommit-1 " in lines.call(metadata_call(client_id="billing-consumer-commit-1"))
    assert " bill…ommit-2 " in lines.call(metadata_call(client_id="billing-consumer-commit-2"))
    assert " billing-producer-commit-2 " in lines.call(metadata_call(client_id="billing-producer-commit-2"))
    assert " bill…ommit-1 " in lines.call(metadata_call(client_id="billing-consumer-commit-1"))


def test_columns_have_titles_once_or_once_a_screen() -> None:
    once = [CallLines(80, header_rows=0).call(metadata_call()) for _ in range(1)]
    assert once[0].splitlines()[:2] == ["   # UTC          client id    API                 took what", "2026-11-20"]
    lines = CallLines(80, header_rows=2)
    shown = "".join(lines.call(metadata_call()) for _ in range(5)).splitlines()
    assert [line.split()[0] for line in shown] == ["#", "2026-11-20", "0", "0", "0", "#", "0", "0"]
    titles = CallLines(240, header_rows=0).call(metadata_call()).splitlines()
    assert titles[0].index("client id") == titles[2].index("shop")
    assert titles[0].index("what") == titles[2].index("orders")


def test_the_day_stands_above_the_first_line_of_another_day() -> None:
    lines = CallLines()
    call = metadata_call()
    assert lines.call(call).count("\n") == 1
    call.ended = arrival(14, 43_200_000 * MILLISECOND)
    assert lines.call(call).startswith("2026-11-21\n     0 00:00:00.000000 ")
    assert lines.call(call).count("\n") == 1


@pytest.mark.parametrize(
    ("outcome", "text"),
    [("unanswered", "UNANSWERED"), ("no-response-expected", "no response expected")],
)
def test_outcomes(outcome: str, text: str) -> None:
    assert f"      - {text}  group billing" in CallLines().call(heartbeat_call(outcome=outcome))  # type: ignore[arg-type]


def test_pending_time() -> None:
    call = heartbeat_call(outcome="response-not-captured")
    call.pending_ns = 20 * MILLISECOND
    assert "response not captured, pending for 20.0 ms" in CallLines().call(call)


def test_a_response_alone() -> None:
    call = made_call(None, struct.pack(">ih", 77, 0), outcome="request-not-captured")
    line = CallLines().call(call)
    assert " ? " in line
    assert " 77 " in line
    assert line.endswith("request not captured\n")


def test_an_unknown_api_is_named_by_its_key() -> None:
    line = CallLines().call(made_call(request_bytes(900, 3, 5, "x", b"\x00"), None, outcome="unanswered"))
    assert " API 900 v3 " in line


def test_control_characters_never_reach_the_terminal() -> None:
    evil = "\x1b[2J\n\u202e\x9b1m"
    lines = CallLines(detail=2)
    call = metadata_call(topic=evil, client_id=evil)
    call.pairing_problems = (Problem("request", 3, evil, evil),)
    out = lines.call(call)
    assert all(character.isprintable() for character in out.replace("\n", ""))
    assert "\\x1b[2J\\x0a\\u202e" in out.splitlines()[0]


@pytest.mark.parametrize("colours", [PLAIN, Colours(*(["\x1b[31m"] * 8), off="\x1b[0m")], ids=["plain", "coloured"])
@pytest.mark.parametrize("width", [1, 10, 30, 40, 50, 60, 68, 71, 72, 80, 100, 120, 160, 240])
def test_lines_fit_the_terminal(width: int, colours: Colours) -> None:
    lines = CallLines(width, colours=colours)
    lines.learn(metadata_call())
    for call in (
        metadata_call(topic="t" * 200, error_code=6),
        heartbeat_call(group="g" * 200, error_code=25),
        heartbeat_call(group="g" * 200, outcome="unanswered"),
        metadata_call(client_id="c" * 100),
        metadata_call(client_id="客户端" * 20, topic="主题" * 90),
    ):
        shown = lines.call(call).replace("\x1b[31m", "").replace("\x1b[0m", "")
        assert all(cell_len(line) <= width for line in shown.splitlines())
        assert len(shown.splitlines()) == 1 + (error_line(shown) is not None)


def error_line(shown: str) -> str | None:
    """The line below that of a call, where its errors have no room in it."""
    return next((line.strip() for line in shown.splitlines()[1:]), None)


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120, 160, 240])
def test_names_of_errors_are_never_cut(width: int) -> None:
    lines = CallLines(width)
    for code, name in (
        (6, "NOT_LEADER_OR_FOLLOWER"),
        (25, "UNKNOWN_MEMBER_ID"),
        (53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
    ):
        assert name in lines.call(heartbeat_call(group="g" * 200, error_code=code)).split()


@pytest.mark.parametrize("width", [40, 80, 120, 140, 240])
def test_lines_with_long_addresses_fit_too(width: int) -> None:
    lines = CallLines(width, time="delta")
    call = heartbeat_call(error_code=25)
    first = lines.call(call)
    call.client, call.server = "[2001:db8:1234:5678:9abc:def0:1234:5678]:51234", "[2001:db8::1111:2222:3333:4444]:9092"
    second = lines.call(call)
    assert max(map(len, second.splitlines())) <= width
    assert "Heartbeat" in second
    assert first.split()[0] == second.split()[0]


@pytest.mark.parametrize("width", [5, 40, 60])
def test_other_lines_fit_a_narrow_terminal(width: int) -> None:
    gap = Gap(made_connection(), "10.0.0.1:51234", "10.0.0.2:9092", "request", 5, arrival(1, 0))
    assert len(CallLines(width).gap(gap)) - 1 <= width


def test_eighty_columns_keep_number_time_client_id_api_latency_and_errors() -> None:
    lines = CallLines(80)
    assert lines.call(heartbeat_call(error_code=25)) == (
        "   0 12:00:00.124 shop         Heartbeat v0     1.23 ms UNKNOWN_MEMBER_ID  grou…\n"
    )
    assert lines.call(heartbeat_call(error_code=53)) == (
        "   0 12:00:00.124 shop         Heartbeat v0     1.23 ms group billing member …\n"
        "      TRANSACTIONAL_ID_AUTHORIZATION_FAILED\n"
    )


def test_colours_do_not_count_as_width() -> None:
    colours = Colours(*(["\x1b[31m"] * 8), off="\x1b[0m")
    plain, coloured = CallLines(100), CallLines(100, colours=colours)
    call = metadata_call(topic="t" * 200, error_code=6)
    assert coloured.call(call).replace("\x1b[31m", "").replace("\x1b[0m", "") == plain.call(call)


def test_a_cut_message_says_how_much_of_it_is_there() -> None:
    whole = request_bytes(12, 0, 43, "shop", text("billing") + struct.pack(">i", 5) + text("member-1"))
    line = CallLines().call(made_call(whole[:20], None, outcome="unanswered", request_size=len(whole)))
    assert line.endswith(f"request cut: 20 of {len(whole)} bytes\n")


def test_detail_shows_the_decoded_messages() -> None:
    out = CallLines(160, detail=1).call(metadata_call(error_code=6)).splitlines()
    assert out[1:] == [
        "  request v1, 26 B, made.pcap packet 12",
        "    topics:",
        "      - name: orders",
        "  response v1, 77 B, made.pcap packet 14",
        "    brokers:",
        "      - nodeId: 7  host: 10.0.0.2  port: 9092  rack: null",
        "    controllerId: 7",
        "    topics:",
        "      - errorCode: 0  name: orders  isInternal: false",
        "        partitions:",
        "          - errorCode: 6 NOT_LEADER_OR_FOLLOWER  partitionIndex: 0  leaderId: 7  "
        "replicaNodes: [7]  isrNodes: [7]",
    ]


def test_detail_shows_records_and_what_lies_inside() -> None:
    metadata = struct.pack(">hi", 0, 1) + text("orders") + struct.pack(">i", -1)
    body = text("billing") + struct.pack(">i", 10_000) + text("") + text("consumer") + struct.pack(">i", 1)
    request = request_bytes(11, 0, 1, "shop", body + text("range") + struct.pack(">i", len(metadata)) + metadata)
    shown = CallLines(detail=1).call(made_call(request, None, outcome="unanswered"))
    assert "    protocols[0].metadata holds ConsumerProtocolSubscription v0\n      topics: [orders]" in shown
    cut = request_bytes(11, 0, 1, "shop", body + text("range") + struct.pack(">i", 4) + metadata[:4])
    shown = CallLines(detail=1).call(made_call(cut, None, outcome="unanswered"))
    assert "problem: request protocols[0].metadata: ConsumerProtocolSubscription" in shown

    records = simple_batch(1)
    body = struct.pack(">hii", -1, 1000, 1) + text("orders") + struct.pack(">iii", 1, 0, len(records)) + records
    call = made_call(request_bytes(0, 3, 1, "shop", text(None) + body), None, outcome="unanswered")
    call.context = Context(records=True)
    assert "        - offset: 0  timestamp: 1700000000000  key: null  value: value 0" in CallLines(detail=1).call(call)


def test_topic_ids_are_named() -> None:
    topic_id = bytes(range(16))
    request = struct.pack(">hhi", 0, 13, 1) + text("shop") + b"\0" + b"\0" + struct.pack(">hi", -1, 1000)
    request += b"\2" + topic_id + b"\2" + struct.pack(">i", 0) + b"\0\0" + b"\0\0"
    call = made_call(request, None, outcome="unanswered")
    call.context = Context()
    call.context.topics.add("AAECAwQFBgcICQoLDA0ODw", "orders")
    shown = CallLines(detail=1).call(call)
    assert "orders-0" in shown.splitlines()[0]
    assert shown.endswith("  topic AAECAwQFBgcICQoLDA0ODw is orders\n")


def test_raw_tokens() -> None:
    token = SaslToken("PLAIN", "PLAIN credentials", "User:alice", {})
    item = RawToken(made_connection(), "10.0.0.1:51234", "10.0.0.2:9092", "request", 19, arrival(3, MILLISECOND), token)
    shown = CallLines().token(item)
    assert shown.endswith("SASL token of the client: PLAIN credentials of User:alice, 19 B\n")


def test_gaps() -> None:
    gap = Gap(made_connection(), "10.0.0.1:51234", "10.0.0.2:9092", "response", 1448, arrival(9, 7 * MILLISECOND))
    line = CallLines().gap(gap)
    assert line.startswith(
        "       12:00:00.007000        10.0.0.1:51234 → 10.0.0.2:9092 gap: 1,448 bytes of the responses not"
    )
    gap.length = gap.direction = None
    assert "gap: an unknown number of bytes not in the capture" in CallLines().gap(gap)


def test_connections() -> None:
    connection = made_connection()
    connection.counters[0].packets, connection.counters[1].packets = 3, 2
    connection.counters[0].data_bytes = 1500
    report = ConnectionReport(connection, "10.0.0.1:51234", "10.0.0.2:9092", "tls", "a \x07hello", 0, arrival(9, 0))
    assert "connection: tls, 0 calls, 5 packets, 1.5 kB, a \\x07hello\n" in CallLines().connection(report)


def test_throttling_is_said() -> None:
    response = struct.pack(">iih", 43, 11, 0)
    call = made_call(
        request_bytes(12, 1, 43, "shop", text("billing") + struct.pack(">i", 5) + text("member-1")), response
    )
    assert "1.23 ms throttled for 11.0 ms  group billing" in CallLines().call(call)


def test_a_line_without_room_for_all_columns_keeps_its_errors() -> None:
    call = made_call(
        request_bytes(22, 0, 7, "a" * 40, text("tx") + struct.pack(">i", 1)), struct.pack(">iihqh", 7, 0, 53, -1, -1)
    )
    shown = CallLines(45).call(call).splitlines()
    assert max(map(len, shown)) <= 45
    assert shown[-1].strip() == "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


@pytest.mark.parametrize(
    ("size", "said"), [(1_000, "1,000"), (999, "999"), (1_002_003, "1,002,003"), (2_000_000_000, "2,000,000,000")]
)
def test_messages_in_part_are_said(size: int, said: str) -> None:
    request = request_bytes(12, 0, 1, "shop", b"")
    call = made_call(request, bytes(9), request_size=size)
    assert CallLines().call(call).endswith(f" ms request cut: {len(request)} of {said} bytes\n")
    assert call.response is not None
    call.response.size = 10
    both = f"request cut: {len(request)} of {said} bytes, response cut: 9 of 10 bytes"
    assert CallLines().call(call).endswith(f" ms {both}\n")
    assert both in CallLines(240).call(call)
    coloured = CallLines(colours=Colours(warning="<", off=">")).call(call)
    assert coloured.endswith(f"<{both}>\n")
