"""TLS connections made by OpenSSL in memory, as stream events, with the key log that it writes."""

import ssl
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, Endpoint, StreamData, StreamGap
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.key_log import KeyLog
from kafkasniff.tcp.tls.stream import TlsStream

CLIENT, SERVER = 0, 1
LARGEST_PLAIN = 16_384
SUBJECT = "CN=broker.example,O=Kafka"
EXPIRES = datetime(2040, 1, 2)
INTERFACE = Interface("made.pcap", 1)

Event = StreamData | StreamGap


def write_certificate(folder: Path) -> Path:
    """Write a certificate with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Kafka"),
            x509.NameAttribute(NameOID.COMMON_NAME, "broker.example"),
        ]
    )
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(datetime(2020, 1, 1)).not_valid_after(EXPIRES)
    certificate = builder.sign(key, hashes.SHA256())
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


@dataclass
class Side:
    """OpenSSL's client or server."""

    direction: int
    tls: ssl.SSLObject
    incoming: ssl.MemoryBIO
    outgoing: ssl.MemoryBIO


@dataclass
class Recording:
    """What passed between client and server, packet by packet."""

    connection: Connection
    events: list[StreamData] = field(default_factory=list)
    messages: tuple[list[bytes], list[bytes]] = field(default_factory=lambda: ([], []))
    """The data inside, by direction, as they were written."""
    handshake: int = 0
    """Packets before the first message."""

    def add(self, direction: int, data: bytes, segment: int) -> None:
        for start in range(0, len(data), segment):
            self.add_packet(direction, data[start : start + segment])

    def records(self, direction: int) -> list[tuple[bytes, set[int]]]:
        """Give the data of each record behind the handshake with the numbers of its packets.

        Told from the lengths in the records' headers, and from what OpenSSL puts into a record at most.
        """
        packets = [event for event in self.events[self.handshake :] if event.direction == direction]
        carriers = [event.arrival.packet for event in packets for _ in event.data]
        stream = b"".join(event.data for event in packets)
        found = []
        at = 0
        for message in self.messages[direction]:
            for start in range(0, len(message), LARGEST_PLAIN):
                end = at + 5 + int.from_bytes(stream[at + 3 : at + 5], "big")
                found.append((message[start : start + LARGEST_PLAIN], set(carriers[at:end])))
                at = end
        assert at == len(stream)
        return found

    def first_record(self, direction: int) -> bytes:
        """Give the first record of a direction, which holds its hello: it may take several segments."""
        stream = b"".join(event.data for event in self.events if event.direction == direction)
        return stream[: 5 + int.from_bytes(stream[3:5], "big")]

    def packets_of_first_record(self, direction: int) -> int:
        """Give how many segments carry it."""
        left, count = len(self.first_record(direction)), 0
        for event in self.events:
            if event.direction == direction and left > 0:
                left -= len(event.data)
                count += 1
        return count

    def add_packet(self, direction: int, data: bytes) -> None:
        number = len(self.events) + 1
        arrival = Arrival(number * 1_000, number, INTERFACE)
        self.events.append(StreamData(self.connection, direction, data, arrival, arrival))


class Peers:
    """A client and a server that talk over memory; one key log for all their connections."""

    def __init__(self, folder: Path, version: ssl.TLSVersion, ciphers: str | None = None) -> None:
        self.key_log = folder / "keys.log"
        certificate = write_certificate(folder)
        self.client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.client.check_hostname = False
        self.client.verify_mode = ssl.CERT_NONE
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.load_cert_chain(certificate)
        for context in (self.client, self.server):
            context.minimum_version = context.maximum_version = version
            if ciphers:
                context.set_ciphers(ciphers)
        self.client.keylog_filename = str(self.key_log)
        self.session: ssl.SSLSession | None = None
        # OpenSSL forgets a session whose connection was freed without a farewell.
        self._open: list[Side] = []

    def connect(
        self,
        messages: list[tuple[int, bytes]],
        *,
        server_name: str | None = None,
        resume: bool = False,
        segment: int = 1_448,
    ) -> Recording:
        """Shake hands and send `messages`, each by the side that is its first element, in segments of a size."""
        recording, sides = self._begin(server_name, resume)
        self._shake_hands(recording, sides, segment)
        recording.handshake = len(recording.events)
        for direction, message in messages:
            recording.messages[direction].append(message)
            sides[direction].tls.write(message)
            self._carry(recording, sides, direction, segment)
            read = b""
            while len(read) < len(message):
                read += sides[1 - direction].tls.read(1 << 20)
            assert read == message
        self.session = sides[CLIENT].tls.session
        return recording

    def refuse(self) -> Recording:
        """Shake hands until one side refuses."""
        recording, sides = self._begin(None, resume=False)
        with pytest.raises(ssl.SSLError):
            self._shake_hands(recording, sides, 1_448)
        for direction in (CLIENT, SERVER):
            self._carry(recording, sides, direction, 1_448)
        return recording

    def _begin(self, server_name: str | None, resume: bool) -> tuple[Recording, list[Side]]:
        ends = (Endpoint("10.0.0.1", 50_000), Endpoint("10.0.0.2", 9_093))
        first = Arrival(0, 1, INTERFACE)
        recording = Recording(Connection(ends, 0, first, first, initiator=CLIENT))
        sides = []
        for direction, context in enumerate((self.client, self.server)):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(
                incoming,
                outgoing,
                server_side=direction == SERVER,
                server_hostname=server_name if direction == CLIENT else None,
                session=self.session if resume and direction == CLIENT else None,
            )
            sides.append(Side(direction, tls, incoming, outgoing))
        self._open += sides
        return recording, sides

    def _shake_hands(self, recording: Recording, sides: list[Side], segment: int) -> None:
        unfinished = {CLIENT, SERVER}
        while unfinished:
            for direction in (CLIENT, SERVER):
                if direction in unfinished:
                    try:
                        sides[direction].tls.do_handshake()
                        unfinished.discard(direction)
                    except ssl.SSLWantReadError:
                        pass
                self._carry(recording, sides, direction, segment)

    def _carry(self, recording: Recording, sides: list[Side], direction: int, segment: int) -> None:
        data = sides[direction].outgoing.read()
        if data:
            recording.add(direction, data, segment)
            sides[1 - direction].incoming.write(data)

    def context(self) -> TlsContext:
        """Give a context with what the key log holds."""
        key_log = KeyLog()
        key_log.add(self.key_log.read_bytes())
        return TlsContext(key_log)


def decrypt(events: list[Event], context: TlsContext) -> tuple[TlsStream, list[Event]]:
    """Pass all events of a connection through a TlsStream."""
    stream = TlsStream(events[0].connection, context)
    out = [found for event in events for found in stream.take(event)]
    return stream, [*out, *stream.end()]


def data_of(events: list[Event], direction: int) -> bytes:
    """Join the data of a direction."""
    return b"".join(event.data for event in events if isinstance(event, StreamData) and event.direction == direction)


def gaps_of(events: list[Event]) -> list[StreamGap]:
    return [event for event in events if isinstance(event, StreamGap)]
