# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes one line a call, and lines of what else was found."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.line_writer import LineWriter
from kafkasniff.render.text.clock import ClockTime, time_column, time_title
from kafkasniff.render.text.column_widths import TOOK, header_line, widths_for
from kafkasniff.render.text.line_parts import LinePart, LineParts
from kafkasniff.render.text.parts import OUTCOMES, error_names, outcome_text, problem_text
from kafkasniff.render.text.summaries.summary import Summaries
from kafkasniff.render.times import SinceFirst
from kafkasniff.render.words import cells, duration_text, shorten, shorten_words
from kafkasniff.render.wrapping import paragraph

if not cython.compiled:
    from kafkasniff.render.text.cut_messages import write_cut

_MILLISECOND_NS = 1_000_000
_SLOW_NS = cython.declare(cython.longlong, 1_000_000_000)
"""An answer that took longer than this is marked."""

_LATE_NS = cython.declare(cython.longlong, 999_500_000)
"""From which on a duration is given in seconds."""
_NO_DURATION = cython.declare(bytes, b"-".rjust(TOOK))
_SPACE = cython.declare(bytes, b" ")
_MOST_NUMBERS = cython.declare(cython.Py_ssize_t, 160)
"""Bytes that the numbers of the columns and their time take at most, and what may be overwritten behind the last."""

_TOOK_WIDTH = cython.declare(cython.int, TOOK)
_SHORTEST_PART = cython.declare(cython.int, 4)
_INDENT = 6
"""Spaces before the names of errors that found no room in a line of their call."""
_LONGEST_ERROR = 38
"""Characters of the longest name of an error, with a comma."""
_NO_LIMIT = cython.declare(cython.longlong, -1)


