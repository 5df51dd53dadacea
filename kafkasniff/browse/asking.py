"""What the process does that answers the screen: filters, searches, counts and writes, without the screen waiting."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kafkasniff.browse.channel import NICENESS, Channel
from kafkasniff.browse.lines import ListLines
from kafkasniff.browse.store.kept import KeptCalls
from kafkasniff.browse.store.layout import CallFiles
from kafkasniff.browse.store.matches import Matches
from kafkasniff.calls.call import Call
from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.filter import Filter

_SLICE_S: Final = 0.05
"""For how long is worked before the next question is looked for."""
_WAIT_S: Final = 0.05
_MOST_ROWS: Final = 500
"""Of an answer."""
_STEP: Final = 256
"""Calls that are taken together."""


class Asking:
    """Answers one question at a time; the filter goes on while more calls come."""

    def __init__(self, files: CallFiles, matches: Matches, captures: Mapping[str, str], channel: Channel) -> None:
        """Take calls from `files`; those that the filter wants are noted in `matches`.

        `captures` are the files that packets are copied from, by the names under which calls know them.
        """
        self._kept = KeptCalls(files)
        self._matches = matches
        self._captures = captures
        self._channel = channel
        self._filter = Filter()
        self._filter_id = 0
        self._looked = 0
        """Calls that the filter was asked about."""
        self._job: Iterator[None] | None = None
        self._lines: ListLines | None = None

    def run(self) -> None:
        """Answer until nobody asks any more."""
        # When the terminal goes, the screen goes, and then the channel: a question may have files to remove.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        busy = False
        while True:
            for message in self._channel.receive(0.0 if busy else _WAIT_S):
                self._begin(**message)
            if self._channel.closed:
                # What is left of a question closes what it opened.
                self._job = None
                return
            looking = self._look(time.monotonic() + _SLICE_S)
            busy = self._go_on(time.monotonic() + _SLICE_S) or looking

    def _begin(self, ask: str, **given: Any) -> None:
        """Begin with a question; one that was not answered yet is left."""
        jobs: dict[str, Callable[..., Iterator[None]]] = {
            "search": self._search,
            "count": self._count,
            "write": self._write,
        }
        if ask == "filter":
            self._set_filter(**given)
        else:
            self._job = jobs[ask](**given)

    def _go_on(self, until: float) -> bool:
        """Work on the question; tell whether there is more to do."""
        while self._job is not None and time.monotonic() < until:
            try:
                next(self._job)
            except StopIteration:
                self._job = None
        return self._job is not None

    def _set_filter(self, where: str, number: int, first_time: int | None) -> None:
        """Filter anew; `number` names this filter in the messages about it."""
        try:
            found = Filter(where or None)
        except FilterError as error:
            self._channel.send(wrong=str(error), filter=number)
            return
        found.start_at(first_time)
        self._filter, self._filter_id, self._looked = found, number, 0
        self._matches.clear()
        self._channel.send(filter=number, begun=True)

    def _look(self, until: float) -> bool:
        """Ask the filter about more calls; tell whether there are more."""
        if self._filter.wants_all:
            return False
        looked, count = self._looked, len(self._kept)
        while looked < count and time.monotonic() < until:
            last = min(looked + _STEP, count)
            self._matches.add([call.number for call in self._kept.calls(looked + 1, last) if self._wants(call)])
            looked = last
        if looked != self._looked:
            self._looked = looked
            seen = "" if self._matches.count() else self._filter.seen()
            self._channel.send(filter=self._filter_id, looked=looked, seen=seen)
        return looked < count

    def _wants(self, call: Call) -> bool:
        # What a message holds may end no search.
        try:
            return self._filter.wants(call)
        except Exception:
            return False

    def _rows(self) -> int:
        return len(self._kept) if self._filter.wants_all else self._matches.count()

    def _calls(self, first: int, count: int) -> list[Call]:
        """Give the calls in `count` rows of the list from `first` on."""
        if self._filter.wants_all:
            return [*self._kept.calls(first + 1, first + count)]
        return [self._kept.call(number) for number in self._matches.numbers(first, count)]

    def _search(self, text: str, row: int, forward: bool, number: int) -> Iterator[None]:
        """Find the next row from `row` on whose line holds what a regular expression says, and go on at the other end.

        Lower case finds both cases.
        """
        from kafkasniff.filters.values import regular_expression

        try:
            holds = regular_expression(text, in_any_case=text == text.lower())
        except FilterError as error:
            self._channel.send(search=number, wrong=str(error))
            return
        self._lines = self._lines or ListLines(self._kept, None)
        rows = self._rows()
        for part in _parts(row, rows, forward):
            calls = self._calls(part.start, len(part))
            found = [at for at, call in zip(part, calls, strict=False) if holds(self._lines.line(call)[0])]
            if found:
                self._channel.send(search=number, row=found[0] if forward else found[-1])
                return
            yield
        self._channel.send(search=number, row=-1)

    def _count(self, key: str, number: int) -> Iterator[None]:
        """Ask the question `stats` about the calls in the list, by a key."""
        from kafkasniff.questions.database import Database, quoted
        from kafkasniff.questions.errors import QuestionError
        from kafkasniff.questions.named import keyed
        from kafkasniff.render.tables.answers import cell_text

        text = f"{keyed('stats', [key])} ORDER BY calls DESC, {quoted(key)} LIMIT {_MOST_ROWS}"
        there = len(self._kept)
        while self._looked < there and not self._filter.wants_all:
            yield
        try:
            with Database() as database:
                filler = database.filler(["calls"], text)
                rows = self._rows()
                for first in range(0, rows, _STEP):
                    filler.take([*self._calls(first, min(_STEP, rows - first))])
                    yield
                filler.flush()
                answer = database.ask(text)
                columns, found = [*answer.columns], [*answer.rows]
        except QuestionError as error:
            self._channel.send(count=number, wrong=str(error))
            return
        shown = [[cell_text(value) for value in row] for row in found]
        self._channel.send(count=number, columns=columns, values=[row[0] for row in found], rows=shown)

    def _write(self, path: str, numbers: list[int]) -> Iterator[None]:
        """Write the packets of calls to a new capture."""
        from kafkasniff.capture.errors import CaptureError
        from kafkasniff.capture.writer import PcapngWriter, create, select_packets

        wanted: dict[str, set[int]] = {}
        for number in numbers:
            call = self._kept.call(number)
            for frame in (call.request, call.response):
                for arrival in () if frame is None else frame.packets:
                    wanted.setdefault(self._captures[arrival.interface.file], set()).add(arrival.packet)
        yield
        try:
            with create(path, private=False) as stream:
                written = select_packets(
                    [*self._captures.values()], wanted, PcapngWriter(stream, has_chosen_calls=True)
                )
        except (CaptureError, OSError) as error:
            self._channel.send(wrong=str(error))
            return
        self._channel.send(written=written, path=path)


def _parts(row: int, rows: int, forward: bool) -> Iterator[range]:
    """Give the rows behind `row`, or those before it, and then all others, some at a time, from near to far."""
    if forward:
        for begin, end in ((row + 1, rows), (0, min(row + 1, rows))):
            for first in range(begin, end, _STEP):
                yield range(first, min(first + _STEP, end))
    else:
        for begin, end in ((0, row), (row, rows)):
            for last in range(end, begin, -_STEP):
                yield range(max(last - _STEP, begin), last)


def asking(files: CallFiles, matches: Matches, captures: Mapping[str, str]) -> Callable[[Channel], None]:
    """Give what the process is to do."""

    def work(channel: Channel) -> None:
        os.nice(NICENESS)
        Asking(files, matches, captures, channel).run()

    return work
