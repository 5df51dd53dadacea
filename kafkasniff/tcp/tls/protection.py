"""Opens protected records: what does not authenticate is not shown. Needs `cryptography`, so is imported late."""

import hashlib
import hmac
from typing import NamedTuple, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from kafkasniff.tcp.tls.cipher_suites import CipherSuite
from kafkasniff.tcp.tls.key_schedule import DirectionKeys

_BLOCK = 16
_EXPLICIT_NONCE = 8


class Content(NamedTuple):
    """What was inside a record."""

    content_type: int
    data: bytes
    padding: int
    """Bytes of padding in it (TLS 1.3)."""


class Protection(Protocol):
    """The keys of one direction between two changes of keys."""

    overhead: int | None
    """Bytes by which a record, header included, is longer than its data; None where that varies."""
    smallest: int
    """Bytes of the smallest record, header included."""

    def open(self, header: bytes, fragment: bytes, sequence: int) -> Content | None:
        """Give the content of record number `sequence`; None when it does not authenticate as that."""


class _Keyed:
    """Is remembered as its keys: what `cryptography` makes of them cannot be written."""

    __slots__ = ("_made_of",)

    _made_of: tuple[object, ...]

    def rebuild(self) -> None:
        """Make again what is not remembered."""
        type(self).__init__(self, *self._made_of)


class Tls13Protection(_Keyed):
    """AEAD records of TLS 1.3 (RFC 8446, 5.2)."""

    __slots__ = REBUILT = ("_decrypt", "_iv", "overhead", "smallest")

    def __init__(self, suite: CipherSuite, keys: DirectionKeys) -> None:
        """Open records with these keys."""
        self._made_of = suite, keys
        self.overhead: int | None = 5 + 1 + _tag_length(suite)
        self.smallest = self.overhead
        self._iv = int.from_bytes(keys.iv, "big")
        self._decrypt = _aead(suite, keys.key).decrypt

    def open(self, header: bytes, fragment: bytes, sequence: int) -> Content | None:
        """Open a record."""
        try:
            inner = self._decrypt((self._iv ^ sequence).to_bytes(12, "big"), fragment, header)
        except InvalidTag:
            return None
        end = len(inner)
        if not inner or inner[-1] == 0:
            end = len(inner.rstrip(b"\x00"))
            if not end:
                return None
        return Content(inner[end - 1], inner[: end - 1], len(inner) - end)


class Tls12AeadProtection(_Keyed):
    """AES-GCM (RFC 5288), AES-CCM (RFC 6655) and ChaCha20-Poly1305 (RFC 7905) records of TLS 1.2."""

    __slots__ = REBUILT = ("_decrypt", "_explicit", "_iv", "_tag", "overhead", "smallest")

    def __init__(self, suite: CipherSuite, keys: DirectionKeys) -> None:
        """Open records with these keys."""
        self._made_of = suite, keys
        self._explicit = 0 if suite.bulk == "chacha20" else _EXPLICIT_NONCE
        self._tag = _tag_length(suite)
        self.overhead: int | None = 5 + self._explicit + self._tag
        self.smallest = self.overhead
        self._iv = keys.iv
        self._decrypt = _aead(suite, keys.key).decrypt

    def open(self, header: bytes, fragment: bytes, sequence: int) -> Content | None:
        """Open a record."""
        explicit = self._explicit
        length = len(fragment) - explicit - self._tag
        if length < 0:
            return None
        if explicit:
            nonce = self._iv + fragment[:explicit]
            fragment = fragment[explicit:]
        else:
            nonce = (int.from_bytes(self._iv, "big") ^ sequence).to_bytes(12, "big")
        associated = sequence.to_bytes(8, "big") + header[:3] + length.to_bytes(2, "big")
        try:
            return Content(header[0], self._decrypt(nonce, fragment, associated), 0)
        except InvalidTag:
            return None


class CbcProtection(_Keyed):
    """AES-CBC records of TLS 1.2 with HMAC (RFC 5246, 6.2.3.2), also with encrypt-then-MAC (RFC 7366)."""

    __slots__ = REBUILT = (
        "_algorithm",
        "_encrypt_then_mac",
        "_hash",
        "_mac_key",
        "_mac_length",
        "overhead",
        "smallest",
    )

    def __init__(self, suite: CipherSuite, keys: DirectionKeys, encrypt_then_mac: bool) -> None:
        """Open records with these keys."""
        self._made_of = suite, keys, encrypt_then_mac
        self.overhead: int | None = None
        self._algorithm = AES(keys.key)
        self._mac_key = keys.mac_key
        self._hash = suite.mac
        self._mac_length = hashlib.new(suite.mac).digest_size
        self._encrypt_then_mac = encrypt_then_mac
        self.smallest = 5 + 2 * _BLOCK + (self._mac_length if encrypt_then_mac else _BLOCK)

    def open(self, header: bytes, fragment: bytes, sequence: int) -> Content | None:
        """Open a record."""
        mac = b""
        if self._encrypt_then_mac:
            fragment, mac = fragment[: -self._mac_length], fragment[-self._mac_length :]
            if not hmac.compare_digest(mac, self._authenticate(header, fragment, sequence)):
                return None
        if len(fragment) < 2 * _BLOCK or len(fragment) % _BLOCK:
            return None
        decryptor = Cipher(self._algorithm, CBC(fragment[:_BLOCK])).decryptor()
        data = decryptor.update(fragment[_BLOCK:]) + decryptor.finalize()
        padding = data[-1] + 1
        if padding > len(data) or data[-padding:] != bytes([padding - 1]) * padding:
            return None
        data = data[:-padding]
        if not self._encrypt_then_mac:
            if len(data) < self._mac_length:
                return None
            data, mac = data[: -self._mac_length], data[-self._mac_length :]
            if not hmac.compare_digest(mac, self._authenticate(header, data, sequence)):
                return None
        return Content(header[0], data, 0)

    def _authenticate(self, header: bytes, data: bytes, sequence: int) -> bytes:
        prefix = sequence.to_bytes(8, "big") + header[:3] + len(data).to_bytes(2, "big")
        return hmac.digest(self._mac_key, prefix + data, self._hash)


def _aead(suite: CipherSuite, key: bytes) -> AESGCM | AESCCM | ChaCha20Poly1305:
    if suite.bulk == "chacha20":
        return ChaCha20Poly1305(key)
    return AESGCM(key) if suite.bulk == "gcm" else AESCCM(key, _tag_length(suite))


def _tag_length(suite: CipherSuite) -> int:
    return 8 if suite.bulk == "ccm8" else 16
