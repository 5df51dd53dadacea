"""What of which captures a question is about: the options that all commands have that answer questions."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds, BoundsOption
from kafkasniff.cli.options.filters import Filters, with_filters
from kafkasniff.cli.options.together import Command, together
from kafkasniff.cli.terminal.output import print_message

if TYPE_CHECKING:
    from kafkasniff.calls.items import Item
    from kafkasniff.questions.database import Database
    from kafkasniff.questions.export import Export
    from kafkasniff.reading import Reading


_FEW = 16
"""Items that are looked at together."""


class Selection(NamedTuple):
    """Which calls are looked at, and how captures are read."""

    filters: Filters
    keylog: options.KeyLog = None
    two_pass: options.TwoPass = False
    definitions: options.Definitions = None
    bounds: BoundsOption = None


def with_selection(command: Command) -> Command:
    """Give a command these options and filters, which it takes together as its argument `selection`."""
    return with_filters(together("selection", Selection)(command))


class Capture:
    """Captures in a database: what was asked for, and how the command is to end."""

    def __init__(self, reading: "Reading") -> None:
        """Nothing went wrong so far."""
        self.reading = reading
        self.interrupted = False

    def say_closing(self) -> None:
        """Say on standard error what the captures were worth, and end the command where something was wrong."""
        from kafkasniff.render.closing import closing_line, closing_notes

        for text in closing_notes(self.reading.summary):
            print_message(f"kafkasniff: {text}")
        print_message(closing_line(self.reading.summary))
        if self.interrupted:
            raise typer.Exit(ExitStatus.INTERRUPTED)
        if self.reading.summary.damages:
            raise typer.Exit(ExitStatus.FAILED)


def load(
    place: "Database | Export", files: Sequence[str], text: str, selection: Selection, wanted: Iterable[str]
) -> Capture:
    """Read captures into the `wanted` tables, of their columns those that `text` mentions; `*` stands for all.

    Raises CaptureError where none of them is a capture, QuestionError where a table cannot be filled.
    """
    from kafkasniff.cli.terminal.progress import Progress
    from kafkasniff.freed_memory import keep_freed_memory
    from kafkasniff.reading import Reading
    from kafkasniff.tables.declared import CONNECTIONS, FILES, FINDINGS, RECORDS
    from kafkasniff.tables.rings import ring_of
    from kafkasniff.tables.spans import FileSpans

    wanted = list(wanted)
    bounds = Bounds(selection.bounds)
    chosen = selection.filters.filter()
    diagnoses = FINDINGS.name in wanted
    reading = Reading(
        files,
        connections=diagnoses or CONNECTIONS.name in wanted,
        records=RECORDS.name in wanted,
        two_pass=selection.two_pass,
        fetch_sessions=diagnoses,
        metrics=False,
        key_log=selection.keylog,
        **bounds.of_reading(),
    )
    keep_freed_memory()
    capture = Capture(reading)
    spans = FileSpans(files)
    if FILES.name in wanted:
        reading.watch = spans.add
    progress = Progress(reading, writes_lines=False)
    diagnosis = None
    if diagnoses:
        from kafkasniff.diagnose.engine import Diagnosis
        from kafkasniff.render.diagnosis.rows import finding_rows

        diagnosis = Diagnosis()
    filler = place.filler(wanted, text)
    files_seen: dict[str, None] = {}

    def take(items: "list[Item]") -> None:
        if not chosen.wants_all:
            items = [*chosen.of(items, reading.summary)]
        if diagnosis is None:
            filler.take(items)
            return
        items.reverse()
        while items:
            # A few at a time: what is done with, and what was read of it, does not wait in memory for others.
            few = [items.pop() for _ in range(min(_FEW, len(items)))]
            for item in few:
                files_seen[item.connection.first.interface.file] = None
            diagnosis.feed_all(few)
            filler.take(few)

    try:
        for items in reading.batches():
            take(items)
            progress.report()
    except KeyboardInterrupt:
        capture.interrupted = True
        take(reading.finish())
    finally:
        progress.clear()
    if diagnosis is not None:
        vantages = dict.fromkeys(map(ring_of, files_seen))
        filler.add_rows(finding_rows([*vantages], diagnosis.findings()))
    filler.add_rows(spans.rows(reading.summary.damages))
    filler.flush()
    return capture
