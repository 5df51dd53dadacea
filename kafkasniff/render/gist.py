"""The gist of a call in a few words: topics, partitions, group, member, records, bytes."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.findings import find_entities
from kafkasniff.render.text import ELLIPSIS, count_text, escape, show, size_text

Body = dict[str, Any]

_MOST_TOPICS = 3
_MOST_PARTITIONS = 6
_NAME_LENGTH = 48

_NO_BODY: Body = {}

_TIMESTAMPS = {-1: "latest", -2: "earliest", -3: "max-timestamp", -4: "earliest-local", -5: "latest-tiered"}
"""Sentinels of ListOffsets (ListOffsetsRequest.java)."""

_COORDINATOR_KEYS = {0: "group", 1: "transaction", 2: "share"}
"""FindCoordinatorRequest.CoordinatorType."""

_CONFIG_RESOURCES = {2: "topic", 4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}
"""ConfigResource.Type."""


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
    version = call.api_version
    if call.api_key is None or version is None:
        return ""
    found = find_entities(call.api_key, version, "request", request) if request else {}
    if not found and response:
        found = find_entities(call.api_key, call.response_api_version or version, "response", response)
    words = []
    for entity, label in (("groupId", "group "), ("transactionalId", "transaction "), ("topicName", "")):
        if names := found.get(entity):
            words.append(label + _names(names))
    return ", ".join(words)


def _names(names: Iterable[object]) -> str:
    shown = list(islice(names, _MOST_TOPICS + 1))
    text = ", ".join(_name(name) for name in shown[:_MOST_TOPICS])
    return text if len(shown) <= _MOST_TOPICS else f"{text}, {ELLIPSIS}"


def _name(name: object) -> str:
    return show(name, _NAME_LENGTH)


def _topic(call: Call, entry: Body) -> str:
    """Give the topic's name; where the message has an id only and nothing told its name, the id."""
    name = entry.get("name") or entry.get("topic") or entry.get("topicName")
    if name is None:
        topic_id = entry.get("topicId", "?")
        name = call.topics.get(topic_id, topic_id)
    return _name(name)


def _topics(
    call: Call, entries: list[Body] | None, key: str, partition: Callable[[Any], str] = str, most: int = _MOST_TOPICS
) -> str:
    """Give topics with their partitions as `orders-0,1 payments-3`; `key`: the field with the list of partitions."""
    if not entries:
        return ""
    words = []
    for entry in entries[:most]:
        partitions = entry.get(key) or []
        text = ",".join(map(partition, partitions[:_MOST_PARTITIONS]))
        if len(partitions) > _MOST_PARTITIONS:
            text += f",{ELLIPSIS} ({len(partitions)})"
        words.append(f"{_topic(call, entry)}-{text}")
    if len(entries) > most:
        words.append(f"{ELLIPSIS} ({len(entries)} topics)")
    return " ".join(words)


def _then(before: str, after: str) -> str:
    """Join what was asked and what was answered."""
    return f"{before} → {after}" if before and after else before or after


def _records(call: Call, where: str) -> str:
    """Say how many records and which compression the batches on one side have."""
    batches = [batch for batch in call.batches if batch["where"] == where]
    count = sum(batch.get("recordCount") or 0 for batch in batches)
    codecs = {str(batch["compression"]) for batch in batches} - {"none"}
    return " ".join([count_text(count, "record"), *sorted(codecs)]) if batches else ""


def _records_size(topics: list[Body], key: str) -> int:
    return sum(partition.get("recordsSizeInBytes") or 0 for topic in topics for partition in topic[key])