@cython.final
@cython.cclass
class CallLines(LineWriter):
    """Formats calls, gaps and connections; remembers broker ids, and the day, from one to the next."""

    def __init__(
        self,
        width: int | None = None,
        time: str = "absolute",
        detail: int = 0,
        colours: Colours = PLAIN,
        time_of: str = "response",
        header_rows: int | None = None,
    ) -> None:
        """Set the form of lines.

        `width`: columns of the terminal, at which lines are cut; None: never cut, for pipes and files.
        `time`: see `time_column`. `detail`: 1 adds decoded messages, 2 offsets and hexadecimal bytes.
        `time_of`: `response`, for when calls ended, or `request`. `header_rows`: None for no titles of columns, 0 for
        titles once, else the lines after which they stand again.
        """
        super().__init__()
        self.summaries = Summaries()
        self.cut = width
        self.widths = widths_for(width)
        widths = self.widths
        self.number_width, self.correlation_width = widths.number, widths.correlation_id
        # All that stands behind the time but for the summary, where no value is longer than its column.
        self.rest_width: int = widths.client_id + widths.api + _TOOK_WIDTH + 4
        if widths.client:
            self.rest_width += widths.client + widths.server + 4
        if self.correlation_width:
            self.rest_width += self.correlation_width + 1
        self.detail = detail
        self.colours = colours
        self.before_time = f" {colours.time}".encode()
        self.before_slow = f" {colours.slow}".encode()
        self.before_cut = colours.warning.encode()
        self.off = colours.off.encode()
        self.outcomes: dict[str, bytes] = {}
        self.mode = time
        self.time = time_column(time, widths.digits)
        self.clock_text = self.clock_start = b""
        self.clock = self.time if isinstance(self.time, ClockTime) else None
        self.shows_requests = time_of == "request"
        self.header_rows = header_rows
        self.until_header = 0 if header_rows is not None else -1
        self.day: str | None = None if header_rows is None else ""
        self.parts = LineParts(self.widths, colours)

    def learn(self, call: Call) -> cython.int:
        """Take in what a call tells of others; to be told all calls, also those that are not shown."""
        return self.parts.learn(call)

    def write(self, call: Call) -> cython.int:
        """Write a call's line, and at higher detail those of its messages, each with its newline."""
        start: cython.Py_ssize_t = self.out.size
        try:
            self.write_line(call, True)
            if self.detail:
                from kafkasniff.render.text.detail import detail_lines

                for line in detail_lines(call, self.detail, self.cut, self.colours):
                    self.out.add(line.encode())
                    self.out.byte(10)
        except BaseException:
            self.out.size = start
            raise
        return 0

    def call(self, call: Call) -> str:
        """Give a call's line, and at higher detail those of its messages, each with its newline."""
        return str(self.line(call), "utf-8")

    def pass_over(self, call: Call) -> cython.int:
        """Remember of a call what its line would, without making the costly parts of it."""
        start: cython.Py_ssize_t = self.out.size
        self.write_line(call, False)
        self.out.size = start
        return 0

    def forget_day(self) -> None:
        """Let the next line have no day above it."""
        self.day = None

    def above(self, nanoseconds: int) -> bytes:
        """Give what stands above a line with this time, where others write the lines."""
        self.begin_line(nanoseconds)
        return self.take()

    def count_from(self, first_time: int) -> None:
        """Take the time of the capture's first packet, in ns since 1970, from which relative times count."""
        if isinstance(self.time, SinceFirst) and self.time.first is None:
            self.time.first = first_time

    def write_line(self, call: Call, is_shown: cython.bint) -> cython.int:
        """Write the line of a call, or if it is not shown only what later lines depend on."""
        out: TextBuffer = self.out
        arrival = call.ended
        if self.shows_requests:
            arrival = call.time
        self.begin_line(arrival.time)
        start: cython.Py_ssize_t = out.size
        used: cython.longlong = self.write_columns(call, arrival.time)
        if not is_shown:
            return 0
        out.byte(32)
        if self.cut is None:
            self.write_tail(call, _NO_LIMIT)
        elif used > self.cut:
            self.shorten_line(call, start)
        else:
            self.write_tail(call, self.cut - used)
        while out.size > start and out.buffer[out.size - 1] == 32:
            out.size -= 1
        return out.byte(10)

    def begin_line(self, nanoseconds: cython.longlong) -> cython.int:
        """Write what stands above a line: titles now and then, and the day where it is another one."""
        out: TextBuffer = self.out
        if self.until_header == 0:
            assert self.header_rows is not None
            title = time_title(self.mode, nanoseconds)
            width: int = len(self.time(nanoseconds)) if self.clock is not None else self.widths.digits + 5
            text = header_line(self.widths, title, width)
            out.add(f"{self.colours.note}{shorten(text, self.cut or len(text)).rstrip()}{self.colours.off}\n".encode())
            self.until_header = self.header_rows or -1
        elif self.until_header > 0:
            self.until_header -= 1
        clock: ClockTime | None = self.clock
        if clock is None:
            return 0
        clock.take(nanoseconds)
        if clock.day is not self.day:
            if self.day is not None and clock.day != self.day:
                out.add(f"{self.colours.note}{clock.day}{self.colours.off}\n".encode())
            self.day = clock.day
        return 0

    def shorten_line(self, call: Call, start: cython.Py_ssize_t) -> None:
        """Write a line again, for a terminal in which not even all columns have room."""
        text = str(self.out.taken(start), "utf-8")
        self.out.size = start
        for mark in self.colours:
            text = text.replace(mark, "") if mark else text
        words = text.split()
        assert self.cut is not None
        if call.response is not None and call.request is not None and len(words) > 2:
            # The duration has two words.
            words = [*words[:-2], f"{words[-2]} {words[-1]}"]
        joined = " ".join(words)
        indent = min(len(text) - len(text.lstrip()), max(self.cut - len(joined), 0))
        self.out.add(shorten(" " * indent + joined, self.cut).encode())
        self.summaries.summarize(call)
        if self.summaries.codes:
            self.write_below(error_names([error_name(code) for code in self.summaries.codes]))

    def write_below(self, errors: str) -> None:
        """Write the names of errors below the line of their call, where the longest of them has room."""
        out: TextBuffer = self.out
        assert self.cut is not None
        if self.cut < _INDENT + _LONGEST_ERROR:
            return
        while out.size and out.buffer[out.size - 1] == 32:
            out.size -= 1
        indent = " " * _INDENT
        out.add(f"\n{self.colours.error}{paragraph(errors, self.cut, indent)}{self.colours.off}".encode())

    def write_columns(self, call: Call, nanoseconds: cython.longlong) -> cython.Py_ssize_t:
        """Write all columns but the last, with a time that `begin_line` took; give the columns of the terminal used."""
        out: TextBuffer = self.out
        clock: ClockTime | None = self.clock
        header, request, response = call.header, call.request, call.response
        client: LinePart = self.parts.of_client(call, None if header is None else header.client_id)
        api: LinePart = self.parts.of_api(header)
        before_took: bytes = _SPACE
        time: bytes
        late: bytes = b""
        fraction: cython.longlong = 0
        took: cython.longlong = 0
        correlation: cython.longlong = 0
        digits: cython.int = 0
        width: cython.int = self.correlation_width
        wider: cython.Py_ssize_t
        if clock is None:
            time = self.before_time + self.time(nanoseconds).encode()
        else:
            if clock.text is not self.clock_text:
                self.clock_text = clock.text
                self.clock_start = self.before_time + clock.text
            time = self.clock_start
            fraction = (nanoseconds - clock.second_ns) // clock.unit
            digits = clock.digits
        if width:
            correlation = call.correlation_id if header is None else header.correlation_id
        if request is None or response is None:
            late = _NO_DURATION
        else:
            took = response.last.time - request.first.time
            if took >= _SLOW_NS:
                before_took = self.before_slow
            if took < 0 or took >= _LATE_NS:
                late = f"{duration_text(took):>{_TOOK_WIDTH}}".encode()
        wider = client.more + api.more + self.rest_width
        if not cython.compiled:
            start = b"%*d%s%s" % (self.number_width, call.number, time, b"%0*d" % (digits, fraction) if digits else b"")
            behind = b"%*d" % (width, correlation) if width else b""
            late = late or f"{duration_text(took):>{_TOOK_WIDTH}}".encode()
            out.add(start + client.text + api.text + behind + before_took + late + self.off)
            return len(start) - len(self.before_time) + 1 + wider + max(len(behind) - width, 0)
        place = out.reserve(
            _MOST_NUMBERS + len(time) + len(client.text) + len(api.text) + len(before_took) + len(late) + len(self.off)
        )
        to = kafkasniff_aligned(place, call.number, self.number_width)  # type: ignore[name-defined]  # noqa: F821
        to = kafkasniff_add(to, time)  # type: ignore[name-defined]  # noqa: F821
        kafkasniff_padded(to, fraction, digits)  # type: ignore[name-defined]  # noqa: F821
        to += digits
        wider += to - place - len(self.before_time) + 1
        to = kafkasniff_add(to, client.text)  # type: ignore[name-defined]  # noqa: F821
        to = kafkasniff_add(to, api.text)  # type: ignore[name-defined]  # noqa: F821
        if width:
            wider -= width
            behind_api = to
            to = kafkasniff_aligned(to, correlation, width)  # type: ignore[name-defined]  # noqa: F821
            wider += to - behind_api
        to = kafkasniff_add(to, before_took)  # type: ignore[name-defined]  # noqa: F821
        to = kafkasniff_add(to, late) if late else kafkasniff_duration(to, took)  # type: ignore[name-defined]  # noqa: F821
        to = kafkasniff_add(to, self.off)  # type: ignore[name-defined]  # noqa: F821
        out.size += to - place
        return wider

    def write_tail(self, call: Call, room: cython.longlong) -> cython.int:
        """Write outcome, errors, summary and the first problem, in at most `room` characters unless it is negative."""
        out: TextBuffer = self.out
        summaries: Summaries = self.summaries
        summaries.summarize(call)
        request, response, outcome = call.request, call.response, call.outcome
        is_whole: cython.bint = (request is None or len(request.data) == request.size) and (
            response is None or len(response.data) == response.size
        )
        problems = call.pairing_problems
        if not is_whole:
            problems = []
        elif not summaries.is_sound:
            problems = call.problems
        repeated: Call | None = self.parts.repeated_by(call)
        if is_whole and not summaries.codes and summaries.is_sound:
            self.parts.repeats.note_sound(call)
        is_usual: cython.bint = not summaries.codes and summaries.throttle_ms <= 0 and repeated is None
        start: cython.Py_ssize_t = out.size
        if room < 0 and is_usual and not problems:
            if outcome != "answered":
                self.write_outcome(call)
                if summaries.text.size:
                    out.add(b"  ")
            out.append(summaries.text)
            if not is_whole:
                if out.size > start:
                    out.add(b"  ")
                out.add(self.before_cut)
                write_cut(self.out, call)
                out.add(self.off)
            return 0
        colours = self.colours
        errors = error_names([error_name(code) for code in summaries.codes]) if summaries.codes else ""
        has_room: cython.bint = room < 0 or len(errors) <= room
        parts = []
        if outcome != "answered":
            parts.append((self.outcome_colour(outcome), outcome_text(call)))
        if errors and has_room:
            parts.append((colours.error, errors))
        if summaries.throttle_ms > 0:
            parts.append((colours.warning, f"throttled for {duration_text(summaries.throttle_ms * _MILLISECOND_NS)}"))
        if repeated is not None:
            parts.append((colours.warning, f"retry of {repeated.number}"))
        if summaries.text.size:
            parts.append(("", str(summaries.text.taken(0), "utf-8")))
        if not is_whole:
            before: cython.Py_ssize_t = out.size
            write_cut(self.out, call)
            parts.append((colours.warning, str(out.taken(before), "utf-8")))
            out.size = before
        elif problems:
            parts.append((colours.warning, problem_text(problems)))
        for mark, whole in parts:
            if 0 <= room < _SHORTEST_PART:
                break
            text: str = whole if room < 0 else shorten_words(whole, room)
            if out.size > start:
                out.add(b"  ")
            out.add(f"{mark}{text}{colours.off if mark else ''}".encode())
            if room >= 0:
                room = max(room - cells(text) - 2, 0)
        if not has_room:
            self.write_below(errors)
        return 0

    def write_outcome(self, call: Call) -> cython.int:
        """Say what became of a call that was not answered."""
        shown: bytes | None = self.outcomes.get(call.outcome)
        if shown is None or call.pending_ns is not None:
            shown = f"{self.outcome_colour(call.outcome)}{outcome_text(call)}{self.colours.off}".encode()
            if call.pending_ns is None:
                self.outcomes[call.outcome] = shown
        return self.out.add(shown)

    def outcome_colour(self, outcome: str) -> str:
        """Give the colour of what became of such a call."""
        return self.colours.error if outcome == "unanswered" else self.colours.note

    def failed(self, item: Item, message: str) -> str:
        """Give the line of what cannot be shown, of a call with its outcome, with its newline."""
        if not isinstance(item, Call):
            time = (item.last if isinstance(item, ConnectionReport) else item.arrival).time
            return self.note(time, item.client, item.server, message)
        outcome = "" if item.outcome == "answered" else f"{OUTCOMES[item.outcome]}  "
        if self.cut is not None:
            # What is before it may fill a terminal, and has colours.
            return self.note(item.time.time, item.client, item.server, f"{outcome}{message}")
        self.write_line(item, False)
        return f"{str(self.take(), 'utf-8')} {outcome}{self.colours.warning}{message}{self.colours.off}\n"

    def gap(self, gap: Gap) -> str:
        """Give a gap's line with its newline."""
        from kafkasniff.render.text.notes import gap_text

        return self.note(gap.arrival.time, gap.client, gap.server, gap_text(gap))

    def token(self, item: RawToken) -> str:
        """Give the line of a raw SASL token with its newline."""
        from kafkasniff.render.text.notes import token_text

        return self.note(item.arrival.time, item.client, item.server, token_text(item))

    def connection(self, report: ConnectionReport) -> str:
        """Give the line that says what a connection was, with its newline."""
        from kafkasniff.render.text.notes import connection_text

        return self.note(report.last.time, report.client, report.server, connection_text(report))

    def note(self, time: int, client: str, server: str, text: str) -> str:
        """Give a line that is not a call's, with its newline, and what stands above it."""
        self.begin_line(time)
        above = str(self.take(), "utf-8")
        colours = self.colours
        ends = f"{client:>{self.widths.client}} → {self.parts.server_text(server)}"
        start = f"{' ' * self.number_width} {self.time(time)} {ends} "
        if self.cut is not None:
            start = shorten(start, self.cut)
            text = shorten_words(text, self.cut - len(start)) if len(start) < self.cut else ""
        return f"{above}{start}{colours.warning}{text}{colours.off}\n"
