# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The summary of a call in a few words: topics, partitions, group, member, records, bytes."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.context import Context
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.decoding import UNSUPPORTED_VERSION
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import API_VERSIONS, RequestHeader, read_response_header, response_header_version
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.render.text.summaries import fields
from kafkasniff.render.text.summaries.fields import COORDINATOR_KEYS, LABELS
from kafkasniff.render.text.summaries.known import KnownSummaries
from kafkasniff.render.text.summaries.lists import NAME_LENGTH
from kafkasniff.render.text.summaries.reader import SummaryReader
from kafkasniff.render.text.summaries.tables import summary_table
from kafkasniff.render.words import count_text, size_text

_NAME_LENGTH = cython.declare(cython.int, NAME_LENGTH)

GROUP = cython.declare(cython.int, fields.GROUP)
INSTANCE = cython.declare(cython.int, fields.INSTANCE)
MEMBER = cython.declare(cython.int, fields.MEMBER)
TRANSACTIONAL_ID = cython.declare(cython.int, fields.TRANSACTIONAL_ID)
SOFTWARE = cython.declare(cython.int, fields.SOFTWARE)
SOFTWARE_VERSION = cython.declare(cython.int, fields.SOFTWARE_VERSION)
PROTOCOL = cython.declare(cython.int, fields.PROTOCOL)
REASON = cython.declare(cython.int, fields.REASON)
GENERATION = cython.declare(cython.int, fields.GENERATION)
EPOCH = cython.declare(cython.int, fields.EPOCH)
ACKS = cython.declare(cython.int, fields.ACKS)
SESSION = cython.declare(cython.int, fields.SESSION)
KEY_TYPE = cython.declare(cython.int, fields.KEY_TYPE)
PRODUCER = cython.declare(cython.int, fields.PRODUCER)
PRODUCER_EPOCH = cython.declare(cython.int, fields.PRODUCER_EPOCH)
BROKER = cython.declare(cython.int, fields.BROKER)
BROKERS = cython.declare(cython.int, fields.BROKERS)
TOPICS = cython.declare(cython.int, fields.TOPICS)
APIS = cython.declare(cython.int, fields.APIS)
MEMBERS = cython.declare(cython.int, fields.MEMBERS)
ASSIGNMENTS = cython.declare(cython.int, fields.ASSIGNMENTS)
ASSIGNMENT = cython.declare(cython.int, fields.ASSIGNMENT)
THROTTLE = cython.declare(cython.int, fields.THROTTLE)

_API_VERSIONS = cython.declare(cython.int, API_VERSIONS)
_UNSUPPORTED_VERSION = cython.declare(cython.int, UNSUPPORTED_VERSION)
# By API key: whether its fields are known, and whether its bodies may hold messages.
_KEYS = cython.declare(cython.int, 128)
_VERSIONS = cython.declare(cython.int, 32)
_SUMMARISED = cython.declare(bytes, bytes([key in fields.SUMMARY_FIELDS for key in range(_KEYS)]))
_HOLDING = cython.declare(bytes, bytes([key in HOLDING_APIS for key in range(_KEYS)]))