def _produce(call: Call, request: Body, response: Body) -> str:
    topics = request.get("topicData", [])
    acks = request.get("acks")
    words = [_topics(call, topics, "partitionData", lambda partition: str(partition["index"]))]
    if topics:
        words += [_records(call, "request"), size_text(_records_size(topics, "partitionData"))]
        words.append("acks=all" if acks == -1 else f"acks={acks}")
    if name := request.get("transactionalId"):
        words.append(f"transaction {_name(name)}")
    answer = _topics(
        call,
        response.get("responses") if not request else None,
        "partitionResponses",
        lambda partition: str(partition["index"]),
    )
    offsets = [
        str(partition["baseOffset"])
        for topic in response.get("responses", [])[:1]
        for partition in topic["partitionResponses"][:1]
        if partition["baseOffset"] >= 0
    ]
    asked = " ".join(filter(None, words))
    return _then(asked, answer or (f"offset {offsets[0]}" if offsets and len(topics) == 1 else ""))


def _fetch(call: Call, request: Body, response: Body) -> str:
    asked = _topics(
        call, request.get("topics"), "partitions", lambda item: f"{item['partition']}@{item['fetchOffset']}"
    )
    if request.get("sessionId"):
        asked = f"session {request['sessionId']}" + (f" {asked}" if asked else "")
    if not response:
        return asked
    topics = response.get("responses", [])
    size = _records_size(topics, "partitions")
    if not size:
        return _then(asked, "no records")
    answer = f"{_records(call, 'response')} {size_text(size)}".strip()
    if asked and request.get("topics"):
        return _then(asked, answer)
    with_records = [
        {**topic, "partitions": [item for item in topic["partitions"] if item.get("recordsSizeInBytes")]}
        for topic in topics
    ]
    filled = [topic for topic in with_records if topic["partitions"]]
    return _then(asked, f"{_topics(call, filled, 'partitions', _partition_index)} {answer}")


def _partition_index(partition: Body) -> str:
    return str(partition["partitionIndex"])


def _list_offsets(call: Call, request: Body, response: Body) -> str:
    def wanted(partition: Body) -> str:
        timestamp = partition["timestamp"]
        return f"{partition['partitionIndex']}@{_TIMESTAMPS.get(timestamp, timestamp)}"

    def found(partition: Body) -> str:
        old = partition.get("oldStyleOffsets") or [-1]
        return f"{partition['partitionIndex']}@{partition.get('offset', old[0])}"

    return _then(
        _topics(call, request.get("topics"), "partitions", wanted),
        _topics(call, response.get("topics"), "partitions", found),
    )


def _metadata(call: Call, request: Body, response: Body) -> str:
    topics = request.get("topics")
    if topics:
        asked = _names(topic.get("name") or _topic(call, topic) for topic in topics)
    else:
        # An empty list means all topics in version 0, no topics later (MetadataRequest.java); null: all topics.
        asked = "all topics" if topics is None or call.api_version == 0 else "no topics"
    if not request:
        asked = ""
    if not response:
        return asked
    counts = f"{count_text(len(response['brokers']), 'broker')}, {count_text(len(response['topics']), 'topic')}"
    return _then(asked, counts)


def _offset_commit(call: Call, request: Body, response: Body) -> str:
    def committed(partition: Body) -> str:
        return f"{partition['partitionIndex']}@{partition['committedOffset']}"

    if not request:
        return _topics(call, response.get("topics"), "partitions", _partition_index)
    return f"{_group(request)} {_topics(call, request['topics'], 'partitions', committed)}"


def _offset_fetch(call: Call, request: Body, response: Body) -> str:
    def offset(partition: Body) -> str:
        return f"{partition['partitionIndex']}@{partition['committedOffset']}"

    groups = request.get("groups") or ([request] if "groupId" in request else [])
    asked = " ".join(_group(group) for group in groups[:_MOST_TOPICS])
    answers = response.get("groups") or [response]
    return _then(asked, " ".join(_topics(call, group.get("topics"), "partitions", offset) for group in answers[:1]))


def _find_coordinator(call: Call, request: Body, response: Body) -> str:
    keys = request.get("coordinatorKeys") or [request[name] for name in ("key",) if name in request]
    kind = _COORDINATOR_KEYS.get(request.get("keyType", 0), "")
    asked = f"{kind} {_names(keys)}" if keys else ""
    nodes = response.get("coordinators") or ([response] if "nodeId" in response else [])
    return _then(
        asked,
        ", ".join(
            f"broker {node['nodeId']} at {_name(node['host'])}:{node['port']}"
            for node in nodes[:_MOST_TOPICS]
            if node["nodeId"] >= 0
        ),
    )


