"""Tokens as the sources of aws-msk-iam-auth (SignedPayloadValidatorUtils) and franz-go (pkg/sasl/aws) make them."""

import json

import pytest

from kafkasniff.protocol.sasl.tokens import read_token

SIGNED = {
    "action": "kafka-cluster:Connect",
    "host": "b-1.demo.abcdef.c1.kafka.us-east-1.amazonaws.com",
    "user-agent": "aws-msk-iam-auth/2.3.0/17.0.15",
    "version": "2020_10_22",
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    "x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20261123/us-east-1/kafka-cluster/aws4_request",
    "x-amz-date": "20261123T082104Z",
    "x-amz-expires": "900",
    "x-amz-signedheaders": "host",
}
SECRET = {"x-amz-signature": "f2a1" * 16, "x-amz-security-token": "FwoGZXIvYXdzEXAMPLE"}


@pytest.mark.parametrize("show_secrets", [False, True])
def test_the_signed_payload_is_shown_without_what_opens_something(show_secrets: bool) -> None:
    token = json.dumps(SIGNED | SECRET).encode()
    found = read_token("AWS_MSK_IAM", True, token, show_secrets=show_secrets)
    assert (found.kind, found.principal) == ("AWS_MSK_IAM signed payload", None)
    assert found.fields == SIGNED | (SECRET if show_secrets else dict.fromkeys(SECRET, "***"))


def test_fields_that_are_not_known_are_hidden() -> None:
    found = read_token("AWS_MSK_IAM", True, json.dumps(SIGNED | {"surprise": 7}).encode())
    assert found.fields["surprise"] == "***"


def test_the_answer_names_the_request() -> None:
    answer = {"version": "2020_10_22", "request-id": "f0d6a4c2-2f4b-4d1f-9a9e-1b2c3d4e5f60"}
    found = read_token("AWS_MSK_IAM", False, json.dumps(answer).encode())
    assert (found.kind, found.fields) == ("AWS_MSK_IAM answer", answer)


@pytest.mark.parametrize("token", [b"{}", b"[]", b"not json", b"\0alice\0alice-secret", b'{"version":'])
def test_other_bytes_tell_their_size_only(token: bytes) -> None:
    found = read_token("AWS_MSK_IAM", True, token)
    assert (found.kind, found.fields) == ("unknown", {"sizeInBytes": len(token)})
