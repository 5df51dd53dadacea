# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The summary of a call in a few words: topics, partitions, group, member, records, bytes."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.context import Context
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.error_codes.numbers import UNSUPPORTED_VERSION
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_response_header, response_header_version
from kafkasniff.render.text.summaries import fields
from kafkasniff.render.text.summaries.known import KnownSummaries
from kafkasniff.render.text.summaries.reader import SummaryReader
from kafkasniff.render.text.summaries.tables import summary_table
from kafkasniff.render.text.summaries.writer import SummaryWriter

THROTTLE = cython.declare(cython.int, fields.THROTTLE)


_API_VERSIONS = cython.declare(cython.int, API_VERSIONS)
_UNSUPPORTED_VERSION = cython.declare(cython.int, UNSUPPORTED_VERSION)
# By API key: whether its fields are known, and whether its bodies may hold messages.
_KEYS = cython.declare(cython.int, 128)
_VERSIONS = cython.declare(cython.int, 32)
_SUMMARISED = cython.declare(bytes, bytes([key in fields.SUMMARY_FIELDS for key in range(_KEYS)]))
_HOLDING = cython.declare(bytes, bytes([key in HOLDING_APIS for key in range(_KEYS)]))

_ARROW = cython.declare(bytes, " → ".encode())


@cython.final
@cython.cclass
class Summaries:
    """Makes the summaries of calls, one after the other.

    `text` is that of the last call, safe to print and without line ends; `codes` its error codes that are not zero.
    `is_sound`: whether its bodies, as far as there are any, were read and have no problem. `throttle_ms`: for how long
    the broker throttles the client, 0 for not at all.
    """

    def __init__(self) -> None:
        """Begin with no call."""
        self.text = TextBuffer()
        self.codes: list[int] = []
        self.is_sound = True
        self.throttle_ms = 0
        self.reader = SummaryReader()
        self.writer = SummaryWriter(self.text, self.reader)
        self.tables: list[FieldTable | None] = [None] * (2 * _KEYS * _VERSIONS)
        self.known = KnownSummaries()
        self.context: Context | None = None
        self.holds_records = False

    def of(self, call: Call) -> str:
        """Give the summary of a call."""
        self.summarize(call)
        return str(self.text.taken(0), "utf-8")

    def summarize(self, call: Call) -> cython.int:
        """Take a call."""
        self.text.size = 0
        self.throttle_ms = 0
        if self.codes:
            self.codes = []
        header = call.header
        if header is None:
            self.is_sound = False
            return 0
        key: cython.int = header.api_key
        if key < 0 or key >= _KEYS or not _SUMMARISED[key]:
            self.is_sound = False
            from kafkasniff.render.text.summaries.others import other_summary

            self.text.add(other_summary(call).encode())
            self.codes = [error.code for error in call.errors]
            return 0
        if call.context is not self.context:
            self.begin_context(call.context)
        if self.holds_records or not self.known.may_repeat(call):
            return self.read_both(call, header)
        known: bytes | None = self.known.find(call)
        if known is not None:
            self.is_sound = True
            return self.text.add(known)
        self.read_both(call, header)
        if self.is_sound and not self.codes and not self.throttle_ms:
            self.known.keep(call, self.text.taken(0))
        return 0

    def read_both(self, call: Call, header: RequestHeader) -> cython.int:
        """Make the summary of a call of which the fields are known."""
        before: cython.Py_ssize_t
        start: cython.Py_ssize_t
        is_asked: cython.bint = False
        key: cython.int = header.api_key
        version: cython.int = header.api_version
        request, response = call.request, call.response
        self.reader.client_id = header.client_id
        self.writer.begin()
        self.is_sound = not _HOLDING[key] and not self.holds_records
        if request is not None:
            is_asked = self.read_side(call, request, True, key, version, header.end)
            if is_asked:
                self.writer.write_request(call, key, version)
        if response is None:
            return 0
        before = self.text.size
        if self.read_side(call, response, False, key, version, 4):
            # A body that did not decode whole may hold anything there.
            if not self.reader.is_partial and self.reader.is_there(THROTTLE):
                self.throttle_ms = self.reader.value(THROTTLE)
            if before:
                self.text.add(_ARROW)
            start = self.text.size
            self.writer.write_response(call, key, is_asked)
            if self.text.size == start:
                self.text.size = before
        return 0

    def begin_context(self, context: Context) -> None:
        """Take what the calls that follow share."""
        self.context = context
        self.reader.topic_names = context.topics
        self.holds_records = context.records

    def read_side(
        self,
        call: Call,
        frame: Frame,
        is_request: cython.bint,
        key: cython.int,
        version: cython.int,
        start: cython.Py_ssize_t,
    ) -> cython.bint:
        """Read a body; give whether it is there and whole."""
        reader: SummaryReader = self.reader
        data: bytes = frame.data
        size: cython.Py_ssize_t = len(data)
        reader.is_request = is_request
        reader.is_partial = False
        if size != frame.size:
            self.is_sound = False
            return False
        table: FieldTable | None = self.table_of(key, version, is_request)
        if table is not None and not is_request and table.is_flexible and key != _API_VERSIONS:
            # Kafka knows no tagged fields in the header, so that their count is one byte, and zero.
            if size > 4 and data[4] == 0:
                start = 5
            else:
                table = None
        # The error code comes first in all versions.
        may_be_refused: cython.bint = key == _API_VERSIONS and not is_request and size >= start + 2
        if may_be_refused and data[start + 1] == _UNSUPPORTED_VERSION and is_unsupported_version(version, data, start):
            table = None
        if table is not None:
            try:
                reader.read_summary(table, data, start, size)
                if reader.p == size:
                    if reader.is_uncounted:
                        self.is_sound = False
                    if reader.codes:
                        self.codes += reader.codes
                    return True
            except ProtocolError:
                pass
        self.is_sound = False
        # What is odd about it, and in which version it is, another reader finds out.
        body = call.request_body if is_request else call.response_body
        if body is None or body.value is None:
            return False
        end: cython.Py_ssize_t = body.end
        if not is_request:
            start = read_response_header(data, response_header_version(key, version))[1]
        table = self.table_of(key, body.version, is_request)
        if table is None:
            return False
        reader.is_partial = True
        reader.read_summary(table, data, start, end)
        self.codes += reader.codes
        return True

    def table_of(self, key: cython.int, version: cython.int, is_request: cython.bint) -> FieldTable | None:
        """Give the table of a layout, None where it is not known."""
        if version < 0 or version >= _VERSIONS:
            return None
        layout: cython.Py_ssize_t = (key * _VERSIONS + version) * 2 + is_request
        table: FieldTable | None = self.tables[layout]
        if table is None:
            table = summary_table(key, version, "request" if is_request else "response")
            self.tables[layout] = table
        return table
