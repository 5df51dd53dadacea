"""Make synthetic captures of Kafka traffic for measurements: `python -m benchmarks.workloads bulk OUT.pcap`.

The same workload and size give the same bytes. Beside OUT.pcap stands OUT.pcap.json, which says what is in it. Where
both are there already and right, nothing is made.
"""

import argparse
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks import roles
from benchmarks.batches import make_batches
from benchmarks.conversations import Exchange, Tally, converse
from benchmarks.framing import Connection, Host, Packet, PcapWriter, disorder, interleave

START = 1_795_176_000_000_000
"""2026-11-20T12:00:00Z in microseconds."""

BROKER_HOSTS = tuple(Host(f"10.1.0.{broker.node_id}", broker.port) for broker in roles.BROKERS)

Connections = Iterator[tuple[int, Iterator[Packet]]]
"""Start time and packets of each connection, in order of start time."""

BULK_CONNECTIONS = 64
SMALL_CALL_CONNECTIONS = 200
TINY_CALL_CONNECTIONS = 100
BULK_RECORDS = range(100, 501)
"""Records a batch."""


class Course(NamedTuple):
    """What a running workload knows of itself."""

    tally: Tally
    writer: PcapWriter


def bulk(megabytes: int, course: Course, *, modern: bool = False) -> Connections:
    """64 connections that produce and fetch large batches of all codecs (Produce v8, Fetch v11)."""
    batches = make_batches(Random("bulk batches"), 16, BULK_RECORDS)
    release = roles.NEW_RELEASE if modern else roles.OLD_RELEASE
    for number in range(BULK_CONNECTIONS):
        random = Random(f"bulk {number}")
        broker = number % len(BROKER_HOSTS)
        connection = Connection(_client(number), BROKER_HOSTS[broker], START + number * 700, random)
        role, name, window = (
            (roles.bulk_producer, "producer", 5) if number % 2 else (roles.bulk_consumer, "consumer", 1)
        )
        yield (
            connection.time,
            converse(
                connection,
                f"{name}-{number}",
                roles.greet(release, roles.TOPICS, random),
                role(connection, broker, batches, modern, random),
                window=window,
                tally=course.tally,
                random=random,
                # Sets the pace: together about 1 Gbit/s.
                pause=100_000,
                goes_on=lambda: course.writer.size_bytes < megabytes * 1_000_000,
            ),
        )


def modern_bulk(megabytes: int, course: Course) -> Connections:
    """Bulk in the versions of Kafka 4.0 (Produce v12, Fetch v17), whose bodies tshark 4.0 does not decode."""
    return bulk(megabytes, course, modern=True)


def disordered(megabytes: int, course: Course) -> Connections:
    """Bulk with 2 % of the data packets reordered and 0.5 % missing from the capture."""
    for number, (time, packets) in enumerate(bulk(megabytes, course)):
        yield time, disorder(packets, reordered=0.02, lost=0.005, random=Random(f"disorder {number}"))


def elephant(megabytes: int, course: Course) -> Connections:
    """One connection that produces large batches of all codecs."""
    random = Random("elephant")
    connection = Connection(_client(0), BROKER_HOSTS[0], START, random)
    yield (
        START,
        converse(
            connection,
            "elephant",
            roles.greet(roles.OLD_RELEASE, roles.TOPICS, random),
            roles.bulk_producer(connection, 0, make_batches(random, 16, BULK_RECORDS), False, random),
            window=5,
            tally=course.tally,
            random=random,
            goes_on=lambda: course.writer.size_bytes < megabytes * 1_000_000,
        ),
    )


def wide(megabytes: int, course: Course) -> Connections:
    """Four connections that ask for the metadata of 10,000 partitions and the configuration of 100 topics."""
    for number in range(4):
        random = Random(f"wide {number}")
        connection = Connection(_client(number), BROKER_HOSTS[0], START + number * 5_000, random)
        yield (
            connection.time,
            converse(
                connection,
                f"admin-{number}",
                roles.greet(roles.OLD_RELEASE, roles.TOPICS, random),
                roles.administrator(random),
                window=1,
                tally=course.tally,
                random=random,
                goes_on=lambda: course.writer.size_bytes < megabytes * 1_000_000,
            ),
        )


def small_calls(calls: int, course: Course) -> Connections:
    """200 connections with tiny exchanges, up to four pipelined: groups, idle fetches, small produces, monitors."""
    batches = make_batches(Random("small batches"), 40, range(1, 6))
    share, rest = divmod(calls, SMALL_CALL_CONNECTIONS)
    for number in range(SMALL_CALL_CONNECTIONS):
        random = Random(f"small calls {number}")
        broker = number % len(BROKER_HOSTS)
        connection = Connection(_client(number), BROKER_HOSTS[broker], START + number * 300, random)
        exchanges: Iterator[Exchange]
        match number % 10:
            case 0 | 1 | 2 | 3:
                name, window, exchanges = "consumer", 3, roles.group_member(f"service-{number % 40:02d}", random)
            case 4 | 5:
                name, window, exchanges = "fetcher", 1, roles.idle_consumer(connection, broker, batches, random)
            case 6 | 7 | 8:
                name, window, exchanges = "producer", 4, roles.small_producer(connection, broker, batches, random)
            case _:
                name, window, exchanges = "lag-exporter", 4, roles.monitor(random)
        told = itertools.islice(exchanges, share + (number < rest))
        opening = roles.greet(roles.OLD_RELEASE, roles.TOPICS[:3], random)
        yield (
            connection.time,
            converse(
                connection,
                f"{name}-{number}",
                opening,
                told,
                window=window,
                pause=500 if name == "fetcher" else 100_000,
                tally=course.tally,
                random=random,
            ),
        )


