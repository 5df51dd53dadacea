"""What ends with a batch of packets, as rows of the tables and as events."""

from kafkasniff.calls.call import Call
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.column_rows import see
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import TableWriter
from kafkasniff.pipeline.reassembly import Ended
from kafkasniff.pipeline.rows import item_rows, time_of


def write_ended(ended: Ended, options: Options, writer: TableWriter, packer: EventPacker, names: ClusterNames) -> None:
    """Write what ended, as far as it is asked for; takes all items from it. Raises PipelineError."""
    vantage, items, at_end = ended
    items.reverse()
    while items:
        # Taken from the list, since the bodies decoded for one row should not outlive it.
        item = items.pop()
        if not isinstance(item, tuple):
            if options.wants(time_of(item)):
                writer.add(item_rows(vantage, item, options))
                writer.add([packer.row(item, at_end)])
                if isinstance(item, Call):
                    names.take(item)
            continue
        seen = see(vantage, item, options)
        for table, rows in seen.tables.items():
            writer.add_columns(table, rows)
        for row in seen.left:
            writer.add(item_rows(vantage, item.columns.call(row), options))
        writer.add(packer.column_rows(item, seen, options))
        names.take_columns(item)
