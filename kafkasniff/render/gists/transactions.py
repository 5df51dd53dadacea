"""The gist of calls of transactions."""

from kafkasniff.calls.call import Call
from kafkasniff.render.gists.words import MOST_NAMES, Body, group_text, name_text, then, topics_text


def init_producer_id(call: Call, request: Body, response: Body) -> str:
    """Name the transactional id, and the producer id and epoch of the answer."""
    asked = f"transaction {name_text(request['transactionalId'])}" if request.get("transactionalId") else ""
    if response.get("producerId", -1) < 0:
        return asked
    return then(asked, f"producer {response['producerId']} epoch {response['producerEpoch']}")


def transaction(call: Call, request: Body, response: Body) -> str:
    """Describe AddPartitionsToTxn, AddOffsetsToTxn, EndTxn and TxnOffsetCommit."""
    words = []
    transactions = request.get("transactions") or ([request] if request else [])
    for item in transactions[:MOST_NAMES]:
        name = item.get("transactionalId") or item.get("v3AndBelowTransactionalId")
        words.append(f"transaction {name_text(name)}")
        if "groupId" in item:
            words.append(group_text(item))
        if "committed" in item:
            words.append("commit" if item["committed"] else "abort")
        if item.get("verifyOnly"):
            words.append("verify")
        if topics := item.get("v3AndBelowTopics") or item.get("topics"):
            words.append(topics_text(call, topics, "partitions", _transaction_partition))
    return " ".join(words)


def _transaction_partition(partition: int | Body) -> str:
    if isinstance(partition, int):
        return str(partition)
    return f"{partition['partitionIndex']}@{partition['committedOffset']}"


def transaction_markers(call: Call, request: Body, response: Body) -> str:
    """Say which producers' transactions end in which partitions, and how."""
    words = []
    for marker in request.get("markers", [])[:MOST_NAMES]:
        end = "commit" if marker["transactionResult"] else "abort"
        topics = topics_text(call, marker["topics"], "partitionIndexes")
        words.append(f"producer {marker['producerId']} epoch {marker['producerEpoch']} {end} {topics}")
    return ", ".join(words)
