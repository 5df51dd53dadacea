"""Measure `kafkasniff diagnose`, its CPU and its memory with many clients: `python -m benchmarks.diagnose`.

Prints Markdown. Nothing is asserted.
"""

import argparse
import datetime
import itertools
import resource
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import compare, machine, table
from benchmarks.messages import (
    FETCH,
    HEARTBEAT,
    METADATA,
    OFFSET_COMMIT,
    PRODUCE,
    Api,
    fetch_request,
    fetch_response,
    frame_request,
    frame_response,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    offset_commit_request,
    offset_commit_response,
    produce_request,
    produce_response,
)
from benchmarks.primitives import array, string
from benchmarks.read import prepare
from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.tcp.events import Connection, Endpoint

KAFKASNIFF = [sys.executable, "-m", "kafkasniff"]
START = 1_795_176_000_000_000_000
"""2026-11-20T12:00:00Z in nanoseconds."""
EVERY_NS = 100_000
"""Pause between two calls."""

JOIN_GROUP = Api("JoinGroup", 11, 2)
INIT_PRODUCER_ID = Api("InitProducerId", 22, 0)
ADD_PARTITIONS = Api("AddPartitionsToTxn", 24, 0)
SASL_HANDSHAKE = Api("SaslHandshake", 17, 1)

_INTERFACE = Interface("made.pcap", 1)
_BATCH = struct.pack(">qiibIhiqqqhii", 0, 109, 0, 2, 0, 0, 1, 0, 0, 7, 0, 0, 2) + bytes(60)
"""Two records, uncompressed, of an idempotent producer; the CRC is not looked at."""


class Crowd:
    """Makes the calls of ever other clients, each with a connection, a group and topics of its own."""

    def __init__(self, shared: bool = False) -> None:
        """Begin at noon; with `shared`, all clients have one client id, one address and one server."""
        self._shared = shared
        self._now = START
        self._packets = itertools.count(1)

    def client(self, number: int, topics: int) -> Iterator[Call | ConnectionReport]:
        """Make what one client does: much of it is refused, so that rules have something to remember."""
        place = 0 if self._shared else number
        host = f"10.{2 + place // 62_500 % 250}.{place // 250 % 250}.{place % 250}"
        server = Endpoint(f"10.1.{place // 200 % 200}.{place % 200}", 9092)
        on = Connection((Endpoint(host, 40_000 + number % 20_000), server), 0, self._arrival(), self._arrival(), 0)
        for counter in on.counters:
            counter.packets = counter.data_bytes = 100
        name, group, member = f"client-{place}", f"group-{number}", f"member-{number}"
        names = [f"topic-{number}-{index}" for index in range(topics)]
        unknown = array([struct.pack(">h", 3) + string(topic) + b"\0" + array([]) for topic in names])
        joined = struct.pack(">ihi", 0, 0, number) + string("range") + string(member) + string(member) + array([])
        join = string(group) + struct.pack(">ii", 10_000, 60_000) + string("") + string("consumer") + array([])
        error_51 = struct.pack(">i", 0) + array([string(names[0]) + array([struct.pack(">ih", 0, 51)])])
        exchanges = [
            (SASL_HANDSHAKE, string("PLAIN"), struct.pack(">h", 0) + array([string("PLAIN")])),
            (Api("Metadata", 3, 1), array([string(topic) for topic in names]), _metadata_v1(unknown)),
            (METADATA, metadata_request(names[:1]), None),
            (JOIN_GROUP, join, joined),
            (HEARTBEAT, heartbeat_request(group, 1, member), heartbeat_response(27)),
            (OFFSET_COMMIT, offset_commit_request(group, 1, member, {names[0]: {0: 5, 1: 6}}), None),
            (OFFSET_COMMIT, *_commit(group, member, names[0])),
            (FETCH, fetch_request(0, 0, {}), fetch_response(number, {})),
            (PRODUCE, produce_request(1, {names[0]: {0: _BATCH}}), produce_response({names[0]: {0: 1}})),
            (INIT_PRODUCER_ID, string(member) + struct.pack(">i", 60_000), struct.pack(">ihqh", 0, 31, -1, -1)),
            (ADD_PARTITIONS, _transaction(member, number, names[0]), error_51),
        ]
        for correlation_id, (api, request, response) in enumerate(exchanges):
            yield self._call(on, api, correlation_id, name, request, response)
        if number % 2:
            on.ended_by, on.ended_direction, on.last = "fin", 0, self._arrival()
            ends = map(str, on.endpoints)
            yield ConnectionReport(on, *ends, "kafka", "made", len(exchanges), on.last)

    def _call(
        self, on: Connection, api: Api, correlation_id: int, client_id: str, request: bytes, response: bytes | None
    ) -> Call:
        # A frame holds no size prefix.
        asked = frame_request(api, correlation_id, client_id, request)[4:]
        begun = self._arrival()
        answer = None
        if response is not None:
            told = frame_response(api, correlation_id, response)[4:]
            ended = self._arrival()
            answer = Frame(len(told), told, ended, ended, 0)
        on.last = ended = self._arrival()
        return Call(
            on,
            str(on.endpoints[0]),
            str(on.endpoints[1]),
            Frame(len(asked), asked, begun, begun, 0),
            answer,
            read_request_header(asked),
            "answered" if answer is not None else "unanswered",
            answer.last if answer is not None else ended,
        )

    def _arrival(self) -> Arrival:
        self._now += EVERY_NS
        return Arrival(self._now, next(self._packets), _INTERFACE)


