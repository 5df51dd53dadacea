import json
import struct
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.learning import Learning
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.reading import read
from kafkasniff.render.json.found import decoded_parts
from kafkasniff.render.json.items import connection_line, gap_line, token_line
from kafkasniff.render.json.lines import JsonLines
from tests.calls.enrichment.fetches import answer as fetched
from tests.calls.enrichment.fetches import request as fetch
from tests.conftest import CAPTURES
from tests.render.made_calls import (
    INTERFACE,
    MILLISECOND,
    arrival,
    heartbeat_call,
    made_call,
    made_connection,
    metadata_call,
    request_bytes,
    text,
)

call_line = JsonLines().line

METADATA_LINE = {
    "type": "call",
    "number": 0,
    "time": "2026-11-20T12:00:00.123456Z",
    "connection": "10.0.0.1:51234-10.0.0.2:9092",
    "client": "10.0.0.1:51234",
    "server": "10.0.0.2:9092",
    "requestHeader": {
        "requestApiKey": 3,
        "requestApiKeyName": "METADATA",
        "requestApiVersion": 1,
        "correlationId": 42,
        "clientId": "shop",
    },
    "request": {"topics": [{"name": "orders"}]},
    "response": {
        "brokers": [{"nodeId": 7, "host": "10.0.0.2", "port": 9092, "rack": None}],
        "controllerId": 7,
        "topics": [
            {
                "errorCode": 0,
                "name": "orders",
                "isInternal": False,
                "partitions": [
                    {"errorCode": 6, "partitionIndex": 0, "leaderId": 7, "replicaNodes": [7], "isrNodes": [7]}
                ],
            }
        ],
    },
    "responseApiVersion": 1,
    "outcome": "answered",
    "totalTimeMs": 1.234,
    "responseDelayMs": 1.1,
    "requestSizeBytes": 26,
    "responseSizeBytes": 77,
    "requestFile": "made.pcap",
    "requestPacket": 12,
    "responseFile": "made.pcap",
    "responsePacket": 14,
    "errors": [
        {
            "where": "response",
            "path": "topics[0].partitions[0].errorCode",
            "code": 6,
            "name": "NOT_LEADER_OR_FOLLOWER",
        }
    ],
    "securityProtocol": "PLAINTEXT",
    "principal": None,
    "clientInformation": {"softwareName": None, "softwareVersion": None},
}


def test_call_line_has_the_documented_keys_in_order() -> None:
    line = call_line(metadata_call(error_code=6))
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.dumps(json.loads(line)) == json.dumps(METADATA_LINE)


def test_times_have_the_precision_of_the_capture() -> None:
    call = made_call(
        request_bytes(18, 0, 1, None, b""), None, outcome="unanswered", interface=Interface("n.pcap", 1, time_digits=9)
    )
    item = json.loads(call_line(call))
    assert item["time"] == "2026-11-20T12:00:00.123456000Z"
    assert item["requestHeader"]["clientId"] is None


def test_without_a_response() -> None:
    call = heartbeat_call(outcome="response-not-captured")
    call.pending_ns = 2_500_000
    item = json.loads(call_line(call))
    assert item["outcome"] == "response-not-captured"
    assert item["pendingMs"] == 2.5
    assert list(item)[11:13] == ["pendingMs", "totalTimeMs"]
    for key in ("response", "responseApiVersion", "totalTimeMs", "responseDelayMs"):
        assert item[key] is None
    assert [item[key] for key in ("responseSizeBytes", "responseFile", "responsePacket")] == [None, None, None]


def test_without_a_request_the_header_holds_the_correlation_id_only() -> None:
    item = json.loads(call_line(made_call(None, struct.pack(">ih", 77, 0), outcome="request-not-captured")))
    assert item["requestHeader"] == {"correlationId": 77}
    assert item["request"] is None
    assert item["response"] is None
    assert item["responsePacket"] == 14
    assert item["time"] == "2026-11-20T12:00:00.124556Z"


def test_a_cut_body_stands_under_partial_with_a_problem() -> None:
    whole = request_bytes(12, 0, 43, "shop", text("billing") + struct.pack(">i", 5) + text("member-1"))
    item = json.loads(call_line(made_call(whole[:-4], None, outcome="unanswered", request_size=len(whole))))
    assert item["request"] is None
    assert item["requestPartial"] == {"groupId": "billing", "generationId": 5}
    assert item["requestSizeBytes"] == len(whole)
    assert {problem["where"] for problem in item["problems"]} == {"request"}
    assert item["problems"][0]["path"] == "memberId"
    assert list(item["problems"][0]) == ["where", "offset", "path", "message"]


def test_bytes_behind_a_whole_body_are_a_problem_beside_it() -> None:
    whole = request_bytes(12, 0, 43, "shop", text("billing") + struct.pack(">i", 5) + text("m-1"))
    item = json.loads(call_line(made_call(whole + b"xyz", None, outcome="unanswered")))
    assert item["request"] == {"groupId": "billing", "generationId": 5, "memberId": "m-1"}
    assert item["problems"][0]["offset"] == len(whole)


def test_hostile_text_stays_one_line() -> None:
    line = call_line(metadata_call(topic='a\n\x1b]0;x\x07\u202e"}'))
    assert line.count(b"\n") == 1
    assert json.loads(line)["request"] == {"topics": [{"name": 'a\n\x1b]0;x\x07\u202e"}'}]}


