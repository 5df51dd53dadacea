"""The records of the batches in a body, and the messages in the records of internal topics."""

from typing import Any

from kafkasniff.calls.contents import Contents, add_opened
from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.topics import topic_of
from kafkasniff.calls.spending import CONTENT_WEIGHT, RECORDS_REACHED
from kafkasniff.protocol.embedded.entries import Opened
from kafkasniff.protocol.embedded.internal_records import decode_internal_record
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.limits import BYTES_PER_RECORD
from kafkasniff.protocol.metadata_log import CLUSTER_METADATA
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.records.content import raw_bytes
from kafkasniff.protocol.records.raw import record_path
from kafkasniff.protocol.records.records import read_records
from kafkasniff.protocol.secrets.configs import REDACTED
from kafkasniff.protocol.secrets.messages import is_redacted


def open_records(
    side: Kind, data: bytes, body: dict[str, Any], context: Context, show_secrets: bool, into: Contents
) -> None:
    """Read the records of the batches that were found last, in a body, whole or not, that was decoded from `data`."""
    left, of_run = context.records_limit, context.spending.records
    last_path, topic, index = "", None, 0
    reached = False
    for _, path, batch in into.batches[len(into.records) :]:
        if path != last_path:
            last_path, index = path, 0
            topic = topic_of(body, path, context.topics)
        place = f"{path}[{index}]"
        index += 1
        of_run.earn(batch.size_in_bytes)
        records: list[dict[str, Any]] = []
        if of_run.left > 0:
            records = _read(side, place, data, batch, topic, left, context, show_secrets, into)
            taken = batch.content_bytes + BYTES_PER_RECORD * len(records)
            left = max(left - taken, 0)
            of_run.spend(taken + (CONTENT_WEIGHT - 1) * batch.content_bytes)
        elif not reached:
            reached = True
            into.problems.append(Problem(side, batch.start, place, RECORDS_REACHED))
        into.records.append(records)


def _read(
    side: Kind,
    place: str,
    data: bytes,
    batch: Batch,
    topic: str | None,
    limit: int,
    context: Context,
    show_secrets: bool,
    into: Contents,
) -> list[dict[str, Any]]:
    """Read the records of a batch at the path `place`; those of internal topics are opened too."""
    if topic is None or not topic.startswith("__") or batch.is_control:
        records, problems = read_records(data, batch, limit=limit, limit_value=context.limit_value)
    else:
        records, problems = read_records(data, batch, limit=limit)
        secret = _open_records(side, place, topic, records, show_secrets, into)
        if context.limit_value is not None:
            # What is cut could not have been opened.
            records = read_records(data, batch, limit=limit, limit_value=context.limit_value)[0]
        if secret:
            records = [_redacted(record) if index in secret else record for index, record in enumerate(records)]
    into.problems += [Problem(side, offset, place + inner, message) for offset, inner, message in problems]
    return records


def _open_records(
    side: Kind, place: str, topic: str, records: list[dict[str, Any]], show_secrets: bool, into: Contents
) -> set[int]:
    """Open the records of an internal topic; give the positions of those whose values are secret."""
    secret = set()
    for index, record in enumerate(records):
        key, value = raw_bytes(record, "key"), raw_bytes(record, "value")
        opened = decode_internal_record(topic, key, value, show_secrets=show_secrets)
        if opened is None:
            break
        add_opened(side, f"{place}{record_path(index)}.", opened, into)
        if not show_secrets and value is not None and _may_be_secret(topic, opened):
            secret.add(index)
    return secret


def _may_be_secret(topic: str, opened: Opened) -> bool:
    """Tell whether secrets were replaced in a record, or may stand in what did not decode of the metadata log."""
    found = opened.embedded
    if topic == CLUSTER_METADATA and (not found or any(entry.value is None for entry in found)):
        return True
    return any(is_redacted(entry.value) or is_redacted(entry.partial) for entry in found)


def _redacted(record: dict[str, Any]) -> dict[str, Any]:
    """Give a record without its value: the bytes hold what was replaced in the decoded message."""
    kept = {name: value for name, value in record.items() if name not in ("valueBase64", "valueSizeInBytes")}
    return {**kept, "value": REDACTED}
