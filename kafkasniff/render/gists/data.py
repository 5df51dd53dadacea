"""The gist of calls that move records: Produce, Fetch, ListOffsets."""

from kafkasniff.calls.call import Call, Side
from kafkasniff.render.gists.words import (
    Body,
    bytes_text,
    codec_text,
    name_text,
    partition_index,
    records_text,
    then,
    topics_text,
)

_TIMESTAMPS = {-1: "latest", -2: "earliest", -3: "max-timestamp", -4: "earliest-local", -5: "latest-tiered"}
"""Sentinels of ListOffsets (ListOffsetsRequest.java)."""


def _records(call: Call, where: Side) -> str:
    """Say how many records and which compression the batches on one side have."""
    count, codecs = call.record_totals(where)
    return "".join([records_text(count), *sorted(map(codec_text, codecs))]) if codecs else ""


def _records_size(topics: list[Body], key: str) -> int:
    return sum([partition.get("recordsSizeInBytes") or 0 for topic in topics for partition in topic[key]])


def produce(call: Call, request: Body, response: Body) -> str:
    """Say where to, how much, with which acks, and from which offset on it was written."""
    answers = response.get("responses", [])
    if not request:
        return topics_text(call, answers, "partitionResponses", _index)
    topics, acks = request["topicData"], request["acks"]
    words = [
        topics_text(call, topics, "partitionData", _index),
        _records(call, "request"),
        bytes_text(_records_size(topics, "partitionData")),
        "acks=all" if acks == -1 else f"acks={acks}",
    ]
    if name := request.get("transactionalId"):
        words.append(f"transaction {name_text(name)}")
    written = [partition["baseOffset"] for topic in answers[:2] for partition in topic["partitionResponses"][:2]]
    offset = f"offset {written[0]}" if len(written) == 1 and written[0] >= 0 else ""
    return then(" ".join(filter(None, words)), offset)


def _index(partition: Body) -> str:
    return str(partition["index"])


def fetch(call: Call, request: Body, response: Body) -> str:
    """Say from where on, in which fetch session (KIP-227), and how much came."""
    asked = topics_text(
        call, request.get("topics"), "partitions", lambda item: f"{item['partition']}@{item['fetchOffset']}"
    )
    if request.get("sessionId"):
        asked = f"session {request['sessionId']}" + (f" {asked}" if asked else "")
    if not response:
        return asked
    topics = response.get("responses", [])
    size = _records_size(topics, "partitions")
    if not size:
        return then(asked, "no records")
    answer = f"{_records(call, 'response')} {bytes_text(size)}".strip()
    if asked and request.get("topics"):
        return then(asked, answer)
    with_records = [
        {**topic, "partitions": [item for item in topic["partitions"] if item.get("recordsSizeInBytes")]}
        for topic in topics
    ]
    filled = [topic for topic in with_records if topic["partitions"]]
    return then(asked, f"{topics_text(call, filled, 'partitions', partition_index)} {answer}")


def list_offsets(call: Call, request: Body, response: Body) -> str:
    """Say which times were asked for, and which offsets they have."""

    def wanted(partition: Body) -> str:
        timestamp = partition["timestamp"]
        return f"{partition['partitionIndex']}@{_TIMESTAMPS.get(timestamp, timestamp)}"

    def found(partition: Body) -> str:
        old = partition.get("oldStyleOffsets") or [-1]
        return f"{partition['partitionIndex']}@{partition.get('offset', old[0])}"

    return then(
        topics_text(call, request.get("topics"), "partitions", wanted),
        topics_text(call, response.get("topics"), "partitions", found),
    )
