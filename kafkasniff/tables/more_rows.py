"""Rows of what some APIs alone have: events of groups, and what brokers offer."""

from collections.abc import Callable, Collection, Iterator

from kafkasniff.calls.call import Call
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import API_VERSIONS, api_name
from kafkasniff.tables.declared import APIS_OFFERED, GROUP_EVENTS
from kafkasniff.tables.partition_rows import body_value
from kafkasniff.tables.rows import Placed, call_key

HEARTBEAT = 12
_EVENTS = {11: "join", HEARTBEAT: "heartbeat", 13: "leave", 14: "sync", 68: "heartbeat"}
EVENT_APIS = frozenset({*_EVENTS, API_VERSIONS})
"""The APIs of whose calls there are such rows; of heartbeats only of those that failed."""
_MOST_SERVERS = 10_000


class MoreRows:
    """Makes the wanted ones of these rows."""

    def __init__(self, wanted: Collection[str]) -> None:
        """Make those of the `wanted` tables."""
        self._makers: list[Callable[[str, Call], Iterator[Placed]]] = []
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
        offered = body_value(call.response_body).get("apiKeys") or ()
        if len(offered) < 2:
            return  # a refused ApiVersions tells of nothing but itself
        self._servers.add(call.server)
        time = call.time.time
        for each in offered:
            versions = each["minVersion"], each["maxVersion"]
            row = (vantage, time // 1000, call.server, each["apiKey"], api_name(each["apiKey"]), *versions)
            yield APIS_OFFERED.name, time, row


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