def _metadata_v1(topics: bytes) -> bytes:
    broker = struct.pack(">i", 1) + string("10.1.0.1") + struct.pack(">ih", 9092, -1)
    return array([broker]) + struct.pack(">i", 1) + topics


def _commit(group: str, member: str, topic: str) -> tuple[bytes, bytes]:
    return offset_commit_request(group, 1, member, {topic: {0: 5, 1: 6}}), offset_commit_response({topic: [0, 1]})


def _transaction(name: str, number: int, topic: str) -> bytes:
    partitions = array([struct.pack(">i", 0)])
    return string(name) + struct.pack(">qh", number, 0) + array([string(topic) + partitions])


def report_cpu(calls: int, folder: Path, rounds: int) -> None:
    """Compare `diagnose` with `read --json` on small calls."""
    path = str(prepare("small-calls", calls, folder))
    commands = {
        "kafkasniff read --json": [*KAFKASNIFF, "read", "--json", path],
        "kafkasniff diagnose": [*KAFKASNIFF, "diagnose", path],
    }
    print(f"CPU, {calls:,} small calls:\n", flush=True)
    print(table(compare(commands, rounds)) + "\n", flush=True)


def report_state(clients: int, topics: int) -> None:
    """Show memory as the number of clients grows; calls are made in memory, so that nothing else is measured."""
    print(f"State, {clients:,} client ids with {topics // clients} topics each:\n")
    print("| clients | topics | calls | RSS MB | CPU, µs a call, with making it |")
    print("| ---: | ---: | ---: | ---: | ---: |", flush=True)
    diagnosis, crowd = Diagnosis(), Crowd()
    calls, begun = 0, time.process_time()
    for number in range(clients):
        for item in crowd.client(number, topics // clients):
            diagnosis.feed(item)
            calls += isinstance(item, Call)
        if (number + 1) % (clients // 10) == 0:
            spent = 1e6 * (time.process_time() - begun) / calls
            done = (number + 1) * (topics // clients)
            print(f"| {number + 1:,} | {done:,} | {calls:,} | {_resident() / 1e6:.0f} | {spent:.0f} |", flush=True)
    begun = time.process_time()
    found = diagnosis.findings()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"\n{len(found):,} findings in {time.process_time() - begun:.1f} s; peak RSS {peak:.0f} MB.\n")
    for text in diagnosis.limits_reached():
        print(f"- {text}")


def _resident() -> float:
    """Give the bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return float(pages * resource.getpagesize())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnose", description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--clients", type=int, default=100_000, help="default: %(default)s")
    parser.add_argument("--topics", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kafkasniff-benchmarks")
    parser.add_argument("--only", choices=("cpu", "state"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}\n")
    if arguments.only != "state":
        report_cpu(arguments.calls, arguments.folder, arguments.rounds)
    if arguments.only != "cpu":
        report_state(arguments.clients, arguments.topics)


if __name__ == "__main__":
    main()