def _group(request: Body) -> str:
    return f"group {_name(request.get('groupId', '?'))}"


def _member(request: Body) -> str:
    """Name group, member (static members by their instance id) and generation or epoch, as far as given."""
    words = [_group(request)] if "groupId" in request else []
    if instance := request.get("groupInstanceId") or request.get("instanceId"):
        words.append(f"instance {_name(instance)}")
    elif member := request.get("memberId"):
        words.append(f"member {_name(member)}")
    if "generationId" in request:
        words.append(f"generation {request['generationId']}")
    if "memberEpoch" in request:
        words.append(f"epoch {request['memberEpoch']}")
    return " ".join(words)


def _join_group(call: Call, request: Body, response: Body) -> str:
    asked = _member(request)
    if request.get("protocols"):
        asked += " offers " + _names(protocol["name"] for protocol in request["protocols"])
    if request.get("reason"):
        asked += f" ({escape(request['reason'])})"
    if response.get("generationId", -1) < 0:
        return asked
    answer = f"generation {response['generationId']} {_name(response['protocolName'])}"
    if response["members"]:
        answer += f", leads {count_text(len(response['members']), 'member')}"
    return _then(asked, answer)


def _member_call(call: Call, request: Body, response: Body) -> str:
    return _member(request)


def _sync_group(call: Call, request: Body, response: Body) -> str:
    asked = _member(request)
    if request.get("assignments"):
        asked += f" assigns to {count_text(len(request['assignments']), 'member')}"
    return asked


def _leave_group(call: Call, request: Body, response: Body) -> str:
    members = request.get("members") or []
    if not members:
        return _member(request)
    names = _names(member.get("groupInstanceId") or member["memberId"] for member in members)
    reason = members[0].get("reason")
    return f"{_group(request)} member {names}" + (f" ({show(reason)})" if reason else "")


def _group_heartbeat(call: Call, request: Body, response: Body) -> str:
    """Describe ConsumerGroupHeartbeat and ShareGroupHeartbeat (KIP-848, KIP-932)."""
    asked = _member(request)
    if topics := request.get("subscribedTopicNames"):
        asked += f" subscribes {_names(topics)}"
    assignment = response.get("assignment")
    words = [f"epoch {response['memberEpoch']}"] if response.get("memberEpoch") else []
    if assignment:
        words.append("assigned " + (_topics(call, assignment["topicPartitions"], "partitions") or "nothing"))
    return _then(asked, ", ".join(words))


def _api_versions(call: Call, request: Body, response: Body) -> str:
    software = request.get("clientSoftwareName")
    asked = f"{_name(software)} {_name(request['clientSoftwareVersion'])}" if software else ""
    return _then(asked, count_text(len(response["apiKeys"]), "API") if response.get("apiKeys") else "")


def _sasl_handshake(call: Call, request: Body, response: Body) -> str:
    offered = response.get("mechanisms", [])
    asked = _name(request.get("mechanism", ""))
    return asked if request.get("mechanism") in offered else _then(asked, _names(offered))


def _sasl_authenticate(call: Call, request: Body, response: Body) -> str:
    words = [escape(call.principal)] if call.principal else []
    if response.get("errorMessage"):
        words.append(show(response["errorMessage"]))
    if response.get("sessionLifetimeMs"):
        words.append(f"session of {response['sessionLifetimeMs'] / 1000:g} s")
    return ", ".join(words)


def _create_topics(call: Call, request: Body, response: Body) -> str:
    topics = request.get("topics", [])
    words = [
        f"{_name(topic['name'])} ({count_text(topic['numPartitions'], 'partition')}, "
        f"replication {topic['replicationFactor']})"
        if topic["numPartitions"] > 0
        else _name(topic["name"])
        for topic in topics[:_MOST_TOPICS]
    ]
    if len(topics) > _MOST_TOPICS:
        words.append(f"{ELLIPSIS} ({len(topics)} topics)")
    return ", ".join(words)


