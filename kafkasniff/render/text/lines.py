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
from kafkasniff.protocol.error_codes import error_name
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.text.brokers import METADATA, TELLING_APIS, BrokerIds
from kafkasniff.render.text.clock import ClockTime, time_column
from kafkasniff.render.text.detail import detail_lines
from kafkasniff.render.text.notes import connection_text, gap_text, token_text
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
from kafkasniff.render.words import duration_text, shorten

WIDE = 120
"""Columns from which a line has room for correlation id, client id and full addresses."""

NARROW = 72
"""Columns below which a client is shown by its port alone."""

_SLOW_NS = cython.declare(cython.longlong, 1_000_000_000)
"""An answer that took longer than this is marked."""

_TOOK_WIDTH = cython.declare(cython.int, 7)
_SHORTEST_PART = cython.declare(cython.int, 4)
_TREE_WIDTH = 160
_NO_LIMIT = cython.declare(cython.longlong, -1)

_ONE_WRITE = cython.declare(cython.Py_ssize_t, 1 << 18)
"""Bytes of lines from which on they are written."""
_MOST_PARTS = 4096
"""Clients and client ids of which the parts of lines are remembered; more, and all are forgotten."""

_METADATA = cython.declare(cython.int, METADATA)
_KEYS = cython.declare(cython.int, 128)
_API_VERSIONS = cython.declare(cython.int, 32)
_TELLING = cython.declare(bytes, bytes([key in TELLING_APIS for key in range(_KEYS)]))


