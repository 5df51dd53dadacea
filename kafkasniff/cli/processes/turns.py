"""Turns that processes take in showing what all of them read (`--jobs`)."""

from collections.abc import Callable, Iterator

import orjson

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.cli.processes.jobs import Mark, Pipe, Workers
from kafkasniff.cli.showing.reading import Account, LineFormat, Showing
from kafkasniff.cli.terminal.output import Output
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading, Summary

_TURN_BYTES = 1 << 20
"""How long a turn is, in bytes of messages."""

_ITEM_BYTES = 1024
"""What an item takes beside its bytes, as so many more of them: about that of a line."""

_TURN_PACKETS = 4096
"""Packets after which a turn ends with its batch, so that one without calls ends too."""


class Turns:
    """Divides items into turns of about the same work, the same in each of some processes."""

    def __init__(
        self,
        jobs: int,
        number: int,
        summary: Summary,
        end: Callable[[int, Output, Mark], None],
        workers: Workers | None = None,
    ) -> None:
        """Count the turns for process `number` of `jobs`, from 0; `end` is told when one is over, and whose."""
        self._jobs = jobs
        self._number = number
        self._summary = summary
        self._end = end
        self._workers = workers
        self._whose = 0
        self._left = _TURN_BYTES
        self._until_packet = _TURN_PACKETS

    @property
    def is_own(self) -> bool:
        """Tell whether this process shows what comes now."""
        return self._whose == self._number

    def divide(self, items: list[Item], output: Output) -> Iterator[list[Item]]:
        """Give the items of a batch in lists of one turn each; the next is asked for when one has been dealt with."""
        part: list[Item] = []
        for item in items:
            part.append(item)
            self._left -= _size(item)
            if self._left <= 0:
                yield part
                part = []
                self.end(output)
        if part:
            yield part
        if self._summary.packets >= self._until_packet:
            self.end(output)

    def end(self, output: Output) -> None:
        """End the turn that is under way."""
        summary = self._summary
        self._end(self._whose, output, (summary.packets, summary.counts.calls))
        self._whose = (self._whose + 1) % self._jobs
        self._left = _TURN_BYTES
        self._until_packet = summary.packets + _TURN_PACKETS

    def accounts(self, output: Output) -> list[Account]:
        """Give what the other processes have shown, at their end."""
        workers = self._workers.all if self._workers is not None else []
        return [Account(*orjson.loads(worker.rest(output))) for worker in workers]

    def check(self) -> None:
        """Raise KeyboardInterrupt when Ctrl-C was pressed and no other process has anything that comes first."""
        if self.is_own and self._workers is not None and self._workers.interrupted:
            raise KeyboardInterrupt


def _size(item: Item) -> int:
    if not isinstance(item, Call):
        return _ITEM_BYTES
    return _ITEM_BYTES + sum(len(frame.data) for frame in (item.request, item.response) if frame is not None)


def show(jobs: int, read: Callable[[], Reading], wanted: Filter, form: LineFormat) -> Reading:
    """Show all calls with `jobs` processes, each of which reads the captures with `read`; give the reading.

    Raises CaptureError and KeyboardInterrupt as `Showing.run` does.
    """

    def take_share(number: int, pipe: Pipe) -> None:
        def end(whose: int, output: Output, mark: Mark) -> None:
            if whose == number:
                output.flush()
                pipe.end_turn(mark)

        reading = read()
        turns = Turns(jobs, number, reading.summary, end)
        showing = Showing(reading, wanted, form, turns=turns)
        showing.take_share(Output(pipe))
        pipe.write(orjson.dumps([*showing.account()]))

    reading = read()
    with Workers(jobs - 1, take_share) as workers:

        def end(whose: int, output: Output, mark: Mark) -> None:
            if whose:
                workers.all[whose - 1].copy_turn(output, mark)

        turns = Turns(jobs, 0, reading.summary, end, workers)
        Showing(reading, wanted, form, turns=turns).run(flush_batches=False)
        if workers.interrupted:
            raise KeyboardInterrupt
    return reading
