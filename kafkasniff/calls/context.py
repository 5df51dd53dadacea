"""What opening a call takes beside its bytes."""

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


class Context:
    """What is asked of calls, and what other calls tell of one; not to be changed."""

    __slots__ = (
        "group_protocol",
        "limit_value",
        "limits",
        "metrics",
        "records",
        "records_limit",
        "spending",
        "tokens",
        "topics",
    )

    def __init__(
        self,
        records: bool = False,
        limit_value: int | None = None,
        records_limit: int = RECORDS_LIMIT,
        limits: MessageLimits | None = None,
        topics: KnownNames | None = None,
        group_protocol: GroupProtocol = UNKNOWN_PROTOCOL,
        metrics: bool = True,
        spending: Spending | None = None,
        tokens: tuple[dict[str, Any], ...] = (),
    ) -> None:
        """Take what is asked for and known."""
        self.records = records
        """Read the records in batches."""
        self.limit_value = limit_value
        """Bytes of each key and value that are shown; None: all."""
        self.records_limit = records_limit
        """Bytes that the records of one body may take, decompressed and as objects."""
        self.limits = MessageLimits() if limits is None else limits
        self.topics = TopicNames() if topics is None else topics
        """Shared by the calls of all connections."""
        self.group_protocol = group_protocol
        """Of a JoinGroup or SyncGroup call that does not say it itself."""
        self.metrics = metrics
        """Open the metrics that clients push."""
        self.spending = Spending() if spending is None else spending
        """Shared by the calls of all connections."""
        self.tokens = tokens
        """Of SaslAuthenticate: its tokens in the form of the JSON lines."""

    def having(self, **others: Any) -> "Context":
        """Give the same with other values under these names."""
        changed = Context.__new__(Context)
        for name in self.__slots__:
            setattr(changed, name, others.get(name, getattr(self, name)))
        return changed


NO_CONTEXT: Final = Context()
"""Of a call that is looked at alone."""
