"""Handshake messages (RFC 5246, 7.4; RFC 8446, 4), as far as decryption and description need them."""

from typing import NamedTuple

CLIENT_HELLO, SERVER_HELLO, NEW_SESSION_TICKET, ENCRYPTED_EXTENSIONS, CERTIFICATE = 1, 2, 4, 8, 11
SERVER_NAME, ALPN, ENCRYPT_THEN_MAC, SESSION_TICKET, PRE_SHARED_KEY, SUPPORTED_VERSIONS = 0, 16, 22, 35, 41, 43
TLS_1_2, TLS_1_3 = 0x0303, 0x0304
RETRY_RANDOM = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
"""The random that makes a ServerHello a HelloRetryRequest (RFC 8446, 4.1.3)."""
_LARGEST_HELD = 256 << 10
"""Bytes; certificate chains of real brokers are far smaller."""


class HandshakeError(Exception):
    """A handshake message that contradicts itself."""


class Hello(NamedTuple):
    """What a ClientHello or ServerHello says."""

    version: int
    """What is negotiated: of a ServerHello the version chosen."""
    random: bytes
    session_id: bytes
    cipher_suite: int
    """What a ServerHello chose; 0 in a ClientHello."""
    extensions: dict[int, bytes]

    @property
    def server_name(self) -> str | None:
        """Give the host that the client asks for (RFC 6066, 3)."""
        data = self.extensions.get(SERVER_NAME, b"")
        # One name at most; list length, type 0, length, name.
        length = int.from_bytes(data[3:5], "big")
        return _text(data[5 : 5 + length]) if length and data[2] == 0 else None

    @property
    def encrypt_then_mac(self) -> bool:
        """Tell whether the MAC of CBC suites covers the ciphertext (RFC 7366), when both hellos say so."""
        return ENCRYPT_THEN_MAC in self.extensions


class MessageBuffer:
    """Joins the handshake messages of one direction out of records."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        """Start empty."""
        self._data = b""

    def push(self, fragment: bytes) -> list[tuple[int, bytes]]:
        """Take the content of a record; give type and body of the messages that are whole now.

        Raises HandshakeError for a message of an absurd size.
        """
        data = self._data + fragment
        messages = []
        while len(data) >= 4:
            end = 4 + int.from_bytes(data[1:4], "big")
            if end > _LARGEST_HELD:
                raise HandshakeError(f"a handshake message of {end} bytes")
            if len(data) < end:
                break
            messages.append((data[0], data[4:end]))
            data = data[end:]
        self._data = data
        return messages


class _Reader:
    """Reads vectors one behind the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._data):
            raise HandshakeError(f"cut at byte {self._at}")
        found = self._data[self._at : end]
        self._at = end
        return found

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        """Read a vector whose length stands before it in `size` bytes."""
        return self.take(self.number(size))

    @property
    def left(self) -> bool:
        return self._at < len(self._data)


def read_client_hello(body: bytes) -> Hello:
    """Read a ClientHello; raises HandshakeError."""
    reader = _Reader(body)
    version, random, session_id = reader.number(2), reader.take(32), reader.vector(1)
    reader.vector(2)
    reader.vector(1)
    return Hello(version, random, session_id, 0, _read_extensions(reader))


def read_server_hello(body: bytes) -> Hello:
    """Read a ServerHello; raises HandshakeError."""
    reader = _Reader(body)
    version, random, session_id, suite = reader.number(2), reader.take(32), reader.vector(1), reader.number(2)
    reader.take(1)
    extensions = _read_extensions(reader)
    selected = extensions.get(SUPPORTED_VERSIONS)
    if selected is not None and len(selected) == 2:
        version = int.from_bytes(selected, "big")
    return Hello(version, random, session_id, suite, extensions)


def read_encrypted_extensions(body: bytes) -> dict[int, bytes]:
    """Read the extensions that a TLS 1.3 server sends encrypted; raises HandshakeError."""
    return _read_extensions(_Reader(body))


def read_certificate_message(body: bytes, version: int) -> bytes | None:
    """Give the sender's own certificate (DER), None where the chain is empty; raises HandshakeError."""
    reader = _Reader(body)
    if version == TLS_1_3:
        reader.vector(1)
    chain = _Reader(reader.vector(3))
    return chain.vector(3) if chain.left else None


def read_session_ticket(body: bytes) -> bytes:
    """Give the ticket of a TLS 1.2 NewSessionTicket (RFC 5077, 3.3); raises HandshakeError."""
    reader = _Reader(body)
    reader.take(4)
    return reader.vector(2)


def application_protocols(extensions: dict[int, bytes]) -> list[str]:
    """Give the protocols of the ALPN extension (RFC 7301, 3.1); raises HandshakeError."""
    if ALPN not in extensions:
        return []
    names = _Reader(_Reader(extensions[ALPN]).vector(2))
    found = []
    while names.left:
        found.append(_text(names.vector(1)))
    return found


def _read_extensions(reader: _Reader) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    if reader.left:
        extensions = _Reader(reader.vector(2))
        while extensions.left:
            kind = extensions.number(2)
            found[kind] = extensions.vector(2)
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
