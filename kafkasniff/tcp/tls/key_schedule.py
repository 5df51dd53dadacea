"""From secrets to keys: TLS 1.2 (RFC 5246, 6.3) and TLS 1.3 (RFC 8446, 7)."""

import hashlib
import hmac
from typing import NamedTuple

from kafkasniff.tcp.tls.cipher_suites import CipherSuite


class DirectionKeys(NamedTuple):
    """What protects the records of one direction."""

    key: bytes
    iv: bytes
    """The fixed part of nonces; empty for CBC suites, whose records carry their own."""
    mac_key: bytes = b""
    """For CBC suites."""


def prf(secret: bytes, label: bytes, seed: bytes, length: int, hash_name: str) -> bytes:
    """Give `length` bytes of TLS 1.2's pseudorandom function (RFC 5246, 5)."""
    seed = label + seed
    found, chained = b"", seed
    while len(found) < length:
        chained = hmac.digest(secret, chained, hash_name)
        found += hmac.digest(secret, chained + seed, hash_name)
    return found[:length]


def tls12_keys(
    suite: CipherSuite, master: bytes, client_random: bytes, server_random: bytes
) -> tuple[DirectionKeys, DirectionKeys]:
    """Give the keys of the client's and of the server's records."""
    mac = hashlib.new(suite.mac).digest_size if suite.bulk == "cbc" else 0
    iv = {"chacha20": 12, "cbc": 0}.get(suite.bulk, 4)
    key = suite.key_length
    block = prf(master, b"key expansion", server_random + client_random, 2 * (mac + key + iv), suite.hash)
    parts = []
    for length in (mac, mac, key, key, iv, iv):
        parts.append(block[:length])
        block = block[length:]
    return DirectionKeys(parts[2], parts[4], parts[0]), DirectionKeys(parts[3], parts[5], parts[1])


def expand_label(secret: bytes, label: bytes, length: int, hash_name: str) -> bytes:
    """Give HKDF-Expand-Label with no context (RFC 8446, 7.1), of at most the hash's length."""
    label = b"tls13 " + label
    info = length.to_bytes(2, "big") + bytes([len(label)]) + label + b"\x00"
    return hmac.digest(secret, info + b"\x01", hash_name)[:length]


def tls13_keys(suite: CipherSuite, secret: bytes) -> DirectionKeys:
    """Give the keys that a traffic secret stands for."""
    return DirectionKeys(
        expand_label(secret, b"key", suite.key_length, suite.hash), expand_label(secret, b"iv", 12, suite.hash)
    )


def next_traffic_secret(suite: CipherSuite, secret: bytes) -> bytes:
    """Give the traffic secret behind a KeyUpdate (RFC 8446, 7.2)."""
    return expand_label(secret, b"traffic upd", len(secret), suite.hash)
