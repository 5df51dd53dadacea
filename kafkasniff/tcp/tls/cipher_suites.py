"""Cipher suites: what their names say of the algorithms in them."""

import re
from functools import cache
from typing import Literal, NamedTuple

Bulk = Literal["gcm", "ccm", "ccm8", "chacha20", "cbc"]

_NAME = re.compile(
    r"TLS_(?:(?P<exchange>\w+)_WITH_)?"
    r"(?:(?:AES_(?P<bits>128|256)_(?P<mode>GCM|CCM|CCM_8|CBC))|(?P<chacha>CHACHA20_POLY1305))"
    r"(?:_(?P<hash>SHA|SHA256|SHA384))?"
)
_BULKS: dict[str | None, Bulk] = {None: "chacha20", "GCM": "gcm", "CCM": "ccm", "CCM_8": "ccm8", "CBC": "cbc"}


class CipherSuite(NamedTuple):
    """A cipher suite that can be decrypted."""

    name: str
    """IANA's name."""
    bulk: Bulk
    key_length: int
    """Bytes."""
    mac: str
    """The hash of a CBC suite's HMAC, by hashlib's name."""
    hash: str
    """The hash of the key derivation, by hashlib's name."""
    tls_1_3: bool


def suite_name(code: int) -> str:
    """Give IANA's name of a cipher suite, or its number in hex where it has none."""
    # dpkt knows the names, and importing it takes a tenth of a second.
    from dpkt.ssl_ciphersuites import BY_CODE

    suite = BY_CODE.get(code)
    return suite.name if suite is not None else f"0x{code:04X}"


@cache
def suite_of(code: int) -> CipherSuite | None:
    """Give the algorithms of a suite; None for one that cannot be decrypted: other ciphers, or unknown."""
    name = suite_name(code)
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    bulk = _BULKS[match["mode"]]
    if match["hash"] is None and bulk not in ("ccm", "ccm8"):
        return None
    tls_1_3 = match["exchange"] is None
    # CCM suites of TLS 1.2 name no hash: theirs is SHA-256 (RFC 6655, 3).
    hash_name = {"SHA": "sha1", "SHA384": "sha384"}.get(match["hash"], "sha256")
    # RFC 5246 (5): SHA-256 derives the keys unless the suite names a stronger hash.
    derivation = "sha384" if hash_name == "sha384" else "sha256"
    return CipherSuite(name, bulk, int(match["bits"] or 256) // 8, hash_name, derivation, tls_1_3)
