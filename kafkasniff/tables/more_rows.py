"""Rows of what some APIs alone have: partitions, events of groups, and what brokers offer."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.topics import KnownNames
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import API_VERSIONS, api_name
from kafkasniff.tables.declared import APIS_OFFERED, GROUP_EVENTS, PARTITIONS_NAMED
from kafkasniff.tables.places import PARTITION_FIELDS, topic_in
from kafkasniff.tables.rows import Placed, Row, call_key

MORE_ROWS = frozenset({PARTITIONS_NAMED.name, GROUP_EVENTS.name, APIS_OFFERED.name})

_WITH_PARTITIONS = frozenset({0, 1, 2, 8, 9})
"""Produce, Fetch, ListOffsets, OffsetCommit, OffsetFetch."""
_FETCH = 1
_EVENTS = {11: "join", 12: "heartbeat", 13: "leave", 14: "sync", 68: "heartbeat"}
_HEARTBEATS = frozenset({12, 68})
_OFFSETS = ("fetchOffset", "committedOffset", "offset", "baseOffset")
_OF_BROKERS = frozenset({"highWatermark", "logStartOffset"})
_MOST_SERVERS = 10_000


class MoreRows:
    """Makes the wanted ones of these rows."""

    def __init__(self, wanted: Collection[str]) -> None:
        """Make those of the `wanted` tables."""
        self._makers: list[Callable[[str, Call], Iterator[Placed]]] = []
        if PARTITIONS_NAMED.name in wanted:
            self._makers.append(_partition_rows)
        if GROUP_EVENTS.name in wanted:
            self._makers.append(_group_rows)
        if APIS_OFFERED.name in wanted:
            self._makers.append(self._offered)
        self._servers: set[str] = set()

    def rows(self, vantage: str, call: Call) -> Iterator[Placed]:
        """Give the rows of a call."""
        for make in self._makers:
            yield from make(vantage, call)

    def _offered(self, vantage: str, call: Call) -> Iterator[Placed]:
        if call.api_key != API_VERSIONS or call.server in self._servers or len(self._servers) >= _MOST_SERVERS:
            return
        offered = _value(call.response_body).get("apiKeys") or ()
        if len(offered) < 2:
            return  # a refused ApiVersions tells of nothing but itself
        self._servers.add(call.server)
        time = call.time.time
        for each in offered:
            versions = each["minVersion"], each["maxVersion"]
            row = (vantage, time // 1000, call.server, each["apiKey"], api_name(each["apiKey"]), *versions)
            yield APIS_OFFERED.name, time, row


def _value(body: Any) -> dict[str, Any]:
    return body.value if body is not None and body.value is not None else {}


def _partition_rows(vantage: str, call: Call) -> Iterator[Placed]:
    if call.api_key not in _WITH_PARTITIONS:
        return
    gathered = _Gathered(call.context.topics)
    for side, body in (("request", call.request_body), ("response", call.response_body)):
        gathered.add(_value(body), side, "", None)
    for side, path, batch in call.batch_headers:
        told = gathered.by_path.get((side, path.rpartition(".")[0]))
        if told is not None:
            told["records"] = told.get("records", 0) + (batch.record_count or 0)
            told["behind"] = (batch.last_offset or 0) + 1
    key = call_key(vantage, call)
    for (topic, partition), told in gathered.partitions.items():
        row = (*key, gathered.names.get(topic, topic), partition, *_measures(call, told))
        yield PARTITIONS_NAMED.name, call.time.time, row


def _measures(call: Call, told: dict[str, Any]) -> Row:
    offset = next((told[name] for name in _OFFSETS if name in told), None)
    if offset is None and "oldStyleOffsets" in told:
        offset = next(iter(told["oldStyleOffsets"]), None)
    code, high = told.get("errorCode"), told.get("highWatermark")
    behind = told.get("behind", offset)
    lag = (
        max(high - behind, 0)
        if call.api_key == _FETCH and high is not None and high >= 0 and behind is not None
        else None
    )
    return (
        offset,
        told.get("recordsSizeInBytes", 0),
        told.get("records", 0),
        code,
        error_name(code) if code else None,
        high,
        told.get("logStartOffset"),
        lag,
    )


class _Gathered:
    """What the bodies of a call tell of each partition."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known
        self.partitions: dict[tuple[str | None, int], dict[str, Any]] = {}
        """By the topic's id, else its name."""
        self.names: dict[str | None, str | None] = {}
        """The names of topic ids; None where they are not known."""
        self.by_path: dict[tuple[str, str], dict[str, Any]] = {}
        """The same as in `partitions` by side and path."""

    def add(self, struct: dict[str, Any], side: str, path: str, topic: str | None) -> None:
        """Take a struct at a path, within a topic."""
        array = path.rpartition(".")[2].partition("[")[0]
        topic_id = struct.get("topicId")
        if isinstance(topic_id, str):
            self.names[topic_id] = self._known.get(topic_id)
            topic = topic_id
        else:
            topic = topic_in(struct, array, self._known) or topic
        partition = next((struct[name] for name in PARTITION_FIELDS if type(struct.get(name)) is int), None)
        if partition is not None and array:
            told = self.partitions.setdefault((topic, partition), {})
            # Followers tell their own in requests (KIP-1166).
            told.update(struct if side == "response" else {name: struct[name] for name in struct.keys() - _OF_BROKERS})
            self.by_path[side, path] = told
        for name, value in struct.items():
            for index, each in enumerate(value if isinstance(value, list) else ()):
                if isinstance(each, dict):
                    self.add(each, side, f"{path}.{name}[{index}]" if path else f"{name}[{index}]", topic)


def _group_rows(vantage: str, call: Call) -> Iterator[Placed]:
    event = _EVENTS.get(-1 if call.api_key is None else call.api_key)
    if event is None:
        return
    request, response = _value(call.request_body), _value(call.response_body)
    if not request:
        return
    code = response.get("errorCode")
    epoch = request.get("memberEpoch")
    if epoch is not None and epoch <= 0:
        event = "leave" if epoch < 0 else "join"  # KIP-848 has one call for all
    if event == "heartbeat" and not code and response.get("assignment") is None:
        return
    key = call_key(vantage, call)
    # LeaveGroup names several members from version 3 on (KIP-345).
    for member in request.get("members") or (request,):
        error = member.get("errorCode") or code
        row = (
            request.get("groupId"),
            event,
            member.get("memberId") or response.get("memberId"),
            member.get("groupInstanceId") or member.get("instanceId"),
            response.get("generationId", response.get("memberEpoch", request.get("generationId", epoch))),
            response.get("leader"),
            response.get("protocolName") or request.get("protocolName") or request.get("serverAssignor"),
            member.get("reason"),
            error_name(error) if error else None,
        )
        yield GROUP_EVENTS.name, call.time.time, (*key, *row)
