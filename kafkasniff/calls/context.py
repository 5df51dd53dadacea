"""What opening a call takes beside its bytes."""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kafkasniff.calls.enrichment.topics import KnownNames, TopicNames
from kafkasniff.calls.spending import Spending
from kafkasniff.protocol.limits import RECORDS_LIMIT, MessageLimits


class GroupProtocol(NamedTuple):
    """What the members of a group agreed on; old versions of SyncGroup do not say it."""

    type: str | None
    """Such as `consumer` or `connect`."""
    name: str | None
    """Such as `range`."""


UNKNOWN_PROTOCOL: Final = GroupProtocol(None, None)


@dataclass(frozen=True, slots=True)
class Context:
    """What is asked of calls, and what other calls tell of one."""

    records: bool = False
    """Read the records in batches."""
    limit_value: int | None = None
    """Bytes of each key and value that are shown; None: all."""
    records_limit: int = RECORDS_LIMIT
    """Bytes that the records of one body may take, decompressed and as objects."""
    limits: MessageLimits = field(default_factory=MessageLimits)
    topics: KnownNames = field(default_factory=TopicNames)
    """Shared by the calls of all connections."""
    group_protocol: GroupProtocol = UNKNOWN_PROTOCOL
    """Of a JoinGroup or SyncGroup call that does not say it itself."""
    metrics: bool = True
    """Open the metrics that clients push."""
    spending: Spending = field(default_factory=Spending)
    """Shared by the calls of all connections."""
    tokens: tuple[dict[str, Any], ...] = ()
    """Of SaslAuthenticate: its tokens in the form of the JSON lines."""


NO_CONTEXT: Final = Context()
"""Of a call that is looked at alone."""
