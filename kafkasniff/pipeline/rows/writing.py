"""What ends with a batch of packets, as rows of the tables and as events."""

from collections.abc import Callable, Iterable

from kafkasniff.calls.items import Item
from kafkasniff.pipeline.findings.clusters import ClusterNames
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.output import TableWriter
from kafkasniff.pipeline.rows.reassembly import Ended
from kafkasniff.tables.rows import Placed, item_rows, time_of

RowsOf = Callable[[str, Item, bool], Iterable[Placed]]
"""Gives the rows of what ended at a vantage; those of records only where asked for."""


def write_ended(
    ended: Ended,
    options: Options,
    writer: TableWriter,
    packer: EventPacker,
    names: ClusterNames,
    rows_of: RowsOf = item_rows,
) -> None:
    """Write what ended, as far as it is asked for; takes all items from it. Raises PipelineError."""
    vantage, items, at_end = ended
    items.reverse()
    while items:
        # Taken from the list, since the bodies decoded for one row should not outlive it.
        item = items.pop()
        if options.wants(time_of(item)):
            writer.add(rows_of(vantage, item, options.records))
            writer.add([packer.row(item, at_end)])
            names.take(item)
