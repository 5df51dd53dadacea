"""What is browsed: the calls, those that a filter wants, and the processes that read and answer."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kafkasniff.browse.channel import Helper
from kafkasniff.browse.gathering import gathering
from kafkasniff.browse.store.kept import KeptCalls, Wanted
from kafkasniff.browse.store.layout import CallFiles
from kafkasniff.browse.store.matches import Matches

if TYPE_CHECKING:
    from kafkasniff.diagnose.finding import Finding
    from kafkasniff.listening import Listening
    from kafkasniff.reading import Reading


class Session:
    """Starts the processes, and takes in what they say. As a context manager it ends them."""

    def __init__(
        self,
        source: "Reading | Listening",
        captures: Mapping[str, str],
        wanted: Wanted = Wanted(),  # noqa: B008 (it cannot be changed)
        where: str = "",
    ) -> None:
        """Read `source`, and begin with the filter `where`. Raises OSError.

        Packets are copied from `captures`: paths of files by their names in calls.
        """
        files = self._files = CallFiles()
        self.kept = KeptCalls(files, wanted)
        """All calls."""
        self._matches = Matches()
        from kafkasniff.reading import Reading

        self.reads_files = isinstance(source, Reading)
        """Whether there is an end."""
        self._reader = Helper(gathering(source, files))
        self._captures = captures
        self._answerer: Helper | None = None
        self.where = ""
        """The filter's expression; empty: all calls are wanted."""
        self._filter_number = 0
        self._filter_begun = True
        self.looked = 0
        """Calls that the filter was asked about."""
        self.seen = ""
        """What there was of the fields of which no value passed the filter."""
        self.telling: list[int] = []
        """Numbers of the calls that told of brokers."""
        self.first_time: int | None = None
        """Of the first packet, in ns since 1970."""
        self.share: float | None = 0.0
        """How much of the captures was read; None where that is not known."""
        self.dropped = 0
        """Packets that the kernel dropped."""
        self.done = ""
        """What the capture was worth, once all was read."""
        self.notes: list[str] = []
        self.damaged = False
        """Whether a file could not be read to its end."""
        self.findings: list[Finding] = []
        self.messages: list[str] = []
        """What is to be said to the user."""
        self._pending = where
        self._searches = 0
        self._searched = ""
        self._counts = 0
        self.counted: dict[str, Any] | None = None
        """The answer to the last question: `columns`, `values` of the key and `rows` of text."""
        self.found: int | None = None
        """The row that a search found, -1 for none; None while it goes on."""

    def close(self) -> None:
        """End the processes."""
        self._reader.stop()
        if self._answerer is not None:
            self._answerer.stop()

    def begin_answering(self) -> None:
        """Start the process that answers what is asked: before there are threads, and behind the first calls.

        Raises OSError.
        """
        from kafkasniff.browse.asking import asking

        self._answerer = Helper(asking(self._files, self._matches, self._captures))

    def _ask(self, what: str, **about: Any) -> None:
        assert self._answerer is not None
        self._answerer.channel.send(ask=what, **about)

    def count(self) -> int:
        """Give how many calls the filter wants so far."""
        if not self.where:
            return len(self.kept)
        return self._matches.count() if self._filter_begun else 0

    def numbers(self, row: int, count: int) -> Sequence[int]:
        """Give the numbers of the calls in up to `count` rows, the first at `row`, from 0."""
        if not self.where:
            return range(row + 1, min(row + count, len(self.kept)) + 1)
        return self._matches.numbers(row, count) if self._filter_begun else ()

    def row_of(self, number: int) -> int:
        """Give the row of a call, or of the next one that the filter wants."""
        if not self.where:
            return number - 1
        low, high = 0, self.count()
        while low < high:
            middle = (low + high) // 2
            if self.numbers(middle, 1)[0] < number:
                low = middle + 1
            else:
                high = middle
        return low

    def filter(self, where: str) -> None:
        """Want the calls for which an expression holds; `messages` says what is wrong with one."""
        self._filter_number += 1
        self._pending = where
        self._ask("filter", where=where, number=self._filter_number, first_time=self.first_time)

    def search(self, text: str, row: int, forward: bool) -> None:
        """Look for the next row from `row` whose line holds a regular expression.

        `found` says which, -1: none; `messages` why there is none.
        """
        self._searches += 1
        self._searched = text
        self.found = None
        self._ask("search", text=text, row=row, forward=forward, number=self._searches)

    def count_by(self, key: str) -> None:
        """Ask the question `stats` by a key about the calls that the filter wants; `counted` has the answer."""
        self._counts += 1
        self.counted = None
        self._ask("count", key=key, number=self._counts)

    def write(self, path: str, numbers: Sequence[int]) -> None:
        """Write the packets of calls to a new capture; `messages` says what became of it."""
        self._ask("write", path=path, numbers=[*numbers])

    def poll(self) -> bool:
        """Take in what the processes say; tell whether the filter changed."""
        changed = False
        for message in self._reader.channel.receive():
            self._take_read(message)
        if self._answerer is not None and self._pending and self.first_time is not None and not self._filter_number:
            self.filter(self._pending)
        if self._answerer is None:
            return False
        for message in self._answerer.channel.receive():
            changed |= self._take_answer(message)
        return changed

    def _take_read(self, message: dict[str, Any]) -> None:
        if "telling" in message:
            self.telling += message["telling"]
            self.first_time = message["first_time"]
            size = message["size"]
            self.share = message["read"] / size if size else None
            self.dropped = message["dropped"]
        elif "findings" in message:
            from kafkasniff.diagnose.finding import findings_from_json

            self.findings = findings_from_json(message["findings"].encode())[""]
        elif "done" in message:
            self.done, self.notes, self.damaged = message["done"], message["notes"], message["damaged"]
            self.messages += self.notes[:1]
        elif "failed" in message:
            self.done, self.damaged = "reading stopped", True
            self.notes.append(message["failed"])
            self.messages.append(message["failed"])
        elif "said" in message:
            self.messages.append(message["said"])

    def _take_answer(self, message: dict[str, Any]) -> bool:
        """Take in an answer; tell whether the filter changed by it."""
        if "filter" in message:
            if message["filter"] != self._filter_number:
                return False
            if "wrong" in message:
                self.messages.append(message["wrong"])
            elif "begun" in message:
                self.where = self._pending
                self.looked = 0
                self._filter_begun = True
                return True
            else:
                self.looked, self.seen = message["looked"], message["seen"]
        elif "search" in message:
            if message["search"] == self._searches:
                self.found = message.get("row", -1)
                if self.found < 0:
                    self.messages.append(message.get("wrong") or f"no line holds {self._searched}")
        elif "count" in message:
            if message["count"] == self._counts:
                self.counted = (
                    {"columns": [message["wrong"]], "values": [], "rows": []} if "wrong" in message else message
                )
        elif "written" in message:
            self.messages.append(f"{message['written']:,} packets written to {message['path']}")
        else:
            self.messages.append(message.get("wrong") or message.get("failed") or "")
        return False
