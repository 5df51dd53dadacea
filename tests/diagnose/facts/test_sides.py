from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.facts.sides import client_direction, was_refused
from kafkasniff.tcp.events import Connection, Endpoint
from tests.diagnose.made import call

CLIENT, SERVER = Endpoint("10.0.0.1", 50_000), Endpoint("10.0.0.2", 9092)
ARRIVAL = Arrival(0, 1, Interface("capture.pcap", 1))


def connection(first: Endpoint, other: Endpoint, initiator: int | None, ended_direction: int) -> Connection:
    made = Connection((first, other), 0, ARRIVAL, ARRIVAL, initiator, "rst")
    made.ended_direction = ended_direction
    return made


def test_requests_may_go_in_either_direction() -> None:
    """Direction 0 is that of the first packet seen, which is the server's where a capture begins in between."""
    for ends, direction in (((CLIENT, SERVER), 0), ((SERVER, CLIENT), 1)):
        heartbeat = call(12, 0, {}, {}, on=connection(*ends, direction, 0))
        heartbeat.client = "10.0.0.1:50000"
        assert client_direction(heartbeat) == direction


def test_a_server_refuses_by_rst() -> None:
    assert was_refused(connection(CLIENT, SERVER, 0, 1))
    assert was_refused(connection(SERVER, CLIENT, 1, 0))


def test_what_the_client_ends_opened_or_began_before_the_capture_was_not_refused() -> None:
    opened = connection(CLIENT, SERVER, 0, 1)
    opened.round_trip_ns = 1_000
    used = connection(CLIENT, SERVER, 0, 1)
    used.counters[0].data_bytes = 1
    by_client, unknown = connection(CLIENT, SERVER, 0, 0), connection(CLIENT, SERVER, None, 1)
    assert not any(map(was_refused, (opened, used, by_client, unknown)))
