"""The gist of a call in a few words: topics, partitions, group, member, records, bytes."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from kafkasniff.calls.call import Call, Side
from kafkasniff.protocol.bodies import find_entities
from kafkasniff.protocol.records.totals import totals_of
from kafkasniff.render.brokers import BROKER_FIELDS
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
from kafkasniff.render.traced import CLIENT_ID

_NO_BODY: Body = {}


class Form(NamedTuple):
    """How the calls of an API are described, and which fields that takes."""

    describe: Callable[[Call, Body, Body], str]
    """Makes the gist of a call with its request and response, each empty where there is none."""
    request: frozenset[str]
    """Names of the request's fields."""
    response: frozenset[str]


def gist(call: Call) -> str:
    """Say in a few words what a call was about; the text is safe to print and has no line ends.

    Bodies are only scanned, unless one of them has a problem.
    """
    form = _GISTS.get(call.api_key)
    if form is not None:
        asked, answered = call.scan_request(form.request), call.scan_response(form.response)
        if asked is not None and (answered is not None or call.response is None):
            return form.describe(call, asked.value, answered.value if answered is not None else _NO_BODY)
    request = call.request_body.value if call.request_body else None
    response = call.response_body.value if call.response_body else None
    if request is None and response is None:
        return ""
    if form is None:
        return _entities(call, request, response)
    return form.describe(call, request or _NO_BODY, response or _NO_BODY)


def describe_traced(form: Form, version: int, batches: list[tuple[Side, Any]], request: Body, response: Body) -> str:
    """Describe the calls that are like one whose messages, and batches with their sides, are traced."""
    traced = SimpleNamespace(
        api_version=version,
        client_id=CLIENT_ID,
        record_totals=lambda side: totals_of([batch for where, batch in batches if where == side]),
    )
    return form.describe(cast(Call, traced), request, response)


def form_of(api_key: int) -> Form | None:
    """Give how the calls of an API are described; None for one that is described by the names in its messages."""
    return _GISTS.get(api_key)


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


def _form(describe: Callable[[Call, Body, Body], str], request: str, response: str = "") -> Form:
    return Form(describe, frozenset(request.split()), frozenset(response.split()))


_TOPIC = " topics name topicId partitions "
_OFFSETS = f"{_TOPIC} partitionIndex committedOffset"
_MEMBER = " groupId groupInstanceId instanceId memberId generationId memberEpoch "
_TRANSACTION = (
    f"{_OFFSETS} transactions transactionalId v3AndBelowTransactionalId v3AndBelowTopics groupId committed verifyOnly"
)
_CONFIGS = "resources resourceType resourceName"
_HEARTBEAT = _form(
    group_heartbeat,
    f"{_MEMBER} subscribedTopicNames",
    "memberEpoch assignment topicPartitions topicId topicName partitions",
)

_GISTS: dict[int | None, Form] = {
    0: _form(
        produce,
        "transactionalId acks topicData name topicId partitionData index records",
        "responses partitionResponses baseOffset",
    ),
    1: _form(
        fetch,
        "sessionId topics topic topicId partitions partition fetchOffset",
        "responses topic topicId partitions partitionIndex records",
    ),
    2: _form(list_offsets, f"{_TOPIC} partitionIndex timestamp", f"{_TOPIC} partitionIndex offset oldStyleOffsets"),
    3: Form(metadata, frozenset(("topics", "name", "topicId")), BROKER_FIELDS),
    7: _form(broker, "brokerId"),
    8: _form(offset_commit, f"{_OFFSETS} groupId"),
    9: _form(offset_fetch, "groupId groups", f"{_OFFSETS} groups"),
    10: Form(find_coordinator, frozenset(("coordinatorKeys", "key", "keyType")), BROKER_FIELDS),
    11: _form(join_group, f"{_MEMBER} protocols name reason", "generationId protocolName members"),
    12: _form(member_call, _MEMBER),
    13: _form(leave_group, f"{_MEMBER} members reason"),
    14: _form(sync_group, f"{_MEMBER} assignments"),
    15: _form(named_list("groups", "group"), "groups"),
    17: _form(sasl_handshake, "mechanism", "mechanisms"),
    18: _form(api_versions, "clientSoftwareName clientSoftwareVersion", "apiKeys"),
    19: _form(create_topics, "topics name numPartitions replicationFactor"),
    20: _form(delete_topics, "topicNames topics name topicId"),
    22: _form(init_producer_id, "transactionalId", "producerId producerEpoch"),
    24: _form(transaction, _TRANSACTION),
    25: _form(transaction, _TRANSACTION),
    26: _form(transaction, _TRANSACTION),
    27: _form(transaction_markers, "markers transactionResult producerId producerEpoch topics name partitionIndexes"),
    28: _form(transaction, _TRANSACTION),
    32: _form(configs, _CONFIGS),
    33: _form(configs, _CONFIGS),
    36: _form(sasl_authenticate, "", "errorMessage sessionLifetimeMs"),
    42: _form(named_list("groupsNames", "group"), "groupsNames"),
    44: _form(configs, _CONFIGS),
    58: _form(envelope, ""),
    60: Form(cluster, frozenset(), BROKER_FIELDS),
    62: _form(broker, "brokerId"),
    63: _form(broker, "brokerId"),
    65: _form(named_list("transactionalIds", "transaction"), "transactionalIds"),
    67: _form(broker, "brokerId"),
    68: _HEARTBEAT,
    69: _form(named_list("groupIds", "group"), "groupIds"),
    76: _HEARTBEAT,
    77: _form(named_list("groupIds", "group"), "groupIds"),
    78: _form(member_call, _MEMBER),
    79: _form(member_call, _MEMBER),
    88: _HEARTBEAT,
    89: _form(named_list("groupIds", "group"), "groupIds"),
}
"""By API key; the others are described by the names in them."""
