"""Kafka requests and responses, encoded from Kafka's message definitions by hand.

The encoder shares nothing with `kafkasniff.protocol`, which reads what it wrote. A function is named after its message
and returns the body; the versions are the last that tshark 4.0 decodes, and two of today's for Produce and Fetch.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.primitives import array, compact_array, compact_bytes, compact_string, sized_bytes, string


class Api(NamedTuple):
    """An API in one version."""

    name: str
    key: int
    version: int
    flexible: bool = False
    """Whether the request has header version 2 (KIP-482)."""

    def __str__(self) -> str:
        """Give name and version."""
        return f"{self.name} v{self.version}"


PRODUCE = Api("Produce", 0, 8)
FETCH = Api("Fetch", 1, 11)
LIST_OFFSETS = Api("ListOffsets", 2, 5)
METADATA = Api("Metadata", 3, 8)
OFFSET_COMMIT = Api("OffsetCommit", 8, 7)
OFFSET_FETCH = Api("OffsetFetch", 9, 5)
FIND_COORDINATOR = Api("FindCoordinator", 10, 2)
HEARTBEAT = Api("Heartbeat", 12, 3)
API_VERSIONS = Api("ApiVersions", 18, 3, flexible=True)
DESCRIBE_CONFIGS = Api("DescribeConfigs", 32, 2)
MODERN_PRODUCE = Api("Produce", 0, 12, flexible=True)
MODERN_FETCH = Api("Fetch", 1, 17, flexible=True)


class FetchPosition(NamedTuple):
    """A partition in a Fetch request."""

    partition: int
    leader_epoch: int
    offset: int


class FetchedPartition(NamedTuple):
    """A partition in a Fetch response."""

    partition: int
    high_watermark: int
    log_start_offset: int
    records: bytes


class Broker(NamedTuple):
    """A broker in a Metadata response."""

    node_id: int
    host: str
    port: int
    rack: str


class PartitionState(NamedTuple):
    """A partition in a Metadata response."""

    partition: int
    leader_epoch: int
    replicas: Sequence[int]
    """The first is the leader."""
    in_sync: Sequence[int]


class Setting(NamedTuple):
    """A configuration entry in a DescribeConfigs response."""

    name: str
    value: str
    default: str


def frame_request(api: Api, correlation_id: int, client_id: str, body: bytes) -> bytes:
    """Put size prefix and header before a request's body."""
    tags = b"\0" if api.flexible else b""
    header = struct.pack(">hhi", api.key, api.version, correlation_id) + string(client_id) + tags
    return struct.pack(">i", len(header) + len(body)) + header + body


def frame_response(api: Api, correlation_id: int, body: bytes) -> bytes:
    """Put size prefix and header before a response's body."""
    # ApiVersions is always answered with header version 0 (KIP-511).
    tags = b"\0" if api.flexible and api is not API_VERSIONS else b""
    return struct.pack(">ii", 4 + len(tags) + len(body), correlation_id) + tags + body


def produce_request(acks: int, topics: Mapping[str, Mapping[int, bytes]]) -> bytes:
    """Produce v8: records of each topic's partitions."""
    return struct.pack(">hhi", -1, acks, 30_000) + array(
        string(topic) + array(struct.pack(">i", index) + sized_bytes(records) for index, records in partitions.items())
        for topic, partitions in topics.items()
    )


