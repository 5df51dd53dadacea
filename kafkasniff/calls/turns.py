"""What the connections of a batch bring: each is taken by itself, and what ended is put into order over all of them."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush, heapreplace, merge
from operator import itemgetter

from kafkasniff.calls.columns.calls import CallColumns, CallRows
from kafkasniff.calls.columns.lane import take_talks
from kafkasniff.calls.columns.talks import Talk, begin_talk
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.items import Item
from kafkasniff.calls.run_sides import NEVER, RunReader
from kafkasniff.calls.runs import RunTaker
from kafkasniff.tcp.events import Connection, StreamData, StreamEvent, StreamRun
from kafkasniff.tcp.lives import Lives


class Turns:
    """What a batch has brought so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._found: list[tuple[int, Sequence[Item]]] = []
        """With places: see `Reassembler.places`."""
        self._columns: list[CallColumns] = []
        self._talks: dict[Connection, tuple[Talk, RunTaker | None]] = {}
        """Runs that go by columns, many of them at once, before anything else happens on their connections; with who
        has begun to take them, if anybody has."""
        self._undecided: list[tuple[int, int, int, RunTaker, Connection]] = []
        """Runs of connections of which it is not known yet what they are, by the place of their next step; with the
        earliest place and a number of each."""
        self._runs = 0

    def go_on(self, place: int) -> None:
        """Take what undecided connections bring before `place`: what others show until then may decide them."""
        undecided = self._undecided
        while undecided and undecided[0][0] < place:
            _, number, earliest, taker, connection = undecided[0]
            if items := taker.step():
                self._found.append((undecided[0][0], items))
            if taker.is_decided or taker.packet == NEVER:
                heappop(undecided)
                self._take(taker, connection, earliest)
            else:
                heapreplace(undecided, (max(2 * taker.packet + 1, earliest), number, earliest, taker, connection))

    def take_columns(self, columns: CallColumns) -> None:
        """Take calls that were found by columns."""
        self._columns.append(columns)

    def settle(self, connection: Connection) -> None:
        """Take what was put off, if that is to be taken before the next event of a connection."""
        if connection in self._talks:
            self._take_talks()

    def add(self, place: int, items: Sequence[Item]) -> None:
        """Take what an event brought that is no run."""
        if items:
            self._found.append((place, items))

    def take_run(self, place: int, run: StreamRun, conversation: Conversation | EncryptedConversation) -> None:
        """Take a run: by columns as far as they can do it, else frame by frame or segment by segment."""
        talk = begin_talk(run, conversation)
        if talk is not None:
            self._talks[run.connection] = talk, None
            return
        taker = RunTaker(run, conversation)
        if taker.is_decided:
            self._take(taker, run.connection, place)
        else:
            self._runs += 1
            heappush(self._undecided, (max(2 * taker.packet + 1, place), self._runs, place, taker, run.connection))

    def items(self) -> list[Item | CallRows]:
        """Give all that ended, in packet order."""
        self.go_on(2 * NEVER)
        self._take_talks()
        self._found.sort(key=itemgetter(0))
        items: list[Item | CallRows] = []
        rows = _slices(self._columns, [place for place, _ in self._found])
        for (_, found), before in zip(self._found, rows, strict=False):
            items += before
            items += found
        items += next(rows)
        return items

    def _take(self, taker: RunTaker, connection: Connection, earliest: int = 0) -> None:
        """Take a run up to what may go by columns."""
        talk = taker.take(earliest, self._found)
        if talk is not None:
            self._talks[connection] = talk, taker

    def _take_talks(self) -> None:
        if not self._talks:
            return
        begun, self._talks = self._talks, {}
        columns, refused = take_talks([talk for talk, _ in begun.values()])
        if columns is not None:
            self._columns.append(columns)
        for run, conversation, _, _ in refused:
            taker = begun[run.connection][1] or RunTaker(run, conversation)
            taker.stay()
            self._take(taker, run.connection)


def _slices(columns: Sequence[CallColumns], places: Iterable[int]) -> Iterator[list[Item | CallRows]]:
    """Give the calls that end before each place, and at last the rest."""
    ends = [each.places() for each in columns]
    heads = [(end.item(0), index, 0) for index, end in enumerate(ends) if len(end)]
    heapify(heads)
    for place in (*places, 2 * NEVER):
        found: list[Item | CallRows] = []
        while heads and heads[0][0] < place:
            _, index, start = heads[0]
            bound = min([place, *(head[0] for head in heads[1:3])])
            stop = int(ends[index].searchsorted(bound))
            found.append(CallRows(columns[index], start, stop))
            if stop < len(ends[index]):
                heapreplace(heads, (ends[index].item(stop), index, stop))
            else:
                heappop(heads)
        yield found


def with_lives(
    events: list[StreamEvent], places: list[int], lives: Iterable[Lives]
) -> tuple[list[StreamEvent], list[int]]:
    """Give events and their places with what whole connections bring in its turn between them."""
    brought = [pair for each in lives for row in range(len(each)) for pair in each.events(row)]
    if not brought:
        return events, places
    placed = sorted([*zip(places, events, strict=True), *brought], key=itemgetter(0))
    return [event for _, event in placed], [place for place, _ in placed]


def one_by_one(events: Sequence[StreamEvent], places: Sequence[int]) -> Iterator[StreamEvent]:
    """Give events with the segments of runs each in its turn, as packets taken one by one would bring them."""
    placed = list(zip(places, range(len(events)), events, strict=True))
    singles = (each for each in placed if not isinstance(each[2], StreamRun))
    runs = [_segments(place, index, event) for place, index, event in placed if isinstance(event, StreamRun)]
    for _, _, event in merge(singles, *runs, key=itemgetter(0, 1)):
        yield event


def _segments(earliest: int, index: int, run: StreamRun) -> Iterator[tuple[int, int, StreamData]]:
    reader = RunReader(run)
    while (packet := reader.packet) != NEVER:
        yield max(2 * packet + 1, earliest), index, reader.read()
