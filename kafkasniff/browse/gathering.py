"""What the process does that reads captures, or listens: it keeps the calls, judges them, and tells how far it is."""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kafkasniff.browse.channel import NICENESS, Channel
from kafkasniff.browse.store.keeping import CallKeeper
from kafkasniff.browse.store.layout import CallFiles
from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item, taken_out
from kafkasniff.capture.errors import CaptureError
from kafkasniff.reading import Reading
from kafkasniff.render.text.brokers import TELLING_APIS, BrokerIds

if TYPE_CHECKING:  # these bring what the first calls should not wait for
    from kafkasniff.diagnose.engine import Diagnosis
    from kafkasniff.listening import Listening

_PROGRESS_S: Final = 0.05
_FIRST_CALLS: Final = 300
_FIRST_S: Final = 0.5
"""After so many calls, or so long, they are judged too."""
_FINDINGS_S: Final = 2.0
_FINDINGS_SHARE: Final = 20
"""Findings are put together again after so many times what that took, at the earliest."""
_MOST_TELLING: Final = 10_000
"""Calls that told of brokers, whose numbers are passed on."""


class Gathering:
    """Takes all that a reading gives."""

    def __init__(self, source: "Reading | Listening", files: CallFiles, channel: Channel) -> None:
        """Keep the calls of `source` in `files`, and tell of it through `channel`."""
        self._source = source
        self._channel = channel
        self._keeper = CallKeeper(files)
        self._brokers = BrokerIds()
        self._telling: list[int] = []
        self._told = 0
        self._diagnosis: Diagnosis | None = None
        self._held: list[Item] = []
        """What the rules have not taken yet."""
        self._next_progress = 0.0
        self._next_findings = 0.0

    def run(self) -> None:
        """Take all to the end, or until nobody listens."""
        begun = time.monotonic()
        try:
            for items in self._source.batches():
                for item in items:
                    if isinstance(item, Call):
                        self._keeper.keep(item)
                        self._learn(item)
                self._keeper.write()
                self._tell_progress()
                self._held += items
                # What judges takes longer to import than to read the first calls.
                if self._keeper.count >= _FIRST_CALLS or time.monotonic() >= begun + _FIRST_S:
                    self._judge_held()
                    if time.monotonic() >= self._next_findings:
                        self._tell_findings()
            self._judge_held()
        except (CaptureError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            self._channel.send(failed=str(error))
            return
        from kafkasniff.render.closing import closing_line, closing_notes

        self._tell_findings()
        summary = self._source.summary
        self._next_progress = 0.0
        self._tell_progress()
        notes = [*closing_notes(summary), *self._judge().limits_reached()]
        self._channel.send(done=closing_line(summary), notes=notes, damaged=bool(summary.damages))

    def _judge_held(self) -> None:
        """Let the rules take what was kept."""
        self._judge().feed_all(taken_out(self._held))

    def _judge(self) -> "Diagnosis":
        if self._diagnosis is None:
            from kafkasniff.diagnose.engine import Diagnosis

            self._diagnosis = Diagnosis()
            if isinstance(self._source, Reading):
                # The first calls are there; packets of an interface would not wait.
                os.nice(NICENESS)
            self._next_findings = time.monotonic() + _FINDINGS_S
        return self._diagnosis

    def _learn(self, call: Call) -> None:
        """Note the calls that tell of brokers what others did not."""
        header = call.header
        if header is not None and header.api_key in TELLING_APIS and len(self._telling) < _MOST_TELLING:
            changes = self._brokers.changes
            self._brokers.learn(call)
            if self._brokers.changes != changes:
                self._telling.append(call.number)

    def _tell_progress(self) -> None:
        now = time.monotonic()
        if now < self._next_progress:
            return
        self._next_progress = now + _PROGRESS_S
        read, size = self._source.bytes_read()
        summary = self._source.summary
        self._channel.send(
            read=read, size=size, first_time=summary.first_time, telling=self._telling[self._told :],
            dropped=summary.dropped_packets,
        )  # fmt: skip
        self._told = len(self._telling)

    def _tell_findings(self) -> None:
        from kafkasniff.diagnose.finding import findings_to_json

        begun = time.monotonic()
        findings = self._judge().findings()
        self._channel.send(findings=findings_to_json({"": findings}).decode())
        ended = time.monotonic()
        self._next_findings = ended + max(_FINDINGS_S, _FINDINGS_SHARE * (ended - begun))


def gathering(source: "Reading | Listening", files: CallFiles) -> Callable[[Channel], None]:
    """Give what the process is to do."""
    return lambda channel: Gathering(source, files, channel).run()
