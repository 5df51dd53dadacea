"""Names of topic ids, learnt from the calls that tell both, across all connections."""

import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.protocol.api_keys import CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS, FETCH, METADATA
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import MOST_LAYOUTS, Field, Kind, fields_of
from kafkasniff.protocol.limits import BYTES_PER_RECORD
from kafkasniff.protocol.metadata_log import CLUSTER_METADATA, CLUSTER_METADATA_TOPIC_ID

TELLING_APIS: Final = frozenset({METADATA, CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS})
"""APIs whose answers have topics with both id and name."""

MOST_NAMES: Final = 100_000
"""Names that are kept; of more the oldest are forgotten."""

_LOG_BYTES: Final = 16 << 20
"""Bytes that the records in one answer from the metadata log may take, decompressed and as objects."""

NO_ID: Final = "AAAAAAAAAAAAAAAAAAAAAA"
"""Stands in messages for no topic (Uuid.ZERO_UUID)."""
_METADATA_NAME: Final = CLUSTER_METADATA.encode()
_METADATA_ID: Final = bytes(15) + b"\x01"


class KnownNames:
    """Names of topic ids that were known at some point; ids are never used again, so a name once learnt stays true."""

    __slots__ = ("_names", "_until")

    def __init__(self, names: dict[str, tuple[str, int]], until: int) -> None:
        """Know those `names`, each with how many were learnt before it, that are among the first `until`."""
        self._names = names
        self._until = until

    def get(self, topic_id: str) -> str | None:
        """Give the name of a topic id in the form of Kafka's JSON; None where it is not known."""
        if topic_id == CLUSTER_METADATA_TOPIC_ID:
            return CLUSTER_METADATA
        known = self._names.get(topic_id)
        return known[0] if known is not None and known[1] < self._until else None

    def of(self, topic_ids: Iterable[str]) -> dict[str, str]:
        """Give the names of those ids that are known."""
        return {topic_id: name for topic_id in topic_ids if (name := self.get(topic_id)) is not None}

    def known(self) -> dict[str, str]:
        """Give all names by topic id."""
        return {topic_id: name for topic_id, (name, before) in self._names.items() if before < self._until}


class TopicNames(KnownNames):
    """A bounded map from topic ids to names, which grows."""

    __slots__ = ("_most", "_now", "learnt")

    def __init__(self, most: int = MOST_NAMES) -> None:
        """Know the one id that is the same in every cluster; keep `most` names beside it."""
        super().__init__({}, sys.maxsize)
        self._most = most
        self.learnt = 0
        """How many names were learnt."""
        self._now = KnownNames(self._names, 0)

    @property
    def now(self) -> KnownNames:
        """Give the names that are known now, whatever is learnt later."""
        if self._now._until != self.learnt:
            self._now = KnownNames(self._names, self.learnt)
        return self._now

    def add(self, topic_id: str, name: str) -> None:
        """Learn a name."""
        names = self._names
        if topic_id in names:
            return
        if len(names) >= self._most:
            del names[next(iter(names))]
        names[topic_id] = short_name(name), self.learnt
        self.learnt += 1

    def learn(self, response: dict[str, Any]) -> None:
        """Learn from the decoded answer of one of `TELLING_APIS`."""
        for topic in response["topics"]:
            topic_id, name = topic.get("topicId", NO_ID), topic["name"]
            if topic_id != NO_ID and name:
                self.add(topic_id, name)

    def learn_from_log(self, api_key: int, data: bytes, body: DecodedBody) -> None:
        """Learn from the records of the metadata log in an answer to Fetch or FetchSnapshot that lies in `data`."""
        value = body.value
        if value is None:
            return
        # Captures without brokers that follow the metadata log should not wait for them.
        from kafkasniff.protocol.embedded.snapshots import whole_batches
        from kafkasniff.protocol.records.batches import read_batches
        from kafkasniff.protocol.records.content import raw_bytes
        from kafkasniff.protocol.records.records import read_records

        left = _LOG_BYTES
        fields = body.records if api_key == FETCH else whole_batches(value, data, body.records)
        for path, start, end in fields:
            if topic_of(value, path, self) != CLUSTER_METADATA:
                continue
            for batch in read_batches(data, start, end, side="response")[0]:
                if batch.is_control or not batch.crc_valid or not left:
                    continue
                records = read_records(data, batch, limit=left)[0]
                left = max(left - batch.content_bytes - BYTES_PER_RECORD * len(records), 0)
                for record in records:
                    self._learn_record(raw_bytes(record, "value"))

    def _learn_record(self, value: bytes | None) -> None:
        from kafkasniff.protocol.embedded.internal_records import decode_internal_record

        opened = decode_internal_record(CLUSTER_METADATA, None, value)
        for entry in opened.embedded if opened is not None else ():
            if entry.type == "TopicRecord" and entry.value is not None:
                self.add(entry.value["topicId"], entry.value["name"])


@lru_cache(maxsize=MOST_LAYOUTS)
def has_topic_ids(api_key: int, version: int, side: Kind) -> bool:
    """Tell whether a body has fields for topic ids."""
    return api_key in APIS and _has_topic_ids(api_definition(api_key, side).fields, version)


def _has_topic_ids(fields: tuple[Field, ...], version: int) -> bool:
    return any(
        (field.type == "uuid" and field.name == "topicId") or _has_topic_ids(field.fields, version)
        for field in fields_of(fields, version)
    )


def may_fetch_metadata_log(request: bytes) -> bool:
    """Tell whether a Fetch request may be for the metadata log, without decoding it: it names it so or so."""
    return _METADATA_ID in request or _METADATA_NAME in request


def topic_of(value: dict[str, Any], path: str, names: KnownNames) -> str | None:
    """Give the name of the topic that a field of records belongs to, by its path in the decoded body.

    None where the body says an id only, and its name is not known.
    """
    for struct in _structs(value, path):
        for field in ("topic", "name"):
            if isinstance(name := struct.get(field), str):
                return name
        if isinstance(topic_id := struct.get("topicId"), str):
            return names.get(topic_id)
    return None


def _structs(value: dict[str, Any], path: str) -> Iterator[dict[str, Any]]:
    """Give the elements of arrays that a path such as `responses[0].partitions[2].records` leads through."""
    struct: Any = value
    for step in path.split("."):
        name, bracket, index = step.partition("[")
        if not bracket:
            return
        try:
            struct = struct[name][int(index.removesuffix("]"))]
        except (KeyError, IndexError, TypeError):
            # A body that did not decode whole may end above the field.
            return
        yield struct
