"""The lines of calls in the list, for a width."""

from kafkasniff.browse.store.kept import KeptCalls
from kafkasniff.calls.call import Call
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.text.lines import CallLines
from kafkasniff.wording import failure_text


class ListLines:
    """Makes the line of any call, in any order."""

    def __init__(self, kept: KeptCalls, width: int | None, time: str = "absolute", colours: Colours = PLAIN) -> None:
        """Make lines of at most `width` columns (None: any), with times as `--time` says."""
        self._kept = kept
        self._lines = CallLines(width, time, 0, colours)
        self._title_lines = CallLines(width, time, 0, PLAIN, header_rows=0)
        self._titles = ""

    def count_from(self, first_time: int) -> None:
        """Take the time of the first packet, in ns since 1970."""
        self._lines.count_from(first_time)

    def learn(self, numbers: list[int]) -> None:
        """Take in what the calls with these numbers tell of brokers."""
        for number in numbers:
            self._lines.learn(self._kept.call(number))

    def titles(self, time: int) -> str:
        """Give the titles of the columns."""
        if not self._titles:
            self._titles = self._title_lines.above(time).decode().partition("\n")[0]
        return self._titles

    def line(self, call: Call) -> list[str]:
        """Give the line of a call; a second one has the errors that found no room in it."""
        try:
            if repeated := self._kept.repeated(call.number):
                # What a call repeats is said of the one that was learnt last.
                self._lines.learn(self._kept.call(repeated))
                self._lines.learn(call)
            return self._lines.call(call).splitlines()
        except Exception as error:
            return [self._lines.failed(call, failure_text(error)).rstrip("\n")]
