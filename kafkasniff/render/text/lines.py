# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes one line a call, and lines of what else was found."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, ConnectionReport, Gap
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.line_writer import LineWriter
from kafkasniff.render.text.brokers import METADATA, TELLING_APIS, BrokerIds
from kafkasniff.render.text.clock import ClockTime, time_column, time_title
from kafkasniff.render.text.layout import TOOK, header_line, layout_for
from kafkasniff.render.text.parts import (
    OUTCOMES,
    api_text,
    client_id_text,
    cut_text,
    error_names,
    outcome_text,
    problem_text,
)
from kafkasniff.render.text.summary import Summaries
from kafkasniff.render.times import SinceFirst
from kafkasniff.render.words import cells, duration_text, pad, shorten, shorten_words
from kafkasniff.render.wrapping import paragraph

_MILLISECOND_NS = 1_000_000
_SLOW_NS = cython.declare(cython.longlong, 1_000_000_000)
"""An answer that took longer than this is marked."""

_TOOK_WIDTH = cython.declare(cython.int, TOOK)
_SHORTEST_PART = cython.declare(cython.int, 4)
_INDENT = 6
"""Spaces before the names of errors that found no room in a line of their call."""
_LONGEST_ERROR = 38
"""Characters of the longest name of an error, with a comma."""
_NO_LIMIT = cython.declare(cython.longlong, -1)

_MOST_PARTS = 4096
"""Clients and client ids of which the parts of lines are remembered; more, and all are forgotten."""

