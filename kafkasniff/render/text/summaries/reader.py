# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Reads a message for its summary: lists of topics and names as they come, and what else fields with roles hold."""

from array import array

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.primitives import java_text
from kafkasniff.protocol.records.batches import MAX_BATCHES, read_batches
from kafkasniff.protocol.records.layout import COMPRESSION
from kafkasniff.render.text.summaries import fields
from kafkasniff.render.text.summaries.lists import MOST_NAMES, NAME_LENGTH, SummaryLists
from kafkasniff.render.words import show

if not cython.compiled:
    from kafkasniff.protocol.bodies.walk import read_message
    from kafkasniff.protocol.records.crc32c import sound_batch

_MOST_NAMES = cython.declare(cython.int, MOST_NAMES)
_NAME_LENGTH = cython.declare(cython.int, NAME_LENGTH)
_MOST_BATCHES = cython.declare(cython.longlong, MAX_BATCHES)
_COMPRESSION = cython.declare(cython.int, COMPRESSION)
"""Bytes of the header of a batch of magic 2."""

_CONFIG_RESOURCES = {2: "topic", 4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}
"""ConfigResource.Type."""

TOPIC = cython.declare(cython.int, fields.TOPIC)
PARTITION = cython.declare(cython.int, fields.PARTITION)
OFFSET = cython.declare(cython.int, fields.OFFSET)
TIMESTAMP = cython.declare(cython.int, fields.TIMESTAMP)
OLD_OFFSETS = cython.declare(cython.int, fields.OLD_OFFSETS)
FETCHED_TOPIC = cython.declare(cython.int, fields.FETCHED_TOPIC)
FETCHED_PARTITION = cython.declare(cython.int, fields.FETCHED_PARTITION)
ANSWERED_GROUP = cython.declare(cython.int, fields.ANSWERED_GROUP)
NAME = cython.declare(cython.int, fields.NAME)
NAME_BEFORE_ID = cython.declare(cython.int, fields.NAME_BEFORE_ID)
ID_AFTER_NAME = cython.declare(cython.int, fields.ID_AFTER_NAME)
ID_BEFORE_NAME = cython.declare(cython.int, fields.ID_BEFORE_NAME)
NAME_AFTER_ID = cython.declare(cython.int, fields.NAME_AFTER_ID)
GROUP_NAME = cython.declare(cython.int, fields.GROUP_NAME)
LEAVING_MEMBER = cython.declare(cython.int, fields.LEAVING_MEMBER)
LEAVING_INSTANCE = cython.declare(cython.int, fields.LEAVING_INSTANCE)
LEAVING_REASON = cython.declare(cython.int, fields.LEAVING_REASON)
NEW_TOPIC = cython.declare(cython.int, fields.NEW_TOPIC)
NEW_PARTITIONS = cython.declare(cython.int, fields.NEW_PARTITIONS)
NEW_REPLICATION = cython.declare(cython.int, fields.NEW_REPLICATION)
NODE = cython.declare(cython.int, fields.NODE)
NODE_HOST = cython.declare(cython.int, fields.NODE_HOST)
NODE_PORT = cython.declare(cython.int, fields.NODE_PORT)
TRANSACTIONS = cython.declare(cython.int, fields.TRANSACTIONS)
TRANSACTION = cython.declare(cython.int, fields.TRANSACTION)
OLD_TRANSACTION = cython.declare(cython.int, fields.OLD_TRANSACTION)
TRANSACTION_GROUP = cython.declare(cython.int, fields.TRANSACTION_GROUP)
COMMITTED = cython.declare(cython.int, fields.COMMITTED)
VERIFIED = cython.declare(cython.int, fields.VERIFIED)
MARKER_PRODUCER = cython.declare(cython.int, fields.MARKER_PRODUCER)
MARKER_EPOCH = cython.declare(cython.int, fields.MARKER_EPOCH)
MARKER_RESULT = cython.declare(cython.int, fields.MARKER_RESULT)
MARKER_TOPICS = cython.declare(cython.int, fields.MARKER_TOPICS)
RESOURCE_TYPE = cython.declare(cython.int, fields.RESOURCE_TYPE)
RESOURCE_NAME = cython.declare(cython.int, fields.RESOURCE_NAME)
WRITTEN_PARTITIONS = cython.declare(cython.int, fields.WRITTEN_PARTITIONS)
WRITTEN_OFFSET = cython.declare(cython.int, fields.WRITTEN_OFFSET)
FETCHED_RECORDS = cython.declare(cython.int, fields.FETCHED_RECORDS)
STRINGS = cython.declare(cython.int, fields.STRINGS)
NUMBERS = cython.declare(cython.int, fields.NUMBERS)
COUNTS = cython.declare(cython.int, fields.COUNTS)
REASON = cython.declare(cython.int, fields.REASON)
_SLOTS = cython.declare(cython.int, fields.SLOTS_END - fields.STRINGS)

