"""What the TLS connections of a capture share: the key log, sessions to resume, bounds and counters."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.tls.key_log import KeyLog

_NEEDS_LIBRARY = "that needs the package cryptography: pip install 'kafkasniff[tls]'"


class TlsLimits(NamedTuple):
    """Bounds. Reaching one of the first two is said where the secrets came afterwards."""

    held_per_connection: int = 1 << 20
    """Bytes of a connection that wait for its secrets."""
    held_in_all: int = 32 << 20
    """Bytes of all connections that wait for secrets."""
    sessions: int = 100_000
    """TLS 1.2 sessions remembered for resumption; above it the oldest is forgotten."""
    unopened: int = 10_000
    """Connections without secrets whose client randoms are remembered."""


class TlsCounters:
    """What came of the TLS connections that ended."""

    __slots__ = (
        "connections",
        "decrypted",
        "incomplete",
        "late",
        "no_library",
        "not_fitting",
        "not_supported",
        "unread_certificates",
        "without_secrets",
    )

    TYPES = dict.fromkeys(__slots__, int)
    """Of what it is made of, for `typed_json`."""

    def __init__(
        self,
        connections: int = 0,
        decrypted: int = 0,
        incomplete: int = 0,
        late: int = 0,
        no_library: int = 0,
        not_fitting: int = 0,
        not_supported: int = 0,
        unread_certificates: int = 0,
        without_secrets: int = 0,
    ) -> None:
        """Take how many there were of each."""
        self.connections = connections
        self.decrypted = decrypted
        self.without_secrets = without_secrets
        """With protected records, and without secrets in the key log."""
        self.late = late
        """With secrets that came when more had been sent than `TlsLimits` lets wait for them."""
        self.not_fitting = not_fitting
        """With secrets in the key log that authenticate no record."""
        self.not_supported = not_supported
        """With secrets, and a version or cipher suite that is not read."""
        self.no_library = no_library
        """With secrets, and without the package `cryptography` that decrypts with them."""
        self.unread_certificates = unread_certificates
        """Certificates that only this package reads, where it is not installed."""
        self.incomplete = incomplete
        """Of which a hello was not seen, without which no secret can be found."""


class TlsContext:
    """Shared by the connections of one capture."""

    __slots__ = ("_sessions", "copy_secrets", "counters", "held", "key_log", "limits", "unopened")

    def __init__(self, key_log: KeyLog | None = None, limits: TlsLimits | None = None) -> None:
        """Begin with a key log, which may be filled later."""
        self.key_log = key_log or KeyLog()
        self.limits = limits or TlsLimits()
        self.counters = TlsCounters()
        self.held = 0
        """Bytes that wait for secrets."""
        self.copy_secrets: Callable[[Connection, bytes], None] | None = None
        """Is given the lines of a key log that open a connection, when they are found."""
        self._sessions: OrderedDict[bytes, bytes] = OrderedDict()
        self.unopened: set[bytes] = set()
        """Client randoms of connections that were given up as the key log had none of their secrets."""

    def give_up(self, client_random: bytes) -> None:
        """Note a connection that no secret opened."""
        if len(self.unopened) < self.limits.unopened and not self.key_log.lines_of(client_random):
            self.unopened.add(client_random)

    def remember_session(self, name: bytes, master: bytes) -> None:
        """Note the master secret of a TLS 1.2 session under its id or ticket."""
        self._sessions[name] = master
        self._sessions.move_to_end(name)
        if len(self._sessions) > self.limits.sessions:
            self._sessions.popitem(last=False)

    def sessions(self) -> dict[bytes, bytes]:
        """Give the master secrets of all sessions by id or ticket."""
        return dict(self._sessions)

    def session(self, name: bytes) -> bytes | None:
        """Give the master secret of a session by its id or ticket."""
        return self._sessions.get(name)

    def notes(self) -> list[str]:
        """Say in sentences what a key log that was given did not open, and what of it was forgotten."""
        return [*self.key_log.notes(), *self._not_decrypted(), *self._not_read()]

    def _not_read(self) -> list[str]:
        count = self.counters.unread_certificates
        if not count:
            return []
        return [f"{count:,} TLS certificate{'s' if count > 1 else ''} not read: {_NEEDS_LIBRARY}"]

    def _not_decrypted(self) -> list[str]:
        counters = self.counters
        if not self.key_log.changes or not counters.connections:
            return []
        total = f"{counters.connections:,} TLS connection{'s' if counters.connections > 1 else ''}"
        if counters.without_secrets == counters.connections:
            return [f"the key log belongs to other connections: it has no secrets for any of the {total}"]
        each, in_all = (limit / (1 << 20) for limit in (self.limits.held_per_connection, self.limits.held_in_all))
        most = f"{each:.2g} MiB of a connection or {in_all:g} MiB of all"
        missing = (
            (counters.without_secrets, "the key log has no secrets for them"),
            (counters.late, f"their secrets came too late, behind more than {most} that waited for them"),
            (counters.not_fitting, "their secrets in the key log do not fit: no record could be authenticated"),
            (counters.no_library, _NEEDS_LIBRARY),
            (counters.not_supported, "their TLS version or cipher suite cannot be decrypted"),
            (counters.incomplete, "their ClientHello or ServerHello was not seen"),
        )
        return [f"{count:,} of {total} not decrypted: {reason}" for count, reason in missing if count]
