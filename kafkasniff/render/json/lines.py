# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes calls as JSON, one object a line (fields: docs/json.md)."""

from collections.abc import Mapping
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Frame
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.context import Context
from kafkasniff.calls.items import Item
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.json_text import json_table
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import API_VERSIONS, RequestHeader, api_name
from kafkasniff.protocol.primitives import RecordsField
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
from kafkasniff.render.json.records import RecordsWriter
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import second_text

if not cython.compiled:
    from kafkasniff.render.json.batches import write_batches

_API_VERSIONS = cython.declare(cython.int, API_VERSIONS)
_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_NO_SECOND = cython.declare(cython.longlong, -(1 << 62))
"""Before all times."""
# Numbers of more than 31 bits in the text of a function would be Python's.
_LONGEST_NS = cython.declare(cython.longlong, 1_000_000_000_000_000)
"""Durations up to this are written here: those above print with fewer decimals."""
_ONE_WRITE = cython.declare(cython.Py_ssize_t, 1 << 18)
"""Bytes of lines from which on they are written."""
_MOST_PARTS = 4096
"""Clients, APIs and the like of which the parts of lines are remembered; more, and all are forgotten."""

_OUTCOMES: dict[str, bytes] = {
    outcome: f',"outcome":"{outcome}"'.encode()
    for outcome in ("answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured")
}

