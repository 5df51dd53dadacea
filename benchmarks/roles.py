"""What clients and their brokers have to say, by role."""

import itertools
import uuid
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from benchmarks import messages
from benchmarks.batches import Batch
from benchmarks.conversations import Exchange
from benchmarks.framing import Connection
from benchmarks.messages import Broker, FetchedPartition, FetchPosition, PartitionState, Setting

BROKERS = tuple(
    Broker(node_id, f"kafka-{node_id}.example.com", 9092, f"eu-west-1{'abc'[node_id - 1]}") for node_id in (1, 2, 3)
)
TOPICS = ("orders", "payments.v2", "inventory-changes", "clickstream", "audit_log", "shipments", "prices", "metrics-5s")
PARTITIONS = 12
"""Partitions of each topic; brokers lead them in turn."""


class Release(NamedTuple):
    """A Kafka release, of client and broker alike."""

    version: str
    apis: Sequence[tuple[int, int, int]]
    """Key, lowest and highest version of each API of the broker."""


OLD_RELEASE = Release(
    "2.4.1",
    [
        (key, 0, highest)
        for key, highest in enumerate(
            (8, 11, 5, 9, 4, 2, 6, 3, 8, 6, 3, 6, 4, 4, 4, 5, 3, 1, 3, 5, 4, 1, 2, 3, 1, 1, 1, 0, 2, 1, 1, 1, 2, 1)
        )
    ],
)
"""The APIs up to AlterConfigs: the last release whose Produce and Fetch tshark 4.0 decodes."""

NEW_RELEASE = Release(
    "4.0.1",
    [
        *((0, 3, 12), (1, 4, 17), (2, 1, 10), (3, 0, 13), (8, 2, 9), (9, 1, 9), (10, 0, 6), (11, 0, 9), (12, 0, 4)),
        *((13, 0, 5), (14, 0, 5), (15, 0, 6), (16, 0, 5), (17, 0, 1), (18, 0, 4), (19, 2, 7), (20, 1, 6), (21, 0, 2)),
        *((22, 0, 5), (23, 2, 4), (24, 0, 5), (25, 0, 4), (26, 0, 5), (27, 1, 1), (28, 0, 5), (29, 1, 3), (30, 1, 3)),
        *((31, 1, 3), (32, 1, 4), (33, 0, 2), (35, 1, 4), (36, 0, 2), (37, 0, 3), (60, 0, 2), (68, 0, 1), (69, 0, 1)),
    ],
)
"""Those of its APIs that clients use most."""


_TOPIC_DEFAULTS = (
    ("cleanup.policy", "delete"),
    ("compression.type", "producer"),
    ("delete.retention.ms", "86400000"),
    ("file.delete.delay.ms", "60000"),
    ("flush.messages", "9223372036854775807"),
    ("flush.ms", "9223372036854775807"),
    ("follower.replication.throttled.replicas", ""),
    ("index.interval.bytes", "4096"),
    ("leader.replication.throttled.replicas", ""),
    ("max.compaction.lag.ms", "9223372036854775807"),
    ("max.message.bytes", "1048588"),
    ("message.downconversion.enable", "true"),
    ("message.format.version", "2.4-IV1"),
    ("message.timestamp.difference.max.ms", "9223372036854775807"),
    ("message.timestamp.type", "CreateTime"),
    ("min.cleanable.dirty.ratio", "0.5"),
    ("min.compaction.lag.ms", "0"),
    ("min.insync.replicas", "1"),
    ("preallocate", "false"),
    ("retention.bytes", "-1"),
    ("retention.ms", "604800000"),
    ("segment.bytes", "1073741824"),
    ("segment.index.bytes", "10485760"),
    ("segment.jitter.ms", "0"),
    ("segment.ms", "604800000"),
    ("unclean.leader.election.enable", "false"),
)


