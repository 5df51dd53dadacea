"""What the calls layer gives."""

from collections.abc import Iterator

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap

Item = Call | Gap | RawToken | ConnectionReport


def taken_out(items: list[Item]) -> Iterator[Item]:
    """Give items one by one, and take them out of the list.

    What is read of a call, which may be a hundred times as large as its bytes, so lives no longer than it is looked at.
    """
    items.reverse()
    while items:
        yield items.pop()