@cython.final
@cython.cclass
class CallLines:
    """Formats calls, gaps and connections; remembers column widths and broker ids from one to the next.

    Columns widen as longer values come, and stay so: lines stay aligned without reading ahead.
    """

    def __init__(
        self, width: int | None = None, time: str = "absolute", detail: int = 0, colours: Colours = PLAIN
    ) -> None:
        """Set the form of lines.

        `width`: columns of the terminal, at which lines are cut; None: never cut, for pipes and files.
        `time`: see `time_column`. `detail`: 1 adds decoded messages, 2 offsets and hexadecimal bytes.
        """
        self.out = TextBuffer()
        self.summaries = Summaries()
        self.cut = width
        self.is_wide = width is None or width >= WIDE
        self.is_narrow = width is not None and width < NARROW
        self.detail = detail
        self.colours = colours
        self.time_mark, self.slow_mark, self.off = (each.encode() for each in (colours.time, colours.slow, colours.off))
        self.time = time_column(time, 6 if self.is_wide else 3)
        self.clock = self.time if isinstance(self.time, ClockTime) else None
        self.brokers = BrokerIds()
        self.told: dict[int, bytes] = self.brokers.told
        self.changes = 0
        self.ends: dict[str, tuple[str, bytes]] = {}
        self.client_ids: dict[str | None, bytes] = {}
        self.client_id: str | None = None
        self.client_id_text = b""
        # Behind all others is that of calls without header, or whose API or version nobody knows.
        self.apis: list[bytes | None] = [None] * (_KEYS * _API_VERSIONS + 1)
        self.correlation_width, self.client_id_width = 3, 8
        if self.is_wide:
            self.client_width, self.server_width, self.api_width = 15, 17, 18
        else:
            self.client_width, self.server_width, self.api_width = (6 if self.is_narrow else 15), 2, 12

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
                self.forget_parts()
        return 0

    def write(self, call: Call) -> cython.int:
        """Write a call's line, and at higher detail those of its messages, each with its newline."""
        start: cython.Py_ssize_t = self.out.size
        try:
            self.write_line(call, True)
            if self.detail:
                for line in detail_lines(call, self.detail, self.cut or _TREE_WIDTH, self.colours):
                    self.out.add(line.encode())
                    self.out.byte(10)
        except BaseException:
            self.out.size = start
            raise
        return 0

    def take(self) -> bytes:
        """Give what was written since this was last asked."""
        found: bytes = self.out.taken(0)
        self.out.size = 0
        return found

    def line(self, call: Call) -> bytes:
        """Give a call's line, and at higher detail those of its messages, each with its newline."""
        self.write(call)
        return self.take()

    def calls(self, items: list[Item]) -> bytes:
        """Take calls from the end of a list, learn from them and give their lines.

        Stops before anything else, before a call that cannot be shown, and when there are enough for one write.
        """
        while items and self.out.size < _ONE_WRITE:
            item = items[len(items) - 1]
            if type(item) is not Call:
                break
            call: Call = item
            try:
                self.learn(call)
                self.write(call)
            except Exception:
                break
            items.pop()
        return self.take()

    def call(self, call: Call) -> str:
        """Give a call's line, and at higher detail those of its messages, each with its newline."""
        return str(self.line(call), "utf-8")

    def pass_over(self, call: Call) -> cython.int:
        """Remember of a call what its line would, without making the costly parts of it."""
        start: cython.Py_ssize_t = self.out.size
        self.write_line(call, False)
        self.out.size = start
        return 0

    def write_line(self, call: Call, is_shown: cython.bint) -> cython.int:
        """Write the line of a call, or if it is not shown only what later lines depend on."""
        out: TextBuffer = self.out
        start: cython.Py_ssize_t = out.size
        if self.time_mark:
            out.add(self.time_mark)
        frame = call.request
        if frame is None:
            frame = call.response
        assert frame is not None
        self.write_time(frame.first.time)
        if self.is_wide:
            return self.write_wide(call, start, out.size, is_shown)
        return self.write_short(call, start, out.size, is_shown)

    def write_wide(
        self, call: Call, start: cython.Py_ssize_t, after_time: cython.Py_ssize_t, is_shown: cython.bint
    ) -> cython.int:
        """Write what follows the time where there is room for everything."""
        out: TextBuffer = self.out
        header = call.header
        client_id: str | None = None if header is None else header.client_id
        correlation: cython.longlong = call.correlation_id if header is None else header.correlation_id
        digits: cython.Py_ssize_t = 2 if correlation < 0 else 1
        rest: cython.longlong = correlation // 10 if correlation >= 0 else -correlation // 10
        while rest:
            digits += 1
            rest = rest // 10
        self.correlation_width = max(self.correlation_width, digits)
        if self.off:
            out.add(self.off)
        self.write_ends(call, header, client_id)
        out.spaces(self.correlation_width - digits)
        out.number(correlation)
        out.add(self.client_id_text)
        self.write_took(call)
        out.byte(32)
        out.byte(32)
        if self.cut is None:
            if is_shown:
                self.write_tail(call, _NO_LIMIT)
                self.end_line(start)
            return 0
        used: cython.longlong = after_time - start - len(self.time_mark) + self.client_width + self.server_width
        used += self.api_width + 23 + self.correlation_width + self.client_id_width
        if used > self.cut:
            # Long addresses leave no room: from here on lines are those of a narrower terminal.
            self.is_wide = False
            self.client_width, self.server_width, self.api_width = 15, 2, 12
            out.size = after_time
            return self.write_short(call, start, after_time, is_shown)
        if is_shown:
            self.write_tail(call, self.cut - used)
            self.end_line(start)
        return 0

    def write_short(
        self, call: Call, start: cython.Py_ssize_t, after_time: cython.Py_ssize_t, is_shown: cython.bint
    ) -> cython.int:
        """Write what follows the time on a terminal with less room."""
        out: TextBuffer = self.out
        cut: int = self.cut or 0
        colours, off = self.colours, self.colours.off
        header = call.header
        client, server = self.client_text(call.client), self.server_text(call.server)
        api: str = api_text(None if header is None else (header.api_key, header.api_version))
        self.client_width = max(self.client_width, len(client))
        self.server_width = max(self.server_width, len(server))
        self.api_width = max(self.api_width, len(api))
        used: cython.longlong = after_time - start - len(self.time_mark) + self.client_width + self.server_width
        used += self.api_width + 12
        if used > cut:
            time = str(out.taken(start + len(self.time_mark)), "ascii")
            out.size = start
            out.add(shorten(f"{time} {client}→{server} {api} {duration_text(call.total_ns)}", cut).encode())
            return out.byte(10)
        out.add(
            f"{off} {client:>{self.client_width}}→{colours.server}{server:<{self.server_width}}{off} "
            f"{colours.api}{api:<{self.api_width}}{off} ".encode()
        )
        self.write_took(call)
        out.byte(32)
        if is_shown:
            self.write_tail(call, cut - used)
            self.end_line(start)
        return 0

    def end_line(self, start: cython.Py_ssize_t) -> cython.int:
        """End a line, without spaces at its end."""
        out: TextBuffer = self.out
        while out.size > start and out.buffer[out.size - 1] == 32:
            out.size -= 1
        return out.byte(10)

    def api_place(self, header: RequestHeader | None) -> cython.Py_ssize_t:
        """Give the place of an API in a version in `apis`."""
        if header is None or not (0 <= header.api_key < _KEYS and 0 <= header.api_version < _API_VERSIONS):
            return _KEYS * _API_VERSIONS
        return header.api_key * _API_VERSIONS + header.api_version

    def write_ends(self, call: Call, header: RequestHeader | None, client_id: str | None) -> cython.int:
        """Write client, server and API, formatted once for all calls that share them, as the client id is."""
        place: cython.Py_ssize_t = self.api_place(header)
        ends: tuple | None = self.ends.get(call.client)  # type: ignore[type-arg]
        api: bytes | None = self.apis[place]
        if client_id is not self.client_id:
            self.client_id = client_id
            self.client_id_text = self.client_ids.get(client_id, b"")
        if (
            ends is None
            or (ends[0] is not call.server and ends[0] != call.server)
            or api is None
            or place == _KEYS * _API_VERSIONS
            or not self.client_id_text
        ):
            self.begin_parts(call, header, client_id)
            ends, api = self.ends[call.client], self.apis[place]
            self.client_id_text = self.client_ids[client_id]
        self.out.add(ends[1])
        return self.out.add(api)

    def begin_parts(self, call: Call, header: RequestHeader | None, client_id: str | None) -> cython.int:
        """Widen columns for what a wide line has before and behind the correlation id, and format that."""
        colours, off = self.colours, self.colours.off
        client: str = call.client
        server: str = self.server_text(call.server)
        api: str = api_text(None if header is None else (header.api_key, header.api_version))
        who: str = client_id_text(client_id)
        before = self.client_width, self.server_width, self.api_width, self.client_id_width
        self.client_width = max(self.client_width, len(client))
        self.server_width = max(self.server_width, len(server))
        self.api_width = max(self.api_width, len(api))
        self.client_id_width = max(self.client_id_width, len(who))
        if (
            before != (self.client_width, self.server_width, self.api_width, self.client_id_width)
            or len(self.ends) >= _MOST_PARTS
            or len(self.client_ids) >= _MOST_PARTS
        ):
            self.forget_parts()
        text = f"  {client.rjust(self.client_width)} → {colours.server}{server.ljust(self.server_width)}{off}"
        self.ends[client] = call.server, text.encode()
        place: cython.Py_ssize_t = self.api_place(header)
        if self.apis[place] is None or place == _KEYS * _API_VERSIONS:
            self.apis[place] = f"  {colours.api}{api.ljust(self.api_width)}{off} ".encode()
        if client_id not in self.client_ids:
            self.client_ids[client_id] = f"  {colours.client_id}{who.ljust(self.client_id_width)}{off}  ".encode()
        return 0

    def forget_parts(self) -> cython.int:
        """Forget what was formatted for columns of other widths, or with other broker ids."""
        self.ends.clear()
        self.client_ids.clear()
        self.client_id_text = b""
        self.apis = [None] * len(self.apis)
        return 0

    def write_time(self, nanoseconds: cython.longlong) -> cython.int:
        """Write when a call began."""
        if self.clock is not None:
            return self.clock.write(self.out, nanoseconds)
        return self.out.add(self.time(nanoseconds).encode())

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
            out.spaces(3 - _digits(value) + 1)
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
        if room < 0 and is_whole and not summaries.codes and not problems and outcome == "answered":
            return out.append(summaries.text)
        colours = self.colours
        parts = []
        if outcome != "answered":
            parts.append((colours.error if outcome == "unanswered" else colours.note, outcome_text(call)))
        if summaries.codes:
            parts.append((colours.error, error_names([error_name(code) for code in summaries.codes])))
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
            text: str = whole if room < 0 else shorten(whole, room)
            if out.size > start:
                out.add(b"  ")
            out.add(f"{mark}{text}{colours.off if mark else ''}".encode())
            if room >= 0:
                room = max(room - len(text) - 2, 0)
        return 0

    def client_text(self, client: str) -> str:
        """Give a client; on a narrow terminal by its port alone."""
        return f":{client.rpartition(':')[2]}" if self.is_narrow else client

    def server_text(self, server: str) -> str:
        """Give the server as `ip:port/broker id`; where room is short, only `/broker id`, or `:port` while unknown."""
        broker_id = self.brokers.get(server)
        if self.is_wide:
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
        return f"{str(self.take(), 'utf-8')}{outcome}{self.colours.warning}{message}{self.colours.off}\n"

    def gap(self, gap: Gap) -> str:
        """Give a gap's line with its newline."""
        return self.note(gap.arrival.time, gap.client, gap.server, gap_text(gap))

    def token(self, item: RawToken) -> str:
        """Give the line of a raw SASL token with its newline."""
        return self.note(item.arrival.time, item.client, item.server, token_text(item))

    def connection(self, report: ConnectionReport) -> str:
        """Give the line that says what a connection was, with its newline."""
        return self.note(report.last.time, report.client, report.server, connection_text(report))

    def note(self, time: int, client: str, server: str, text: str) -> str:
        """Give a line that is not a call's, with its newline."""
        colours = self.colours
        arrow, space = (" → ", "  ") if self.is_wide else ("→", " ")
        start = f"{self.time(time)}{space}{self.client_text(client):>{self.client_width}}{arrow}"
        start += f"{self.server_text(server)}{space}"
        if self.cut is not None:
            start = shorten(start, self.cut)
            text = shorten(text, self.cut - len(start)) if len(start) < self.cut else ""
        return f"{start}{colours.warning}{text}{colours.off}\n"


def _digits(value: cython.longlong) -> cython.int:
    """Count the digits of a number from 0 to 999."""
    if value < 10:
        return 1
    return 2 if value < 100 else 3
