"""Tokens of RFC 4616, 4."""

from kafkasniff.protocol.sasl.plain import is_plain, read_plain
from kafkasniff.protocol.sasl.token import SaslToken

TIM = b"\0tim\0tanstaaftanstaaf"
KURT = b"Ursel\0Kurt\0xipj3plmq"


def test_credentials_without_the_password() -> None:
    fields = {"authzid": "", "authcid": "tim", "passwd": "***"}
    assert read_plain(TIM, True, False) == SaslToken("PLAIN", "PLAIN credentials", "User:tim", fields)


def test_credentials_with_authzid_and_password_on_demand() -> None:
    fields = {"authzid": "Ursel", "authcid": "Kurt", "passwd": "xipj3plmq"}
    assert read_plain(KURT, True, True).fields == fields


def test_what_is_no_token_shows_its_size_only() -> None:
    for token, from_client in ((b"secret", True), (b"\0a\0b\0c", True), (TIM, False)):
        assert read_plain(token, from_client, False) == SaslToken("PLAIN", "unknown", None, {"sizeInBytes": len(token)})


def test_its_form() -> None:
    assert is_plain(TIM)
    assert is_plain(KURT)
    # ApiVersions v0 with the client id "ab", and tokens without user or password.
    for other in (bytes.fromhex("0012 0000 00000001 0002 6162"), b"\0\0x", b"\0x\0", b"", b"\0a\0b\x01"):
        assert not is_plain(other)
