"""What the calls layer gives."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, ConnectionReport, Gap

if TYPE_CHECKING:  # it brings NumPy, which reading a small capture should not wait for
    from kafkasniff.calls.columns.calls import CallRows

Item = Call | Gap | RawToken | ConnectionReport


def expand(items: "Iterable[Item | CallRows]") -> Iterator[Item]:
    """Give calls one by one, also those that are still together."""
    for item in items:
        if isinstance(item, tuple):
            yield from item.calls()
        else:
            yield item
