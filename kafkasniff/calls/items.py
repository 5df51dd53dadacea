"""What the calls layer gives."""

from collections.abc import Iterator
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap

Item = Call | Gap | RawToken | ConnectionReport


def taken_out(items: list[Item]) -> Iterator[Item]:
    """Give items one by one, and take them out of the list; whoever stops before leaves the rest, the last one first.

    What is read of a call, which may be a hundred times as large as its bytes, so lives no longer than it is looked at.
    """
    end: Any = None
    items.append(end)
    items.reverse()
    # A generator would take three times as long for each.
    return iter(items.pop, end)
