# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The parts of lines that are made once for all calls which share them: of a client with its client id, and of an API.

They depend on which broker answers at which address, which calls tell.
"""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_keys import METADATA
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.render.colours import Colours
from kafkasniff.render.text.brokers import LONGEST_KNOWN, TELLING_APIS, BrokerIds
from kafkasniff.render.text.column_widths import ColumnWidths
from kafkasniff.render.text.parts import api_text, client_id_text
from kafkasniff.render.text.repeats import Repeats
from kafkasniff.render.words import cells, pad

_MOST_PARTS = 4096
"""Servers and odd client ids of which the parts of lines are remembered; more, and all are forgotten."""
_SLOTS = cython.declare(cython.Py_ssize_t, 4096)
"""Of clients of calls not long ago, by hash: a power of two."""

_METADATA = cython.declare(cython.int, METADATA)
_LONGEST_KNOWN = cython.declare(cython.Py_ssize_t, LONGEST_KNOWN)
_KEYS = cython.declare(cython.int, 128)
_API_VERSIONS = cython.declare(cython.int, 32)
_TELLING = cython.declare(bytes, bytes([key in TELLING_APIS for key in range(_KEYS)]))


@cython.final
@cython.cclass
class LinePart:
    """A part of lines: `more` is how many columns it takes beyond those that it has.

    `client`, `server`, `client_id`: of the calls that it is for, where it is of a client.
    """

    def __init__(self, text: bytes, more: int) -> None:
        """Take the text."""
        self.text = text
        self.more = more
        self.client = ""
        self.server = ""
        self.client_id: str | None = None


@cython.final
@cython.cclass
class LineParts:
    """Gives the parts; to be told all calls, also those that are not shown."""

    def __init__(self, widths: ColumnWidths, colours: Colours) -> None:
        """Begin with no broker known."""
        self.widths = widths
        self.colours = colours
        self.brokers = BrokerIds()
        self.told: dict[int, bytes] = self.brokers.told
        self.known_answers: dict[bytes, int] = self.brokers.known_answers
        self.repeats = Repeats()
        self.learnt: Call | None = None
        self.repeated: Call | None = None
        self.changes = 0
        self.off = colours.off.encode()
        self.before_id = f" {colours.client_id}".encode()
        self.client_width = widths.client
        self.id_width = widths.client_id
        self.servers: dict[str, LinePart] = {}
        self.client_ids: dict[str | None, LinePart] = {}
        self.cut_ids: dict[str, str | None] = {}
        self.clients: list[LinePart | None] = [None] * _SLOTS
        self.unknown_api: LinePart = self.make_api(None)
        self.apis: list[LinePart | None] = [None] * (_KEYS * _API_VERSIONS)

    def learn(self, call: Call) -> cython.int:
        """Take in which brokers a call tells of, and whether it repeats another."""
        header, response = call.header, call.response
        if call is self.learnt:
            return 0
        self.learnt = call
        self.repeated = self.repeats.take(call)
        if header is None or header.api_key < 0 or header.api_key >= _KEYS or not _TELLING[header.api_key]:
            return 0
        if response is not None:
            # Most answers tell nothing new, which the call in Python would find out too.
            data: bytes = response.data
            if header.api_key == _METADATA:
                told: bytes | None = self.told.get(header.api_version)
                if told is not None and data.startswith(told, 4):
                    return 0
            if 4 < len(data) <= _LONGEST_KNOWN:
                layout = self.known_answers.get(data[4:])
                if layout is not None and layout == header.api_key << 16 | header.api_version:
                    return 0
        self.brokers.learn(call)
        if self.changes != self.brokers.changes:
            self.changes = self.brokers.changes
            self.servers.clear()
            self.clients = [None] * _SLOTS
        return 0

    def repeated_by(self, call: Call) -> Call | None:
        """Give the call that a call repeats, which was the last to be taken in; None where it repeats none."""
        return self.repeated if self.learnt is call else None

    def of_client(self, call: Call, client_id: str | None) -> LinePart:
        """Give what a line has of client, server and client id."""
        # Of calls whose request was not captured, no client id is known.
        slot: cython.Py_ssize_t = (hash(call.client) + (client_id is None)) & (_SLOTS - 1)
        part: LinePart | None = self.clients[slot]
        if (
            part is not None
            and part.client == call.client
            and part.server == call.server
            and part.client_id == client_id
        ):
            return part
        part = self.clients[slot] = self.make_client(call, client_id)
        return part

    def make_client(self, call: Call, client_id: str | None) -> LinePart:
        """Make that part."""
        shown: LinePart = self.format_client_id(client_id)
        # The time before it may have a colour.
        text: bytes = self.off
        more: cython.Py_ssize_t = shown.more
        if self.client_width:
            server: LinePart | None = self.servers.get(call.server)
            if server is None:
                server = self.format_server(call.server)
            client: bytes = call.client.encode().rjust(self.client_width)
            text = b"".join((text, b" ", client, server.text, shown.text))
            more += len(client) - self.client_width + server.more
        else:
            text = text + shown.text
        part = LinePart(text, more)
        part.client = call.client
        part.server = call.server
        part.client_id = client_id
        return part

    def of_api(self, header: RequestHeader | None) -> LinePart:
        """Give what a line has of API and version."""
        if header is None:
            return self.unknown_api
        if not (0 <= header.api_key < _KEYS and 0 <= header.api_version < _API_VERSIONS):
            return self.make_api(header)
        place: cython.Py_ssize_t = header.api_key * _API_VERSIONS + header.api_version
        part: LinePart | None = self.apis[place]
        if part is None:
            part = self.apis[place] = self.make_api(header)
        return part

    def make_api(self, header: RequestHeader | None) -> LinePart:
        """Make that part."""
        text = api_text(None if header is None else (header.api_key, header.api_version))
        shown = (
            f" {self.colours.api}{text:<{self.widths.api}}{self.colours.off}{' ' if self.widths.correlation_id else ''}"
        )
        return LinePart(shown.encode(), max(len(text) - self.widths.api, 0))

    def format_server(self, server: str) -> LinePart:
        """Format what a line has of a server, behind its client."""
        if len(self.servers) >= _MOST_PARTS:
            self.servers.clear()
        text, width = self.server_text(server), self.widths.server
        shown = f" → {self.colours.server}{text:<{width}}{self.colours.off}"
        part = self.servers[server] = LinePart(shown.encode(), max(len(text) - width, 0))
        return part

    def format_client_id(self, client_id: str | None) -> LinePart:
        """Format a client id: whole where its column has no room for what tells it from others."""
        if client_id and client_id.isascii() and len(client_id) <= self.id_width and client_id.isprintable():
            return LinePart(b"".join((self.before_id, client_id.encode().ljust(self.id_width), self.off)), 0)
        known: LinePart | None = self.client_ids.get(client_id)
        if known is not None:
            return known
        if len(self.client_ids) >= _MOST_PARTS:
            self.client_ids.clear()
            self.cut_ids.clear()
            self.clients = [None] * _SLOTS
        text = client_id_text(client_id, self.id_width)
        if self.cut_ids.setdefault(text, client_id) != client_id:
            text = client_id_text(client_id, None)
        shown = self.before_id + pad(text, self.id_width).encode() + self.off
        part = self.client_ids[client_id] = LinePart(shown, max(cells(text) - self.id_width, 0))
        return part

    def server_text(self, server: str) -> str:
        """Give the server as `ip:port/broker id`; where room is short, only `/broker id`, or `:port` while unknown."""
        broker_id = self.brokers.get(server)
        if self.widths.server >= len("10.0.0.1:9092"):
            return server if broker_id is None else f"{server}/{broker_id}"
        return f":{server.rpartition(':')[2]}" if broker_id is None else f"/{broker_id}"
