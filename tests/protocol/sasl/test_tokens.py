import random

import pytest

from kafkasniff.protocol.sasl.tokens import MAX_TOKEN_BYTES, guess_mechanism, read_token

PLAIN = b"\0alice\0alice-secret"
SCRAM = b"n,,n=alice,r=abc"
OAUTHBEARER = b"n,,\x01auth=Bearer opaque\x01\x01"
GSSAPI = bytes.fromhex("600d 06092a864886f712010202 0200")

MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM"]


@pytest.mark.parametrize(
    ("mechanism", "token", "kind"),
    [
        ("PLAIN", PLAIN, "PLAIN credentials"),
        ("SCRAM-SHA-256", SCRAM, "SCRAM client-first"),
        ("SCRAM-SHA-512", SCRAM, "SCRAM client-first"),
        ("SCRAM", SCRAM, "SCRAM client-first"),
        ("OAUTHBEARER", OAUTHBEARER, "OAUTHBEARER token"),
        ("GSSAPI", GSSAPI, "GSSAPI AP-REP"),
        ("AWS_MSK_IAM", b"{}", "unknown"),
    ],
)
def test_tokens_by_mechanism(mechanism: str, token: bytes, kind: str) -> None:
    found = read_token(mechanism, True, token)
    assert (found.mechanism, found.kind) == (mechanism, kind)


def test_empty_tokens_are_named_by_their_mechanism() -> None:
    assert read_token("PLAIN", False, b"")[1:] == ("PLAIN empty token", None, {})


def test_huge_tokens_are_not_read() -> None:
    assert read_token("PLAIN", True, b"\0a\0" + b"x" * MAX_TOKEN_BYTES).kind == "unknown"
    assert guess_mechanism(b"\0a\0" + b"x" * MAX_TOKEN_BYTES) is None


@pytest.mark.parametrize(
    ("token", "mechanism"),
    [
        (PLAIN, "PLAIN"),
        (SCRAM, "SCRAM"),
        (OAUTHBEARER, "OAUTHBEARER"),
        (GSSAPI, "GSSAPI"),
        (b"", None),
        (b"GET / HTTP/1.1\r\n\r\n", None),
        (bytes.fromhex("0003 0000 00000001 0001 61 00000000"), None),
    ],
)
def test_the_mechanism_of_a_first_token(token: bytes, mechanism: str | None) -> None:
    assert guess_mechanism(token) == mechanism


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_spoiled_tokens_raise_nothing(mechanism: str) -> None:
    generator = random.Random(mechanism)
    for _ in range(300):
        token = bytearray(generator.choice([PLAIN, SCRAM, OAUTHBEARER, GSSAPI, generator.randbytes(30)]))
        token[generator.randrange(len(token))] = generator.randrange(256)
        del token[generator.randrange(len(token)) + 1 :]
        guess_mechanism(bytes(token))
        for from_client in (True, False):
            found = read_token(mechanism, from_client, bytes(token))
            assert "alice-secret" not in str(found.fields)


@pytest.mark.parametrize(("length", "kind"), [(MAX_TOKEN_BYTES, "PLAIN credentials"), (MAX_TOKEN_BYTES + 1, "unknown")])
def test_the_largest_token(length: int, kind: str) -> None:
    token = b"\0alice\0".ljust(length, b"x")
    assert read_token("PLAIN", True, token).kind == kind
