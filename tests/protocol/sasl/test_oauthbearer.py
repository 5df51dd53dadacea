"""Tokens of RFC 7628, 4, and the JWT of RFC 7519, 3.1."""

from base64 import urlsafe_b64encode

import pytest

from kafkasniff.protocol.sasl.oauthbearer import is_oauthbearer, read_oauthbearer
from kafkasniff.protocol.sasl.token import SaslToken

JWT = (
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)
OPAQUE = "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg=="
OF_THE_RFC = f"n,a=user@example.com,\x01host=server.example.com\x01port=143\x01auth=Bearer {OPAQUE}\x01\x01"


def jwt(claims: str) -> bytes:
    payload = urlsafe_b64encode(claims.encode()).rstrip(b"=").decode()
    return f"n,,\x01auth=Bearer eyJhbGciOiJub25lIn0.{payload}.\x01\x01".encode()


def read(token: bytes, from_client: bool = True, show_secrets: bool = False) -> SaslToken:
    return read_oauthbearer(token, from_client, show_secrets)


def test_an_opaque_token() -> None:
    fields = {
        "authzid": "user@example.com",
        "token": "***",
        "extensions": {"host": "server.example.com", "port": "143"},
    }
    assert read(OF_THE_RFC.encode()) == SaslToken("OAUTHBEARER", "OAUTHBEARER token", None, fields)


def test_the_claims_of_a_jwt() -> None:
    token = read(f"n,,\x01auth=Bearer {JWT}\x01\x01".encode())
    assert token.principal is None
    assert token.fields == {
        "authzid": "",
        "token": "***",
        "header": {"typ": "JWT", "alg": "HS256"},
        "claims": {"iss": "joe", "exp": 1300819380, "http://example.com/is_root": True},
    }


def test_the_subject_is_the_principal() -> None:
    assert read(jwt('{"sub":"alice","scope":["a"]}')).principal == "User:alice"
    assert read(jwt('{"sub":7}')).principal is None


def test_the_token_on_demand() -> None:
    assert read(OF_THE_RFC.encode(), show_secrets=True).fields["token"] == OPAQUE


def test_the_error_of_the_server_and_what_the_client_says_to_it() -> None:
    error = b'{"status":"invalid_token","scope":"example_scope"}'
    assert read(error, from_client=False)[1:] == (
        "OAUTHBEARER error",
        None,
        {"status": "invalid_token", "scope": "example_scope"},
    )
    assert read(b"\x01")[1:] == ("OAUTHBEARER end after error", None, {})


@pytest.mark.parametrize(
    "claims",
    [
        "[1]",
        "{",
        '{"a":"\\ud800"}',
        '{"a":' * 9 + "1" + "}" * 9,
        "[" * 100_000,
    ],
)
def test_claims_that_cannot_be_printed_are_left_out(claims: str) -> None:
    token = read(jwt(claims))
    assert token.kind == "OAUTHBEARER token"
    assert "claims" not in token.fields


def test_numbers_beyond_64_bits_become_floats() -> None:
    assert read(jwt('{"n":123456789012345678901234567890,"x":NaN}')).fields["claims"] == {
        "n": 1.2345678901234568e29,
        "x": "NaN",
    }


@pytest.mark.parametrize("token", [b"n,,", b"n,,\x01auth=Basic eA==\x01\x01", b"n,,\x01host=a\x01\x01", b"\xff"])
def test_what_is_no_token_shows_its_size_only(token: bytes) -> None:
    assert read(token)[1:] == ("unknown", None, {"sizeInBytes": len(token)})
    assert read(token, from_client=False).kind == "unknown"


def test_its_form() -> None:
    assert is_oauthbearer(OF_THE_RFC.encode())
    assert not is_oauthbearer(b"n,,n=user,r=abc")


def test_secret_extensions() -> None:
    token = b"n,,\x01auth=Bearer abc\x01clientSecret=hunter2\x01tenant=a\x01\x01"
    assert read(token).fields["extensions"] == {"clientSecret": "***", "tenant": "a"}
    assert read(token, show_secrets=True).fields["extensions"]["clientSecret"] == "hunter2"
