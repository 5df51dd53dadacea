"""Rules about talking the wrong protocol to a port."""

from typing import Any, ClassVar, NamedTuple

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import Client, at_host
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, connections_subject, seconds_text, times_text


class ServerKey(NamedTuple):
    """A server, and the client where it is known."""

    server: str
    client: Client | None


class Misfits(Tally):
    """Connections with the wrong protocol that the server ended, and those that the client gave up."""

    __slots__ = ("given_up",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.given_up = Tally()


class _PortRule(Rule[Misfits]):
    """Counts connections to one server that opened with the wrong protocol."""

    state_type = Misfits

    least: ClassVar[str] = "connections"

    def note(self, report: ConnectionReport, what: str) -> None:
        """Count a connection, if it was seen from its start and the server sent not a byte."""
        connection = report.connection
        client = connection.initiator
        if client is None or connection.ended_direction is None:
            return
        counters = connection.counters
        heard = counters[client].data_bytes > 0 and counters[1 - client].packets > 0
        if heard and not counters[1 - client].data_bytes and not counters[0].gaps and not counters[1].gaps:
            state = self.state(ServerKey(report.server, None))
            by_server = connection.ended_direction == 1 - client
            how = f"{what}; the {'server' if by_server else 'client'} closed the connection without a byte of an answer"
            (state if by_server else state.given_up).add(connection.first, how, report)

    def finding(self, key: Any, state: Misfits) -> Finding | None:
        """Fire from the threshold on; connections that the client gave up count where the server is a broker."""
        assert isinstance(key, ServerKey)
        tally: Tally = state
        if state.count < self.limits[self.least] and self.facts.is_kafka(key.server):
            tally = state.given_up
        if tally.count < self.limits[self.least]:
            return None
        subject = {"server": key.server, "client": connections_subject(tally.clients)}
        if key.client is not None:
            subject = client_subject(key.client, tally.clients) | {"server": key.server}
        return self.make(tally, subject, self.summary(key, tally))

    def summary(self, key: ServerKey, tally: Tally) -> str:
        """Say what came to which port."""
        raise NotImplementedError


def _hosts(tally: Tally) -> str:
    names = sorted({client.rpartition(":")[0] for client in tally.clients})
    return ", ".join(names)


class TlsToPlaintextPort(_PortRule):
    """TLS to a port that does not speak it."""

    id = "tls-to-plaintext-port"
    title = "TLS is spoken to a plaintext port"
    severity = "error"
    scope = "server"
    looks_across_clients = True
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = "The client begins a TLS handshake; the broker takes its first bytes for a huge request size and closes."
    wire = "First bytes 16 03 (a ClientHello), not one byte from the server, until it closes, or the client does."
    cause = "The client is told to speak TLS ({security.protocol}), but the port belongs to a listener without it."
    fix = "Give the client the TLS listener's port ({bootstrap.servers}), or turn TLS off ({security.protocol})."

    def connection(self, report: ConnectionReport) -> None:
        """Count TLS connections without any answer."""
        if report.protocol == "tls":
            self.note(report, "ClientHello")

    def summary(self, key: ServerKey, tally: Tally) -> str:
        """Name the port and who comes."""
        return (
            f"{tally.count:,} TLS handshakes from {_hosts(tally)} got not a byte from {key.server}, which does not "
            f"speak TLS."
        )


class PlaintextToTlsPort(_PortRule):
    """Kafka in the clear to a TLS port."""

    id = "plaintext-to-tls-port"
    title = "Plaintext is spoken to a TLS port"
    severity = "error"
    scope = "client and server"
    looks_across_clients = True
    thresholds = (
        Threshold("connections", 1, "connections", "Java makes one, and waits on it for the rest of the message"),
        Threshold("again", 2, "connections", "one alone is an info: it may be a probe"),
    )
    meaning = "The client sends Kafka requests in the clear to a port that expects TLS, and never gets an answer."
    wire = (
        "A Kafka request, answered with the 7 bytes of a TLS alert (15 03 …). Java waits for 352 MB more; "
        "librdkafka reconnects."
    )
    cause = "The client is told not to speak TLS ({security.protocol}), but the port belongs to a TLS listener."
    fix = (
        "Turn TLS on ({security.protocol}) and give the client the authority's certificate ({ssl.truststore.location})."
    )

    def connection(self, report: ConnectionReport) -> None:
        """Count Kafka connections that got a TLS alert."""
        if (
            report.protocol == "kafka"
            and report.response_start[:2] == b"\x15\x03"
            and report.connection.initiator is not None
        ):
            client = self.facts.client(report.connection)
            what = "Kafka request answered with a TLS alert"
            self.state(ServerKey(report.server, at_host(client) if client is not None else None)).add(
                report.connection.first, what, report
            )

    def summary(self, key: ServerKey, tally: Tally) -> str:
        """Name client and port."""
        name = key.client.name if key.client else _hosts(tally)
        return (
            f"{name} sent Kafka requests in the clear to {key.server}, which answered {times_text(tally.count)} with "
            f"a TLS alert."
        )


class HttpToKafkaPort(_PortRule):
    """HTTP to a Kafka port."""

    id = "http-to-kafka-port"
    title = "HTTP is spoken to a Kafka port"
    severity = "warning"
    scope = "server"
    looks_across_clients = True
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = (
        "A web client or health check talks to the broker's port; the broker takes it for a huge request and closes."
    )
    wire = "First bytes are an HTTP verb, not one byte from the server, until it closes, or the client does."
    cause = "A load balancer's health check, a metrics scraper, or a REST client with the broker's port."
    fix = "Use a TCP health check; point REST clients at the REST proxy, scrapers at the exporter's port."

    def connection(self, report: ConnectionReport) -> None:
        """Count HTTP connections without any answer."""
        if report.protocol in ("http", "http2"):
            self.note(report, report.evidence)

    def summary(self, key: ServerKey, tally: Tally) -> str:
        """Name the port and who comes."""
        return f"{_hosts(tally)} sent HTTP to {key.server} {tally.count:,} times, and got not a byte of an answer."


class OtherProtocolToKafkaPort(_PortRule):
    """Something else to a Kafka port."""

    id = "other-protocol-to-kafka-port"
    title = "Another protocol is spoken to a Kafka port"
    severity = "warning"
    scope = "server"
    looks_across_clients = True
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = "Something that is neither Kafka, TLS nor HTTP talks to the port; the server closes without an answer."
    wire = (
        "First bytes of SSH, Redis, ZooKeeper or unknown, not one byte from the server, until it closes, or the client "
        "does."
    )
    cause = "A wrong port in some program's configuration, or a scanner."
    fix = "Find the program by its address, and correct its port; keep scanners away from the brokers' ports."

    def connection(self, report: ConnectionReport) -> None:
        """Count connections of other protocols without any answer."""
        if report.protocol not in ("kafka", "tls", "http", "http2", "empty"):
            self.note(report, f"{report.protocol}: {report.evidence}")

    def summary(self, key: ServerKey, tally: Tally) -> str:
        """Name the port and who comes."""
        took = seconds_text(tally.span_ns)
        return (
            f"{_hosts(tally)} sent something other than Kafka to {key.server} {tally.count:,} times within "
            f"{took}, unanswered."
        )


PORT_RULES: tuple[type[Rule[Any]], ...] = (
    TlsToPlaintextPort,
    PlaintextToTlsPort,
    HttpToKafkaPort,
    OtherProtocolToKafkaPort,
)
