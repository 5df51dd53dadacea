"""What ends with a batch of packets, as rows of the tables and as events."""

from collections.abc import Callable

from kafkasniff.calls.items import Item
from kafkasniff.pipeline.findings.clusters import ClusterNames
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.output import TableWriter
from kafkasniff.pipeline.rows.reassembly import Ended
from kafkasniff.tables.rows import time_of


def write_ended(
    ended: Ended,
    options: Options,
    writer: TableWriter,
    packer: EventPacker,
    names: ClusterNames,
    write_rows: Callable[[str, Item], None],
) -> None:
    """Write what ended, as far as it is asked for; takes all items from it. Raises PipelineError.

    `write_rows` takes a vantage, and what ended there.
    """
    vantage, items, at_end = ended
    items.reverse()
    while items:
        # Taken from the list, since the bodies decoded for one row should not outlive it.
        item = items.pop()
        if options.wants(time_of(item)):
            writer.add([packer.row(item, at_end)])
            names.take(item)
            write_rows(vantage, item)
