"""Key logs: the secrets of TLS connections as clients and servers write them (NSS format, SSLKEYLOGFILE)."""

import re

MASTER_SECRET = "CLIENT_RANDOM"
CLIENT_HANDSHAKE = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
SERVER_HANDSHAKE = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
CLIENT_APPLICATION = "CLIENT_TRAFFIC_SECRET_0"
SERVER_APPLICATION = "SERVER_TRAFFIC_SECRET_0"

_LABELS = frozenset({MASTER_SECRET, CLIENT_HANDSHAKE, SERVER_HANDSHAKE, CLIENT_APPLICATION, SERVER_APPLICATION})
_LINE = re.compile(rb"([A-Z][A-Z0-9_]*)[ \t]+([0-9A-Fa-f]{64})[ \t]+((?:[0-9A-Fa-f]{2}){16,64})[ \t]*")


class KeyLog:
    """Secrets by label and client random. It may grow while captures are read."""

    def __init__(self) -> None:
        """Start with no secret."""
        self.changes = 0
        """How often a secret came that was not known."""
        self._secrets: dict[tuple[str, bytes], bytes] = {}

    def add(self, text: bytes) -> int:
        """Take whole lines of a key log and give how many were valid; comments and all else are passed over."""
        valid = 0
        for line in text.splitlines():
            match = _LINE.fullmatch(line.strip())
            if match is None:
                continue
            valid += 1
            label = match[1].decode()
            if label in _LABELS:
                name, secret = (label, bytes.fromhex(match[2].decode())), bytes.fromhex(match[3].decode())
                self.changes += self._secrets.get(name) != secret
                self._secrets[name] = secret
        return valid

    def secret(self, label: str, client_random: bytes) -> bytes | None:
        """Give the secret that a connection's client random stands for, None where the log lacks it."""
        return self._secrets.get((label, client_random))