def tiny_calls(calls: int, course: Course) -> Connections:
    """100 connections with heartbeats, commits and metadata of some 200 bytes a call, up to four to a segment."""
    share, rest = divmod(calls, TINY_CALL_CONNECTIONS)
    for number in range(TINY_CALL_CONNECTIONS):
        random = Random(f"tiny calls {number}")
        broker = number % len(BROKER_HOSTS)
        connection = Connection(_client(number), BROKER_HOSTS[broker], START + number * 300, random)
        yield (
            connection.time,
            converse(
                connection,
                f"worker-{number}",
                roles.greet(roles.OLD_RELEASE, roles.TOPICS[:1], random),
                itertools.islice(roles.tiny_member(f"service-{number % 40:02d}", random), share + (number < rest)),
                window=4,
                tally=course.tally,
                random=random,
                apart=0,
            ),
        )


def many_connections(connections: int, course: Course) -> Connections:
    """Short connections: ApiVersions, Metadata, one more call, goodbye."""
    batches = make_batches(Random("small batches"), 40, range(1, 6))
    for number in range(connections):
        random = Random(f"many connections {number}")
        broker = number % len(BROKER_HOSTS)
        connection = Connection(_client(number), BROKER_HOSTS[broker], START + number * 400, random)
        exchanges = (
            roles.small_producer(connection, broker, batches, random)
            if random.random() < 0.3
            else roles.monitor(random)
        )
        opening = roles.greet(roles.OLD_RELEASE, random.sample(roles.TOPICS, 1), random)
        yield (
            connection.time,
            converse(
                connection,
                f"job-{number}",
                opening,
                itertools.islice(exchanges, 1),
                window=1,
                tally=course.tally,
                random=random,
            ),
        )


def _client(number: int) -> Host:
    """Give each connection of a workload its own client address and port."""
    host, port = number % 500, number // 500
    return Host(f"10.20.{host // 250}.{host % 250 + 1}", 32_768 + (host * 61 + port) % 28_000)


class Workload(NamedTuple):
    """A kind of capture and the unit of its size."""

    connections: Callable[[int, Course], Connections]
    unit: str
    default: int


WORKLOADS = {
    "bulk": Workload(bulk, "megabytes", 100),
    "modern-bulk": Workload(modern_bulk, "megabytes", 100),
    "disordered": Workload(disordered, "megabytes", 100),
    "elephant": Workload(elephant, "megabytes", 1000),
    "wide": Workload(wide, "megabytes", 100),
    "small-calls": Workload(small_calls, "calls", 1_000_000),
    "tiny-calls": Workload(tiny_calls, "calls", 200_000),
    "many-connections": Workload(many_connections, "connections", 100_000),
}


def make(name: str, size: int, path: Path) -> None:
    """Write the workload `name` to `path`, and what is in it to `path` with `.json` added."""
    with path.open("wb", buffering=1 << 20) as file:
        course = Course(Tally(), PcapWriter(file))
        for packet in interleave(WORKLOADS[name].connections(size, course)):
            course.writer.write(packet)
    sent = course.tally.messages
    contents = {
        **_parameters(name, size),
        "packets": course.writer.packets,
        "bytes": course.writer.size_bytes,
        "messages": [
            {"api": api.name, "key": api.key, "version": api.version, "side": side, "count": count}
            for (api, side), count in sorted(sent.items())
        ],
        "records": course.tally.records,
    }
    manifest(path).write_text(json.dumps(contents, indent=2) + "\n")


def is_made(name: str, size: int, path: Path) -> bool:
    """Tell whether `path` holds the workload, whole and as this generator makes it."""
    if not (path.is_file() and manifest(path).is_file()):
        return False
    made = json.loads(manifest(path).read_text())
    expected = {**_parameters(name, size), "bytes": path.stat().st_size}
    return all(made[key] == value for key, value in expected.items())


def _parameters(name: str, size: int) -> dict[str, str | int]:
    sources = (Path(__file__).with_name(f"{module}.py") for module in _GENERATOR)
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    return {"workload": name, WORKLOADS[name].unit: size, "generator": digest[:16]}


def manifest(path: Path) -> Path:
    """Give the place of the file that says what is in the capture at `path`."""
    return path.with_name(path.name + ".json")


_GENERATOR = ("workloads", "roles", "conversations", "messages", "primitives", "batches", "framing")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workloads", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for name, workload in WORKLOADS.items():
        command = commands.add_parser(name, help=(workload.connections.__doc__ or "").replace("%", "%%"))
        command.add_argument(
            f"--{workload.unit}", dest="size", type=int, default=workload.default, help="default: %(default)s"
        )
        command.add_argument("out", type=Path, metavar="OUT.pcap")
    arguments = parser.parse_args()
    if not is_made(arguments.name, arguments.size, arguments.out):
        make(arguments.name, arguments.size, arguments.out)
    print(manifest(arguments.out).read_text(), end="")


if __name__ == "__main__":
    main()
