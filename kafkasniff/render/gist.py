"""The gist of a call in a few words: topics, partitions, group, member, records, bytes."""

from collections.abc import Callable

from kafkasniff.calls.call import Call
from kafkasniff.protocol.bodies import find_entities
from kafkasniff.render.gists.cluster import (
    api_versions,
    broker,
    cluster,
    configs,
    create_topics,
    delete_topics,
    envelope,
    find_coordinator,
    metadata,
    named_list,
    sasl_authenticate,
    sasl_handshake,
)
from kafkasniff.render.gists.data import fetch, list_offsets, produce
from kafkasniff.render.gists.groups import (
    group_heartbeat,
    join_group,
    leave_group,
    member_call,
    offset_commit,
    offset_fetch,
    sync_group,
)
from kafkasniff.render.gists.transactions import init_producer_id, transaction, transaction_markers
from kafkasniff.render.gists.words import Body, names_text

_NO_BODY: Body = {}


def gist(call: Call) -> str:
    """Say in a few words what a call was about; the text is safe to print and has no line ends."""
    request = call.request_body.value if call.request_body else None
    response = call.response_body.value if call.response_body else None
    if request is None and response is None:
        return ""
    describe = _GISTS.get(call.api_key)
    if describe is None:
        return _entities(call, request, response)
    return describe(call, request or _NO_BODY, response or _NO_BODY)


def _entities(call: Call, request: Body | None, response: Body | None) -> str:
    """Name what the request is about, or, where it names nothing, the response."""
    if call.header is None:
        return ""
    key, version = call.header.api_key, call.header.api_version
    found = find_entities(key, version, "request", request) if request else {}
    if not found and response:
        found = find_entities(key, version, "response", response)
    words = []
    for entity, label in (("groupId", "group "), ("transactionalId", "transaction "), ("topicName", "")):
        if names := found.get(entity):
            words.append(label + names_text(names))
    return ", ".join(words)


_GISTS: dict[int | None, Callable[[Call, Body, Body], str]] = {
    0: produce,
    1: fetch,
    2: list_offsets,
    3: metadata,
    7: broker,
    8: offset_commit,
    9: offset_fetch,
    10: find_coordinator,
    11: join_group,
    12: member_call,
    13: leave_group,
    14: sync_group,
    15: named_list("groups", "group"),
    17: sasl_handshake,
    18: api_versions,
    19: create_topics,
    20: delete_topics,
    22: init_producer_id,
    24: transaction,
    25: transaction,
    26: transaction,
    27: transaction_markers,
    28: transaction,
    32: configs,
    33: configs,
    36: sasl_authenticate,
    42: named_list("groupsNames", "group"),
    44: configs,
    58: envelope,
    60: cluster,
    62: broker,
    63: broker,
    65: named_list("transactionalIds", "transaction"),
    67: broker,
    68: group_heartbeat,
    69: named_list("groupIds", "group"),
    76: group_heartbeat,
    77: named_list("groupIds", "group"),
    78: member_call,
    79: member_call,
    88: group_heartbeat,
    89: named_list("groupIds", "group"),
}
"""By API key; the others are described by the names in them."""