def _delete_topics(call: Call, request: Body, response: Body) -> str:
    if names := request.get("topicNames"):
        return _names(names)
    return _names(_topic(call, topic) for topic in request.get("topics", []))


def _init_producer_id(call: Call, request: Body, response: Body) -> str:
    asked = f"transaction {_name(request['transactionalId'])}" if request.get("transactionalId") else ""
    if response.get("producerId", -1) < 0:
        return asked
    return _then(asked, f"producer {response['producerId']} epoch {response['producerEpoch']}")


def _transaction(call: Call, request: Body, response: Body) -> str:
    """Describe AddPartitionsToTxn, AddOffsetsToTxn, EndTxn and TxnOffsetCommit."""
    words = []
    transactions = request.get("transactions") or ([request] if request else [])
    for item in transactions[:_MOST_TOPICS]:
        name = item.get("transactionalId") or item.get("v3AndBelowTransactionalId")
        words.append(f"transaction {_name(name)}")
        if "groupId" in item:
            words.append(_group(item))
        if "committed" in item:
            words.append("commit" if item["committed"] else "abort")
        if item.get("verifyOnly"):
            words.append("verify")
        if topics := item.get("v3AndBelowTopics") or item.get("topics"):
            words.append(_topics(call, topics, "partitions", _transaction_partition))
    return " ".join(words)


def _transaction_partition(partition: int | Body) -> str:
    if isinstance(partition, int):
        return str(partition)
    return f"{partition['partitionIndex']}@{partition['committedOffset']}"


def _transaction_markers(call: Call, request: Body, response: Body) -> str:
    return ", ".join(
        f"producer {marker['producerId']} epoch {marker['producerEpoch']} "
        f"{'commit' if marker['transactionResult'] else 'abort'} {_topics(call, marker['topics'], 'partitionIndexes')}"
        for marker in request.get("markers", [])[:_MOST_TOPICS]
    )


def _configs(call: Call, request: Body, response: Body) -> str:
    resources = request.get("resources", [])
    kinds = (
        f"{_CONFIG_RESOURCES.get(resource['resourceType'], resource['resourceType'])} {resource['resourceName']}"
        for resource in resources
    )
    return _names(kinds)


def _broker(call: Call, request: Body, response: Body) -> str:
    return f"broker {request['brokerId']}" if request else ""


def _named_list(key: str, label: str) -> Callable[[Call, Body, Body], str]:
    """Describe a request that is a list of names."""

    def describe(call: Call, request: Body, response: Body) -> str:
        return f"{label} {_names(request[key])}" if request.get(key) else ""

    return describe


_GISTS: dict[int | None, Callable[[Call, Body, Body], str]] = {
    0: _produce,
    1: _fetch,
    2: _list_offsets,
    3: _metadata,
    7: _broker,
    8: _offset_commit,
    9: _offset_fetch,
    10: _find_coordinator,
    11: _join_group,
    12: _member_call,
    13: _leave_group,
    14: _sync_group,
    15: _named_list("groups", "group"),
    17: _sasl_handshake,
    18: _api_versions,
    19: _create_topics,
    20: _delete_topics,
    22: _init_producer_id,
    24: _transaction,
    25: _transaction,
    26: _transaction,
    27: _transaction_markers,
    28: _transaction,
    32: _configs,
    33: _configs,
    36: _sasl_authenticate,
    42: _named_list("groupsNames", "group"),
    44: _configs,
    62: _broker,
    63: _broker,
    65: _named_list("transactionalIds", "transaction"),
    67: _broker,
    68: _group_heartbeat,
    69: _named_list("groupIds", "group"),
    76: _group_heartbeat,
    77: _named_list("groupIds", "group"),
    78: _member_call,
    79: _member_call,
    88: _group_heartbeat,
    89: _named_list("groupIds", "group"),
}
"""By API key; the others are described by the names in them."""