_METADATA = cython.declare(cython.int, METADATA)
_KEYS = cython.declare(cython.int, 128)
_API_VERSIONS = cython.declare(cython.int, 32)
_TELLING = cython.declare(bytes, bytes([key in TELLING_APIS for key in range(_KEYS)]))


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
        self.layout = layout_for(width)
        self.number_width, digits, self.client_width, self.server_width = self.layout[:4]
        self.client_id_width, self.api_width, self.correlation_width = self.layout[4:]
        # All that stands behind the time but for the summary, where no value is longer than its column.
        self.rest_width = self.client_id_width + self.api_width + _TOOK_WIDTH + 4
        if self.client_width:
            self.rest_width += self.client_width + self.server_width + 4
        if self.correlation_width:
            self.rest_width += self.correlation_width + 1
        self.detail = detail
        self.colours = colours
        self.time_mark, self.slow_mark, self.off = (each.encode() for each in (colours.time, colours.slow, colours.off))
        self.mode = time
        self.time = time_column(time, digits)
        self.clock = self.time if isinstance(self.time, ClockTime) else None
        self.shows_requests = time_of == "request"
        self.header_rows = header_rows
        self.until_header = 0 if header_rows is not None else -1
        self.day: str | None = None if header_rows is None else ""
        self.brokers = BrokerIds()
        self.told: dict[int, bytes] = self.brokers.told
        self.changes = 0
        self.ends: dict[str, tuple[str, bytes, int]] = {}
        self.client_ids: dict[str | None, tuple[bytes, int]] = {}
        self.cut_ids: dict[str, str | None] = {}
        self.client_id: str | None = None
        self.client_id_text = b""
        self.client_id_more = 0
        # Behind all others is that of calls without header, or whose API or version nobody knows.
        self.apis: list[bytes | None] = [None] * (_KEYS * _API_VERSIONS + 1)
        self.api_more: dict[int, int] = {}

    def learn(self, call: Call) -> cython.int:
        """Take in which brokers a call tells of; to be told all calls, also those that are not shown."""
        header, response = call.header, call.response
        if header is not None and 0 <= header.api_key < _KEYS and _TELLING[header.api_key]:
            if header.api_key == _METADATA and response is not None:
                # What most answers begin with is known, which the call in Python would find out too.
                told: bytes | None = self.told.get(header.api_version)
                if told is not None and response.data.startswith(told, 4):
                    return 0
            self.brokers.learn(call)
            if self.changes != self.brokers.changes:
                self.changes = self.brokers.changes
                self.ends.clear()
        return 0

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
        header = call.header
        client_id: str | None = None if header is None else header.client_id
        out.spaces(self.number_width - _digits(call.number))
        out.number(call.number)
        self.write_time(arrival.time)
        used: cython.longlong = out.size - start - len(self.time_mark) - len(self.off) + self.rest_width
        used += self.write_ends(call, header, client_id)
        if self.correlation_width:
            correlation: cython.longlong = call.correlation_id if header is None else header.correlation_id
            digits: cython.int = _digits(correlation) if correlation >= 0 else _digits(-correlation) + 1
            out.byte(32)
            out.spaces(self.correlation_width - digits)
            out.number(correlation)
            used += max(digits - self.correlation_width, 0)
        out.byte(32)
        self.write_took(call)
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
            width: int = len(self.time(nanoseconds)) if self.clock is not None else self.layout.digits + 5
            text = header_line(self.layout, title, width)
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

    def api_place(self, header: RequestHeader | None) -> cython.Py_ssize_t:
        """Give the place of an API in a version in `apis`."""
        if header is None or not (0 <= header.api_key < _KEYS and 0 <= header.api_version < _API_VERSIONS):
            return _KEYS * _API_VERSIONS
        return header.api_key * _API_VERSIONS + header.api_version

    def write_ends(self, call: Call, header: RequestHeader | None, client_id: str | None) -> cython.int:
        """Write client, server, client id and API, formatted once for all calls that share them.

        Gives how many columns they take beyond those that they have.
        """
        more: cython.int = 0
        place: cython.Py_ssize_t = self.api_place(header)
        api: bytes | None = self.apis[place]
        if self.client_width:
            ends: tuple | None = self.ends.get(call.client)  # type: ignore[type-arg]
            if ends is None or (ends[0] is not call.server and ends[0] != call.server):
                ends = self.format_ends(call)
            self.out.add(ends[1])
            more += ends[2]
        if client_id is not self.client_id or not self.client_id_text:
            self.client_id = client_id
            known: tuple | None = self.client_ids.get(client_id)  # type: ignore[type-arg]
            if known is None:
                known = self.format_client_id(client_id)
            self.client_id_text = known[0]
            self.client_id_more = known[1]
        self.out.add(self.client_id_text)
        more += self.client_id_more
        if api is None or place == _KEYS * _API_VERSIONS:
            api = self.format_api(place, header)
        self.out.add(api)
        if self.api_more:
            more += self.api_more.get(place, 0)
        return more

    def format_ends(self, call: Call) -> tuple[str, bytes, int]:
        """Format what a line has of client and server."""
        if len(self.ends) >= _MOST_PARTS:
            self.ends.clear()
        client, server = call.client, self.server_text(call.server)
        more = max(len(client) - self.client_width, 0) + max(len(server) - self.server_width, 0)
        text = f" {client:>{self.client_width}} → {self.colours.server}{server:<{self.server_width}}{self.colours.off}"
        made = self.ends[client] = call.server, text.encode(), more
        return made

    def format_client_id(self, client_id: str | None) -> tuple[bytes, int]:
        """Format a client id: whole where its column has no room for what tells it from others."""
        if len(self.client_ids) >= _MOST_PARTS:
            self.client_ids.clear()
            self.cut_ids.clear()
        text = client_id_text(client_id, self.client_id_width)
        if self.cut_ids.setdefault(text, client_id) != client_id:
            text = client_id_text(client_id, None)
        shown = f" {self.colours.client_id}{pad(text, self.client_id_width)}{self.colours.off}"
        made = self.client_ids[client_id] = shown.encode(), max(cells(text) - self.client_id_width, 0)
        return made

    def format_api(self, place: int, header: RequestHeader | None) -> bytes:
        """Format an API in a version."""
        text = api_text(None if header is None else (header.api_key, header.api_version))
        made = f" {self.colours.api}{text:<{self.api_width}}{self.colours.off}".encode()
        self.apis[place] = made
        self.api_more.pop(place, None)
        if len(text) > self.api_width:
            self.api_more[place] = len(text) - self.api_width
        return made

    def write_time(self, nanoseconds: cython.longlong) -> cython.int:
        """Write a time, which `begin_line` took."""
        out: TextBuffer = self.out
        out.byte(32)
        out.add(self.time_mark)
        if self.clock is not None:
            self.clock.write(out, nanoseconds)
        else:
            out.add(self.time(nanoseconds).encode())
        return out.add(self.off)

    def write_took(self, call: Call) -> cython.int:
        """Write how long a call took, as `duration_text` has it, aligned to the right."""
        out: TextBuffer = self.out
        value: cython.longlong
        request, response = call.request, call.response
        if request is None or response is None:
            out.spaces(_TOOK_WIDTH - 1)
            out.byte(45)
            return out.add(self.off)
        took: cython.longlong = response.last.time - request.first.time
        if took >= _SLOW_NS and self.slow_mark:
            out.add(self.slow_mark)
        if 1_000 <= took < 999_500 and took % 1_000 != 500:
            value = (took + 500) // 1_000
            out.spaces(4 - _digits(value))
            out.number(value)
            out.add(b" \xc2\xb5s")
        elif 999_500 <= took < 9_995_000 and took % 10_000 != 5_000:
            value = (took + 5_000) // 10_000
            out.number(value // 100)
            out.byte(46)
            out.padded(value % 100, 2)
            out.add(b" ms")
        elif 9_995_000 <= took < 99_950_000 and took % 100_000 != 50_000:
            value = (took + 50_000) // 100_000
            out.number(value // 10)
            out.byte(46)
            out.padded(value % 10, 1)
            out.add(b" ms")
        elif 99_950_000 <= took < 999_500_000 and took % 1_000_000 != 500_000:
            out.byte(32)
            out.number((took + 500_000) // 1_000_000)
            out.add(b" ms")
        else:
            # So that halves are rounded as Python does.
            out.add(f"{duration_text(took):>7}".encode())
        return out.add(self.off)

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
        is_usual: cython.bint = is_whole and not summaries.codes and summaries.throttle_ms <= 0
        if room < 0 and is_usual and not problems and outcome == "answered":
            return out.append(summaries.text)
        colours = self.colours
        errors = error_names([error_name(code) for code in summaries.codes]) if summaries.codes else ""
        has_room: cython.bint = room < 0 or len(errors) <= room
        parts = []
        if outcome != "answered":
            parts.append((colours.error if outcome == "unanswered" else colours.note, outcome_text(call)))
        if errors and has_room:
            parts.append((colours.error, errors))
        if summaries.throttle_ms > 0:
            parts.append((colours.warning, f"throttled for {duration_text(summaries.throttle_ms * _MILLISECOND_NS)}"))
        if summaries.text.size:
            parts.append(("", str(summaries.text.taken(0), "utf-8")))
        if not is_whole:
            parts.append((colours.warning, cut_text(call)))
        elif problems:
            parts.append((colours.warning, problem_text(problems)))
        start: cython.Py_ssize_t = out.size
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

    def server_text(self, server: str) -> str:
        """Give the server as `ip:port/broker id`; where room is short, only `/broker id`, or `:port` while unknown."""
        broker_id = self.brokers.get(server)
        if self.server_width >= len("10.0.0.1:9092"):
            return server if broker_id is None else f"{server}/{broker_id}"
        return f":{server.rpartition(':')[2]}" if broker_id is None else f"/{broker_id}"

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
        start = (
            f"{' ' * self.number_width} {self.time(time)} {client:>{self.client_width}} → {self.server_text(server)}"
        )
        start += " "
        if self.cut is not None:
            start = shorten(start, self.cut)
            text = shorten_words(text, self.cut - len(start)) if len(start) < self.cut else ""
        return f"{above}{start}{colours.warning}{text}{colours.off}\n"


def _digits(value: cython.longlong) -> cython.int:
    """Count the digits of a number that is not negative."""
    count: cython.int = 1
    while value >= 10:
        value //= 10
        count += 1
    return count
