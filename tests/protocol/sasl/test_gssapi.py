"""Tokens as recorded (dummy realm), and built by hand after RFC 4120, 4121 and 1964."""

import orjson
import pytest

from kafkasniff.protocol.sasl.gssapi import is_gssapi, read_gssapi
from kafkasniff.protocol.sasl.token import SaslToken

KERBEROS_OID = "06 09 2a864886f712010202"


def der(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    length = bytes([len(content)]) if len(content) < 128 else b"\x82" + len(content).to_bytes(2)
    return bytes([tag]) + length + content


def name(text: str) -> bytes:
    return der(0x1B, text.encode())


def ap_req(options: str = "0020000000", encryption_type: bytes = b"\x12") -> bytes:
    encrypted = der(0x30, der(0xA0, der(2, encryption_type)), der(0xA2, der(4, bytes(200))))
    service = der(0x30, der(0xA0, b"\x02\x01\x03"), der(0xA1, der(0x30, name("kafka"), name("b.example"))))
    ticket = der(0xA0, b"\x02\x01\x05") + der(0xA1, name("EXAMPLE")) + der(0xA2, service) + der(0xA3, encrypted)
    members = (
        der(0xA0, b"\x02\x01\x05")
        + der(0xA1, b"\x02\x01\x0e")
        + der(0xA2, der(3, bytes.fromhex(options)))
        + der(0xA3, der(0x61, der(0x30, ticket)))
        + der(0xA4, encrypted)
    )
    return der(0x60, bytes.fromhex(KERBEROS_OID), b"\x01\x00", der(0x6E, der(0x30, members)))


def test_an_ap_req_names_the_service() -> None:
    assert read_gssapi(ap_req(), True) == SaslToken(
        "GSSAPI",
        "GSSAPI AP-REQ",
        None,
        {
            "mechanism": "Kerberos 5",
            "service": "kafka/b.example@EXAMPLE",
            "mutualRequired": True,
            "ticketEncryptionType": 18,
        },
    )
    assert read_gssapi(ap_req("0000000000"), True).fields["mutualRequired"] is False


def test_an_ap_rep() -> None:
    token = der(0x60, bytes.fromhex(KERBEROS_OID), b"\x02\x00", der(0x6F, b""))
    assert read_gssapi(token, False)[1:] == ("GSSAPI AP-REP", None, {"mechanism": "Kerberos 5"})


def test_an_error_of_kerberos() -> None:
    # KRB_AP_ERR_SKEW.
    error = der(0x7E, der(0x30, der(0xA0, b"\x02\x01\x05"), der(0xA6, b"\x02\x01\x25")))
    token = der(0x60, bytes.fromhex(KERBEROS_OID), b"\x03\x00", error)
    assert read_gssapi(token, False)[1:] == ("GSSAPI KRB-ERROR", None, {"mechanism": "Kerberos 5", "errorCode": 37})


@pytest.mark.parametrize("size", [9, 4000])
def test_integers_of_any_length_can_be_printed(size: int) -> None:
    # JSON takes 64 bits, and Python's str() 4,300 digits.
    error = der(0x7E, der(0x30, der(0xA6, der(2, b"\x7f" * size))))
    token = der(0x60, bytes.fromhex(KERBEROS_OID), b"\x03\x00", error)
    for fields, name in (
        (read_gssapi(token, False).fields, "errorCode"),
        (read_gssapi(ap_req(encryption_type=b"\x7f" * size), True).fields, "ticketEncryptionType"),
    ):
        assert fields[name].startswith("0x7f7f7f7f7f7f7f7f7f")
        assert orjson.loads(orjson.dumps(fields)) == fields


def test_other_mechanisms_by_name_or_identifier() -> None:
    spnego = der(0x60, bytes.fromhex("06 06 2b0601050502"), der(0xA0, b""))
    assert read_gssapi(spnego, True)[1:] == ("GSSAPI initial token", None, {"mechanism": "SPNEGO"})
    other = der(0x60, bytes.fromhex("06 02 2b06"))
    assert read_gssapi(other, True).fields == {"mechanism": "OID 2b06"}


def test_the_offer_of_the_server_as_recorded() -> None:
    token = bytes.fromhex("050401ff000c0000000000000aa70255 01010000 4cc77a1e2dbb9e611476aa0e")
    assert read_gssapi(token, False)[1:] == (
        "GSSAPI wrap",
        None,
        {"sentByAcceptor": True, "sealed": False, "qop": ["auth"], "maxSizeInBytes": 65536},
    )


def test_the_choice_of_a_java_client_as_recorded() -> None:
    token = bytes.fromhex(
        "050400ff000c0000000000000aa70255 01000000 616c696365404c41422e54455354 1ae5550eecead46287a06b65"
    )
    fields = {
        "sentByAcceptor": False,
        "sealed": False,
        "qop": ["auth"],
        "maxSizeInBytes": 0,
        "authzid": "alice@LAB.TEST",
    }
    assert read_gssapi(token, True)[1:] == ("GSSAPI wrap", "User:alice", fields)


def test_the_choice_of_cyrus_names_nobody() -> None:
    token = bytes.fromhex("050400ff000c0000000000001de1b5e7 01000000 89b53887457560d3a1ed25fe")
    assert read_gssapi(token, True).principal is None
    assert "authzid" not in read_gssapi(token, True).fields


def test_a_rotated_wrap_token() -> None:
    # RFC 4121, 4.2.5: the 4 bytes of checksum come first when rotated by 4.
    token = bytes.fromhex("050400ff 0004 0004 0000000000000001 c0c1c2c3 07000400") + b"kafka/h@R"
    token = read_gssapi(token, True)
    assert token.fields["qop"] == ["auth", "auth-int", "auth-conf"]
    assert token.fields["maxSizeInBytes"] == 1024
    assert token.principal == "User:kafka"


def test_a_sealed_wrap_token_shows_nothing_of_its_content() -> None:
    token = bytes.fromhex("050402ff 0000 001c 0000000000000001") + bytes(40)
    assert read_gssapi(token, True)[1:] == ("GSSAPI wrap", None, {"sentByAcceptor": False, "sealed": True})


def test_a_mic() -> None:
    assert read_gssapi(bytes.fromhex("040400ffffffffff"), True).kind == "GSSAPI MIC"


@pytest.mark.parametrize("token", ["60", "6002 0500", "05", "0504 00ff", "cafe", "600d 06092a864886f712010202 ffff"])
def test_what_is_no_token_shows_its_size_only(token: str) -> None:
    raw = bytes.fromhex(token)
    assert read_gssapi(raw, True)[1:] == ("unknown", None, {"sizeInBytes": len(raw)})


def test_each_cut_of_an_ap_req_is_unknown() -> None:
    whole = ap_req()
    assert {read_gssapi(whole[:end], True).kind for end in range(len(whole))} == {"unknown"}


def test_its_form() -> None:
    assert is_gssapi(ap_req())
    assert not is_gssapi(bytes.fromhex("6002 0500"))
    assert not is_gssapi(bytes.fromhex("0012 0000 00000001 ffff"))
