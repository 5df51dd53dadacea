"""One line a call for the terminal; with more detail, the decoded messages below it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, ConnectionReport, Frame, Gap, Side
from kafkasniff.calls.items import Item
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.errors import Problem
from kafkasniff.render.brokers import TELLING_APIS, BrokerIds
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.gist import gist
from kafkasniff.render.hexdump import field_lines
from kafkasniff.render.text import camel_case, count_text, duration_text, escape, shorten, show, size_text
from kafkasniff.render.times import time_column
from kafkasniff.render.tree import tree_lines

WIDE = 120
"""Columns from which a line has room for correlation id, client id and full addresses."""

NARROW = 72
"""Columns below which a client is shown by its port alone."""

_SLOW_NS = 1_000_000_000
"""An answer that took longer than this is marked."""

_WIDEST_CLIENT_ID = 20
_WIDEST_PRINCIPAL = 60
_MOST_ERROR_NAMES = 3
_SHORTEST_PART = 4

_MOST_PARTS = 4096
"""Clients, APIs and the like of which the parts of lines are remembered; more, and all are forgotten."""

_OUTCOMES = {
    "no-response-expected": "no response expected",
    "unanswered": "UNANSWERED",
    "response-not-captured": "response not captured",
    "request-not-captured": "request not captured",
}


@dataclass(slots=True)
class Widths:
    """Widths of columns: they widen as longer values come, and stay so; lines stay aligned without reading ahead."""

    server: int
    api: int
    client: int = 15
    correlation: int = 3
    client_id: int = 8

    def fit(self, client: str, server: str, api: str) -> None:
        """Widen columns to hold these values."""
        self.client = max(self.client, len(client))
        self.server = max(self.server, len(server))
        self.api = max(self.api, len(api))

    def fit_ids(self, correlation: str, client_id: str) -> None:
        """Widen columns to hold these."""
        self.correlation = max(self.correlation, len(correlation))
        self.client_id = max(self.client_id, len(client_id))


class CallLines:
    """Formats calls, gaps and connections; remembers column widths and broker ids from one to the next."""

    def __init__(
        self, width: int | None = None, time: str = "absolute", detail: int = 0, colours: Colours = PLAIN
    ) -> None:
        """Set the form of lines.

        `width`: columns of the terminal, at which lines are cut; None: never cut, for pipes and files.
        `time`: see `time_column`. `detail`: 1 adds decoded messages, 2 offsets and hexadecimal bytes.
        """
        self._cut = width
        self._wide = width is None or width >= WIDE
        self._narrow = width is not None and width < NARROW
        self._tree_width = width or 160
        self.time = time_column(time, 6 if self._wide else 3)
        self._detail = detail
        self._colours = colours
        self.brokers = BrokerIds()
        self._parts: dict[tuple[object, ...], tuple[str, str]] = {}
        self.widths = Widths(17, 18) if self._wide else Widths(2, 12, client=6 if self._narrow else 15)

    @property
    def is_plain(self) -> bool:
        """Tell whether a call has one line of any length without colours, as for pipes and files."""
        return self._cut is None and not self._detail and self._colours is PLAIN

    def learn(self, call: Call) -> None:
        """Take in which brokers a call tells of; to be told all calls, also those that are not shown."""
        if call.header is not None and call.header.api_key in TELLING_APIS:
            self.brokers.learn(call)

    def call(self, call: Call) -> str:
        """Give a call's line, and at higher detail those of its messages, each with its newline."""
        line = self._call_line(call, self.time(call.time.time))
        if not self._detail:
            return line
        return line + "".join(f"{text}\n" for text in self._detail_lines(call))

    def pass_over(self, call: Call) -> None:
        """Remember of a call what its line would, without making the costly parts of it."""
        self._call_line(call, self.time(call.time.time), tail=False)

    def _call_line(self, call: Call, time: str, tail: bool = True) -> str:
        colours, off, widths = self._colours, self._colours.off, self.widths
        total = call.total_ns
        took = duration_text(total)
        slow = colours.slow if total is not None and total >= _SLOW_NS else ""
        if self._wide:
            layout, client_id = call.header and call.header[:2], call.client_id
            before, behind = self.fixed_parts(call.client, call.server, layout, client_id)
            correlation = str(call.correlation_id)
            if len(correlation) > widths.correlation:
                widths.fit_ids(correlation, "")
            line = f"{colours.time}{time}{off}{before}{correlation:>{widths.correlation}}{behind}{slow}{took:>7}{off}  "
            if self._cut is None:
                return f"{line}{self.tail(call, None)}".rstrip() + "\n" if tail else line
            used = len(time) + widths.client + widths.server + widths.api + 23 + widths.correlation + widths.client_id
            if used > self._cut:
                # Long addresses leave no room: from here on lines are those of a narrower terminal.
                self._wide, self.widths = False, Widths(2, 12)
                return self._call_line(call, time, tail)
        else:
            client, server = self._client(call.client), self.server(call.server)
            api = api_text(call.header and call.header[:2])
            widths.fit(client, server, api)
            line = (
                f"{colours.time}{time}{off} {client:>{widths.client}}→{colours.server}{server:<{widths.server}}{off} "
                f"{colours.api}{api:<{widths.api}}{off} {slow}{took:>7}{off} "
            )
            used = len(time) + widths.client + widths.server + widths.api + 12
            if self._cut is not None and used > self._cut:
                return shorten(f"{time} {client}→{server} {api} {took}", self._cut) + "\n"
        if not tail:
            return line
        return f"{line}{self.tail(call, None if self._cut is None else max(self._cut - used, 0))}".rstrip() + "\n"

    def fixed_parts(
        self, client: str, server: str, layout: tuple[int, int] | None, client_id: str | None
    ) -> tuple[str, str]:
        """Give what stands before and behind the correlation id in a wide line, once for all calls that share it.

        `layout`: API key and version. Widens the columns to hold these.
        """
        widths = self.widths
        fitted = widths.client, widths.server, widths.api, widths.client_id
        key = client, server, layout, client_id, self.brokers.changes, fitted
        parts = self._parts.get(key)
        if parts is None:
            colours, off = self._colours, self._colours.off
            server_text, api, who = self.server(server), api_text(layout), client_id_text(client_id)
            widths.fit(client, server_text, api)
            widths.fit_ids("", who)
            parts = (
                f"  {client:>{widths.client}} → {colours.server}{server_text:<{widths.server}}{off}"
                f"  {colours.api}{api:<{widths.api}}{off} ",
                f"  {colours.client_id}{who:<{widths.client_id}}{off}  ",
            )
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[key] = parts
        return parts

    def tail(self, call: Call, room: int | None) -> str:
        """Give outcome, errors, gist and the first problem, in at most `room` characters."""
        about = gist(call)  # before the errors, which its scan of the bodies finds too
        errors, request, response = call.errors, call.request, call.response
        is_whole = (request is None or len(request.data) == request.size) and (
            response is None or len(response.data) == response.size
        )
        problems = call.problems if is_whole else []
        if room is None and call.outcome == "answered" and is_whole and not errors and not problems:
            return about
        colours = self._colours
        parts = []
        if call.outcome != "answered":
            mark = colours.error if call.outcome == "unanswered" else colours.note
            text = _OUTCOMES[call.outcome]
            if call.pending_ns is not None:
                text += f", pending for {duration_text(call.pending_ns)}"
            parts.append((mark, text))
        if errors:
            parts.append((colours.error, _error_names([error.name for error in errors])))
        if about:
            parts.append(("", about))
        if not is_whole:
            parts.append((colours.warning, _cut_text(call)))
        elif problems:
            parts.append((colours.warning, _problem_text(problems)))
        tail = ""
        for mark, whole in parts:
            if room is not None and room < _SHORTEST_PART:
                break
            text = whole if room is None else shorten(whole, room)
            tail += f"{'  ' if tail else ''}{mark}{text}{colours.off if mark else ''}"
            if room is not None:
                room -= len(text) + 2
        return tail

    def _client(self, client: str) -> str:
        return f":{client.rpartition(':')[2]}" if self._narrow else client

    def server(self, server: str) -> str:
        """Give the server as `ip:port/broker id`; where room is short, only `/broker id`, or `:port` while unknown."""
        broker_id = self.brokers.get(server)
        if self._wide:
            return server if broker_id is None else f"{server}/{broker_id}"
        return f":{server.rpartition(':')[2]}" if broker_id is None else f"/{broker_id}"

    def _detail_lines(self, call: Call) -> Iterator[str]:
        sides: tuple[tuple[Side, Frame | None, DecodedBody | None], ...] = (
            ("request", call.request, call.request_body),
            ("response", call.response, call.response_body),
        )
        for side, frame, body in sides:
            if frame is None:
                continue
            arrival = frame.last
            version = f" v{body.version}" if body is not None else ""
            place = f"{escape(arrival.interface.file)} packet {arrival.packet}"
            yield f"  {side}{version}, {size_text(frame.size)}, {place}"
            if body is not None:
                tree = body.value if body.value is not None else body.partial
                if tree is not None:
                    yield from tree_lines(tree, 4, self._tree_width)
            for item in call.batches:
                if item["where"] == side:
                    yield f"    batch {escape(item['path'])}"
                    yield from tree_lines(_without_place(item), 6, self._tree_width)
            for item in call.decoded:
                if item["where"] == side:
                    version = "" if item["version"] is None else f" v{item['version']}"
                    yield f"    {escape(item['path'])} holds {escape(str(item['type']))}{version}"
                    tree = item["value"] if item["value"] is not None else item.get("partial")
                    if tree is not None:
                        yield from tree_lines(tree, 6, self._tree_width)
            for problem in call.problems:
                if problem.where == side:
                    yield f"    {self._colours.warning}problem: {_problem_text([problem])}{self._colours.off}"
            if self._detail > 1:
                yield from field_lines(call, side, 4)
        for topic_id, name in call.topics.items():
            yield f"  topic {escape(topic_id)} is {escape(name)}"

    def failed(self, item: Item, message: str) -> str:
        """Give the line of what cannot be shown, of a call with its outcome, with its newline."""
        if not isinstance(item, Call):
            time = (item.last if isinstance(item, ConnectionReport) else item.arrival).time
            return self._note(time, item.client, item.server, message)
        outcome = "" if item.outcome == "answered" else f"{_OUTCOMES[item.outcome]}  "
        if self._cut is not None:
            # What is before it may fill a terminal, and has colours.
            return self._note(item.time.time, item.client, item.server, f"{outcome}{message}")
        start = self._call_line(item, self.time(item.time.time), tail=False)
        return f"{start}{outcome}{self._colours.warning}{message}{self._colours.off}\n"

    def gap(self, gap: Gap) -> str:
        """Give a gap's line with its newline."""
        lost = "an unknown number of bytes" if gap.length is None else count_text(gap.length, "byte")
        of = f" of the {gap.direction}s" if gap.direction else ""
        return self._note(gap.arrival.time, gap.client, gap.server, f"gap: {lost}{of} not in the capture")

    def token(self, item: RawToken) -> str:
        """Give the line of a raw SASL token with its newline."""
        token = item.token
        text = f"SASL token of the {'client' if item.direction == 'request' else 'server'}: {escape(token.kind)}"
        if token.principal is not None:
            text += f" of {show(token.principal, _WIDEST_PRINCIPAL)}"
        return self._note(item.arrival.time, item.client, item.server, f"{text}, {size_text(item.size)}")

    def connection(self, report: ConnectionReport) -> str:
        """Give the line that says what a connection was, with its newline."""
        counters = report.connection.counters
        packets = sum(side.packets for side in counters)
        size = sum(side.data_bytes for side in counters)
        text = (
            f"connection: {escape(report.protocol)}, {count_text(report.calls, 'call')}, "
            f"{count_text(packets, 'packet')}, {size_text(size)}, {escape(report.evidence)}"
        )
        return self._note(report.last.time, report.client, report.server, text)

    def _note(self, time: int, client: str, server: str, text: str) -> str:
        colours = self._colours
        arrow = " → " if self._wide else "→"
        space = "  " if self._wide else " "
        start = (
            f"{self.time(time)}{space}{self._client(client):>{self.widths.client}}{arrow}{self.server(server)}{space}"
        )
        if self._cut is not None:
            start = shorten(start, self._cut)
            text = shorten(text, self._cut - len(start)) if len(start) < self._cut else ""
        return f"{start}{colours.warning}{text}{colours.off}\n"


