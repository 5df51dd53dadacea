"""What vendors' brokers do otherwise on the wire, by the sources in docs/compatibility.md: no false problems."""

import json
import struct

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.render.json.lines import JsonLines
from tests.calls.detection.conversing import converse
from tests.calls.hand_made import connection, data, metadata_request, metadata_response, sized, text

CLIENT_ID = "shop"
NO_TAGS = b"\0"


def request(key: int, version: int, number: int, body: bytes, client_id: str = CLIENT_ID) -> bytes:
    return sized(struct.pack(">hhi", key, version, number) + text(client_id) + body)


def response(number: int, body: bytes) -> bytes:
    return sized(struct.pack(">i", number) + body)


def talk(*messages: tuple[bytes, bytes]) -> list[Item]:
    """Give what a connection holds on which each request is answered."""
    of = connection()
    segments = [(side, frame) for pair in messages for side, frame in enumerate(pair) if frame]
    items, _ = converse(of, [data(of, side, frame, number) for number, (side, frame) in enumerate(segments, 1)])
    return [*items]


def calls_of(items: list[Item]) -> list[Call]:
    return [item for item in items if isinstance(item, Call)]


def findings(items: list[Item]) -> list[str]:
    diagnosis = Diagnosis()
    for item in items:
        diagnosis.feed(item)
    return [finding.rule for finding in diagnosis.findings()]


OWN_APIS = {
    # Confluent Server's message definitions, as abbccdda/kafka holds them; they name no flexible versions.
    "ReplicaStatus": (
        10_000,
        struct.pack(">i", 1) + text("orders") + struct.pack(">ii", 1, 0),
        struct.pack(">hi", 0, 0),
    ),
    "InitiateShutdown": (10_005, struct.pack(">q", -1), struct.pack(">h", 0)),
    "TierListOffset": (32_767, struct.pack(">ii", -1, 0), struct.pack(">i", 0)),
    # Redpanda's describe_redpanda_roles_request.json and _response.json: flexible from version 0 on.
    "DescribeRedpandaRoles": (15_000, NO_TAGS + b"\0\0", NO_TAGS + struct.pack(">ih", 0, 0) + b"\0\x01\0"),
}


@pytest.mark.parametrize("name", OWN_APIS)
def test_apis_of_vendors_are_shown_and_paired_and_blamed_for_nothing(name: str) -> None:
    key, asked, answered = OWN_APIS[name]
    items = talk(
        (metadata_request(1), metadata_response(1)),
        *((request(key, 0, number, asked), response(number, answered)) for number in range(2, 22)),
        (metadata_request(22), metadata_response(22)),
    )
    found = calls_of(items)
    assert [call.outcome for call in found] == ["answered"] * 22
    assert {(call.api_key, call.client_id, len(call.problems)) for call in found[1:21]} == {(key, CLIENT_ID, 1)}
    assert "not known" in found[1].problems[0].message
    assert findings(items) == []


def api_versions(number: int, version: int, error: int, apis: list[tuple[int, int, int]]) -> bytes:
    entries = b"".join(struct.pack(">hhh", *api) for api in apis)
    throttle = struct.pack(">i", 0) if version in (1, 2) else b""
    return response(number, struct.pack(">hi", error, len(apis)) + entries + throttle)


def test_redpanda_lists_all_apis_when_it_refuses_the_version_of_api_versions() -> None:
    """`api_versions_handler::handle_raw`: the answer of version 0 with error 35; Kafka lists ApiVersions alone."""
    apis = [(0, 0, 7), (1, 0, 11), (3, 0, 8), (18, 0, 3)]
    asked = request(18, 4, 1, NO_TAGS + b"\x04kgo\x06v1.22\0")
    items = talk((asked, api_versions(1, 0, 35, apis)), (metadata_request(2), metadata_response(2)))
    (refused, _) = calls_of(items)
    assert refused.response_body is not None
    assert refused.response_body.value == {
        "errorCode": 35,
        "apiKeys": [dict(zip(("apiKey", "minVersion", "maxVersion"), api, strict=True)) for api in apis],
    }
    assert refused.response_api_version == 0
    assert refused.problems == []
    assert findings(items) == []


