# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes summaries: of what a reader found in a request, and in the response to it."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Side
from kafkasniff.protocol import api_keys
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.render.text.summaries import fields
from kafkasniff.render.text.summaries.fields import COORDINATOR_KEYS, LABELS
from kafkasniff.render.text.summaries.lists import NAME_LENGTH
from kafkasniff.render.text.summaries.reader import SummaryReader
from kafkasniff.render.words import count_text, size_text

_NAME_LENGTH = cython.declare(cython.int, NAME_LENGTH)

_PRODUCE = cython.declare(cython.int, api_keys.PRODUCE)
_FETCH = cython.declare(cython.int, api_keys.FETCH)
_METADATA = cython.declare(cython.int, api_keys.METADATA)
_CONTROLLED_SHUTDOWN = cython.declare(cython.int, api_keys.CONTROLLED_SHUTDOWN)
_OFFSET_COMMIT = cython.declare(cython.int, api_keys.OFFSET_COMMIT)
_FIND_COORDINATOR = cython.declare(cython.int, api_keys.FIND_COORDINATOR)
_JOIN_GROUP = cython.declare(cython.int, api_keys.JOIN_GROUP)
_HEARTBEAT = cython.declare(cython.int, api_keys.HEARTBEAT)
_LEAVE_GROUP = cython.declare(cython.int, api_keys.LEAVE_GROUP)
_SYNC_GROUP = cython.declare(cython.int, api_keys.SYNC_GROUP)
_API_VERSIONS = cython.declare(cython.int, api_keys.API_VERSIONS)
_CREATE_TOPICS = cython.declare(cython.int, api_keys.CREATE_TOPICS)
_INIT_PRODUCER_ID = cython.declare(cython.int, api_keys.INIT_PRODUCER_ID)
_DESCRIBE_CLUSTER = cython.declare(cython.int, api_keys.DESCRIBE_CLUSTER)
_BROKER_REGISTRATION = cython.declare(cython.int, api_keys.BROKER_REGISTRATION)
_BROKER_HEARTBEAT = cython.declare(cython.int, api_keys.BROKER_HEARTBEAT)
_ALLOCATE_PRODUCER_IDS = cython.declare(cython.int, api_keys.ALLOCATE_PRODUCER_IDS)
_CONSUMER_GROUP_HEARTBEAT = cython.declare(cython.int, api_keys.CONSUMER_GROUP_HEARTBEAT)
_SHARE_GROUP_HEARTBEAT = cython.declare(cython.int, api_keys.SHARE_GROUP_HEARTBEAT)
_SHARE_FETCH = cython.declare(cython.int, api_keys.SHARE_FETCH)
_SHARE_ACKNOWLEDGE = cython.declare(cython.int, api_keys.SHARE_ACKNOWLEDGE)
_STREAMS_GROUP_HEARTBEAT = cython.declare(cython.int, api_keys.STREAMS_GROUP_HEARTBEAT)

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

# The words of codecs by their number, and the numbers in the order of the words.
_CODECS = cython.declare(list, [b" " + name.encode() for name in COMPRESSIONS])
_CODEC_ORDER = cython.declare(bytes, bytes(sorted(range(1, len(COMPRESSIONS)), key=COMPRESSIONS.__getitem__)))


