"""Of the bodies of calls what rows are made of: names of topics and groups, and where records lie.

Where that is all that is asked for, the rest of a body is not decoded.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.api_keys import FIND_COORDINATOR
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.finders import EntityFinder, entity_finder, is_entity, leading_fields
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import MOST_LAYOUTS, Field, Kind
from kafkasniff.protocol.limits import RECORDS_LIMIT
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from kafkasniff.protocol.records.layout import HEADER_BYTES
from kafkasniff.protocol.records.records import decompress_batch
from kafkasniff.protocol.typed_names import CONFIG_RESOURCES, TYPED_FIELDS, typed_names
from kafkasniff.tables.topic_partitions import TOPIC_PARTITION_FIELDS

NAMED = frozenset({"groupId", "topicId", "topicName"})

SETTINGS = (
    "throttleTimeMs",
    "acks",
    "timeoutMs",
    "maxWaitMs",
    "minBytes",
    "maxBytes",
    "isolationLevel",
    "sessionTimeoutMs",
    "rebalanceTimeoutMs",
)
"""Numbers of whole messages that rows show, by their names in Kafka's definitions."""
RACK = "rackId"


class Names(NamedTuple):
    """What a body names, each once."""

    topics: Sequence[str]
    groups: Sequence[str]
    topic_ids: Sequence[str]


class Body(NamedTuple):
    """A body of a call, or some of its fields."""

    version: int
    """Of its layout."""
    value: dict[str, Any] | None
    """At least the fields in `fields_of_rows`; None where it did not decode whole."""
    records: Sequence[RecordsField]
    """Where the `records` fields lie."""


def body_of(call: Call, side: Kind) -> Body | None:
    """Read one side of a call; None where it is not there, or its layout not known."""
    header = call.header
    if header is not None and header.api_key not in HOLDING_APIS and not call.context.records:
        fields = fields_of_rows(header.api_key, header.api_version, side)
        scan = call.scan_request(fields) if side == "request" else call.scan_response(fields)
        if scan is not None:
            return Body(header.api_version, scan.value, scan.records)
    body = call.request_body if side == "request" else call.response_body
    return None if body is None else Body(body.version, body.value, body.records)


def names_in(api_key: int, version: int, side: Kind, value: dict[str, Any]) -> Names:
    """Give what a body names that holds at least the fields in `fields_of_rows`."""
    found = _finder(api_key, version, side)(value)
    for entity, names in typed_names(api_key, side, value).items():
        found[entity] = list(dict.fromkeys(found.get(entity, []) + names))
    return Names(found.get("topicName", ()), found.get("groupId", ()), found.get("topicId", ()))


@lru_cache(maxsize=MOST_LAYOUTS)
def fields_of_rows(api_key: int, version: int, side: Kind) -> frozenset[str]:
    """Give the names of the fields that rows are made of."""
    if api_key not in APIS:
        return frozenset()
    definition = api_definition(api_key, side)
    names = leading_fields(definition, version, lambda field: is_entity(field, NAMED))
    records = leading_fields(definition, version, _holds_records)
    if records:
        names |= records | TOPIC_PARTITION_FIELDS
    if resources := CONFIG_RESOURCES.get((api_key, side)):
        names |= TYPED_FIELDS | {resources}
    names |= {field.name for field in definition.fields if field.name in SETTINGS or field.name == RACK}
    return names | TYPED_FIELDS if api_key == FIND_COORDINATOR else names


@lru_cache(maxsize=MOST_LAYOUTS)
def holds_records(api_key: int, version: int, side: Kind) -> bool:
    """Tell whether a body may hold record batches."""
    return api_key in APIS and bool(leading_fields(api_definition(api_key, side), version, _holds_records))


def _holds_records(field: Field) -> bool:
    return field.type == "records"


@cache
def _finder(api_key: int, version: int, side: Kind) -> EntityFinder:
    return entity_finder(api_definition(api_key, side), version, NAMED)


def content_bytes(data: bytes, start: int, end: int) -> int:
    """Give how many bytes the records of a compressed batch of magic 2 have; -1 where that does not come out."""
    codec = COMPRESSIONS[data[start + 22] & 7]
    try:
        return len(decompress_batch(codec, data[start + HEADER_BYTES[2] : end], magic=2, limit=RECORDS_LIMIT))
    except DecompressionError:
        return -1
