# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes calls as JSON, one object a line (fields: docs/json.md)."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Frame
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.items import Item
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.json_text import json_table
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import API_VERSIONS, api_name
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.secrets import CONFIG_APIS
from kafkasniff.render.json.found import (
    client_text,
    decoded_parts,
    failed_text,
    file_text,
    found_text,
    members_text,
    milliseconds_text,
    plain_text,
)
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import second_text

if not cython.compiled:
    from kafkasniff.render.json.batches import write_batches

_API_VERSIONS = cython.declare(cython.int, API_VERSIONS)
_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_ONE_WRITE = cython.declare(cython.Py_ssize_t, 1 << 18)
"""Bytes of lines from which on they are written."""
_MOST_PARTS = 4096
"""Clients, APIs and the like of which the parts of lines are remembered; more, and all are forgotten."""

Parted = tuple[str, str, int, str | None]
"""What calls share that have the same parts: client, server, API key and version, and client id."""


@cython.final
@cython.cclass
class JsonLines:
    """Writes the lines of calls, one after the other."""

    def __init__(self) -> None:
        """Begin with no line."""
        self.out = TextBuffer()
        self.writer = JsonWriter()
        self.writer.out = self.out
        self.tables: dict[int, FieldTable | None] = {}
        self.parts: dict[Parted, tuple[bytes, bytes]] = {}
        self.clients: dict[tuple[str, str | None, str | None, str | None], bytes] = {}
        self.interface: Interface | None = None
        self.file = b""
        self.second = -1
        self.second_text = b""

    def write(self, call: Call) -> cython.int:
        """Write a call's line, with its newline."""
        start: cython.Py_ssize_t = self.out.size
        try:
            self.write_call(call)
        except BaseException:
            self.out.cut(start)
            raise
        if self.out.is_unsafe:
            self.out.is_unsafe = False
            line = safe_line(self.out.taken(start))
            self.out.cut(start)
            self.out.add(line)
        return 0

    def take(self) -> bytes:
        """Give what was written since this was last asked."""
        found: bytes = self.out.taken(0)
        self.out.cut(0)
        return found

    def line(self, call: Call) -> bytes:
        """Give a call's line, with its newline."""
        self.write(call)
        return self.take()

    def calls(self, items: list[Item]) -> bytes:
        """Take calls from the end of a list and give their lines.

        Stops before anything else, before a call that cannot be shown, and when there are enough for one write.
        """
        while items and self.out.size < _ONE_WRITE:
            item = items[len(items) - 1]
            if type(item) is not Call:
                break
            try:
                self.write(item)
            except Exception:
                break
            items.pop()
        return self.take()

    def write_call(self, call: Call) -> cython.int:
        """Write a line, straight from the bytes of the call where nothing is wrong with them."""
        out: TextBuffer = self.out
        writer: JsonWriter = self.writer
        header, request, response = call.header, call.request, call.response
        if header is None or request is None:
            return self.write_decoded(call)
        key: cython.int = header.api_key
        version: cython.int = header.api_version
        data: bytes = request.data
        answer: bytes | None = None
        if response is not None:
            answer = response.data
        if (
            len(data) != request.size
            or key in HOLDING_APIS
            or (response is not None and len(response.data) != response.size)
        ):
            return self.write_decoded(call)
        start: cython.Py_ssize_t = out.size
        self.write_start(call)
        if not self.write_body(call, data, True, key, version, header.end):
            out.cut(start)
            return self.write_decoded(call)
        errors, ids, records = writer.errors, writer.topic_ids, writer.records
        out.add(b',"response":')
        response_errors: list[tuple[str, int]] = []
        response_ids: list[str] = []
        response_records: list[RecordsField] = []
        if answer is None:
            out.add(b"null")
        elif self.write_body(call, answer, False, key, version, 4):
            response_errors, response_ids, response_records = writer.errors, writer.topic_ids, writer.records
        else:
            out.cut(start)
            return self.write_decoded(call)
        self.write_end(call, -1 if answer is None else version, b"")
        is_plain: cython.bint = not errors and not response_errors and not call.pairing_problems
        if is_plain and not call.context.records:
            start = out.size
            if records or response_records:
                out.add(b',"batches":[')
                empty: cython.Py_ssize_t = out.size
                is_plain = write_batches(out, data, "request", records, True)
                if is_plain and response_records and answer is not None:
                    is_plain = write_batches(out, answer, "response", response_records, out.size == empty)
                if out.size == empty:
                    out.cut(start)
                else:
                    out.byte(0x5D)
            if is_plain:
                if call.fetch_session is not None or call.context.tokens:
                    decoded = call.known_decoded
                    if decoded:
                        self.add_unsafe(members_text({"decoded": decoded}))
                if ids or response_ids:
                    topics = call.context.topics.of([*ids, *response_ids])
                    if topics:
                        self.add_unsafe(members_text({"topics": topics}))
                return self.write_client(call)
            out.cut(start)
        self.add_unsafe(
            found_text(
                call,
                ("request", data, errors, ids, records),
                ("response", answer or b"", response_errors, response_ids, response_records),
            )
        )
        return self.write_client(call)

    def add_unsafe(self, text: str) -> None:
        """Write text that may hold what a terminal obeys."""
        if not text.isascii() or "\x7f" in text:
            self.out.is_unsafe = True
        self.out.add(text.encode())

    def write_body(
        self,
        call: Call,
        data: bytes,
        is_request: cython.bint,
        key: cython.int,
        version: cython.int,
        start: cython.Py_ssize_t,
    ) -> cython.bint:
        """Write a body; give False for one with any problem, of which the caller cuts off what was written."""
        writer: JsonWriter = self.writer
        kind: str = "request" if is_request else "response"
        shows: cython.bint = call.show_secrets
        layout: cython.int = ((key << 16 | version) << 1 | is_request) << 1 | shows
        if layout not in self.tables:
            api = APIS.get(key)
            is_known = api is not None and api.first_version <= version <= api.last_version
            # Of a config's value its name says whether it is secret, wherever it stands.
            is_known = is_known and (shows or (key, kind) not in CONFIG_APIS)
            self.tables[layout] = json_table(key, version, kind, shows) if is_known else None
        found: FieldTable | None = self.tables[layout]
        if found is None:
            return False
        if not is_request:
            if found.is_flexible and key != _API_VERSIONS:
                # Kafka knows no tagged fields in the header, so that their count is one byte, and zero.
                if len(data) < 5 or data[4] != 0:
                    return False
                start = 5
            if key == _API_VERSIONS and is_unsupported_version(version, data, start):
                return False
        writer.begin(data, start, len(data), call.context.limits.elements)
        try:
            writer.write(found)
            return writer.p == writer.end
        except ProtocolError:
            return False
        finally:
            writer.release()

    def write_decoded(self, call: Call) -> cython.int:
        """Write a line by way of the decoded bodies, which tell all that may be wrong with them."""
        request, response, version, partial, found = decoded_parts(call)
        self.out.is_unsafe = True
        self.write_start(call)
        self.out.add(request)
        self.out.add(b',"response":')
        self.out.add(response)
        self.write_end(call, -1 if version is None else version, partial.encode())
        self.out.add(found.encode())
        return self.write_client(call)

    def failed(self, call: Call, message: str) -> bytes:
        """Give the line of a call that cannot be shown: all but what lies in its bodies."""
        self.take()
        self.write_start(call)
        self.out.add(b'null,"response":null')
        self.write_end(call, -1, b"")
        self.out.add(failed_text(call, message).encode())
        self.write_client(call)
        return safe_line(self.take())

    def write_start(self, call: Call) -> cython.int:
        """Write what stands before the bodies."""
        out: TextBuffer = self.out
        header = call.header
        first = call.time
        out.add(b'{"type":"call","time":"')
        self.write_time(first.time, first.interface.time_digits)
        layout: cython.int = -1
        client_id = None
        if header is not None:
            layout = header.api_key << 16 | header.api_version
            client_id = header.client_id
        key = (call.client, call.server, layout, client_id)
        parts = self.parts.get(key)
        if parts is None:
            if len(self.parts) >= _MOST_PARTS:
                self.parts.clear()
            client, server = call.client, call.server
            before = f'Z","connection":"{client}-{server}","client":"{client}","server":"{server}","requestHeader":{{'
            behind = "},"
            if header is not None:
                before += f'"requestApiKey":{header.api_key},"requestApiKeyName":"{api_name(header.api_key)}",'
                before += f'"requestApiVersion":{header.api_version},'
                behind = f',"clientId":{plain_text(client_id)}}},'
            parts = self.parts[key] = (
                safe_line(f'{before}"correlationId":'.encode()),
                safe_line(f'{behind}"request":'.encode()),
            )
        out.add(parts[0])
        out.number(call.correlation_id if header is None else header.correlation_id)
        return out.add(parts[1])

    def write_end(self, call: Call, version: cython.int, partial: bytes) -> cython.int:
        """Write what stands behind the bodies, up to what was found in them; the version is -1 without a response."""
        out: TextBuffer = self.out
        request, response = call.request, call.response
        out.add(b',"responseApiVersion":')
        if version < 0:
            out.add(b"null")
        else:
            out.number(version)
        out.add(partial)
        out.add(b',"outcome":"')
        out.add(call.outcome.encode())
        out.byte(0x22)
        if call.pending_ns is not None:
            out.add(b',"pendingMs":')
            self.write_milliseconds(call.pending_ns)
        if request is None or response is None:
            out.add(b',"totalTimeMs":null,"responseDelayMs":null,"requestSizeBytes":')
            if request is None:
                out.add(b"null")
            else:
                out.number(request.size)
            out.add(b',"responseSizeBytes":')
            if response is None:
                out.add(b"null")
            else:
                out.number(response.size)
        else:
            out.add(b',"totalTimeMs":')
            self.write_milliseconds(response.last.time - request.first.time)
            out.add(b',"responseDelayMs":')
            self.write_milliseconds(response.first.time - request.last.time)
            out.add(b',"requestSizeBytes":')
            out.number(request.size)
            out.add(b',"responseSizeBytes":')
            out.number(response.size)
        self.write_side(request, True)
        return self.write_side(response, False)

    def write_side(self, frame: Frame | None, is_request: cython.bint) -> cython.int:
        """Write file and packet of a message."""
        out: TextBuffer = self.out
        if frame is None:
            return out.add(
                b',"requestFile":null,"requestPacket":null'
                if is_request
                else b',"responseFile":null,"responsePacket":null'
            )
        last = frame.last
        out.add(b',"requestFile":' if is_request else b',"responseFile":')
        out.add(self.file_of(last.interface))
        out.add(b',"requestPacket":' if is_request else b',"responsePacket":')
        return out.number(last.packet)

    def write_client(self, call: Call) -> cython.int:
        """Write who the client is, and end the line."""
        key = (call.security_protocol, call.principal, call.software_name, call.software_version)
        text: bytes | None = self.clients.get(key)
        if text is None:
            if len(self.clients) >= _MOST_PARTS:
                self.clients.clear()
            text = self.clients[key] = safe_line(f"{client_text(*key)}}}\n".encode())
        return self.out.add(text)

    def file_of(self, interface: Interface) -> bytes:
        """Give the name of the file whose interface this is."""
        if interface is not self.interface:
            self.interface = interface
            self.file = safe_line(file_text(interface).encode())
        return self.file

    def write_time(self, nanoseconds: cython.longlong, digits: cython.int) -> cython.int:
        """Write a time as `utc_text` does, but for the `Z`."""
        second: cython.longlong = nanoseconds // _SECOND_NS
        fraction: cython.longlong = nanoseconds - second * _SECOND_NS
        if second != self.second:
            self.second = second
            self.second_text = second_text(second).encode()
        self.out.add(self.second_text)
        if digits > 6:
            return self.out.padded(fraction, 9)
        return self.out.padded(fraction // 1000, 6)

    def write_milliseconds(self, nanoseconds: cython.longlong) -> cython.int:
        """Write a duration in milliseconds, as a float prints."""
        out: TextBuffer = self.out
        if nanoseconds < 100 or nanoseconds > 1_000_000_000_000_000:
            return out.add(milliseconds_text(nanoseconds).encode())
        out.number(nanoseconds // 1_000_000)
        out.byte(0x2E)
        out.padded(nanoseconds % 1_000_000, 6)
        keep: cython.Py_ssize_t = out.size - 5
        while out.size > keep and out.last() == 0x30:
            out.cut(out.size - 1)
        return 0
