"""Words that the gists of several APIs share."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.render.text import ELLIPSIS, count_text, show, size_text
from kafkasniff.render.traced import Traced

Body = dict[str, Any]


MOST_NAMES = 3
"""Names, topics and the like of which a line shows more only as a count or an ellipsis."""

_MOST_PARTITIONS = 6
NAME_LENGTH = 48
_MEMBER_LENGTH = 16


def names_text(names: Iterable[object]) -> str:
    """Give the first few names, and an ellipsis where there are more."""
    shown = list(islice(names, MOST_NAMES + 1))
    text = ", ".join(name_text(name) for name in shown[:MOST_NAMES])
    return text if len(shown) <= MOST_NAMES else f"{text}, {ELLIPSIS}"


def name_text(name: object) -> str:
    """Give a name as safe text of bounded length."""
    if isinstance(name, Traced):
        return name.text(name_text)
    return _shown(str(name)[: NAME_LENGTH + 1])


@lru_cache(maxsize=4096)
def _shown(start: str) -> str:
    return show(start, NAME_LENGTH)


def topic_text(call: Call, entry: Body) -> str:
    """Give the topic's name; where the message has an id only and nothing told its name, the id."""
    name = entry.get("name") or entry.get("topic") or entry.get("topicName")
    if name is None:
        topic_id = entry.get("topicId", "?")
        name = call.context.topics.get(topic_id) or topic_id
    return name_text(name)


def topics_text(
    call: Call, entries: list[Body] | None, key: str, partition: Callable[[Any], str] = str, most: int = MOST_NAMES
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
        words.append(f"{topic_text(call, entry)}-{text}")
    if len(entries) > most:
        words.append(f"{ELLIPSIS} ({len(entries)} topics)")
    return " ".join(words)


def partition_index(partition: Body) -> str:
    """Give a partition's index as text."""
    return str(partition["partitionIndex"])


def then(before: str, after: str) -> str:
    """Join what was asked and what was answered."""
    return f"{before} → {after}" if before and after else before or after


def group_text(request: Body) -> str:
    """Name the group of a request, or of a part of it."""
    return f"group {name_text(request.get('groupId', '?'))}"


def member_id_text(call: Call, member: str) -> str:
    """Give a member id without the client id before it, which brokers put there and which has a column of its own."""
    if isinstance(member, Traced):
        return member.text(_member_text, call.client_id)
    return _member_text(member, call.client_id)


@lru_cache(maxsize=4096)
def _member_text(member: str, client_id: str | None) -> str:
    prefix = client_id or ""
    return show(ELLIPSIS + member[len(prefix) :] if prefix and member.startswith(prefix) else member, _MEMBER_LENGTH)


def records_text(count: int) -> str:
    """Give a number of records."""
    return count.text(records_text) if isinstance(count, Traced) else count_text(count, "record")


def bytes_text(size: int) -> str:
    """Give a number of bytes."""
    return size.text(bytes_text) if isinstance(size, Traced) else size_text(size)


def codec_text(compression: str) -> str:
    """Give the codec of a batch with a space before it; nothing for none."""
    if isinstance(compression, Traced):
        return compression.text(_codec_text)
    return "" if compression == "none" else f" {compression}"


def _codec_text(attributes: int) -> str:
    """Give the codec by the attributes of a batch, whose last three bits it is."""
    return codec_text(COMPRESSIONS[attributes & 7])