# The words of codecs by their number, and the numbers in the order of the words.
_CODECS = cython.declare(list, [b" " + name.encode() for name in COMPRESSIONS])
_CODEC_ORDER = cython.declare(bytes, bytes(sorted(range(1, len(COMPRESSIONS)), key=COMPRESSIONS.__getitem__)))
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
        self.tables: list[FieldTable | None] = [None] * (2 * _KEYS * _VERSIONS)
        self.known = KnownSummaries()
        self.context: Context | None = None
        self.holds_records = False
        self.lists_asked = False

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
        self.lists_asked = False
        self.is_sound = not _HOLDING[key] and not self.holds_records
        if request is not None:
            is_asked = self.read_side(call, request, True, key, version, header.end)
            if is_asked:
                self.write_request(call, key, version)
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
            self.write_response(call, key, is_asked)
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

    # The parts of a request

    def write_request(self, call: Call, key: cython.int, version: cython.int) -> cython.int:
        """Write what was asked."""
        out: TextBuffer = self.text
        reader: SummaryReader = self.reader
        self.lists_asked = reader.listed.size > 0
        if key == 0:
            out.append(reader.listed)
            if out.size:
                out.byte(32)
            self.write_records(call, "request")
            self.write_size(reader.record_bytes)
            if self.reader.value(ACKS) == -1:
                out.add(b" acks=all")
            else:
                self.write_value(b" acks=", ACKS)
            self.write_slot(b" transaction ", TRANSACTIONAL_ID)
        elif key == 1:
            if self.reader.is_there(SESSION) and self.reader.value(SESSION):
                self.write_value(b"session ", SESSION)
                if self.lists_asked:
                    out.byte(32)
            out.append(reader.listed)
        elif key == 3:
            # An empty list means all topics in version 0, no topics later (MetadataRequest.java); null: all topics.
            if self.reader.size_of(TOPICS) > 0:
                out.append(reader.named)
            else:
                out.add(b"all topics" if version == 0 or self.reader.size_of(TOPICS) < 0 else b"no topics")
        elif key == 8:
            self.write_member()
            out.byte(32)
            out.append(reader.listed)
        elif key == 10:
            if reader.names:
                kind = COORDINATOR_KEYS.get(self.reader.value(KEY_TYPE) if self.reader.is_there(KEY_TYPE) else 0)
                out.add(b" " if kind is None else kind)
                out.append(reader.named)
        elif key == 13 and reader.names:
            self.write_slot(b"group ", GROUP)
            if self.reader.size_of(GROUP) <= 0:
                out.add(b"group ")
            out.add(b" member ")
            out.append(reader.named)
            self.write_reason()
        elif key in (11, 12, 13, 14, 68, 76, 78, 79, 88):
            self.write_member()
            if reader.names:
                out.add(b" offers " if key == 11 else b" subscribes ")
                out.append(reader.named)
            if key == 11:
                self.write_reason()
            elif key == 14 and self.reader.size_of(ASSIGNMENTS) > 0:
                out.add(b" assigns to ")
                self.write_count(self.reader.size_of(ASSIGNMENTS), b" member")
        elif key == 18:
            if self.reader.size_of(SOFTWARE) > 0:
                self.write_slot(b"", SOFTWARE)
                out.byte(32)
                self.write_slot(b"", SOFTWARE_VERSION)
        elif key == 19:
            out.append(reader.listed)
            if reader.entries > 3:
                out.add(f", … ({reader.entries} topics)".encode())
        elif key == 22:
            self.write_slot(b"transaction ", TRANSACTIONAL_ID)
        elif key in (7, 62, 63, 67):
            self.write_value(b"broker ", BROKER)
        elif key in LABELS:
            if reader.names:
                out.add(LABELS[key])
                out.append(reader.named)
        elif reader.named.size:
            out.append(reader.named)
        else:
            out.append(reader.listed)
        return 0

    def write_reason(self) -> None:
        """Write why a member joins or leaves."""
        if self.reader.size_of(REASON) > 0:
            self.text.add(b" (")
            self.reader.shown(self.text, self.reader.value(REASON), self.reader.size_of(REASON), 60)
            self.text.byte(41)

    def write_member(self) -> cython.int:
        """Write group, member (static members by their instance id) and generation or epoch, as far as given."""
        out: TextBuffer = self.text
        reader: SummaryReader = self.reader
        size: cython.Py_ssize_t = reader.size_of(GROUP)
        if size != -2:
            out.add(b"group ")
            if size < 0:
                out.add(b"None")
            else:
                reader.shown(out, reader.value(GROUP), size, _NAME_LENGTH)
        size = reader.size_of(MEMBER)
        if reader.size_of(INSTANCE) > 0:
            self.write_slot(b" instance ", INSTANCE)
        elif size > 0:
            out.add(b" member ")
            reader.member(out, reader.value(MEMBER), size)
        if reader.is_there(GENERATION):
            self.write_value(b" generation ", GENERATION)
        if reader.is_there(EPOCH):
            self.write_value(b" epoch ", EPOCH)
        return 0

    # The parts of a response

    def write_response(self, call: Call, key: cython.int, is_asked: cython.bint) -> cython.int:
        """Write what was answered; `is_asked`: whether the request was written before."""
        out: TextBuffer = self.text
        reader: SummaryReader = self.reader
        if key == 0:
            if not is_asked:
                out.append(reader.listed)
            elif reader.written == 1 and reader.written_offset >= 0:
                out.add(b"offset ")
                out.number(reader.written_offset)
        elif key == 1:
            if not reader.record_bytes:
                return out.add(b"no records")
            if not self.lists_asked:
                out.append(reader.listed)
                out.byte(32)
            self.write_records(call, "response")
            self.write_size(reader.record_bytes)
        elif key == 3:
            self.write_count(self.reader.size_of(BROKERS), b" broker")
            if self.reader.size_of(TOPICS) > 0:
                out.add(b", ")
                self.write_count(self.reader.size_of(TOPICS), b" topic")
        elif key == 8:
            if not is_asked:
                out.append(reader.listed)
        elif key == 11:
            if self.reader.value(GENERATION) >= 0:
                self.write_value(b"generation ", GENERATION)
                if self.reader.size_of(PROTOCOL) > 0:
                    self.write_slot(b" ", PROTOCOL)
                else:
                    out.add(b" without protocol")
                if self.reader.size_of(MEMBERS) > 0:
                    out.add(b", leads ")
                    self.write_count(self.reader.size_of(MEMBERS), b" member")
        elif key == 18:
            if self.reader.size_of(APIS) > 0:
                self.write_count(self.reader.size_of(APIS), b" API")
        elif key == 22:
            if self.reader.value(PRODUCER) >= 0:
                self.write_value(b"producer ", PRODUCER)
                self.write_value(b" epoch ", PRODUCER_EPOCH)
        elif key == 60:
            if self.reader.size_of(BROKERS) > 0:
                self.write_count(self.reader.size_of(BROKERS), b" broker")
        elif key in (68, 76, 88):
            if self.reader.is_there(EPOCH) and self.reader.value(EPOCH):
                self.write_value(b"epoch ", EPOCH)
                if self.reader.size_of(ASSIGNMENT) >= 0:
                    out.add(b", ")
            if self.reader.size_of(ASSIGNMENT) >= 0:
                out.add(b"assigned ")
                if reader.listed.size:
                    out.append(reader.listed)
                else:
                    out.add(b"nothing")
        else:
            out.append(reader.listed)
        return 0

    # Words

    def write_slot(self, before: bytes, role: cython.int) -> cython.int:
        """Write a string that is not empty."""
        if self.reader.size_of(role) > 0:
            self.text.add(before)
            self.reader.shown(self.text, self.reader.value(role), self.reader.size_of(role), _NAME_LENGTH)
        return 0

    def write_value(self, before: bytes, role: cython.int) -> cython.int:
        """Write a number."""
        self.text.add(before)
        return self.text.number(self.reader.value(role))

    def write_records(self, call: Call, side: Side) -> cython.int:
        """Write how many records there are, with which compression."""
        codec: cython.int
        reader: SummaryReader = self.reader
        if reader.is_uncounted:
            count, codecs = call.record_totals(side)
            if codecs:
                words = sorted(["" if name == "none" else f" {name}" for name in codecs])
                self.text.add(f"{count_text(count, 'record')}{''.join(words)} ".encode())
        elif reader.codecs:
            self.write_count(reader.record_count, b" record")
            if reader.codecs != 1:
                for codec in _CODEC_ORDER:
                    if reader.codecs >> codec & 1:
                        self.text.add(_CODECS[codec])
            self.text.byte(32)
        return 0

    def write_size(self, size: cython.longlong) -> cython.int:
        """Write a number of bytes as `size_text` has it."""
        if size < 1000:
            self.text.number(size)
            return self.text.add(b" B")
        if size < 999_950 and size % 100 != 50:
            return self.write_tenths((size + 50) // 100, b" kB")
        if 999_950 <= size < 999_950_000 and size % 100_000 != 50_000:
            return self.write_tenths((size + 50_000) // 100_000, b" MB")
        # So that halves are rounded as Python does.
        return self.text.add(size_text(size).encode())

    def write_tenths(self, tenths: cython.longlong, unit: bytes) -> cython.int:
        """Write a number with one decimal."""
        self.text.number(tenths // 10)
        self.text.byte(46)
        self.text.number(tenths % 10)
        return self.text.add(unit)

    def write_count(self, count: cython.longlong, noun: bytes) -> cython.int:
        """Write a count with its noun."""
        if 0 <= count < 1000:
            self.text.number(count)
        else:
            self.text.add(f"{count:,}".encode())
        self.text.add(noun)
        return 0 if count == 1 else self.text.byte(115)
