"""What client and server agree on, and the keys that follow from it."""

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kafkasniff.tcp.tls.cipher_suites import CipherSuite, suite_of
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.description import (
    CLOSE_NOTIFY,
    INCOMPLETE,
    NO_LIBRARY,
    NO_SECRETS,
    NOT_SUPPORTED,
    Alert,
    TlsDescription,
)
from kafkasniff.tcp.tls.handshake import (
    CERTIFICATE,
    CLIENT_HELLO,
    ENCRYPTED_EXTENSIONS,
    NEW_SESSION_TICKET,
    PRE_SHARED_KEY,
    RETRY_RANDOM,
    SERVER_HELLO,
    SESSION_TICKET,
    TLS_1_2,
    TLS_1_3,
    Hello,
    application_protocols,
    read_certificate_message,
    read_client_hello,
    read_encrypted_extensions,
    read_server_hello,
    read_session_ticket,
)
from kafkasniff.tcp.tls.key_log import (
    CLIENT_APPLICATION,
    CLIENT_HANDSHAKE,
    MASTER_SECRET,
    SERVER_APPLICATION,
    SERVER_HANDSHAKE,
    master_secret_line,
)

if TYPE_CHECKING:
    from kafkasniff.tcp.tls.opener import RecordOpener


class Negotiation:
    """Takes the handshake messages of both directions and finds the keys."""

    __slots__ = (
        "_asked",
        "_client",
        "_client_hello",
        "_context",
        "_master",
        "_server_hello",
        "_tickets",
        "description",
        "openers",
    )

    def __init__(self, context: TlsContext) -> None:
        """Know nothing yet."""
        self.description = TlsDescription()
        self.openers: tuple[RecordOpener, RecordOpener] | None = None
        """What opens the records of direction 0 and 1; None until `find_keys` found the secrets."""
        self._context = context
        self._client_hello: Hello | None = None
        self._server_hello: Hello | None = None
        self._client = 0
        self._master: bytes | None = None
        self._tickets: list[bytes] = []
        self._asked = -1

    @property
    def client_random(self) -> bytes | None:
        """Give what names the connection in key logs; None before the ClientHello."""
        return None if self._client_hello is None else self._client_hello.random

    @property
    def lacking(self) -> str:
        """Say what prevents decryption as long as no secrets are found."""
        return INCOMPLETE if self._client_hello is None or self._server_hello is None else NO_SECRETS

    def take(self, direction: int, kind: int, body: bytes) -> None:
        """Take a handshake message; raises HandshakeError."""
        known = self.description
        if kind == CLIENT_HELLO and self._client_hello is None:
            hello = self._client_hello = read_client_hello(body)
            self._client = direction
            self._asked = -1
            known.server_name = hello.server_name
            known.offered_protocols = tuple(application_protocols(hello.extensions))
        elif kind == SERVER_HELLO and self._server_hello is None:
            self._take_server_hello(read_server_hello(body))
        elif kind == CERTIFICATE and known.version_number is not None:
            certificate = read_certificate_message(body, known.version_number)
            self._context.counters.unread_certificates += certificate is not None and not _reads_certificates()
            if direction == self._client:
                known.client_certificate = certificate
            else:
                known.server_certificate = certificate
                # The session id alone may be equal by courtesy; who shows a certificate begins a new session.
                known.resumed = False
        elif kind == ENCRYPTED_EXTENSIONS and known.version_number == TLS_1_3:
            known.chosen_protocol = next(iter(application_protocols(read_encrypted_extensions(body))), None)
        elif kind == NEW_SESSION_TICKET and known.version_number == TLS_1_2:
            self._tickets.append(read_session_ticket(body))
            self._remember_session()

    def take_alert(self, direction: int, fragment: bytes) -> None:
        """Take an alert (RFC 8446, 6); level and code are one byte each."""
        if self.description.alert is None and len(fragment) == 2 and fragment[1] != CLOSE_NOTIFY:
            self.description.alert = Alert(direction == self._client, fragment[1])

    def find_keys(self) -> bool:
        """Look for the secrets, unless they are known or nothing has changed since; tell whether they are known.

        What cannot be decrypted at all is noted as the description's failure.
        """
        if self.openers is not None:
            return True
        if self._asked == self._context.key_log.changes or self.description.failure:
            return False
        self._asked = self._context.key_log.changes
        client_hello, server_hello = self._client_hello, self._server_hello
        if client_hello is None or server_hello is None:
            return False
        suite = suite_of(server_hello.cipher_suite)
        known = server_hello.version in (TLS_1_2, TLS_1_3)
        if suite is None or not known or suite.tls_1_3 != (server_hello.version == TLS_1_3):
            self.description.failure = NOT_SUPPORTED
            return False
        try:
            if suite.tls_1_3:
                openers = self._tls13_openers(suite, client_hello)
            else:
                openers = self._tls12_openers(suite, client_hello, server_hello)
        except ModuleNotFoundError:
            self.description.failure = NO_LIBRARY
            return False
        if openers is not None:
            self.openers = openers if self._client == 0 else (openers[1], openers[0])
        return openers is not None

    def secret_lines(self) -> bytes:
        """Give the lines of a key log that open the connection; none before `find_keys` found them."""
        if self._client_hello is None or self.openers is None:
            return b""
        if self._master is not None:
            # Of a resumed session there may have been no line.
            return master_secret_line(self._client_hello.random, self._master)
        return self._context.key_log.lines_of(self._client_hello.random)

    def _take_server_hello(self, hello: Hello) -> None:
        known = self.description
        known.version_number, known.cipher_suite = hello.version, hello.cipher_suite
        if hello.random == RETRY_RANDOM:
            return
        self._server_hello = hello
        self._asked = -1
        known.chosen_protocol = next(iter(application_protocols(hello.extensions)), None)
        if hello.version == TLS_1_3:
            known.resumed = PRE_SHARED_KEY in hello.extensions
        else:
            offered = self._client_hello.session_id if self._client_hello is not None else b""
            known.resumed = bool(offered) and offered == hello.session_id

    def _tls13_openers(self, suite: CipherSuite, client_hello: Hello) -> "tuple[RecordOpener, RecordOpener] | None":
        """Give the openers of the client's and of the server's records."""
        key_log, random = self._context.key_log, client_hello.random
        client, server = key_log.secret(CLIENT_APPLICATION, random), key_log.secret(SERVER_APPLICATION, random)
        if client is None or server is None:
            return None
        # Late: `cryptography` is loaded where there is something to decrypt.
        from kafkasniff.tcp.tls.opener import tls13_opener

        return (
            tls13_opener(suite, key_log.secret(CLIENT_HANDSHAKE, random), client),
            tls13_opener(suite, key_log.secret(SERVER_HANDSHAKE, random), server),
        )

    def _tls12_openers(
        self, suite: CipherSuite, client_hello: Hello, server_hello: Hello
    ) -> "tuple[RecordOpener, RecordOpener] | None":
        """Give the openers of the client's and of the server's records."""
        context, ticket = self._context, client_hello.extensions.get(SESSION_TICKET, b"")
        # Go logs no line for a resumed session: its master secret is that of the first (RFC 5246, F.1.4).
        self._master = (
            context.key_log.secret(MASTER_SECRET, client_hello.random)
            or context.session(ticket)
            or context.session(server_hello.session_id)
        )
        if self._master is None:
            return None
        self._remember_session()
        from kafkasniff.tcp.tls.opener import tls12_openers

        encrypt_then_mac = client_hello.encrypt_then_mac and server_hello.encrypt_then_mac
        return tls12_openers(suite, self._master, client_hello.random, server_hello.random, encrypt_then_mac)

    def _remember_session(self) -> None:
        if self._master is None or self._server_hello is None:
            return
        for name in (self._server_hello.session_id, *self._tickets):
            if name:
                self._context.remember_session(name, self._master)


@cache
def _reads_certificates() -> bool:
    """Tell whether the package that reads certificates is installed."""
    return find_spec("cryptography") is not None
