"""The exchange of RFC 7677, 3, and forms of RFC 5802, 7."""

import pytest

from kafkasniff.protocol.sasl.scram import is_client_first, read_scram
from kafkasniff.protocol.sasl.token import SaslToken

CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO"
NONCE = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
PROOF = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
VERIFIER = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="

CLIENT_FIRST = f"n,,n=user,r={CLIENT_NONCE}"
SERVER_FIRST = f"r={NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
CLIENT_FINAL = f"c=biws,r={NONCE},p={PROOF}"
SERVER_FINAL = f"v={VERIFIER}"


def read(text: str, from_client: bool, show_secrets: bool = False) -> SaslToken:
    return read_scram("SCRAM-SHA-256", text.encode(), from_client, show_secrets)


def test_the_four_tokens() -> None:
    assert read(CLIENT_FIRST, True) == SaslToken(
        "SCRAM-SHA-256",
        "SCRAM client-first",
        "User:user",
        {"channelBinding": "n", "authzid": "", "username": "user", "nonce": CLIENT_NONCE},
    )
    assert read(SERVER_FIRST, False)[1:] == (
        "SCRAM server-first",
        None,
        {"nonce": NONCE, "salt": "***", "iterations": 4096},
    )
    assert read(CLIENT_FINAL, True)[1:] == (
        "SCRAM client-final",
        None,
        {"channelBinding": "biws", "nonce": NONCE, "proof": "***"},
    )
    assert read(SERVER_FINAL, False)[1:] == ("SCRAM server-final", None, {"verifier": "***"})


def test_secrets_on_demand() -> None:
    assert read(SERVER_FIRST, False, True).fields["salt"] == "W22ZaJ0SNY7soEsUEjb6gQ=="
    assert read(CLIENT_FINAL, True, True).fields["proof"] == PROOF
    assert read(SERVER_FINAL, False, True).fields["verifier"] == VERIFIER


def test_commas_and_equal_signs_in_names() -> None:
    token = read("y,a=b=3Dc,n=a=2Cb=3Dc,r=x", True)
    assert token.principal == "User:a,b=c"
    assert token.fields["authzid"] == "b=c"
    assert token.fields["channelBinding"] == "y"


def test_a_delegation_token_has_no_principal_of_its_own() -> None:
    token = read("n,,n=tokenid,r=x,tokenauth=true", True)
    assert token.principal is None
    assert token.fields["username"] == "tokenid"
    assert token.fields["extensions"] == {"tokenauth": "true"}


def test_an_error_of_the_server() -> None:
    assert read("e=other-error", False)[1:] == ("SCRAM server-final", None, {"error": "other-error"})


@pytest.mark.parametrize(
    ("text", "from_client"),
    [
        ("n,,n=user", True),
        ("c=biws,p=x", True),
        (SERVER_FIRST, True),
        (CLIENT_FIRST, False),
        ("r=x,s=eA==,i=many", False),
        ("", True),
        ("\x00\x01", False),
    ],
)
def test_what_is_no_token_shows_its_size_only(text: str, from_client: bool) -> None:
    assert read(text, from_client)[1:] == ("unknown", None, {"sizeInBytes": len(text)})


def test_the_form_of_the_first() -> None:
    assert is_client_first(CLIENT_FIRST.encode())
    assert not is_client_first(CLIENT_FINAL.encode())
    assert not is_client_first(b"n,,n=user")
    assert not is_client_first(b"n,,\x01auth=Bearer x\x01\x01")
