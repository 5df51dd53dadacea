"""Key logs: the secrets of TLS connections as clients and servers write them (NSS format, SSLKEYLOGFILE)."""

import re
from binascii import unhexlify
from collections.abc import Iterator

MASTER_SECRET = "CLIENT_RANDOM"
CLIENT_HANDSHAKE = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
SERVER_HANDSHAKE = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
CLIENT_APPLICATION = "CLIENT_TRAFFIC_SECRET_0"
SERVER_APPLICATION = "SERVER_TRAFFIC_SECRET_0"

MEMORY_BYTES = 192 << 20
"""About what all secrets may take: those of 500,000 connections of TLS 1.3, more than the largest file has."""

_LABELS = (MASTER_SECRET, CLIENT_HANDSHAKE, SERVER_HANDSHAKE, CLIENT_APPLICATION, SERVER_APPLICATION)
_NUMBERS = {label.encode(): number for number, label in enumerate(_LABELS)}
# Compiled when it is first used, which `re` remembers: few captures have key logs.
_LINE = rb"(?m)^[ \t]*([A-Z][A-Z0-9_]*)[ \t]+([0-9A-Fa-f]{64})[ \t]+((?:[0-9A-Fa-f]{2}){16,64})[ \t\r]*$"

_CONNECTION_BYTES = 200
"""What the secrets of a connection take beside themselves: its random, two objects, and a place in a dict."""


class KeyLog:
    """Secrets by label and client random, in bounded memory. It may grow while captures are read."""

    __slots__ = ("_half_bytes", "_newer", "_newer_bytes", "_older", "changes", "forgotten")

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        """Start with no secret; above `memory_bytes` the older half is forgotten."""
        self.changes = 0
        """How often a secret came that was not known."""
        self.forgotten = 0
        """Connections whose secrets were forgotten."""
        self._half_bytes = memory_bytes // 2
        # By client random the secrets of a connection, each behind its label's number and its length.
        self._older: dict[bytes, bytes] = {}
        self._newer: dict[bytes, bytes] = {}
        self._newer_bytes = 0

    def add(self, text: bytes) -> int:
        """Take whole lines of a key log and give how many were valid; comments and all else are passed over."""
        lines = re.findall(_LINE, text)
        for label, client_random, secret in lines:
            number = _NUMBERS.get(label)
            if number is not None:
                self._keep(number, unhexlify(client_random), unhexlify(secret))
        return len(lines)

    def secret(self, label: str, client_random: bytes) -> bytes | None:
        """Give the secret that a connection's client random stands for, None where the log lacks it."""
        packed = self._newer.get(client_random) or self._older.get(client_random, b"")
        return dict(_unpack(packed)).get(_LABELS.index(label))

    def lines_of(self, client_random: bytes) -> bytes:
        """Give the secrets of a connection as lines of a key log."""
        packed = self._newer.get(client_random) or self._older.get(client_random, b"")
        return b"".join(_line(number, client_random, secret) for number, secret in _unpack(packed))

    def lines(self) -> Iterator[bytes]:
        """Give the secrets as lines of a key log."""
        for secrets in (self._older, self._newer):
            for client_random, packed in secrets.items():
                for number, secret in _unpack(packed):
                    yield _line(number, client_random, secret)

    def notes(self) -> list[str]:
        """Say in sentences what was forgotten."""
        if not self.forgotten:
            return []
        return [
            f"key logs: the secrets of {self.forgotten:,} connections, the oldest, were forgotten: more than are kept;"
            " give the lines of the capture's connections only"
        ]

    def _keep(self, number: int, client_random: bytes, secret: bytes) -> None:
        before = self._newer.get(client_random)
        if before is not None and before[2:] == secret and before[0] == number:
            # Blocks of a capture may say the same many times over.
            return
        if before is None:
            before = self._older.pop(client_random, b"")
            self._newer_bytes += _CONNECTION_BYTES + len(before)
        known = dict(_unpack(before))
        self.changes += known.get(number) != secret
        known[number] = secret
        packed = b"".join([bytes((found, len(each))) + each for found, each in known.items()])
        self._newer[client_random] = packed
        self._newer_bytes += len(packed) - len(before)
        if self._newer_bytes > self._half_bytes:
            self.forgotten += len(self._older)
            self._older, self._newer, self._newer_bytes = self._newer, {}, 0


def master_secret_line(client_random: bytes, secret: bytes) -> bytes:
    """Give the line of a key log that opens a connection of TLS 1.2."""
    return _line(_LABELS.index(MASTER_SECRET), client_random, secret)


def _line(number: int, client_random: bytes, secret: bytes) -> bytes:
    return f"{_LABELS[number]} {client_random.hex()} {secret.hex()}\n".encode()


def _unpack(packed: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(packed):
        end = at + 2 + packed[at + 1]
        yield packed[at], packed[at + 2 : end]
        at = end
