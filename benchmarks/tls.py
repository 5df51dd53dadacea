"""Compare `kafkasniff read --keylog` with tshark on a synthetic TLS 1.3 capture: `python -m benchmarks.tls`.

Prints Markdown: what both find inside, then CPU time, wall time and memory. Nothing is asserted.
"""

import argparse
import datetime
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from benchmarks import roles
from benchmarks.batches import make_batches
from benchmarks.conversations import Tally, converse
from benchmarks.framing import CLIENT, SERVER, Connection, Host, Packet, PcapWriter, interleave
from benchmarks.measure import compare, machine, table
from benchmarks.workloads import BULK_RECORDS, START

CONNECTIONS = 64
PORT = 9093
BROKER = Host("10.1.0.1", PORT)


class TlsConnection(Connection):
    """A connection whose data OpenSSL encrypts."""

    def __init__(
        self, client: Host, time: int, random: Random, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
    ) -> None:
        """Connect with the client's and the server's context."""
        super().__init__(client, BROKER, time, random)
        self._incoming = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._ends = tuple(
            context.wrap_bio(self._incoming[side], self._outgoing[side], server_side=side == SERVER)
            for side, context in enumerate(contexts)
        )

    def open(self) -> Iterator[Packet]:
        """Shake hands, by TCP and TLS."""
        yield from super().open()
        unfinished = {CLIENT, SERVER}
        while unfinished:
            for side in (CLIENT, SERVER):
                if side in unfinished:
                    try:
                        self._ends[side].do_handshake()
                        unfinished.discard(side)
                    except ssl.SSLWantReadError:
                        pass
                yield from self._carry(side)

    def send(self, direction: int, data: bytes) -> Iterator[Packet]:
        """Send `data` encrypted."""
        self._ends[direction].write(data)
        yield from self._carry(direction)

    def _carry(self, side: int) -> Iterator[Packet]:
        data = self._outgoing[side].read()
        if data:
            self._incoming[1 - side].write(data)
            yield from super().send(side, data)
            self.wait(100)


def contexts(folder: Path, key_log: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Make the client's context, which logs secrets, and the server's."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker.example")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(datetime.datetime(2020, 1, 1))
    certificate = builder.not_valid_after(datetime.datetime(2040, 1, 1)).sign(key, hashes.SHA256())
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    client, server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.keylog_filename = str(key_log)
    server.load_cert_chain(path)
    client.minimum_version = server.minimum_version = ssl.TLSVersion.TLSv1_3
    return client, server


def make(megabytes: int, path: Path, key_log: Path) -> Tally:
    """Write a capture of connections that produce and fetch large batches (Produce v8, Fetch v11) over TLS 1.3."""
    key_log.unlink(missing_ok=True)
    both, tally = contexts(path.parent, key_log), Tally()
    batches = make_batches(Random("tls batches"), 16, BULK_RECORDS)
    with path.open("wb", buffering=1 << 20) as file:
        writer = PcapWriter(file)

        def packets(number: int) -> tuple[int, Iterator[Packet]]:
            random = Random(f"tls {number}")
            connection = TlsConnection(Host(f"10.20.0.{number + 1}", 40_000), START + number * 700, random, both)
            role, name, window = (
                (roles.bulk_producer, "producer", 5) if number % 2 else (roles.bulk_consumer, "consumer", 1)
            )
            return connection.time, converse(
                connection,
                f"{name}-{number}",
                roles.greet(roles.OLD_RELEASE, roles.TOPICS, random),
                role(connection, 0, batches, False, random),
                window=window,
                tally=tally,
                random=random,
                pause=100_000,
                goes_on=lambda: writer.size_bytes < megabytes * 1_000_000,
            )

        for packet in interleave(map(packets, range(CONNECTIONS))):
            writer.write(packet)
    return tally


def count_lines(command: list[str]) -> int:
    """Run a command and count the lines that it prints."""
    return len(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    )


def report(megabytes: int, rounds: int, folder: Path) -> None:
    """Make the capture, say what both find in it, and measure."""
    path, key_log = folder / f"tls-{megabytes}.pcap", folder / f"tls-{megabytes}.keys"
    sent = sum(make(megabytes, path, key_log).messages.values())
    ours = [sys.executable, "-m", "kafkasniff", "read", str(path), "--keylog", str(key_log)]
    theirs = ["tshark", "-n", "-r", str(path), "-o", f"tls.keylog_file:{key_log}", "-d", f"tls.port=={PORT},kafka"]
    print(
        f"{path.stat().st_size / 1e6:.0f} MB, {CONNECTIONS} connections, TLS 1.3 with AES-256-GCM, {sent:,} messages.\n"
    )
    found = count_lines(ours)
    version = subprocess.run(["tshark", "--version"], check=True, capture_output=True, text=True).stdout.split(" (")[0]
    fields = ["-Y", "kafka", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=/s", "-e", "kafka.correlation_id"]
    output = subprocess.run([*theirs, *fields], check=True, capture_output=True, text=True).stdout
    print(f"kafkasniff shows {found:,} calls; {version} shows {len(output.split()):,} messages.\n", flush=True)
    print(table(compare({"kafkasniff read --keylog": ours, "tshark -n -r, with the key log": theirs}, rounds)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tls", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    arguments = parser.parse_args()
    print(
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}, medians of {arguments.rounds} rounds in turn\n"
    )
    with tempfile.TemporaryDirectory(prefix="kafkasniff-") as folder:
        report(arguments.megabytes, arguments.rounds, Path(folder))


if __name__ == "__main__":
    main()