@lru_cache(maxsize=1024)
def client_id_text(client_id: str | None) -> str:
    """Give a client id as safe text for its column."""
    return show(client_id or "-", _WIDEST_CLIENT_ID)


@lru_cache(maxsize=1024)
def api_text(layout: tuple[int, int] | None) -> str:
    """Give API and version of a call by the key and version in its header."""
    if layout is None:
        return "?"
    key, version = layout
    return f"{camel_case(APIS[key].name) if key in APIS else f'API {key}'} v{version}"


def _without_place(item: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in item.items() if name not in ("where", "path")}


def _error_names(names: list[str]) -> str:
    counts = Counter(names)
    words = [name if count == 1 else f"{name} ×{count}" for name, count in counts.most_common(_MOST_ERROR_NAMES)]
    if len(counts) > _MOST_ERROR_NAMES:
        words.append(f"and {len(counts) - _MOST_ERROR_NAMES} more")
    return ", ".join(words)


def _cut_text(call: Call) -> str:
    """Say which messages the capture has in part only; what their bodies then lack follows from it."""
    words = [
        f"{side} cut: {len(frame.data):,} of {count_text(frame.size, 'byte')}"
        for side, frame in (("request", call.request), ("response", call.response))
        if frame is not None and not frame.whole
    ]
    return ", ".join(words)


def _problem_text(problems: list[Problem]) -> str:
    first = problems[0]
    place = "" if first.offset is None else f" at byte {first.offset}"
    path = f" {show(first.path, 100)}" if first.path else ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{first.where}{path}{place}: {show(first.message, 200)}{more}"
