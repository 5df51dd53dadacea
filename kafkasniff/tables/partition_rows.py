"""Rows of the table `partitions`, of calls whose bodies the compiled reader leaves to others."""

from collections.abc import Collection, Iterator
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.topics import KnownNames
from kafkasniff.protocol.api_keys import FETCH, LIST_OFFSETS, OFFSET_COMMIT, OFFSET_FETCH, PRODUCE
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.tables.declared import PARTITIONS_NAMED
from kafkasniff.tables.rows import Placed, Row, call_key
from kafkasniff.tables.topic_partitions import PARTITION_FIELDS, topic_in

WITH_PARTITIONS = frozenset({PRODUCE, FETCH, LIST_OFFSETS, OFFSET_COMMIT, OFFSET_FETCH})
OFFSETS = ("fetchOffset", "committedOffset", "offset", "baseOffset")
"""What a partition's `offset` is taken from: the first of these that is there."""
OLD_OFFSETS = "oldStyleOffsets"
"""Of ListOffsets 0 alone, instead of them."""
MEASURES = (*OFFSETS, "errorCode", "highWatermark", "logStartOffset")
"""Numbers that bodies tell of a partition."""
BROKERS_OWN = frozenset({"highWatermark", "logStartOffset"})
"""Those of them that followers tell of themselves in requests (KIP-1166)."""


_LAG = "lag"
_TOLD = frozenset({"offset", "bytes", "records", "error_code", "error_name", "high_watermark", "log_start_offset"})
"""Columns that tell of more than Fetch calls."""


def apis_telling(columns: Collection[str] | None) -> frozenset[int]:
    """Give the APIs whose calls tell what these columns show (None: all): where `lag` alone is asked for, Fetch."""
    is_of_lag = columns is not None and _LAG in columns and _TOLD.isdisjoint(columns)
    return frozenset({FETCH}) if is_of_lag else WITH_PARTITIONS


def body_value(body: Any) -> dict[str, Any]:
    """Give a body that decoded whole; an empty one where none did."""
    return body.value if body is not None and body.value is not None else {}


def partition_rows(vantage: str, call: Call) -> Iterator[Placed]:
    """Give the rows of a call."""
    if call.api_key not in WITH_PARTITIONS:
        return
    gathered = _Gathered(call.context.topics)
    for side, body in (("request", call.request_body), ("response", call.response_body)):
        gathered.add(body_value(body), side, "", None)
    for side, path, batch in call.batch_headers:
        told = gathered.by_path.get((side, path.rpartition(".")[0]))
        if told is not None:
            told["records"] = told.get("records", 0) + (batch.record_count or 0)
            told["behind"] = (batch.last_offset or 0) + 1
    key = call_key(vantage, call)
    for (topic, partition), told in gathered.partitions.items():
        row = (*key, gathered.names.get(topic, topic), partition, *_measures(call, told))
        yield PARTITIONS_NAMED.name, call.time.time, row


def _measures(call: Call, told: dict[str, Any]) -> Row:
    offset = next((told[name] for name in OFFSETS if name in told), None)
    if offset is None and OLD_OFFSETS in told:
        offset = next(iter(told[OLD_OFFSETS]), None)
    code, high = told.get("errorCode"), told.get("highWatermark")
    behind = told.get("behind", offset)
    lag = (
        max(high - behind, 0)
        if call.api_key == FETCH and high is not None and high >= 0 and behind is not None
        else None
    )
    return (
        offset,
        told.get("recordsSizeInBytes", 0),
        told.get("records", 0),
        code,
        error_name(code) if code else None,
        high,
        told.get("logStartOffset"),
        lag,
    )


class _Gathered:
    """What the bodies of a call tell of each partition."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known
        self.partitions: dict[tuple[str | None, int], dict[str, Any]] = {}
        """By the topic's id, else its name."""
        self.names: dict[str | None, str | None] = {}
        """The names of topic ids; None where they are not known."""
        self.by_path: dict[tuple[str, str], dict[str, Any]] = {}
        """The same as in `partitions` by side and path."""

    def add(self, struct: dict[str, Any], side: str, path: str, topic: str | None) -> None:
        """Take a struct at a path, within a topic."""
        array = path.rpartition(".")[2].partition("[")[0]
        topic_id = struct.get("topicId")
        if isinstance(topic_id, str):
            self.names[topic_id] = self._known.get(topic_id)
            topic = topic_id
        else:
            topic = topic_in(struct, array, self._known) or topic
        partition = next((struct[name] for name in PARTITION_FIELDS if type(struct.get(name)) is int), None)
        if partition is not None and array:
            told = self.partitions.setdefault((topic, partition), {})
            told.update(struct if side == "response" else {name: struct[name] for name in struct.keys() - BROKERS_OWN})
            self.by_path[side, path] = told
        for name, value in struct.items():
            for index, each in enumerate(value if isinstance(value, list) else ()):
                if isinstance(each, dict):
                    self.add(each, side, f"{path}.{name}[{index}]" if path else f"{name}[{index}]", topic)
