"""Says what is wrong while interfaces are listened to: `kafkasniff live --diagnose`."""

import sys
import time

from kafkasniff.calls.items import Item
from kafkasniff.cli.showing.findings import Shape, fails, finding_form, say_closing, write_findings
from kafkasniff.cli.showing.watching import View, Watching
from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.filters.filter import Filter
from kafkasniff.listening import Listening

LOOK_SECONDS = 1.0
_LOOK_SHARE = 20
"""A look asks every rule about all that it remembers: it may take a twentieth of the time."""
_MOST_SAID = 100_000
"""Findings remembered as said; one that was forgotten is said again."""


class Diagnosing:
    """Prints each finding soon after its rule fires, and all of them, as they are then, at the end."""

    def __init__(
        self,
        listening: Listening,
        diagnosis: Diagnosis,
        wanted: Filter,
        json_output: bool,
        fail_on: str | None,
        watching: Watching | None = None,
        view: View | None = None,
    ) -> None:
        """Feed `diagnosis` with what is wanted of that which `listening`, which must report connections, gives.

        `watching` is told of findings too, and `view` is shown meanwhile.
        """
        self._view = view
        self._says_soon = view is None or not view.shows_findings
        self._watching = watching
        self._fail_on = fail_on
        self._listening = listening
        self._diagnosis = diagnosis
        self._wanted = wanted
        self._soon = finding_form(json_output, so_far=True)
        self._json_output = json_output
        self._output = Output(sys.stdout.buffer)
        self._next_look = time.monotonic() + LOOK_SECONDS
        self._seen: set[tuple[str, object]] = set()
        self._said: Bounded[bool] = Bounded(_MOST_SAID)

    def run(self) -> bool:
        """Take all that comes; tell whether a finding is so bad as `fail_on` says.

        Raises CaptureError when packets cannot be written or secrets not be read any more, KeyboardInterrupt when
        interrupted; both after printing what is known.
        """
        try:
            for items in self._listening.batches():
                self._feed(items)
                if time.monotonic() >= self._next_look:
                    self._look()
                if self._view is not None:
                    self._view.look()
        except KeyboardInterrupt:
            self._feed(self._listening.finish())
            raise
        finally:
            if self._view is not None:
                self._view.end()
            findings = self._finish()
        return fails(findings, self._fail_on)

    def _feed(self, items: list[Item]) -> None:
        self._diagnosis.feed_all(self._wanted.judged(items, self._listening.summary))

    def _look(self) -> None:
        """Print the findings that are new since the last look and were there then: what explains them may come late."""
        began = time.monotonic()
        seen = set()
        findings = self._diagnosis.findings()
        for finding in findings:
            name = (finding.rule, finding.key)
            seen.add(name)
            if name in self._seen and not self._said.get(name):
                self._said.put(name, True)
                if self._says_soon:
                    self._output.write(self._soon(finding))
                if self._watching is not None:
                    self._watching.tell(finding)
        self._seen = seen
        if self._watching is not None:
            self._watching.findings[:] = findings
        self._output.flush()
        ended = time.monotonic()
        self._next_look = ended + max(LOOK_SECONDS, _LOOK_SHARE * (ended - began))

    def _finish(self) -> list[Finding]:
        findings = self._diagnosis.findings()
        if self._watching is not None:
            for finding in findings:
                if not self._said.get((finding.rule, finding.key)):
                    self._watching.tell(finding)
        if len(self._said) and self._says_soon:
            print_message("the findings at the end:")
        write_findings(findings, self._listening.summary, self._output, self._json_output, Shape(), whole=False)
        say_closing(self._listening.summary, self._diagnosis.limits_reached(), findings)
        return findings