def test_token_line() -> None:
    token = SaslToken("PLAIN", "PLAIN credentials", "User:alice", {"authcid": "alice", "passwd": "***"})
    client, server = "10.0.0.1:51234", "10.0.0.2:9092"
    item = RawToken(made_connection(), client, server, "request", 19, arrival(3, 1_000_000), token)
    assert json.loads(token_line(item)) == {
        "type": "sasl",
        "time": "2026-11-20T12:00:00.001000Z",
        "connection": "10.0.0.1:51234-10.0.0.2:9092",
        "direction": "request",
        "sizeInBytes": 19,
        "file": "made.pcap",
        "packet": 3,
        "token": "PLAIN credentials",
        "value": {"saslMechanism": "PLAIN", "principal": "User:alice", "authcid": "alice", "passwd": "***"},
    }


def test_gap_line() -> None:
    gap = Gap(made_connection(), "10.0.0.1:51234", "10.0.0.2:9092", "response", 1448, arrival(9, 7 * MILLISECOND))
    assert json.loads(gap_line(gap)) == {
        "type": "gap",
        "time": "2026-11-20T12:00:00.007000Z",
        "connection": "10.0.0.1:51234-10.0.0.2:9092",
        "direction": "response",
        "bytes": 1448,
        "file": "made.pcap",
        "packet": 9,
    }


def test_connection_line_counts_by_side_also_when_the_server_was_seen_first() -> None:
    connection = made_connection()
    connection.endpoints = connection.endpoints[::-1]
    connection.initiator = None
    connection.ended_by, connection.ended_direction = "rst", 0
    connection.round_trip_ns = 250_000
    connection.counters[0].packets, connection.counters[0].data_bytes = 3, 900
    connection.counters[1].packets, connection.counters[1].gaps = 5, 1
    connection.tunnel = ("vxlan:42",)
    report = ConnectionReport(connection, "10.0.0.1:51234", "10.0.0.2:9092", "kafka", "since.", 4, arrival(20, 0))
    item = json.loads(connection_line(report))
    assert item["fromServer"]["packets"] == 3
    assert item["fromServer"]["bytes"] == 900
    assert item["fromClient"]["packets"] == 5
    assert item["fromClient"]["gaps"] == 1
    assert item["began"] == "mid-stream"
    assert (item["ended"], item["endedBy"]) == ("rst", "server")
    assert item["roundTripMs"] == 0.25
    assert item["tunnel"] == ["vxlan:42"]
    assert (item["protocol"], item["evidence"], item["calls"]) == ("kafka", "since.", 4)
    assert (item["firstFile"], item["firstPacket"], item["lastPacket"]) == (INTERFACE.file, 1, 20)


def test_a_body_that_came_before_gives_the_same_line() -> None:
    for _ in range(3):
        line = call_line(metadata_call(error_code=6))
        assert json.loads(line) == METADATA_LINE


def test_what_was_printed_without_secrets_does_not_hide_them_later() -> None:
    # AlterConfigs v0: ssl.key.password of broker 1 set to "hush".
    body = struct.pack(">ib", 1, 4) + text("1") + struct.pack(">i", 1) + text("ssl.key.password") + text("hush") + b"\0"
    values = []
    for show_secrets in (False, False, True, True, False):
        call = made_call(request_bytes(33, 0, 1, "admin", body), None, outcome="unanswered")
        call.show_secrets = show_secrets
        [resource] = json.loads(call_line(call))["request"]["resources"]
        values.append(resource["configs"][0]["value"])
    assert values == ["***", "***", "hush", "hush", "***"]


def test_text_from_the_wire_is_escaped() -> None:
    nasty = 'a"b\\c\n\x1b\u2028'
    item = json.loads(call_line(metadata_call(topic=nasty, client_id=nasty)))
    assert item["requestHeader"]["clientId"] == nasty
    assert item["request"]["topics"][0]["name"] == nasty


def test_very_short_and_negative_times() -> None:
    for took_ns in (0, 1, 99, 100, 133_950):
        item = json.loads(call_line(made_call(*_heartbeat_bytes(), took_ns=took_ns)))
        assert item["totalTimeMs"] == took_ns / 1e6
        assert item["responseDelayMs"] == (took_ns - 134_000) / 1e6


def _heartbeat_bytes() -> tuple[bytes, bytes]:
    body = text("billing") + struct.pack(">i", 5) + text("m-1")
    return request_bytes(12, 0, 43, "shop", body), struct.pack(">ih", 43, 0)


@pytest.mark.parametrize("records", [False, True])
@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcap*")), ids=lambda path: path.name)
def test_lines_hold_what_decoding_gives(path: Path, records: bool) -> None:
    for call in read(str(path), records=records):
        if isinstance(call, Call):
            item = json.loads(call_line(call))
            request, response, version, partial, found = decoded_parts(call)
            expected = f'{{"request":{request.decode()},"response":{response.decode()},'
            expected += f'"responseApiVersion":{json.dumps(version)}{partial}{found}}}'
            for name, value in json.loads(expected).items():
                # As text, since the order of keys counts too.
                assert json.dumps(item[name]) == json.dumps(value)


def test_what_a_fetch_session_covers_is_in_the_line_as_in_the_call() -> None:
    learns = Learning(Context(), FetchSessions())
    topics = {"orders": [3, 0], 'a"b\x7f' + "t" * 300: [1]}
    first = made_call(fetch(0, topics, session=0)[1], fetched())
    calls = [made_call(fetch(epoch, changes)[1], fetched()) for epoch, changes in ((1, {}), (2, {"audit": [7]}))]
    for call in (first, *calls):
        learns.take(call)
    for call in calls:
        line = call_line(call)
        assert json.loads(line)["decoded"] == call.decoded
        assert b"\x7f" not in line
        assert call_line(call) == line
