"""What spans say of calls: names and values by OpenTelemetry's semantic conventions for messaging and Kafka.

https://opentelemetry.io/docs/specs/semconv/messaging/kafka/; what these have no name for begins with `kafka.`.
"""

from typing import Literal, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.render.words import show
from kafkasniff.tables.calls.call_reader import CallReader
from kafkasniff.tables.partition_rows import WITH_PARTITIONS
from kafkasniff.tables.rows import told_of

Value = str | int | float | tuple[str, ...]
Kind = Literal["producer", "consumer", "client"]

NAME_CHARACTERS = 249
"""Of names from the wire; the longest that a topic may have (org.apache.kafka.common.internals.Topic)."""
_MOST_NAMES = 16
"""Topics, groups and errors of a call that are named."""

_OTHER: tuple[str | None, Kind] = (None, "client")
_OPERATIONS: dict[str, tuple[str | None, Kind]] = {
    "PRODUCE": ("send", "producer"),
    "FETCH": ("receive", "consumer"),
    "SHARE_FETCH": ("receive", "consumer"),
    "OFFSET_COMMIT": ("settle", "client"),
    "TXN_OFFSET_COMMIT": ("settle", "client"),
    "SHARE_ACKNOWLEDGE": ("settle", "client"),
}
"""`messaging.operation.type` of APIs, and the kind of their spans; others have none, and are of clients."""
_UNANSWERED = "unanswered"


class Span(NamedTuple):
    """What a span says."""

    name: str
    kind: Kind
    start_ns: int
    """Since 1970 UTC: the request's first byte …"""
    end_ns: int
    """… and the response's last; where there is none, the last that is known."""
    attributes: dict[str, Value]
    error: str | None
    """Why the call failed, None where it did not."""


class Spans:
    """Makes spans of calls."""

    def __init__(self) -> None:
        """Begin."""
        self._reader = CallReader(WITH_PARTITIONS)

    def of(self, call: Call) -> Span:
        """Give the span of a call."""
        reader = self._reader
        partitions: set[int] = set()
        if reader.read_call(call):
            topics = [*(reader.topics | dict.fromkeys(call.context.topics.of(reader.topic_ids).values()))]
            groups = [*reader.groups]
            errors = [*dict.fromkeys(error_name(code) for _, _, code in reader.codes)]
            partitions = {told.partition for told in reader.pool[: reader.told]}
        else:
            told = told_of(call)
            topics, groups, errors = [*told.topics], [*told.groups], [*told.error_names]
        api = call.api_name or "unknown"
        operation, kind = _OPERATIONS.get(api, _OTHER)
        attributes: dict[str, Value] = {
            "messaging.system": "kafka",
            "messaging.operation.name": api.lower(),
            "kafka.correlation_id": call.correlation_id,
            "kafka.outcome": call.outcome,
            **_address("client", call.client),
            **_address("server", call.server),
            "network.transport": "tcp",
        }
        if operation is not None:
            attributes["messaging.operation.type"] = operation
        if call.client_id:
            attributes["messaging.client.id"] = _name(call.client_id)
        if len(topics) == 1:
            attributes["messaging.destination.name"] = _name(topics[0])
            if len(partitions) == 1:
                attributes["messaging.destination.partition.id"] = str(*partitions)
        elif topics:
            attributes["kafka.topics"] = tuple(map(_name, topics[:_MOST_NAMES]))
        if len(groups) == 1:
            attributes["messaging.consumer.group.name"] = _name(groups[0])
        elif groups:
            attributes["kafka.groups"] = tuple(map(_name, groups[:_MOST_NAMES]))
        if call.api_version is not None:
            attributes["kafka.api_version"] = call.api_version
        if call.request is not None:
            attributes["kafka.request.size"] = call.request.size
        if call.response is not None:
            attributes["kafka.response.size"] = call.response.size
        if len(errors) > 1:
            attributes["kafka.errors"] = tuple(errors[:_MOST_NAMES])
        error = errors[0] if errors else _UNANSWERED if call.outcome == _UNANSWERED else None
        if error is not None:
            attributes["error.type"] = error
        if call.software_name:
            attributes["user_agent.name"] = _name(call.software_name)
        if call.software_version:
            attributes["user_agent.version"] = _name(call.software_version)
        start = call.time.time
        end = call.ended.time if call.response is None else call.response.last.time
        name = f"{operation or api.lower()} {_name(topics[0])}" if len(topics) == 1 else operation or api.lower()
        return Span(name, kind, start, max(start, end), attributes, error)


def _name(text: str) -> str:
    return show(text, NAME_CHARACTERS)


def _address(side: str, endpoint: str) -> dict[str, Value]:
    """Give host and port of `ip:port`."""
    host, _, port = endpoint.rpartition(":")
    return {f"{side}.address": host.strip("[]"), f"{side}.port": int(port)}