@cython.final
@cython.cclass
class SummaryWriter:
    """Writes into `text` what `reader` has read last."""

    def __init__(self, text: TextBuffer, reader: SummaryReader) -> None:
        """Begin with no call."""
        self.text = text
        self.reader = reader
        self.lists_asked = False

    def begin(self) -> None:
        """Begin with another call."""
        self.lists_asked = False

    # The parts of a request

    def write_request(self, call: Call, key: cython.int, version: cython.int) -> cython.int:
        """Write what was asked."""
        out: TextBuffer = self.text
        reader: SummaryReader = self.reader
        self.lists_asked = reader.listed.size > 0
        if key == _PRODUCE:
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
        elif key == _FETCH:
            if self.reader.is_there(SESSION) and self.reader.value(SESSION):
                self.write_value(b"session ", SESSION)
                if self.lists_asked:
                    out.byte(32)
            out.append(reader.listed)
        elif key == _METADATA:
            # An empty list means all topics in version 0, no topics later (MetadataRequest.java); null: all topics.
            if self.reader.size_of(TOPICS) > 0:
                out.append(reader.named)
            else:
                out.add(b"all topics" if version == 0 or self.reader.size_of(TOPICS) < 0 else b"no topics")
        elif key == _OFFSET_COMMIT:
            self.write_member()
            out.byte(32)
            out.append(reader.listed)
        elif key == _FIND_COORDINATOR:
            if reader.names:
                kind = COORDINATOR_KEYS.get(self.reader.value(KEY_TYPE) if self.reader.is_there(KEY_TYPE) else 0)
                out.add(b" " if kind is None else kind)
                out.append(reader.named)
        elif key == _LEAVE_GROUP and reader.names:
            self.write_slot(b"group ", GROUP)
            if self.reader.size_of(GROUP) <= 0:
                out.add(b"group ")
            out.add(b" member ")
            out.append(reader.named)
            self.write_reason()
        elif key in (
            _JOIN_GROUP,
            _HEARTBEAT,
            _LEAVE_GROUP,
            _SYNC_GROUP,
            _CONSUMER_GROUP_HEARTBEAT,
            _SHARE_GROUP_HEARTBEAT,
            _SHARE_FETCH,
            _SHARE_ACKNOWLEDGE,
            _STREAMS_GROUP_HEARTBEAT,
        ):
            self.write_member()
            if reader.names:
                out.add(b" offers " if key == _JOIN_GROUP else b" subscribes ")
                out.append(reader.named)
            if key == _JOIN_GROUP:
                self.write_reason()
            elif key == _SYNC_GROUP and self.reader.size_of(ASSIGNMENTS) > 0:
                out.add(b" assigns to ")
                self.write_count(self.reader.size_of(ASSIGNMENTS), b" member")
        elif key == _API_VERSIONS:
            if self.reader.size_of(SOFTWARE) > 0:
                self.write_slot(b"", SOFTWARE)
                out.byte(32)
                self.write_slot(b"", SOFTWARE_VERSION)
        elif key == _CREATE_TOPICS:
            out.append(reader.listed)
            if reader.entries > 3:
                out.add(f", … ({reader.entries} topics)".encode())
        elif key == _INIT_PRODUCER_ID:
            self.write_slot(b"transaction ", TRANSACTIONAL_ID)
        elif key in (_CONTROLLED_SHUTDOWN, _BROKER_REGISTRATION, _BROKER_HEARTBEAT, _ALLOCATE_PRODUCER_IDS):
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
        if key == _PRODUCE:
            if not is_asked:
                out.append(reader.listed)
            elif reader.written == 1 and reader.written_offset >= 0:
                out.add(b"offset ")
                out.number(reader.written_offset)
        elif key == _FETCH:
            if not reader.record_bytes:
                return out.add(b"no records")
            if not self.lists_asked:
                out.append(reader.listed)
                out.byte(32)
            self.write_records(call, "response")
            self.write_size(reader.record_bytes)
        elif key == _METADATA:
            self.write_count(self.reader.size_of(BROKERS), b" broker")
            if self.reader.size_of(TOPICS) > 0:
                out.add(b", ")
                self.write_count(self.reader.size_of(TOPICS), b" topic")
        elif key == _OFFSET_COMMIT:
            if not is_asked:
                out.append(reader.listed)
        elif key == _JOIN_GROUP:
            if self.reader.value(GENERATION) >= 0:
                self.write_value(b"generation ", GENERATION)
                if self.reader.size_of(PROTOCOL) > 0:
                    self.write_slot(b" ", PROTOCOL)
                else:
                    out.add(b" without protocol")
                if self.reader.size_of(MEMBERS) > 0:
                    out.add(b", leads ")
                    self.write_count(self.reader.size_of(MEMBERS), b" member")
        elif key == _API_VERSIONS:
            if self.reader.size_of(APIS) > 0:
                self.write_count(self.reader.size_of(APIS), b" API")
        elif key == _INIT_PRODUCER_ID:
            if self.reader.value(PRODUCER) >= 0:
                self.write_value(b"producer ", PRODUCER)
                self.write_value(b" epoch ", PRODUCER_EPOCH)
        elif key == _DESCRIBE_CLUSTER:
            if self.reader.size_of(BROKERS) > 0:
                self.write_count(self.reader.size_of(BROKERS), b" broker")
        elif key in (_CONSUMER_GROUP_HEARTBEAT, _SHARE_GROUP_HEARTBEAT, _STREAMS_GROUP_HEARTBEAT):
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
