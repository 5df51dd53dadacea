"""Connections that clients try to make to a broker."""

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import connection, report

DEAD = Endpoint("10.0.0.9", 9092)


def attempts(count: int, accepted: bool = False, reset: bool = True, begin: int = 0) -> list[ConnectionReport]:
    """Connections to a broker that refuses them with RST, leaves them unanswered, or accepts them."""
    reports = []
    for index in range(begin, begin + count):
        on = connection(40_000 + index, begin=index, end=index + 0.01, server=DEAD)
        for counter in on.counters:
            counter.data_bytes = 0
        if accepted:
            on.round_trip_ns = 1_000_000
        elif reset:
            on.counters[0].packets = on.counters[1].packets = 1
        else:
            on.counters[0].packets, on.counters[1].packets = 4, 0
        reports.append(report(on, "empty", "rst" if reset else "idle", 1))
    return reports