def produce_response(topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """Produce v8: base offset of each topic's partitions."""
    return (
        array(
            string(topic)
            + array(struct.pack(">ihqqqih", index, 0, offset, -1, 0, 0, -1) for index, offset in partitions.items())
            for topic, partitions in topics.items()
        )
        + _NOT_THROTTLED
    )


def modern_produce_request(acks: int, topics: Mapping[str, Mapping[int, bytes]]) -> bytes:
    """Produce v12: records of each topic's partitions."""
    return (
        struct.pack(">Bhi", 0, acks, 30_000)
        + compact_array(
            compact_string(topic)
            + compact_array(
                b"".join((struct.pack(">i", index), compact_bytes(records), b"\0"))
                for index, records in partitions.items()
            )
            + b"\0"
            for topic, partitions in topics.items()
        )
        + b"\0"
    )


def modern_produce_response(topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """Produce v12: base offset of each topic's partitions."""
    return (
        compact_array(
            compact_string(topic)
            + compact_array(
                struct.pack(">ihqqqBBB", index, 0, offset, -1, 0, 1, 0, 0) for index, offset in partitions.items()
            )
            + b"\0"
            for topic, partitions in topics.items()
        )
        + _NOT_THROTTLED
        + b"\0"
    )


def fetch_request(session_id: int, session_epoch: int, topics: Mapping[str, Iterable[FetchPosition]]) -> bytes:
    """Fetch v11 of a consumer."""
    return b"".join(
        (
            struct.pack(">iiiibii", -1, _MAX_WAIT_MS, 1, 52_428_800, 0, session_id, session_epoch),
            array(
                string(topic) + array(struct.pack(">iiqqi", *position, -1, 1_048_576) for position in positions)
                for topic, positions in topics.items()
            ),
            struct.pack(">ih", 0, 0),
        )
    )


def fetch_response(session_id: int, topics: Mapping[str, Iterable[FetchedPartition]]) -> bytes:
    """Fetch v11 for a consumer that reads uncommitted records."""
    return struct.pack(">ihi", 0, 0, session_id) + array(
        string(topic)
        + array(
            struct.pack(">ihqqqii", index, 0, high_watermark, high_watermark, log_start_offset, -1, -1)
            + sized_bytes(records)
            for index, high_watermark, log_start_offset, records in partitions
        )
        for topic, partitions in topics.items()
    )


def modern_fetch_request(session_id: int, session_epoch: int, topics: Mapping[bytes, Iterable[FetchPosition]]) -> bytes:
    """Fetch v17 of a consumer; topics by id."""
    return b"".join(
        (
            struct.pack(">iiibii", _MAX_WAIT_MS, 1, 52_428_800, 0, session_id, session_epoch),
            compact_array(
                topic_id
                + compact_array(
                    struct.pack(">iiqiqiB", partition, epoch, offset, -1, -1, 1_048_576, 0)
                    for partition, epoch, offset in positions
                )
                + b"\0"
                for topic_id, positions in topics.items()
            ),
            # No forgotten topics, an empty rack, no tagged fields.
            b"\x01\x01\0",
        )
    )


def modern_fetch_response(session_id: int, topics: Mapping[bytes, Iterable[FetchedPartition]]) -> bytes:
    """Fetch v17 for a consumer that reads uncommitted records; topics by id."""
    return b"".join(
        (
            struct.pack(">ihi", 0, 0, session_id),
            compact_array(
                topic_id
                + compact_array(
                    b"".join(
                        (
                            struct.pack(">ihqqqBi", index, 0, high_watermark, high_watermark, log_start_offset, 0, -1),
                            compact_bytes(records),
                            b"\0",
                        )
                    )
                    for index, high_watermark, log_start_offset, records in partitions
                )
                + b"\0"
                for topic_id, partitions in topics.items()
            ),
            b"\0",
        )
    )


def list_offsets_request(topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """ListOffsets v5: time stamp asked for, in ms or -1 for the latest, of each topic's partitions."""
    return struct.pack(">ib", -1, 0) + array(
        string(topic) + array(struct.pack(">iiq", index, 7, time) for index, time in partitions.items())
        for topic, partitions in topics.items()
    )


def list_offsets_response(topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """ListOffsets v5: offset found in each topic's partitions."""
    return _NOT_THROTTLED + array(
        string(topic) + array(struct.pack(">ihqqi", index, 0, -1, offset, 7) for index, offset in partitions.items())
        for topic, partitions in topics.items()
    )


def metadata_request(topics: Iterable[str] | None) -> bytes:
    """Metadata v8; None asks for all topics."""
    return (struct.pack(">i", -1) if topics is None else array(map(string, topics))) + b"\x01\0\0"


def metadata_response(brokers: Iterable[Broker], topics: Mapping[str, Iterable[PartitionState]]) -> bytes:
    """Metadata v8."""
    return b"".join(
        (
            _NOT_THROTTLED,
            array(
                struct.pack(">i", broker.node_id)
                + string(broker.host)
                + struct.pack(">i", broker.port)
                + string(broker.rack)
                for broker in brokers
            ),
            string("kVbT8mQ5TVGu0Xq1nJ2c9A"),
            struct.pack(">i", 1),
            array(
                b"\0\0" + string(topic) + b"\0" + array(map(_partition_state, partitions)) + _NO_OPERATIONS
                for topic, partitions in topics.items()
            ),
            _NO_OPERATIONS,
        )
    )


def offset_commit_request(group: str, generation: int, member: str, topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """OffsetCommit v7: offset of each topic's partitions."""
    return (
        _group_member(group, generation, member)
        + b"\xff\xff"
        + array(
            string(topic) + array(struct.pack(">iqih", index, offset, 7, 0) for index, offset in partitions.items())
            for topic, partitions in topics.items()
        )
    )


def offset_commit_response(topics: Mapping[str, Iterable[int]]) -> bytes:
    """OffsetCommit v7: the partitions committed."""
    return _NOT_THROTTLED + array(
        string(topic) + array(struct.pack(">ih", index, 0) for index in partitions)
        for topic, partitions in topics.items()
    )


def offset_fetch_request(group: str, topics: Mapping[str, Iterable[int]]) -> bytes:
    """OffsetFetch v5."""
    return string(group) + array(
        string(topic) + array(struct.pack(">i", index) for index in partitions) for topic, partitions in topics.items()
    )


def offset_fetch_response(topics: Mapping[str, Mapping[int, int]]) -> bytes:
    """OffsetFetch v5: committed offset of each topic's partitions."""
    return (
        _NOT_THROTTLED
        + array(
            string(topic) + array(struct.pack(">iqihh", index, offset, 7, 0, 0) for index, offset in partitions.items())
            for topic, partitions in topics.items()
        )
        + b"\0\0"
    )


def find_coordinator_request(group: str) -> bytes:
    """FindCoordinator v2 of a group."""
    return string(group) + b"\0"


def find_coordinator_response(broker: Broker) -> bytes:
    """FindCoordinator v2."""
    return struct.pack(">ihhi", 0, 0, -1, broker.node_id) + string(broker.host) + struct.pack(">i", broker.port)


def heartbeat_request(group: str, generation: int, member: str) -> bytes:
    """Heartbeat v3."""
    return _group_member(group, generation, member) + b"\xff\xff"


def heartbeat_response(error: int) -> bytes:
    """Heartbeat v3."""
    return struct.pack(">ih", 0, error)


def api_versions_request(software_name: str, software_version: str) -> bytes:
    """ApiVersions v3."""
    return compact_string(software_name) + compact_string(software_version) + b"\0"


def api_versions_response(versions: Iterable[tuple[int, int, int]]) -> bytes:
    """ApiVersions v3: key, lowest and highest version of each API."""
    return b"\0\0" + compact_array(struct.pack(">hhhB", *api, 0) for api in versions) + _NOT_THROTTLED + b"\0"


def describe_configs_request(resource_type: int, names: Iterable[str]) -> bytes:
    """DescribeConfigs v2 of topics (2) or brokers (4), all entries with synonyms."""
    return array(struct.pack(">b", resource_type) + string(name) + b"\xff\xff\xff\xff" for name in names) + b"\x01"


def describe_configs_response(resource_type: int, resources: Mapping[str, Iterable[Setting]]) -> bytes:
    """DescribeConfigs v2."""
    return _NOT_THROTTLED + array(
        struct.pack(">hhb", 0, -1, resource_type) + string(name) + array(map(_setting, settings))
        for name, settings in resources.items()
    )


_MAX_WAIT_MS = 100
"""How long a broker may hold a Fetch that finds no records."""
_NOT_THROTTLED = b"\0\0\0\0"
_NO_OPERATIONS = struct.pack(">i", -(2**31))
"""KIP-430: authorized operations were not asked for."""

_DYNAMIC_TOPIC_CONFIG, _DEFAULT_CONFIG = 1, 5


def _setting(setting: Setting) -> bytes:
    name = string(setting.name)
    default = name + string(setting.default) + struct.pack(">b", _DEFAULT_CONFIG)
    if setting.value == setting.default:
        return name + string(setting.value) + struct.pack(">bbb", 0, _DEFAULT_CONFIG, 0) + array([default])
    dynamic = name + string(setting.value) + struct.pack(">b", _DYNAMIC_TOPIC_CONFIG)
    return name + string(setting.value) + struct.pack(">bbb", 0, _DYNAMIC_TOPIC_CONFIG, 0) + array([dynamic, default])


def _partition_state(state: PartitionState) -> bytes:
    replicas, in_sync = state.replicas, state.in_sync
    return struct.pack(
        f">hiiii{len(replicas)}ii{len(in_sync)}ii",
        0,
        state.partition,
        replicas[0],
        state.leader_epoch,
        len(replicas),
        *replicas,
        len(in_sync),
        *in_sync,
        0,
    )


def _group_member(group: str, generation: int, member: str) -> bytes:
    return string(group) + struct.pack(">i", generation) + string(member)