def greet(release: Release, topics: Sequence[str], random: Random) -> Iterator[Exchange]:
    """Ask for versions and metadata, as any client does first."""
    yield Exchange(
        messages.API_VERSIONS,
        messages.api_versions_request("apache-kafka-java", release.version),
        messages.api_versions_response(release.apis),
        random.expovariate(1 / 300),
    )
    yield metadata(topics, random)


def metadata(topics: Sequence[str], random: Random) -> Exchange:
    """Ask for the metadata of topics."""
    states = {topic: [_state(topic, partition, random) for partition in range(PARTITIONS)] for topic in topics}
    return Exchange(
        messages.METADATA,
        messages.metadata_request(topics),
        messages.metadata_response(BROKERS, states),
        random.expovariate(1 / 500),
    )


def bulk_producer(
    connection: Connection, broker: int, batches: Sequence[Batch], modern: bool, random: Random
) -> Iterator[Exchange]:
    """Produce one to four full batches a request, every second producer idempotently."""
    producer_id = random.randrange(1000, 9000) if random.random() < 0.5 else -1
    offsets = {place: random.randrange(1 << 34) for place in _led_by(broker)}
    sequences = dict.fromkeys(offsets, 0)
    while True:
        records: dict[str, dict[int, bytes]] = {}
        base_offsets: dict[str, dict[int, int]] = {}
        count = 0
        for place in sorted(random.sample(list(offsets), random.randint(1, 4))):
            topic, partition = place
            batch = random.choice(batches)
            producer = (producer_id, 0, sequences[place]) if producer_id >= 0 else (-1, -1, -1)
            # A producer leaves the base offset 0 and the leader epoch -1 for the broker to set.
            data = batch.encode(0, connection.time // 1000 - batch.last_timestamp_delta, -1, producer)
            records.setdefault(topic, {})[partition] = data
            base_offsets.setdefault(topic, {})[partition] = offsets[place]
            offsets[place] += batch.record_count
            sequences[place] += batch.record_count
            count += batch.record_count
        delay = random.expovariate(1 / 2000)
        if modern:
            request, response = messages.modern_produce_request, messages.modern_produce_response
            yield Exchange(messages.MODERN_PRODUCE, request(-1, records), response(base_offsets), delay, count)
        else:
            request, response = messages.produce_request, messages.produce_response
            yield Exchange(messages.PRODUCE, request(-1, records), response(base_offsets), delay, count)


def bulk_consumer(
    connection: Connection, broker: int, batches: Sequence[Batch], modern: bool, random: Random
) -> Iterator[Exchange]:
    """Fetch in a session (KIP-227) all that a broker leads: one to three partitions with one to three batches each."""
    positions = {place: random.randrange(1 << 34) for place in _led_by(broker)}
    session_id = random.getrandbits(31)
    asked = list(positions)
    for epoch in itertools.count():
        wanted: dict[str, list[FetchPosition]] = {}
        for topic, partition in asked:
            wanted.setdefault(topic, []).append(FetchPosition(partition, 7, positions[topic, partition]))
        fetched: dict[str, list[FetchedPartition]] = {}
        count = 0
        answered = sorted(random.sample(list(positions), random.randint(1, 3)))
        for place in answered:
            topic, partition = place
            data = []
            for batch in random.choices(batches, k=random.randint(1, 3)):
                data.append(batch.encode(positions[place], connection.time // 1000 - random.randrange(60_000)))
                positions[place] += batch.record_count
                count += batch.record_count
            end = positions[place] + random.randrange(100_000)
            fetched.setdefault(topic, []).append(FetchedPartition(partition, end, 0, b"".join(data)))
        delay = random.expovariate(1 / 2000)
        request_session = session_id if epoch else 0
        if modern:
            yield Exchange(
                messages.MODERN_FETCH,
                messages.modern_fetch_request(request_session, epoch, {_id(topic): wanted[topic] for topic in wanted}),
                messages.modern_fetch_response(session_id, {_id(topic): fetched[topic] for topic in fetched}),
                delay,
                count,
            )
        else:
            yield Exchange(
                messages.FETCH,
                messages.fetch_request(request_session, epoch, wanted),
                messages.fetch_response(session_id, fetched),
                delay,
                count,
            )
        # In a session the next request names only the partitions that changed.
        asked = answered


def group_member(group: str, random: Random) -> Iterator[Exchange]:
    """Send heartbeats and commit moving offsets, as the coordinator of a group sees a member."""
    member = f"{group}-consumer-{uuid.UUID(int=random.getrandbits(128), version=4)}"
    generation = random.randrange(1, 400)
    topics = random.sample(TOPICS, random.randint(1, 3))
    offsets = {topic: {partition: random.randrange(1 << 30) for partition in _some(random)} for topic in topics}
    yield Exchange(
        messages.OFFSET_FETCH,
        messages.offset_fetch_request(group, offsets),
        messages.offset_fetch_response(offsets),
        random.expovariate(1 / 500),
    )
    while True:
        delay = random.expovariate(1 / 800)
        if random.random() < 0.6:
            # 27 is REBALANCE_IN_PROGRESS.
            error = 27 if random.random() < 0.002 else 0
            request = messages.heartbeat_request(group, generation, member)
            yield Exchange(messages.HEARTBEAT, request, messages.heartbeat_response(error), delay)
            generation += error != 0
        else:
            for partitions in offsets.values():
                for partition in partitions:
                    partitions[partition] += random.randrange(500)
            yield Exchange(
                messages.OFFSET_COMMIT,
                messages.offset_commit_request(group, generation, member, offsets),
                messages.offset_commit_response(offsets),
                delay,
            )


def idle_consumer(connection: Connection, broker: int, batches: Sequence[Batch], random: Random) -> Iterator[Exchange]:
    """Fetch in a session where most answers are empty, and the others hold a few records."""
    positions = {place: random.randrange(1 << 34) for place in _led_by(broker)[:: random.randint(1, 6)]}
    session_id = random.getrandbits(31)
    wanted: dict[str, list[FetchPosition]] = {}
    for (topic, partition), offset in positions.items():
        wanted.setdefault(topic, []).append(FetchPosition(partition, 7, offset))
    for epoch in itertools.count():
        request = messages.fetch_request(session_id if epoch else 0, epoch, wanted)
        wanted = {}
        fetched: dict[str, list[FetchedPartition]] = {}
        count = 0
        if random.random() < 0.2:
            place = random.choice(list(positions))
            topic, partition = place
            batch = random.choice(batches)
            data = batch.encode(positions[place], connection.time // 1000 - random.randrange(500))
            positions[place] += batch.record_count
            count = batch.record_count
            fetched[topic] = [FetchedPartition(partition, positions[place], 0, data)]
            wanted[topic] = [FetchPosition(partition, 7, positions[place])]
        delay = random.expovariate(1 / 2000) if fetched else random.gauss(100_000, 300)
        yield Exchange(messages.FETCH, request, messages.fetch_response(session_id, fetched), delay, count)


def small_producer(connection: Connection, broker: int, batches: Sequence[Batch], random: Random) -> Iterator[Exchange]:
    """Produce a few records a request."""
    offsets = {place: random.randrange(1 << 34) for place in _led_by(broker)}
    places = list(offsets)
    while True:
        place = random.choice(places)
        topic, partition = place
        batch = random.choice(batches)
        data = batch.encode(0, connection.time // 1000 - batch.last_timestamp_delta, -1)
        yield Exchange(
            messages.PRODUCE,
            messages.produce_request(random.choice((1, -1)), {topic: {partition: data}}),
            messages.produce_response({topic: {partition: offsets[place]}}),
            random.expovariate(1 / 900),
            batch.record_count,
        )
        offsets[place] += batch.record_count


def monitor(random: Random) -> Iterator[Exchange]:
    """Ask for offsets, groups and metadata, as lag exporters do."""
    ends = {topic: {partition: random.randrange(1 << 34) for partition in range(PARTITIONS)} for topic in TOPICS}
    while True:
        delay = random.expovariate(1 / 700)
        topic = random.choice(TOPICS)
        group = f"service-{random.randrange(40):02d}"
        kind = random.randrange(10)
        if kind < 5:
            for partition in ends[topic]:
                ends[topic][partition] += random.randrange(1000)
            asked = {topic: dict.fromkeys(_some(random), -1)}
            found = {topic: {partition: ends[topic][partition] for partition in asked[topic]}}
            request = messages.list_offsets_request(asked)
            yield Exchange(messages.LIST_OFFSETS, request, messages.list_offsets_response(found), delay)
        elif kind < 7:
            offsets = {topic: {partition: ends[topic][partition] - 100 for partition in _some(random)}}
            request = messages.offset_fetch_request(group, offsets)
            yield Exchange(messages.OFFSET_FETCH, request, messages.offset_fetch_response(offsets), delay)
        elif kind < 9:
            broker = random.choice(BROKERS)
            request = messages.find_coordinator_request(group)
            yield Exchange(messages.FIND_COORDINATOR, request, messages.find_coordinator_response(broker), delay)
        else:
            yield metadata([topic], random)


def tiny_member(group: str, random: Random) -> Iterator[Exchange]:
    """Send heartbeats, commit the offset of one partition, and ask for the metadata of no topic, in turn."""
    member = f"{group}-{random.randrange(1000)}"
    topic = random.choice(TOPICS)
    offset = random.randrange(1 << 30)
    while True:
        request = messages.heartbeat_request(group, 7, member)
        yield Exchange(messages.HEARTBEAT, request, messages.heartbeat_response(0), 50)
        offset += random.randrange(100)
        offsets = {topic: {0: offset}}
        request = messages.offset_commit_request(group, 7, member, offsets)
        yield Exchange(messages.OFFSET_COMMIT, request, messages.offset_commit_response(offsets), 80)
        yield Exchange(
            messages.METADATA, messages.metadata_request([]), messages.metadata_response(BROKERS[:1], {}), 80
        )


def administrator(random: Random) -> Iterator[Exchange]:
    """Ask for the metadata of 10,000 partitions and the configuration of 100 topics in turn."""
    names = [f"team-{number % 20:02d}.domain-events.{number:04d}" for number in range(200)]
    while True:
        states = {name: [_state(name, partition, random) for partition in range(50)] for name in names}
        response = messages.metadata_response(BROKERS, states)
        yield Exchange(messages.METADATA, messages.metadata_request(None), response, 20_000)
        asked = random.sample(names, 100)
        settings = {name: [_setting(key, default, random) for key, default in _TOPIC_DEFAULTS] for name in asked}
        request = messages.describe_configs_request(2, asked)
        yield Exchange(messages.DESCRIBE_CONFIGS, request, messages.describe_configs_response(2, settings), 10_000)


def _setting(name: str, default: str, random: Random) -> Setting:
    value = str(random.randrange(1 << 31)) if default.isdecimal() and random.random() < 0.2 else default
    return Setting(name, value, default)


def _state(topic: str, partition: int, random: Random) -> PartitionState:
    leader = partition % len(BROKERS)
    replicas = tuple(1 + (leader + step) % len(BROKERS) for step in range(3))
    return PartitionState(partition, 7, replicas, replicas[:2] if random.random() < 0.05 else replicas)


def _led_by(broker: int) -> list[tuple[str, int]]:
    """Give topic and partition of all that the broker with an index in `BROKERS` leads."""
    return [(topic, partition) for topic in TOPICS for partition in range(broker, PARTITIONS, len(BROKERS))]


def _some(random: Random) -> list[int]:
    return sorted(random.sample(range(PARTITIONS), random.randint(1, 4)))


def _id(topic: str) -> bytes:
    return uuid.uuid5(uuid.NAMESPACE_DNS, topic).bytes
