"""Chunks of a KRaft snapshot (KIP-630), which begin and end anywhere, within a batch too."""

from typing import Any

from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.search import BatchSearch


def whole_batches(value: dict[str, Any], data: bytes, records: list[RecordsField]) -> list[RecordsField]:
    """Give where in the chunks of a FetchSnapshot response the first whole batch begins.

    `value` is the decoded body, `records` its fields in `data`. The rest of a batch that an earlier chunk began is left
    out; a chunk without any whole batch is empty then. The cut batch at the end stays, as in Fetch responses.
    """
    positions = [partition["position"] for topic in value["topics"] for partition in topic["partitions"]]
    return [
        field if position == 0 else RecordsField(field.path, _first_batch(data, field), field.end)
        for field, position in zip(records, positions, strict=False)
    ]


def _first_batch(data: bytes, field: RecordsField) -> int:
    found = BatchSearch(data, field.end).find(field.start)
    return field.end if found is None else found
