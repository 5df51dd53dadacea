"""What ends with a batch of packets, as rows of the tables and as events."""

from uuid import uuid4

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.pipeline.findings.clusters import ClusterNames
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.follow.carry import Saved, save
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.naming import MOST_UNNAMED, MarkedNames
from kafkasniff.pipeline.rows.output import TableWriter, Written
from kafkasniff.pipeline.rows.reassembly import Ended
from kafkasniff.pipeline.rows.told import TOLD
from kafkasniff.tables.calls.call_tables import CallTables
from kafkasniff.tables.declared import ERRORS, EVENTS, RECORDS, TABLES
from kafkasniff.tables.more_rows import MoreRows
from kafkasniff.tables.partition_rows import partition_rows
from kafkasniff.tables.rows import Placed, item_rows, time_of

_TOGETHER = 256
"""Items that are written together, so that the bodies decoded for rows do not outlive these few."""


class RowOutput:
    """What one task writes of what ended; rows that lack names of topics wait."""

    def __init__(self, work: str, name: str, records: bool) -> None:
        """Write below the folder `work`; `name` is in all file names."""
        self._work = work
        self._records = records
        self._writer = TableWriter(work, f"{name}-{uuid4().hex[:12]}")
        self.unnamed: list[Saved] = []
        """Where rows are saved that lack names."""
        self._rows: list[Placed] = []
        self._more = MoreRows(TABLES.keys() - TOLD.keys())
        self._told = MoreRows(TOLD)
        self._blocks = CallTables(dict.fromkeys(TABLES.keys() - {RECORDS.name}), self._writer.add_block)
        self._blocks.leaves_doubtful = True

    def write(self, ended: Ended, options: Options, packer: EventPacker, names: ClusterNames) -> None:
        """Write what ended, as far as it is asked for; takes all items from it. Raises PipelineError."""
        items = ended.items
        items.reverse()
        while items:
            # The last ones, which come first.
            together = [item for item in items[-_TOGETHER:] if options.wants(time_of(item))]
            del items[-_TOGETHER:]
            self._writer.add_rows(EVENTS.name, [packer.row(item, ended.at_end) for item in reversed(together)])
            for item in reversed(together):
                names.take(item)
            self._write_rows(ended.vantage, together)

    def close(self) -> list[Written]:
        """Give the files, when all is written."""
        self._blocks.flush()
        if self._rows:
            self._save()
        return self._writer.close()

    def _write_rows(self, vantage: str, items: list[Item]) -> None:
        """Write the rows of items, the last of which comes first."""
        self._blocks.vantage = vantage
        while items:
            item = items.pop() if self._records else self._blocks.take(items)
            if item is None:
                break
            if not isinstance(item, Call):
                self._writer.add(item_rows(vantage, item, self._records))
            elif self._records or not self._blocks.added:
                self._write_apart(vantage, item)
            else:
                self._writer.add([*self._more.rows(vantage, item), *self._told.rows(vantage, item)])
                if self._blocks.reader.codes:
                    self._writer.add(row for row in item_rows(vantage, item, False) if row[0] == ERRORS.name)

    def _write_apart(self, vantage: str, call: Call) -> None:
        """Write the rows of a call that has none in blocks, unless names of topics are lacking."""
        names = MarkedNames(call.context.topics)
        call.context = call.context.having(topics=names)
        rows = [*item_rows(vantage, call, self._records), *self._more.rows(vantage, call)]
        rows += partition_rows(vantage, call)
        self._writer.add(self._told.rows(vantage, call))
        if not names.lacking:
            self._writer.add(rows)
            return
        self._rows += rows
        if len(self._rows) >= MOST_UNNAMED:
            self._save()

    def _save(self) -> None:
        self.unnamed.append(save(self._work, self._rows))
        self._rows = []
