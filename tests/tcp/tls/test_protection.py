"""Records sealed by OpenSSL are opened in test_stream.py; here, what is no record of the connection."""

import random

import pytest

from kafkasniff.tcp.tls.cipher_suites import suite_of
from kafkasniff.tcp.tls.key_schedule import tls12_keys, tls13_keys
from kafkasniff.tcp.tls.protection import CbcProtection, Protection, Tls12AeadProtection, Tls13Protection


def protections() -> dict[str, Protection]:
    found: dict[str, Protection] = {}
    for code in (0x1301, 0x1303, 0x1304, 0x1305):
        suite = suite_of(code)
        assert suite is not None
        found[suite.name] = Tls13Protection(suite, tls13_keys(suite, bytes(32)))
    for code in (0xC02F, 0xCCA8, 0xC09C, 0xC0A0):
        suite = suite_of(code)
        assert suite is not None
        found[suite.name] = Tls12AeadProtection(suite, tls12_keys(suite, bytes(48), bytes(32), bytes(32))[0])
    for code in (0xC013, 0xC027, 0xC028):
        suite = suite_of(code)
        assert suite is not None
        keys = tls12_keys(suite, bytes(48), bytes(32), bytes(32))[0]
        found[suite.name] = CbcProtection(suite, keys, encrypt_then_mac=False)
        found[f"{suite.name}, encrypt-then-MAC"] = CbcProtection(suite, keys, encrypt_then_mac=True)
    return found


@pytest.mark.parametrize("name", protections())
def test_what_does_not_authenticate_is_not_opened(name: str) -> None:
    protection = protections()[name]
    source = random.Random(4)
    for length in (*range(80), 1_000, 16_000, 16_384):
        fragment = source.randbytes(length)
        header = b"\x17\x03\x03" + length.to_bytes(2, "big")
        assert protection.open(header, fragment, source.randrange(1 << 40)) is None
