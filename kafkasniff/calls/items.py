"""What the calls layer gives."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, ConnectionReport, Gap

if TYPE_CHECKING:  # it brings NumPy, which reading a small capture should not wait for
    from kafkasniff.calls.columns.calls import CallRows

Item = Call | Gap | RawToken | ConnectionReport


def expand(items: "list[Item | CallRows]") -> Iterator[Item]:
    """Give calls one by one, also those that are still together, and take them out of the list.

    What is read of a call, which may be a hundred times as large as its bytes, so lives no longer than it is looked at.
    """
    items.reverse()
    while items:
        item = items.pop()
        if isinstance(item, tuple):
            yield from item.calls()
        else:
            yield item
