"""The entry: open the messages within a decoded body; what opens them is imported when such a body comes."""

from collections.abc import Callable
from typing import Any, Final

from kafkasniff.protocol.allowance import Allowance
from kafkasniff.protocol.api_keys import DESCRIBE_GROUPS, ENVELOPE, JOIN_GROUP, PUSH_TELEMETRY, SYNC_GROUP
from kafkasniff.protocol.embedded.entries import Opened, field_bytes
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.limits import MAX_DEPTH

_Tree = dict[str, Any]


def open_embedded(
    side: Kind,
    api_key: int,
    api_version: int,
    value: dict[str, Any],
    *,
    protocol_type: str | None = None,
    protocol_name: str | None = None,
    depth: int = MAX_DEPTH,
    allowances: tuple[Allowance, ...] = (),
) -> Opened:
    """Open the messages within a decoded body, which must not be redacted; never raises.

    `protocol_type` and `protocol_name` are those of the group, for versions of JoinGroup and SyncGroup that do not say
    them themselves; without them JoinGroup responses stay closed, and assignments are told by what decodes whole.
    `depth` is how many levels of messages may lie within each other where the wire says how deep they go;
    `allowances` bound what is made of metrics.
    """
    into = Opened([], [], depth, allowances)
    opener = _OPENERS.get((api_key, side))
    if opener is not None:
        opener(into, value, protocol_type, protocol_name)
    return into


def _join_group_request(into: Opened, value: _Tree, _type: str | None, _name: str | None) -> None:
    from kafkasniff.protocol.embedded import groups

    for index, protocol in enumerate(value["protocols"]):
        path = f"protocols[{index}].metadata"
        data = field_bytes(protocol["metadata"])
        groups.open_metadata(into, path, data, value["protocolType"], protocol["name"])


def _join_group_response(into: Opened, value: _Tree, protocol_type: str | None, _name: str | None) -> None:
    from kafkasniff.protocol.embedded import groups

    protocol_type = value.get("protocolType") or protocol_type
    for index, member in enumerate(value["members"]):
        data = field_bytes(member["metadata"])
        groups.open_metadata(into, f"members[{index}].metadata", data, protocol_type, value["protocolName"])


def _sync_group_request(into: Opened, value: _Tree, protocol_type: str | None, protocol_name: str | None) -> None:
    from kafkasniff.protocol.embedded import groups

    protocol_type = value.get("protocolType") or protocol_type
    protocol_name = value.get("protocolName") or protocol_name
    for index, entry in enumerate(value["assignments"]):
        data = field_bytes(entry["assignment"])
        groups.open_assignment(into, f"assignments[{index}].assignment", data, protocol_type, protocol_name)


def _sync_group_response(into: Opened, value: _Tree, protocol_type: str | None, protocol_name: str | None) -> None:
    from kafkasniff.protocol.embedded import groups

    protocol_type = value.get("protocolType") or protocol_type
    protocol_name = value.get("protocolName") or protocol_name
    groups.open_assignment(into, "assignment", field_bytes(value["assignment"]), protocol_type, protocol_name)


def _describe_groups_response(into: Opened, value: _Tree, _type: str | None, _name: str | None) -> None:
    from kafkasniff.protocol.embedded import groups

    for number, group in enumerate(value["groups"]):
        of_group = group["protocolType"], group["protocolData"]
        for index, member in enumerate(group["members"]):
            path = f"groups[{number}].members[{index}]"
            groups.open_metadata(into, f"{path}.memberMetadata", field_bytes(member["memberMetadata"]), *of_group)
            groups.open_assignment(into, f"{path}.memberAssignment", field_bytes(member["memberAssignment"]), *of_group)


def _envelope_request(into: Opened, value: _Tree, _type: str | None, _name: str | None) -> None:
    from kafkasniff.protocol.embedded import principal

    if value["requestPrincipal"] is not None:
        principal.open_principal(into, "requestPrincipal", field_bytes(value["requestPrincipal"]))


def _push_telemetry_request(into: Opened, value: _Tree, _type: str | None, _name: str | None) -> None:
    from kafkasniff.protocol.embedded import telemetry

    telemetry.open_metrics(into, "metrics", value["compressionType"], field_bytes(value["metrics"]))


_OPENERS: Final[dict[tuple[int, Kind], Callable[[Opened, _Tree, str | None, str | None], None]]] = {
    (JOIN_GROUP, "request"): _join_group_request,
    (JOIN_GROUP, "response"): _join_group_response,
    (SYNC_GROUP, "request"): _sync_group_request,
    (SYNC_GROUP, "response"): _sync_group_response,
    (DESCRIBE_GROUPS, "response"): _describe_groups_response,
    (ENVELOPE, "request"): _envelope_request,
    (PUSH_TELEMETRY, "request"): _push_telemetry_request,
}

HOLDING_MESSAGES: Final = frozenset(_OPENERS)
"""API and side of the bodies that hold messages."""
