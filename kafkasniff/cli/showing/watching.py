"""Totals while interfaces are listened to: `kafkasniff live --every` and `--metrics`."""

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.cli.options.watching import host_and_port
from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.diagnose.finding import Finding
from kafkasniff.filters.filter import Filter
from kafkasniff.listening import Listening
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import Totals
from kafkasniff.render.closing import closing_line, closing_notes

if TYPE_CHECKING:
    from kafkasniff.cli.showing.top import Top
    from kafkasniff.metrics.serving import MetricsServer
    from kafkasniff.tracing.export import Exporting

_MOST_ROWS = 10


def take_port(address: str, stack: ExitStack) -> "MetricsServer":
    """Take the port that `--metrics` names; `stack` gives it back.

    Raises CaptureError where it cannot be had, typer.BadParameter where it is no address.
    """
    host, port = host_and_port(address, "--metrics")
    try:
        from kafkasniff.metrics.serving import MetricsServer
    except ImportError:
        raise CaptureError("--metrics needs prometheus_client: pip install 'kafkasniff[metrics]'") from None
    try:
        server = MetricsServer(host, port)
    except OSError as error:
        raise CaptureError(f"--metrics {address}: cannot be served: {error.strerror}") from None
    stack.callback(server.close)
    return server


class Watching:
    """Counts what a live capture gives, and serves or prints the totals."""

    def __init__(self, address: str | None, most_names: int, stack: ExitStack) -> None:
        """Take the port at `address` (None: nothing is served), before privileges are given up; `stack` gives it back.

        Raises CaptureError where it cannot be had, typer.BadParameter where it is no address.
        """
        self.totals = Totals(most_names)
        self.findings: list[Finding] = []
        """The latest, where they are looked for."""
        self.spans: Exporting | None = None
        """Takes calls and findings too."""
        self._server = None if address is None else take_port(address, stack)

    def begin(self, listening: Listening, capture: LiveCapture, wanted: Filter, counts_matches: bool) -> None:
        """Count what is wanted of that which `listening` gives; with `counts_matches` note how much of it that is."""
        summary = listening.summary

        def watch(items: list[Item]) -> None:
            chosen = items
            if not wanted.wants_all:
                wanted.start_at(summary.first_time)
                chosen = [item for item in items if wanted.wants(item)]
                if counts_matches:
                    wanted.count(sum(isinstance(item, Call) for item in chosen), summary)
            self.totals.take(chosen)
            if self.spans is not None:
                self.spans.take(chosen)

        listening.watchers.append(watch)
        if self._server is not None:
            from kafkasniff.metrics.exposition import Exposition

            exposition = Exposition(self.totals, lambda: State.of(listening), self.findings)
            self._server.start(exposition, lambda: next(map(str, capture.failures), None))
            print_message(f"metrics at http://{self._server.host}:{self._server.port}/metrics")

    def tell(self, finding: Finding) -> None:
        """Tell a collector of a finding that is certain."""
        if self.spans is not None:
            self.spans.finding(finding)

    def view(
        self, listening: Listening, screen: "Top | None", every_ns: int | None, json_output: bool
    ) -> "View | None":
        """Begin what is shown: the screen, else intervals of `every_ns`; None where nothing is."""
        if screen is not None:
            screen.begin(listening, self.totals, self.findings)
            return screen
        return None if every_ns is None else Intervals(listening, self.totals, every_ns / 1e9, json_output)


class View(Protocol):
    """What is shown of totals."""

    @property
    def shows_findings(self) -> bool:
        """Tell whether findings are among it."""

    def look(self) -> None:
        """Show what there is, if it is time."""

    def end(self) -> None:
        """Show what there is: nothing more comes."""


def run_without_calls(listening: Listening, wanted: Filter, view: View | None) -> None:
    """Take all that comes and show `view` (None: nothing) of it; raises as `Showing.run` does."""
    try:
        for _ in listening.batches():
            if view is not None:
                view.look()
    except KeyboardInterrupt:
        listening.finish()
        raise
    finally:
        if view is not None:
            view.end()
        if not wanted.wants_all:
            wanted.close(listening.summary)
        for text in closing_notes(listening.summary):
            print_message(f"kafkasniff: {text}")
        print_message(closing_line(listening.summary))


class Intervals:
    """Prints what came in each interval."""

    shows_findings = False

    def __init__(self, listening: Listening, totals: Totals, seconds: float, json_output: bool) -> None:
        """Begin the first interval, of so many seconds as all."""
        self._listening = listening
        self._totals = totals
        self._seconds = seconds
        self._json_output = json_output
        self._output = Output(sys.stdout.buffer)
        self._before = totals.snapshot()
        self._state = State.of(listening)
        self._began = time.monotonic()

    def look(self) -> None:
        """Print the interval if it is over."""
        if time.monotonic() >= self._began + self._seconds:
            self.end()

    def end(self) -> None:
        """Print the interval as it is, and begin the next."""
        now = time.monotonic()
        snapshot, state = self._totals.snapshot(), State.of(self._listening)
        came, seconds = snapshot.since(self._before), max(now - self._began, 1e-3)
        told = state.since(self._state)
        if self._json_output:
            from kafkasniff.metrics.lines import interval_lines

            for line in interval_lines(came, seconds, told):
                self._output.write(line)
        else:
            from kafkasniff.metrics.screen import interval_text
            from kafkasniff.render.terminal import terminal_width
            from kafkasniff.render.times import utc_text

            self._output.write(f"{utc_text(snapshot.time_ns, 6)}, {seconds:.1f} s\n".encode())
            for text in interval_text(came, seconds, told, _MOST_ROWS, terminal_width()):
                self._output.write(f"{text}\n".encode(errors="backslashreplace"))
        self._output.flush()
        self._before, self._state = snapshot, state
        # Late by a fraction of it at most, which the next is shorter by.
        self._began = now
