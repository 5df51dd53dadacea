"""Which side of a connection is the client's, and whether the server took it."""

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tcp.events import Connection


def client_direction(of: Call | ConnectionReport) -> int:
    """Give the direction of requests in the connection of a call or report."""
    return 0 if str(of.connection.endpoints[0]) == of.client else 1


def was_refused(connection: Connection) -> bool:
    """Tell whether a SYN was answered with RST."""
    if connection.initiator is None or connection.round_trip_ns is not None:
        return False
    reset = connection.ended_by == "rst" and connection.ended_direction == 1 - connection.initiator
    return reset and not any(counter.data_bytes for counter in connection.counters)