_LONGEST_DECODED = 16 << 10
"""Characters of what other calls tell, so that it is remembered."""


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
        self.ends: dict[str, tuple[str, bytes]] = {}
        self.apis: dict[int, bytes] = {}
        self.client_ids: dict[str | None, bytes] = {}
        self.client_id: str | None = None
        self.client_id_text = b""
        self.client: tuple[str, str | None, str | None, str | None] | None = None
        self.client_text = b""
        self.clients: dict[tuple[str, str | None, str | None, str | None], bytes] = {}
        self.records = RecordsWriter(self.out)
        self.decoded: dict[int, tuple[dict[str, Any], str]] = {}
        self.context: Context | None = None
        self.most_elements = 0
        self.shows_records = self.cuts_values = False
        self.interface: Interface | None = None
        self.digits = 0
        self.request_file = self.response_file = b""
        self.second_ns = _NO_SECOND
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
        data: bytes = request.data
        answer: bytes | None = None
        if len(data) != request.size:
            return self.write_decoded(call)
        if response is not None:
            answer = response.data
            if len(answer) != response.size:
                return self.write_decoded(call)
        if call.context is not self.context:
            self.take_context(call.context)
        start: cython.Py_ssize_t = out.size
        self.write_start(call)
        if not self.write_body(header, call.show_secrets, data, True, header.end):
            out.cut(start)
            return self.write_decoded(call)
        errors, ids, records = writer.errors, writer.topic_ids, writer.records
        is_internal: cython.bint = writer.names_internal_topic
        out.add(b',"response":')
        response_errors: list[tuple[str, int]] = []
        response_ids: list[str] = []
        response_records: list[RecordsField] = []
        if answer is None:
            out.add(b"null")
        elif self.write_body(header, call.show_secrets, answer, False, 4):
            response_errors, response_ids, response_records = writer.errors, writer.topic_ids, writer.records
            is_internal = is_internal or writer.names_internal_topic
        else:
            out.cut(start)
            return self.write_decoded(call)
        self.write_end(call, -1 if answer is None else header.api_version, b"")
        names: dict[str, str] = {}
        if ids or response_ids:
            names = call.context.topics.of([*ids, *response_ids])
            for name in names.values():
                is_internal = is_internal or name.startswith("__")
        if (
            not errors
            and not response_errors
            and not call.pairing_problems
            and self.write_all_batches(call.context, data, answer, records, response_records, is_internal)
        ):
            if call.fetch_session is not None or call.context.tokens:
                self.write_known_decoded(call)
            if names:
                self.write_topics(names)
            return self.write_client(call)
        self.add_unsafe(
            found_text(
                call,
                ("request", data, errors, ids, records),
                ("response", answer or b"", response_errors, response_ids, response_records),
            )
        )
        return self.write_client(call)

    def take_context(self, context: Context) -> cython.int:
        """Take what is asked of the calls from here on."""
        self.context = context
        self.most_elements = context.limits.elements
        self.shows_records = context.records
        self.cuts_values = context.limit_value is not None
        return 0

    def write_all_batches(
        self,
        context: Context,
        data: bytes,
        answer: bytes | None,
        records: list[RecordsField],
        response_records: list[RecordsField],
        is_internal: cython.bint,
    ) -> cython.bint:
        """Write the batches of both bodies, with their records where these are asked for.

        Gives False, and writes nothing, where anything is unusual about them; the records of internal topics are.
        """
        if not records and not response_records:
            return True
        writer: RecordsWriter | None = None
        if self.shows_records:
            if self.cuts_values or is_internal:
                return False
            writer = self.records
        out: TextBuffer = self.out
        start: cython.Py_ssize_t = out.size
        spent: cython.longlong = 0
        if writer is not None:
            spent = context.spending.records.left
        out.add(b',"batches":[')
        empty: cython.Py_ssize_t = out.size
        is_written: cython.bint = write_batches(out, data, "request", records, True, writer, context)
        if is_written and answer is not None and response_records:
            is_first: cython.bint = out.size == empty
            is_written = write_batches(out, answer, "response", response_records, is_first, writer, context)
        if not is_written:
            out.cut(start)
            if writer is not None:
                context.spending.records.left = spent
        elif out.size == empty:
            out.cut(start)
        else:
            out.byte(0x5D)
        return is_written

    def write_known_decoded(self, call: Call) -> cython.int:
        """Write what other calls tell of one; that of a Fetch session is the same for many calls."""
        decoded = call.known_decoded
        if not decoded:
            return 0
        first = decoded[0]
        known = self.decoded.get(id(first))
        if known is None or known[0] is not first or len(decoded) > 1:
            if len(self.decoded) >= _MOST_PARTS:
                self.decoded.clear()
            known = first, members_text({"decoded": decoded})
            if len(decoded) == 1 and len(known[1]) <= _LONGEST_DECODED:
                self.decoded[id(first)] = known
        return self.add_unsafe(known[1])

    def write_topics(self, names: Mapping[str, str]) -> cython.int:
        """Write the names of topic ids."""
        out: TextBuffer = self.out
        out.add(b',"topics":{')
        for topic_id, name in names.items():
            raw: bytes = name.encode()
            out.key(f'"{topic_id}":'.encode())
            out.json_string(raw, 0, len(raw))
        return out.byte(0x7D)

    def add_unsafe(self, text: str) -> cython.int:
        """Write text that may hold what a terminal obeys."""
        if not text.isascii() or "\x7f" in text:
            self.out.is_unsafe = True
        return self.out.add(text.encode())

    def write_body(
        self,
        header: RequestHeader,
        shows: cython.bint,
        data: bytes,
        is_request: cython.bint,
        start: cython.Py_ssize_t,
    ) -> cython.bint:
        """Write a body; give False for one with any problem, of which the caller cuts off what was written."""
        writer: JsonWriter = self.writer
        key: cython.int = header.api_key
        version: cython.int = header.api_version
        layout: cython.longlong = key
        layout = ((layout * 0x10000 + version) * 2 + is_request) * 2 + shows
        found = self.tables.get(layout)
        if found is None:
            found = self.table_of(key, version, is_request, shows)
            if found is None:
                return False
            self.tables[layout] = found
        if not is_request:
            if found.is_flexible and key != _API_VERSIONS:
                # Kafka knows no tagged fields in the header, so that their count is one byte, and zero.
                if len(data) < 5 or data[4] != 0:
                    return False
                start = 5
            if key == _API_VERSIONS and is_unsupported_version(version, data, start):
                return False
        writer.begin(data, start, len(data), self.most_elements)
        try:
            writer.write(found)
            return writer.p == writer.end
        except ProtocolError:
            return False
        finally:
            writer.release()

    def table_of(
        self, key: cython.int, version: cython.int, is_request: cython.bint, shows: cython.bint
    ) -> FieldTable | None:
        """Give the table of a layout; None where it is not known, or may hold other messages."""
        api = APIS.get(key)
        if api is None or key in HOLDING_APIS or not api.first_version <= version <= api.last_version:
            return None
        return json_table(key, version, "request" if is_request else "response", shows)

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
        frame = call.request
        if frame is None:
            frame = call.response
        assert frame is not None
        first = frame.first
        if first.interface is not self.interface:
            self.take_interface(first.interface)
        out.add(b'{"type":"call","number":')
        out.number(call.number)
        out.add(b',"time":"')
        self.write_time(first.time)
        ends: tuple | None = self.ends.get(call.client)  # type: ignore[type-arg]
        if ends is None or (ends[0] is not call.server and ends[0] != call.server):
            ends = self.take_ends(call.client, call.server)
        out.add(ends[1])
        if header is None:
            out.add(b'"correlationId":')
            out.number(call.correlation_id)
            return out.add(b'},"request":')
        layout: cython.longlong = header.api_key
        layout = layout * 0x10000 + header.api_version
        api: bytes | None = self.apis.get(layout)
        if api is None:
            api = self.take_api(layout, header)
        out.add(api)
        out.number(header.correlation_id)
        if not self.client_id_text or header.client_id is not self.client_id:
            self.take_client_id(header.client_id)
        return out.add(self.client_id_text)

    def take_ends(self, client: str, server: str) -> tuple[str, bytes]:
        """Make what a line has of its client and server."""
        if len(self.ends) >= _MOST_PARTS:
            self.ends.clear()
        text = f'Z","connection":"{client}-{server}","client":"{client}","server":"{server}","requestHeader":{{'
        made = self.ends[client] = server, safe_line(text.encode())
        return made

    def take_api(self, layout: int, header: RequestHeader) -> bytes:
        """Make what stands before the correlation id in a header."""
        if len(self.apis) >= _MOST_PARTS:
            self.apis.clear()
        text = f'"requestApiKey":{header.api_key},"requestApiKeyName":"{api_name(header.api_key)}",'
        text += f'"requestApiVersion":{header.api_version},"correlationId":'
        made = self.apis[layout] = safe_line(text.encode())
        return made

    def take_client_id(self, client_id: str | None) -> None:
        """Make or find what stands behind the correlation id in a header."""
        self.client_id = client_id
        self.client_id_text = self.client_ids.get(client_id, b"")
        if not self.client_id_text:
            if len(self.client_ids) >= _MOST_PARTS:
                self.client_ids.clear()
            self.client_id_text = safe_line(f',"clientId":{plain_text(client_id)}}},"request":'.encode())
            self.client_ids[client_id] = self.client_id_text

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
        out.add(_OUTCOMES[call.outcome])
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
        if last.interface is not self.interface:
            self.take_interface(last.interface)
        out.add(self.request_file if is_request else self.response_file)
        return out.number(last.packet)

    def write_client(self, call: Call) -> cython.int:
        """Write who the client is, and end the line."""
        last: tuple | None = self.client  # type: ignore[type-arg]
        if (
            last is not None
            and last[0] is call.security_protocol
            and last[1] is call.principal
            and last[2] is call.software_name
            and last[3] is call.software_version
        ):
            return self.out.add(self.client_text)
        key = (call.security_protocol, call.principal, call.software_name, call.software_version)
        text: bytes | None = self.clients.get(key)
        if text is None:
            if len(self.clients) >= _MOST_PARTS:
                self.clients.clear()
            text = self.clients[key] = safe_line(f"{client_text(*key)}}}\n".encode())
        self.client, self.client_text = key, text
        return self.out.add(text)

    def take_interface(self, interface: Interface) -> cython.int:
        """Take the interface of a packet: its file's name and how exact its times are."""
        name = file_text(interface)
        self.interface = interface
        self.digits = interface.time_digits
        self.request_file = safe_line(f',"requestFile":{name},"requestPacket":'.encode())
        self.response_file = safe_line(f',"responseFile":{name},"responsePacket":'.encode())
        return 0

    def write_time(self, nanoseconds: cython.longlong) -> cython.int:
        """Write a time as `utc_text` does, but for the `Z`."""
        fraction: cython.longlong = nanoseconds - self.second_ns
        if fraction < 0 or fraction >= _SECOND_NS:
            second: cython.longlong = nanoseconds // _SECOND_NS
            self.second_ns = second * _SECOND_NS
            self.second_text = second_text(second).encode()
            fraction = nanoseconds - self.second_ns
        self.out.add(self.second_text)
        if self.digits > 6:
            return self.out.padded(fraction, 9)
        return self.out.padded(fraction // 1000, 6)

    def write_milliseconds(self, nanoseconds: cython.longlong) -> cython.int:
        """Write a duration in milliseconds, as a float prints."""
        out: TextBuffer = self.out
        if nanoseconds < 100 or nanoseconds > _LONGEST_NS:
            return out.add(milliseconds_text(nanoseconds).encode())
        # Unsigned numbers are divided faster.
        positive: cython.ulonglong = nanoseconds
        whole: cython.ulonglong = positive // 1_000_000
        fraction: cython.uint = positive - whole * 1_000_000
        digits: cython.int = 6
        if fraction % 1000 == 0:
            fraction //= 1000
            digits = 3
        while digits > 1 and fraction % 10 == 0:
            fraction //= 10
            digits -= 1
        out.number(whole)
        out.byte(0x2E)
        return out.padded(fraction, digits)
