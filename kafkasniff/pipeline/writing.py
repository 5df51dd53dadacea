"""What ends with a batch of packets, as rows of the tables and as events."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from kafkasniff.calls.call import Call
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.column_rows import Seen, see
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import TableWriter
from kafkasniff.pipeline.reassembly import Ended
from kafkasniff.pipeline.rows import Item, Placed, item_rows, time_of

RowsOf = Callable[[str, Item, Options], Iterable[Placed]]
"""Gives the rows of what ended at a vantage."""


def write_ended(
    ended: Ended,
    options: Options,
    writer: TableWriter,
    packer: EventPacker,
    names: ClusterNames,
    rows_lacking_names: RowsOf | None = None,
) -> None:
    """Write what ended, as far as it is asked for; takes all items from it. Raises PipelineError.

    Where `rows_lacking_names` is given, it is asked for the rows of all calls that may lack names of topics.
    """
    vantage, items, at_end = ended
    rows_of = rows_lacking_names or item_rows
    seen = see_items(vantage, items, options, named=rows_lacking_names is not None)
    for each in seen.values():
        for table, rows in each.tables.items():
            writer.add_columns(table, rows)
    items.reverse()
    while items:
        # Taken from the list, since the bodies decoded for one row should not outlive it.
        item = items.pop()
        if not isinstance(item, tuple):
            if options.wants(time_of(item)):
                writer.add(rows_of(vantage, item, options))
                writer.add([packer.row(item, at_end)])
                if isinstance(item, Call):
                    names.take(item)
            continue
        of_columns = seen[id(item.columns)]
        for row in sorted(of_columns.left.intersection(range(item.start, item.stop))):
            writer.add(rows_of(vantage, item.columns.call(row), options))
        writer.add(packer.column_rows(item, of_columns, options))
        names.take_columns(item)


def see_items(vantage: str, items: Sequence[Item | CallRows], options: Options, named: bool = False) -> dict[int, Seen]:
    """Give what is seen of the calls that are together, by the identity of their columns.

    Between them others may have ended; to make rows of a few at a time takes several times as long.
    """
    runs: defaultdict[int, list[CallRows]] = defaultdict(list)
    for item in items:
        if isinstance(item, tuple):
            runs[id(item.columns)].append(item)
    return {columns: _see(vantage, of_columns, options, named) for columns, of_columns in runs.items()}


def _see(vantage: str, runs: list[CallRows], options: Options, named: bool) -> Seen:
    """Give what is seen of calls that are together; where that fails each makes its rows by itself."""
    try:
        return see(vantage, runs, options, named)
    except Exception:
        return Seen({}, frozenset(row for each in runs for row in range(each.start, each.stop)), {})