_NO_ELEMENTS_LEFT_OUT = cython.declare(cython.longlong, 1 << 62)
_ONE = cython.declare(cython.uint, 1)


@cython.final
@cython.cclass
class SummaryReader(SummaryLists):
    """Takes the fields that have a role (`fields`).

    `listed` is the text of topics with their partitions, or of what stands in their place; `named` that of names.
    `values`, `sizes`: of strings where they lie, numbers, and counts, by role, where `found` has a bit for it; the size
    is -1 for null. `codes`: the error codes that are not zero.
    """

    def __init__(self) -> None:
        """Make a reader."""
        super().__init__()
        self.values = array("q", bytes(8 * _SLOTS))
        self.sizes = array("q", bytes(8 * _SLOTS))
        self.is_request = True
        self.codes: list[int] = []
        self.reset()

    def read_summary(
        self, table: FieldTable, data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.int:
        """Read a message; raises ProtocolError for one that does not decode."""
        self.reset()
        self.look_at(data, start, end, _NO_ELEMENTS_LEFT_OUT)
        read_message(self, table)
        return self.end_list()

    def reset(self) -> cython.int:
        """Forget the message before."""
        self.begin_lists()
        self.found = 0
        if self.codes:
            self.codes = []
        self.is_awaited = False
        self.kept_at, self.kept_size, self.kept_number = 0, -1, 0
        self.record_bytes = self.record_count = 0
        self.codecs = 0
        self.batches = 0
        self.is_uncounted = False
        self.written_topics = self.written_partitions = self.written = 0
        self.written_offset = -1
        return 0

    # What was kept

    def is_there(self, role: cython.int) -> cython.bint:
        """Tell whether a number was in the message."""
        return self.size_of(role) == 0

    def value(self, role: cython.int) -> cython.longlong:
        """Give a number, or where a string lies; -1 for a number that was not there."""
        return self.values[role - STRINGS] if self.size_of(role) >= 0 else -1

    def size_of(self, role: cython.int) -> cython.Py_ssize_t:
        """Give the length of a string or an array: -1 for null, -2 where it was not there."""
        return self.sizes[role - STRINGS] if self.found >> (role - STRINGS) & 1 else -2

    def keep(self, role: cython.int, value: cython.longlong, size: cython.longlong) -> cython.int:
        """Keep what a field holds."""
        self.found |= _ONE << (role - STRINGS)
        self.values[role - STRINGS] = value
        self.sizes[role - STRINGS] = size
        return 0

    # What the reader hands on

    def note_error(self, field: FieldTable, code: cython.longlong) -> cython.int:
        """Note an error code that is not zero; nobody asks where."""
        self.codes.append(code)
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note nothing: batches are counted where they are taken."""
        return 0

    def begin_struct(self, field: FieldTable) -> cython.int:
        """Note that a struct is there."""
        if field.role >= COUNTS and not field.is_array:
            return self.keep(field.role, 0, 0)
        return 0

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Note how long an array is."""
        role: cython.int = field.role
        if role == 0:
            return 0
        return self.take_count(role, count)

    def take_count(self, role: cython.int, count: cython.longlong) -> cython.int:
        """Take the length of an array that has a role."""
        if role >= COUNTS:
            return self.keep(role, 0, count)
        if role == WRITTEN_PARTITIONS:
            self.written_topics += 1
            self.written_partitions = 0
        elif role == TRANSACTIONS:
            if count == 0:
                self.listed.add(b"transaction None")
        elif role == MARKER_TOPICS and count == 0 and not self.is_muted:
            self.listed.byte(32)
        return 0

    def take_null(self, field: FieldTable) -> cython.int:
        """Take null."""
        role: cython.int = field.role
        if role >= STRINGS:
            return self.keep(role, 0, -1)
        if role in (NAME_AFTER_ID, NAME_BEFORE_ID, LEAVING_INSTANCE):
            self.take_part(role, 0, 0)
        return 0

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Take a number or bool."""
        role: cython.int = field.role
        if role == PARTITION:
            return self.list_partition(value)
        if role >= NUMBERS:
            return self.keep(role, value, 0)
        if role == OFFSET:
            return self.list_offset(value, False)
        if role == TIMESTAMP:
            return self.list_offset(value, True)
        if role in (FETCHED_PARTITION, NEW_PARTITIONS, NODE, RESOURCE_TYPE):
            self.kept_number = value
        elif role == WRITTEN_OFFSET:
            self.written_partitions += 1
            if self.written_topics <= 2 and self.written_partitions <= 2:
                self.written += 1
                self.written_offset = value
        elif role == COMMITTED:
            if not self.is_muted:
                self.listed.add(b" commit" if value else b" abort")
        elif role == VERIFIED:
            if value and not self.is_muted:
                self.listed.add(b" verify")
        elif role == MARKER_PRODUCER:
            self.end_list()
            if self.begin_entry(b", "):
                self.listed.add(b"producer ")
                return self.listed.number(value)
            self.is_muted = True
        elif role == MARKER_EPOCH:
            if not self.is_muted:
                self.listed.add(b" epoch ")
                return self.listed.number(value)
        elif role == MARKER_RESULT:
            if not self.is_muted:
                self.listed.add(b" commit" if value else b" abort")
        elif role == NEW_REPLICATION:
            if self.begin_entry(b", "):
                self.shown(self.listed, self.kept_at, self.kept_size, _NAME_LENGTH)
                if self.kept_number > 0:
                    self.listed.add(f" ({self.kept_number:,} partition{'' if self.kept_number == 1 else 's'}".encode())
                    self.listed.add(f", replication {value})".encode())
        elif role == NODE_PORT:
            self.entries += 1
            if self.entries <= _MOST_NAMES and self.kept_number >= 0:
                if self.listed.size:
                    self.listed.add(b", ")
                self.listed.add(b"broker ")
                self.listed.number(self.kept_number)
                self.listed.add(b" at ")
                self.shown(self.listed, self.kept_at, self.kept_size, _NAME_LENGTH)
                self.listed.byte(58)
                self.listed.number(value)
        return 0

    def take_integers(self, field: FieldTable, at: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Take an array of partitions or offsets."""
        i: cython.Py_ssize_t
        if field.role == PARTITION:
            for i in range(count):
                self.list_partition(self.number(field, at + i * field.size))
        elif field.role == OLD_OFFSETS:
            self.list_offset(self.integer(at, 8) if count else -1, False)
        return 0

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Take a topic's id."""
        role: cython.int = field.role
        if role == TOPIC:
            return self.list_topic(at, -2)
        if role == FETCHED_TOPIC:
            self.kept_at, self.kept_size = at, -2
            self.is_awaited = True
        elif role == ID_BEFORE_NAME:
            self.kept_at, self.kept_size = at, -2
        elif role == ID_AFTER_NAME and self.begin_name():
            if self.kept_size > 0:
                return self.shown(self.named, self.kept_at, self.kept_size, _NAME_LENGTH)
            return self.name_topic(self.named, at, -2)
        return 0

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take text."""
        role: cython.int = field.role
        # `at` and `length` were compared with the end.
        if not cython.compiled or not kafkasniff_is_ascii(self.view + at, length):  # type: ignore[name-defined]  # noqa: F821
            self.check_text(field, at, length)
        if role == TOPIC:
            return self.list_topic(at, length)
        if role >= STRINGS:
            return self.keep(role, at, length)
        if role == NAME:
            if self.begin_name():
                return self.shown(self.named, at, length, _NAME_LENGTH)
        elif role:
            return self.take_part(role, at, length)
        return 0

    def take_part(self, role: cython.int, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take text of which other fields have a part, or null as an empty one."""
        if role in (NEW_TOPIC, NODE_HOST, LEAVING_MEMBER, NAME_BEFORE_ID):
            self.kept_at, self.kept_size = at, length
        elif role == FETCHED_TOPIC:
            self.kept_at, self.kept_size = at, length
            self.is_awaited = True
        elif role == NAME_AFTER_ID:
            if self.begin_name():
                if length:
                    self.shown(self.named, at, length, _NAME_LENGTH)
                else:
                    self.name_topic(self.named, self.kept_at, self.kept_size)
            self.kept_size = -1
        elif role == GROUP_NAME:
            if self.begin_entry(b" "):
                self.listed.add(b"group ")
                self.shown(self.listed, at, length, _NAME_LENGTH)
        elif role == ANSWERED_GROUP:
            self.end_list()
            self.entries += 1
            self.is_muted = self.entries > 1
        elif role == LEAVING_INSTANCE:
            if self.begin_name():
                self.name_leaving(at, length)
        elif role == LEAVING_REASON:
            if self.names == 1:
                return self.keep(REASON, at, length)
        elif role in (TRANSACTION, OLD_TRANSACTION):
            self.end_list()
            if self.begin_entry(b" "):
                self.listed.add(b"transaction ")
                if length or role == OLD_TRANSACTION:
                    self.shown(self.listed, at, length, _NAME_LENGTH)
                else:
                    self.listed.add(b"None")
            else:
                self.is_muted = True
        elif role == TRANSACTION_GROUP:
            self.listed.add(b" group ")
            self.shown(self.listed, at, length, _NAME_LENGTH)
        elif role == RESOURCE_NAME and self.begin_name():
            kind = _CONFIG_RESOURCES.get(self.kept_number, self.kept_number)
            self.named.add(show(f"{kind} {java_text(self.raw(at, length))}", _NAME_LENGTH).encode())
        return 0

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Count records; of a Fetch answer add the partition that has some."""
        if length <= 0:
            return 0
        self.record_bytes += length
        if field.role == FETCHED_RECORDS:
            if self.is_awaited:
                # The first of its topic that has records.
                self.is_awaited = False
                self.list_topic(self.kept_at, self.kept_size)
            self.list_partition(self.kept_number)
        return self.count_batches(at, at + length)

    # What is made of several fields

    def name_leaving(self, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Write a member that leaves: its instance id, or where that is empty the member id before it."""
        if size > 0:
            return self.shown(self.named, at, size, _NAME_LENGTH)
        return self.member(self.named, self.kept_at, self.kept_size)

    def count_batches(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Count the records of batches, their CRCs checked; the like of `count_records`."""
        size: cython.longlong
        while at < end:
            self.batches += 1
            size = sound_batch(self.data, at, end) if self.batches <= _MOST_BATCHES else 0
            if size:
                self.record_count += self.integer(at + 57, 4)
                self.codecs |= 1 << (self.data[at + 22] & _COMPRESSION)
                at += size
                continue
            # Brokers cut the last batch of an answer, which is no problem.
            if read_batches(self.raw(at, end - at), 0, end - at, side="request" if self.is_request else "response") != (
                [],
                [],
            ):
                self.is_uncounted = True
            break
        return 0
