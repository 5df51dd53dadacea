"""Rows of what some APIs alone have: events of groups, and what brokers offer."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_keys import (
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    METADATA,
    SASL_HANDSHAKE,
    SYNC_GROUP,
)
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import api_name
from kafkasniff.tables.declared import APIS_OFFERED, BROKERS, GROUP_EVENTS, LOGINS
from kafkasniff.tables.partition_rows import body_value
from kafkasniff.tables.rows import Placed, call_key

_EVENTS = {
    JOIN_GROUP: "join",
    HEARTBEAT: "heartbeat",
    LEAVE_GROUP: "leave",
    SYNC_GROUP: "sync",
    CONSUMER_GROUP_HEARTBEAT: "heartbeat",
}
_APIS = {
    GROUP_EVENTS.name: frozenset(_EVENTS),
    APIS_OFFERED.name: frozenset((API_VERSIONS,)),
    LOGINS.name: frozenset((SASL_HANDSHAKE,)),
    BROKERS.name: frozenset((METADATA,)),
}
"""By table the APIs of whose calls there are such rows; of heartbeats only of those that failed."""
_HOLDING = frozenset((JOIN_GROUP, SYNC_GROUP))
"""They hold subscriptions and assignments as bytes."""
_BROKERS = frozenset(("brokers", "host", "nodeId", "port", "rack"))
"""Of Metadata answers the fields that are read: topics are many."""
_MOST_SERVERS = 10_000


def asked_apis(wanted: Collection[str]) -> frozenset[int]:
    """Give the APIs whose calls have rows in the `wanted` tables."""
    return frozenset(api for name in wanted for api in _APIS.get(name, ()))


class MoreRows:
    """Makes the wanted ones of these rows."""

    def __init__(self, wanted: Collection[str]) -> None:
        """Make those of the `wanted` tables."""
        self._makers: list[Callable[[str, Call], Iterator[Placed]]] = []
        if GROUP_EVENTS.name in wanted:
            self._makers.append(_group_rows)
        if APIS_OFFERED.name in wanted:
            self._makers.append(self._offered)
        if LOGINS.name in wanted:
            self._makers.append(_login_rows)
        if BROKERS.name in wanted:
            self._makers.append(self._brokers)
        self._servers: set[tuple[str, str]] = set()
        self._placed: set[tuple[Any, ...]] = set()

    def rows(self, vantage: str, call: Call) -> Iterator[Placed]:
        """Give the rows of a call."""
        for make in self._makers:
            yield from make(vantage, call)

    def _offered(self, vantage: str, call: Call) -> Iterator[Placed]:
        teller = vantage, call.server
        if call.api_key != API_VERSIONS or teller in self._servers or len(self._servers) >= _MOST_SERVERS:
            return
        offered = body_value(call.response_body).get("apiKeys") or ()
        if len(offered) < 2:
            return  # a refused ApiVersions tells of nothing but itself
        self._servers.add(teller)
        time = call.ended.time
        for each in offered:
            versions = each["minVersion"], each["maxVersion"]
            row = (vantage, time // 1000, call.server, each["apiKey"], api_name(each["apiKey"]), *versions)
            yield APIS_OFFERED.name, time, row

    def _brokers(self, vantage: str, call: Call) -> Iterator[Placed]:
        if call.api_key != METADATA:
            return
        time = call.ended.time
        scan = call.scan_response(_BROKERS)
        for each in (scan.value or {}).get("brokers") or () if scan is not None else ():
            host = f"[{each['host']}]" if ":" in each["host"] else each["host"]
            place = vantage, f"{host}:{each['port']}", each["nodeId"], each.get("rack")
            if place not in self._placed and len(self._placed) < _MOST_SERVERS:
                self._placed.add(place)
                yield BROKERS.name, time, (vantage, time // 1000, *place[1:])


def _login_rows(vantage: str, call: Call) -> Iterator[Placed]:
    if call.api_key != SASL_HANDSHAKE:
        return
    request, response = body_value(call.request_body), body_value(call.response_body)
    if request:
        code = response.get("errorCode")
        told = request["mechanism"], response.get("mechanisms") or [], error_name(code) if code else None
        yield LOGINS.name, call.time.time, (*call_key(vantage, call), *told)


def _group_rows(vantage: str, call: Call) -> Iterator[Placed]:
    event = _EVENTS.get(-1 if call.api_key is None else call.api_key)
    if event is None:
        return
    request, response = body_value(call.request_body), body_value(call.response_body)
    if not request:
        return
    code = response.get("errorCode")
    epoch = request.get("memberEpoch")
    if epoch is not None and epoch <= 0:
        event = "leave" if epoch < 0 else "join"  # KIP-848 has one call for all
    if event == "heartbeat" and not code and response.get("assignment") is None:
        return
    key = call_key(vantage, call)
    topics, assignment = _subscribed(call, request), _assigned(call, response)
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
            topics,
            assignment,
        )
        yield GROUP_EVENTS.name, call.time.time, (*key, *row)


def _subscribed(call: Call, request: dict[str, Any]) -> list[str]:
    """Give the topics that a join subscribes to."""
    if "subscribedTopicNames" in request:
        return request["subscribedTopicNames"] or []
    # Each protocol that a member offers has a subscription of its own, with the same topics.
    found: dict[str, None] = {}
    for value in _opened(call, "request", "ConsumerProtocolSubscription"):
        found.update(dict.fromkeys(value.get("topics") or ()))
    return [*found]


def _assigned(call: Call, response: dict[str, Any]) -> list[str]:
    """Give the partitions that an answer assigns to who asked; topics by their ids where no name is known."""
    assignment = response.get("assignment")
    if isinstance(assignment, dict):
        names = call.topics
        told = [(names.get(each["topicId"], each["topicId"]), each) for each in assignment.get("topicPartitions") or ()]
    else:
        opened = _opened(call, "response", "ConsumerProtocolAssignment")
        told = [(each["topic"], each) for value in opened for each in value.get("assignedPartitions") or ()]
    # Not by an f-string, which forgets that a name may be one that is still to be told.
    return [topic + f"-{partition}" for topic, each in told for partition in each["partitions"]]


def _opened(call: Call, where: str, kind: str) -> list[dict[str, Any]]:
    """Give the messages of a kind inside a side of a call, as far as they decode."""
    if call.api_key not in _HOLDING:
        return []
    return [each["value"] for each in call.decoded if each["where"] == where and each["type"] == kind and each["value"]]
