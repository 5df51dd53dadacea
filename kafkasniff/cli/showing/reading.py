"""Shows what a reading gives in the form asked for, and says at the end what the capture was worth."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.errors import CaptureError
from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.cli.terminal.progress import Progress
from kafkasniff.filters.filter import Filter, Tally
from kafkasniff.reading import Reading
from kafkasniff.render.closing import closing_line, closing_notes, failures_text
from kafkasniff.wording import failure_text

if TYPE_CHECKING:  # these bring NumPy, which reading a small capture should not wait for
    from kafkasniff.cli.options.shape import Shape
    from kafkasniff.cli.processes.turns import Turns
    from kafkasniff.cli.showing.comments import PacketComments
    from kafkasniff.cli.showing.sorting import RequestOrder
    from kafkasniff.listening import Listening


def take_none(items: list[Item], wants: Callable[[Call], bool] | None) -> tuple[memoryview, int]:
    """Take no calls: each is taken by itself."""
    return memoryview(b""), 0


class LineFormat(NamedTuple):
    """How each kind of item becomes lines."""

    learn: Callable[[Call], None]
    """Takes in what a call tells of others, shown or not."""
    call: Callable[[Call], bytes]
    calls: Callable[[list[Item], Callable[[Call], bool] | None], tuple[memoryview, int]]
    """Takes calls from the end of a list, learns from them, and gives the lines of those wanted (None: of all), which
    stand until it is called again, and how many these are; it stops before anything else, before a call that cannot be
    shown, and when there are enough for one write."""
    gap: Callable[[Gap], bytes]
    token: Callable[[RawToken], bytes]
    connection: Callable[[ConnectionReport], bytes]
    failed: Callable[[Item, str], bytes]
    """Says of anything that it cannot be shown, and why."""
    pass_over: Callable[[Call], object] | None = None
    """Remembers of a call what later lines depend on, as `call` does; None where they depend on nothing."""
    count_from: Callable[[int], object] | None = None
    """Takes the time of the capture's first packet, in ns since 1970, before the first line; None where no line needs
    it."""
    heading: bytes = b""
    """Stands above the first line."""


def json_format() -> LineFormat:
    """Give JSON lines."""
    from kafkasniff.render.json.items import connection_line, failed_line, gap_line, token_line
    from kafkasniff.render.json.lines import JsonLines

    lines = JsonLines()
    return LineFormat(
        lambda call: None,
        lines.line,
        lines.calls,
        gap_line,
        token_line,
        connection_line,
        lambda item, message: lines.failed(item, message) if isinstance(item, Call) else failed_line(item, message),
    )


def ordered_format(shape: "Shape") -> tuple[LineFormat, Callable[[int], bytes]]:
    """Give lines for people without what stands above them, and what gives that for the time of a line."""
    from kafkasniff.render.colours import colours_for
    from kafkasniff.render.terminal import terminal_width
    from kafkasniff.render.text.lines import CallLines

    width, colours = terminal_width(), colours_for(sys.stdout)
    cut = None if shape.wide else width
    header_rows = None if width is None or shape.no_header else 0
    lines = CallLines(cut, shape.time, shape.verbose, colours, "request", None)
    above = CallLines(cut, shape.time, shape.verbose, colours, "request", header_rows).above

    def line(text: Callable[[Any], Any], item: Any) -> bytes:
        lines.forget_day()
        made = text(item)
        return made if isinstance(made, bytes) else str(made).encode()

    return LineFormat(
        lines.learn,
        partial(line, lines.line),
        take_none,
        partial(line, lines.gap),
        partial(line, lines.token),
        partial(line, lines.connection),
        lambda item, message: lines.failed(item, message).encode(),
        None,
        lines.count_from,
    ), above


def terminal_format(shape: "Shape", repeats_header: bool = False) -> LineFormat:
    """Give lines for people: cut and coloured on a terminal, whole and plain elsewhere.

    `repeats_header`: the titles of the columns stand once a screen.
    """
    from kafkasniff.render.colours import colours_for
    from kafkasniff.render.terminal import terminal_width
    from kafkasniff.render.text.lines import CallLines

    width, header_rows = terminal_width(), None
    if width is not None and not shape.no_header:
        import shutil

        header_rows = max(shutil.get_terminal_size().lines - 2, 1) if repeats_header else 0
    cut = None if shape.wide else width
    lines = CallLines(cut, shape.time, shape.verbose, colours_for(sys.stdout), shape.time_of, header_rows)
    return LineFormat(
        lines.learn,
        lines.line,
        lines.calls,
        lambda gap: lines.gap(gap).encode(),
        lambda token: lines.token(token).encode(),
        lambda report: lines.connection(report).encode(),
        lambda item, message: lines.failed(item, message).encode(),
        lines.pass_over,
        lines.count_from,
    )


class Account(NamedTuple):
    """What a process has shown."""

    failures: Mapping[str, int]
    matched: int
    tally: Tally


class Showing:
    """Writes the items of a reading that the filters let through."""

    def __init__(
        self,
        reading: "Reading | Listening",
        wanted: Filter,
        form: LineFormat,
        limit: int | None = None,
        turns: "Turns | None" = None,
        comments: "PacketComments | None" = None,
        order: "RequestOrder | None" = None,
    ) -> None:
        """Show at most `limit` calls; None: all. With `turns`, other processes show some of them.

        With `order`, lines are written at the end, in the order of requests.

        With `comments`, the packets of what is shown are noted for `write_packets`, and what is written with them.
        """
        self._reading = reading
        self._filter = wanted
        self._shows_all = wanted.wants_all
        self._form = form
        self._left = -1 if limit is None else limit
        self._turns = turns
        self._comments = comments
        self._order = order
        self._items: list[Item] = []
        self.failures: Counter[str] = Counter()
        """How often something could not be shown, by the names of exceptions."""
        self._shown_packets: defaultdict[str, set[int]] = defaultdict(set)
        self._shown_secrets: dict[bytes, None] = {}
        self._progress = Progress(reading)

    def run(self, flush_batches: bool) -> None:
        """Show all; `flush_batches`: write what a batch of packets brought before waiting for the next.

        Raises CaptureError for a capture that cannot be read, KeyboardInterrupt when interrupted; both after writing
        what is known.
        """
        output = Output(sys.stdout.buffer)
        output.write(self._form.heading)
        try:
            self._show_batches(output, flush_batches)
        except KeyboardInterrupt:
            self._show_items(output)
            self._items = [*self._reading.finish()]
            self._show_items(output)
            self._finish(output)
            raise
        except CaptureError:
            self._end_turns(output)
            self._finish(output)
            raise
        self._finish(output)

    def take_share(self, output: Output) -> None:
        """Show what falls to this process; raises CaptureError as `run` does."""
        try:
            for items in self._reading.batches():
                self._show_turns(items, output)
        finally:
            self._end_turns(output)

    def account(self) -> "Account":
        """Give what the process that says how much was shown is to be told of what this one has shown."""
        return Account(self.failures, self._reading.summary.matched or 0, self._filter.tally())

    def _show_batches(self, output: Output, flush_batches: bool) -> None:
        for items in self._reading.batches():
            if self._turns is None:
                self._items = items
                self._show_items(output)
            else:
                self._show_turns(items, output)
                self._turns.check()
            if not self._left:
                return
            if flush_batches:
                output.flush()
            self._progress.report()
        self._end_turns(output)
        if self._turns is not None:
            for failures, matched, tally in self._turns.accounts(output):
                self.failures.update(failures)
                if not self._shows_all:
                    self._reading.summary.matched = (self._reading.summary.matched or 0) + matched
                    self._filter.add(tally)

    def _show_turns(self, items: list[Item], output: Output) -> None:
        assert self._turns is not None
        for part in self._turns.divide(items, output):
            if self._turns.is_own:
                self._items = part
                self._show_items(output)
            else:
                self._pass_over(part)

    def _end_turns(self, output: Output) -> None:
        if self._turns is not None:
            self._turns.end(output)

    def _pass_over(self, items: list[Item]) -> None:
        """Remember of what another process shows all that later lines depend on."""
        form = self._form
        if form.pass_over is None:
            return
        self._filter.start_at(self._reading.summary.first_time)
        if items and form.count_from is not None:
            form.count_from(self._first_time)
        for item in items:
            # What fails is said by the process that shows it.
            with suppress(Exception):
                self._remember(item)

    def _remember(self, item: Item) -> None:
        form = self._form
        if not isinstance(item, Call):
            if self._filter.wants(item):
                self._line(item)
        else:
            assert form.pass_over is not None
            form.learn(item)
            if self._filter.wants(item):
                form.pass_over(item)

    def _show_items(self, output: Output) -> None:
        items = self._items
        self._filter.start_at(self._reading.summary.first_time)
        if items and self._form.count_from is not None:
            self._form.count_from(self._first_time)
        items.reverse()
        while items and self._left:
            # Taken from the list, since the bodies decoded for one line should not outlive it.
            if self._left < 0 and self._comments is None and self._order is None:
                lines, shown = self._form.calls(items, self._filter.holds)
                output.write(lines)
                if not self._shows_all:
                    self._filter.count(shown, self._reading.summary)
            if items:
                self._show(items.pop(), output)
        items.reverse()

    def _finish(self, output: Output) -> None:
        self._progress.clear()
        if self._order is not None:
            self._order.write(output)
        output.flush()
        summary = self._reading.summary
        if not self._shows_all:
            self._filter.close(summary)
        # Of what was not read, nothing can be said.
        for text in closing_notes(summary) if self._left else ():
            print_message(f"kafkasniff: {text}")
        if self._left:
            print_message(closing_line(summary, self.failures))
        else:
            print_message("stopped at --limit; the rest of the capture was not read")
            if self.failures:
                print_message(failures_text(self.failures))

    def _show(self, item: Item, output: Output) -> None:
        """Show an item that the filters let through; no exception that its bytes cause may end the run."""
        try:
            line = self._line_of(item)
        except Exception as error:
            line = self._failed_line(item, error)
        if line is None:
            return
        if self._order is not None:
            self._order.add(_begun(item), line)
        else:
            output.write(line)
        if isinstance(item, Call):
            self._left -= 1
            self._note_packets(item)

    def _line_of(self, item: Item) -> bytes | None:
        """Give the lines of an item, None where the filters keep it back."""
        if not isinstance(item, Call):
            return self._line(item) if self._filter.wants(item) else None
        self._form.learn(item)
        if self._comments is not None:
            self._comments.learn(item)
        if not self._shows_all:
            if not self._filter.wants(item):
                return None
            self._filter.count(1, self._reading.summary)
        return self._form.call(item)

    def _failed_line(self, item: Item, error: Exception) -> bytes | None:
        """Count what cannot be shown, and give what can be said of it."""
        self.failures[type(error).__name__] += 1
        try:
            return self._form.failed(item, failure_text(error))
        except Exception:
            return None

    @property
    def _first_time(self) -> int:
        return self._reading.summary.first_time or 0

    def _line(self, item: Gap | RawToken | ConnectionReport) -> bytes:
        if isinstance(item, Gap):
            return self._form.gap(item)
        return self._form.token(item) if isinstance(item, RawToken) else self._form.connection(item)

    def _note_packets(self, call: Call) -> None:
        if self._comments is None:
            return
        self._comments.add(call)
        if call.connection.tls_secrets:
            self._shown_secrets[call.connection.tls_secrets] = None
        for frame in (call.request, call.response):
            if frame is not None:
                for arrival in frame.packets:
                    self._shown_packets[arrival.interface.file].add(arrival.packet)

    def write_packets(self, files: Sequence[str], path: str, write_secrets: bool) -> None:
        """Write the packets of the calls shown to a capture at `path`; raises CaptureError.

        With `write_secrets`, what opens the TLS of their connections stands before them, if the reading kept it.
        """
        from kafkasniff.capture.writer import PcapngWriter, create, select_packets

        try:
            with create(path, private=write_secrets) as stream:
                writer = PcapngWriter(stream, has_chosen_calls=True)
                for lines in self._shown_secrets:
                    writer.write_secrets(lines)
                comment_of = self._comments.of if self._comments is not None else None
                written = select_packets(files, self._shown_packets, writer, comment_of)
        except OSError as error:
            raise CaptureError(f"{path}: cannot be written: {error.strerror}") from None
        print_message(f"{written:,} packets written to {path}")


def _begun(item: Item) -> int:
    """Give when a call began, and when anything else was seen, in ns since 1970."""
    if isinstance(item, Call):
        return item.time.time
    return item.last.time if isinstance(item, ConnectionReport) else item.arrival.time
