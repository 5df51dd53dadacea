"""Picks single calls out of a reading, with those around them and the findings that cite them."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.cli.showing.reading import LineFormat
from kafkasniff.diagnose.finding import Evidence, Finding
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from kafkasniff.render.diagnosis.findings import for_people
from kafkasniff.render.terminal import terminal_width
from kafkasniff.render.words import count_text, escape, show
from kafkasniff.render.wrapping import paragraph
from kafkasniff.tcp.events import Connection
from kafkasniff.wording import failure_text

_MOST_CHOSEN = 1000
"""Calls that are shown whole at most."""

_NUMBERS = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)


def numbers_in(text: str) -> range | None:
    """Give the numbers that an argument like `7` or `12-15` means; None where it is something else."""
    found = _NUMBERS.fullmatch(text)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else None


class Wanted(NamedTuple):
    """Which calls: those of any of these."""

    numbers: tuple[range, ...] = ()
    packets: frozenset[int] = frozenset()
    """Of any file, by their numbers in it."""
    correlation_ids: frozenset[int] = frozenset()
    where: Filter | None = None


@dataclass(slots=True)
class _Shown:
    """A call that is shown, with what stands around it."""

    number: int
    packets: set[tuple[str, int]]
    before: list[bytes]
    whole: bytes
    after: list[bytes] = field(default_factory=list)


class Chosen:
    """Takes the wanted calls from a reading."""

    def __init__(self, wanted: Wanted, whole: LineFormat, line: LineFormat, context: int) -> None:
        """Show calls in the form `whole`, and the `context` calls before and after each in the form `line`."""
        self._wanted = wanted
        self._whole = whole
        self._line = line
        self._context = context
        self._before: defaultdict[Connection, deque[bytes]] = defaultdict(lambda: deque(maxlen=context))
        self._awaiting: list[tuple[Connection, _Shown]] = []
        self._shown: list[_Shown] = []
        self._findings: list[Finding] = []
        self._calls = 0
        self._left_out = 0

    def read(self, reading: Reading, with_findings: bool) -> None:
        """Take what a reading gives, to its end; `with_findings` also what is found in it. Raises CaptureError."""
        diagnosis = None
        if with_findings:
            from kafkasniff.diagnose.engine import Diagnosis

            diagnosis = Diagnosis()
        # What calls tell of others is remembered by forms that are used.
        forms = (self._whole, self._line) if self._context else (self._whole,)
        has_begun = False
        for item in reading:
            if diagnosis is not None:
                diagnosis.feed(item)
            if isinstance(item, Call):
                if not has_begun:
                    has_begun = True
                    self._begin(reading.summary.first_time, forms)
                for form in forms:
                    form.learn(item)
                self._take(item)
            elif isinstance(item, ConnectionReport):
                self._before.pop(item.connection, None)
        if diagnosis is not None:
            self._findings = diagnosis.findings()

    def _begin(self, first_time: int | None, forms: Iterable[LineFormat]) -> None:
        if self._wanted.where is not None:
            self._wanted.where.start_at(first_time)
        for form in forms:
            if form.count_from is not None:
                form.count_from(first_time or 0)

    def texts(self, says_more: bool) -> Iterator[bytes]:
        """Give what to print; `says_more`: also packets and findings, for people alone."""
        for shown in self._shown:
            yield from shown.before
            yield shown.whole
            if says_more:
                by_file = defaultdict(list)
                for file, packet in sorted(shown.packets):
                    by_file[file].append(f"{packet:,}")
                for file, packets in by_file.items():
                    yield _note(f"packets of {escape(file)}: {show(', '.join(packets), 400)}")
                for finding in self._findings:
                    if any(_cites(each, shown) for each in finding.evidence):
                        yield _note(
                            f"finding {finding.rule} ({finding.severity}): {show(for_people(finding).summary, 400)}"
                        )
            yield from shown.after

    def missing(self) -> list[str]:
        """Say which numbers no call has, and how many calls found no room."""
        have = {shown.number for shown in self._shown}
        texts = [
            f"no call {numbers.start}{f' to {numbers[-1]}' if len(numbers) > 1 else ''}: "
            f"there are {count_text(self._calls, 'call')}"
            for numbers in self._wanted.numbers
            if have.isdisjoint(numbers)
        ]
        if not self._shown and not texts:
            seen = self._wanted.where.seen() if self._wanted.where is not None else ""
            texts.append(f"0 of {count_text(self._calls, 'call')} match{seen}")
        if self._left_out:
            texts.append(f"{count_text(self._left_out, 'call')} more not shown: at most {_MOST_CHOSEN:,} are")
        return texts

    def _take(self, call: Call) -> None:
        self._calls = call.number
        connection = call.connection
        # The same line may be wanted before and after several calls.
        line = b"" if not self._context else call_text(self._line, call)
        for follows, shown in self._awaiting:
            if follows is connection:
                shown.after.append(line)
        self._awaiting = [(each, shown) for each, shown in self._awaiting if len(shown.after) < self._context]
        if self._is_wanted(call):
            if len(self._shown) < _MOST_CHOSEN:
                before = list(self._before[connection]) if self._context else []
                shown = _Shown(call.number, _packets_of(call), before, call_text(self._whole, call))
                self._shown.append(shown)
                if self._context:
                    self._awaiting.append((connection, shown))
            else:
                self._left_out += 1
        if self._context:
            self._before[connection].append(line)

    def _is_wanted(self, call: Call) -> bool:
        wanted = self._wanted
        return (
            any(call.number in numbers for numbers in wanted.numbers)
            or (bool(wanted.correlation_ids) and call.correlation_id in wanted.correlation_ids)
            or (wanted.where is not None and wanted.where.wants(call))
            or (bool(wanted.packets) and any(packet in wanted.packets for _, packet in _packets_of(call)))
        )


def _packets_of(call: Call) -> set[tuple[str, int]]:
    """Give the packets that carried a call, with their files."""
    return {
        (arrival.interface.file, arrival.packet)
        for frame in (call.request, call.response)
        if frame is not None
        for arrival in frame.packets
    }


def _cites(evidence: Evidence, shown: _Shown) -> bool:
    """Tell whether evidence is about a call, or about a packet of its where it is about no call."""
    if evidence.call:
        return evidence.call == shown.number
    return (evidence.arrival.interface.file, evidence.arrival.packet) in shown.packets


def call_text(form: LineFormat, call: Call) -> bytes:
    """Give a call in a form, or a line that says why it cannot be shown."""
    try:
        return form.call(call)
    except Exception as error:
        return form.failed(call, failure_text(error))


def _note(text: str) -> bytes:
    """Give what stands below a call, broken where the terminal is narrower."""
    width = terminal_width()
    return f"{f'  {text}' if width is None else paragraph(text, width, '  ', '    ')}\n".encode()