EVENT_HUBS = [
    *((0, 3, 5), (1, 4, 6), (2, 0, 2), (3, 0, 5), (8, 0, 3), (9, 0, 3), (10, 0, 1), (11, 0, 2), (12, 0, 1)),
    *((13, 0, 1), (14, 0, 1), (15, 0, 1), (16, 0, 1), (17, 0, 0), (18, 0, 1), (19, 0, 2), (20, 0, 2), (23, 0, 0)),
]
"""What Event Hubs told a Java client (Azure/azure-event-hubs-for-kafka, issue 69)."""


def test_event_hubs_takes_a_connection_string_for_the_password() -> None:
    """It told SaslHandshake v0 alone, behind which tokens have no header."""
    secret = "Endpoint=sb://demo.servicebus.windows.net/;SharedAccessKeyName=all;SharedAccessKey=c2VjcmV0"
    items = talk(
        (request(18, 1, 1, b""), api_versions(1, 1, 0, EVENT_HUBS)),
        (request(17, 0, 2, text("PLAIN")), response(2, struct.pack(">hi", 0, 1) + text("PLAIN"))),
        (sized(f"\0$ConnectionString\0{secret}".encode()), sized(b"")),
        (metadata_request(3), metadata_response(3)),
    )
    told, handshake, metadata = calls_of(items)
    assert not any(call.problems for call in (told, handshake, metadata))
    assert metadata.principal == "User:$ConnectionString"
    tokens = [item.token for item in items if isinstance(item, RawToken)]
    assert [token.fields.get("passwd") for token in tokens] == ["***", None]
    assert told.response_body is not None
    assert told.response_body.value is not None
    assert len(told.response_body.value["apiKeys"]) == len(EVENT_HUBS)


def test_warpstream_reads_settings_in_client_ids_and_each_agent_leads_all_partitions() -> None:
    """docs.warpstream.com: client id features, and the agents' answers to Metadata, in which addresses change."""
    client_id = "ws_az=us-east-1a,ws_host_override=agent-lb.example.com,warpstream_proxy_target=proxy-produce,shop"
    items = []
    for agent in ("10.0.0.2", "10.0.0.3", "agent-lb.example.com"):
        items += talk(
            (metadata_request(1, client_id), metadata_response(1, host=agent)),
            (metadata_request(2, client_id), metadata_response(2, host=agent)),
        )
    assert {call.client_id for call in calls_of(items)} == {client_id}
    assert not any(call.problems for call in calls_of(items))
    assert findings(items) == []


def test_the_iam_login_of_msk_shows_no_signature() -> None:
    """One token each way: aws-msk-iam-auth, IAMSaslClient and AuthenticationResponse."""
    signed = {
        "version": "2020_10_22",
        "host": "b-1.demo.abcdef.c1.kafka.us-east-1.amazonaws.com",
        "user-agent": "aws-msk-iam-auth/2.3.0/17.0.15",
        "action": "kafka-cluster:Connect",
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20261123/us-east-1/kafka-cluster/aws4_request",
        "x-amz-date": "20261123T082104Z",
        "x-amz-expires": "900",
        "x-amz-signedheaders": "host",
        "x-amz-signature": "f2a1" * 16,
        "x-amz-security-token": "FwoGZXIvYXdzEXAMPLE",
    }
    sent = json.dumps(signed).encode()
    answer = json.dumps({"version": "2020_10_22", "request-id": "f0d6a4c2-2f4b-4d1f-9a9e-1b2c3d4e5f60"}).encode()
    asked = struct.pack(">i", len(sent)) + sent
    answered = struct.pack(">hhi", 0, -1, len(answer)) + answer + struct.pack(">q", 43_200_000)
    items = talk(
        (request(17, 1, 1, text("AWS_MSK_IAM")), response(1, struct.pack(">hi", 0, 1) + text("AWS_MSK_IAM"))),
        (request(36, 1, 2, asked), response(2, answered)),
        (metadata_request(3), metadata_response(3)),
    )
    login = calls_of(items)[1]
    # The names of requests' files are those of the capture layer, which made calls have not.
    values = [entry["value"] for entry in login.decoded]
    assert [entry["type"] for entry in login.decoded] == ["AWS_MSK_IAM signed payload", "AWS_MSK_IAM answer"]
    assert values[0]["x-amz-credential"] == signed["x-amz-credential"]
    assert values[1]["request-id"] == "f0d6a4c2-2f4b-4d1f-9a9e-1b2c3d4e5f60"
    assert not any(call.problems for call in calls_of(items))
    printed = JsonLines().line(login)
    assert signed["x-amz-signature"].encode() not in printed
    assert signed["x-amz-security-token"].encode() not in printed
