# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that writes JSON: a message as Kafka's JSON has it, with secrets replaced."""

from array import array
from struct import Struct

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import MAX_SLOTS, FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.config_secrets import REDACTED
from kafkasniff.protocol.primitives import UUID_TEXTS, json_float

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import BOOL, FLOAT64

_DOUBLE = Struct(">d")
_MOST_ROOM = 1 << 20
"""Bytes of the largest buffer that is kept when a message has been read."""
_HIDDEN = f'"{REDACTED}"'.encode()


@cython.cclass
class JsonWriter(BodyReader):
    """Writes the messages that it reads, one after the other, into `out`."""

    def __init__(self) -> None:
        """Make a writer into a new buffer."""
        super().__init__()
        self.out = TextBuffer()
        self.topic_ids: list[str] = []
        self.marks = array("q", bytes(8 * MAX_SLOTS))
        self.tagged_texts: dict[FieldTable, bytes] = {}
        self.tagged_starts: list[int] = []

    def read(self, table: FieldTable, data: bytes, offset: cython.Py_ssize_t, most: cython.longlong) -> bytes | None:
        """Give the JSON of the message from `offset` on; None where it does not end with `data`.

        Raises ProtocolError.
        """
        start: cython.Py_ssize_t = self.out.size
        self.begin(data, offset, len(data), most)
        try:
            self.write(table)
            return self.out.taken(start) if self.p == self.end else None
        finally:
            self.out.cut(start)
            self.release()
            if self.out.room > _MOST_ROOM:
                self.out = TextBuffer()

    def write(self, table: FieldTable) -> cython.int:
        """Write the message that was begun; raises ProtocolError, and what was written is to be cut off then."""
        self.topic_ids = []
        self.tagged_starts = []
        if self.tagged_texts:
            self.tagged_texts = {}
        return self.read_message(table)

    def key(self, field: FieldTable, in_array: cython.bint) -> cython.int:
        """Write what stands before a value."""
        return self.out.key(b"" if in_array else field.key)

    def begin_struct(self, field: FieldTable, in_array: cython.bint) -> cython.int:
        """Begin an object."""
        if field.parent is not None:
            self.key(field, in_array)
        return self.out.byte(0x7B)

    def end_struct(self, field: FieldTable) -> cython.int:
        """End it."""
        return self.out.byte(0x7D)

    def begin_array(self, field: FieldTable, start: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Begin an array."""
        self.key(field, False)
        return self.out.byte(0x5B)

    def end_array(self, field: FieldTable) -> cython.int:
        """End it."""
        return self.out.byte(0x5D)

    # Tagged fields come last, and stand where the definition has them

    def mark_place(self, field: FieldTable) -> cython.int:
        """Note where the tagged fields before this one go."""
        self.marks[field.slot] = self.out.size
        return 0

    def begin_tagged(self, field: FieldTable) -> cython.int:
        """Note where the text of a tagged field begins."""
        self.tagged_starts.append(self.out.size)
        return 0

    def end_tagged(self, field: FieldTable) -> cython.int:
        """Take away its text, unless it is the default, which is not in Kafka's JSON."""
        start: cython.Py_ssize_t = self.tagged_starts.pop()
        text: bytes = self.out.taken(start).removeprefix(b",")
        self.out.cut(start)
        self.tagged_texts[field] = b"" if text == field.key + field.default_text else text
        return 0

    def end_tags(self, table: FieldTable) -> cython.int:
        """Put together the text of a struct's fields, in the definition's order."""
        field: FieldTable
        pieces: list[bytes] = []
        start: cython.Py_ssize_t
        # From the last to the first: what follows a place is cut off before what stands there.
        for field in reversed(table.fields):
            if field.is_tagged:
                pieces.append(self.tagged_texts.pop(field, b""))
            elif field.slot >= 0:
                start = self.marks[field.slot]
                pieces.append(self.out.taken(start).removeprefix(b","))
                self.out.cut(start)
        text = b",".join(reversed([piece for piece in pieces if piece]))
        if text and self.out.last() != 0x7B:
            self.out.byte(0x2C)
        return self.out.add(text)

    # Values

    def take_null(self, field: FieldTable, start: cython.Py_ssize_t) -> cython.int:
        """Write null."""
        self.key(field, False)
        return self.out.add(b"null")

    def take_number(
        self, field: FieldTable, in_array: cython.bint, start: cython.Py_ssize_t, value: cython.longlong
    ) -> cython.int:
        """Write a number or bool."""
        if field.kind != BOOL:
            return self.out.member(b"" if in_array else field.key, value)
        self.key(field, in_array)
        return self.out.add(b"true" if value else b"false")

    def take_fixed(self, field: FieldTable, in_array: cython.bint, start: cython.Py_ssize_t) -> cython.int:
        """Write a float or uuid."""
        self.key(field, in_array)
        if field.kind == FLOAT64:
            # Rare, and slow to import.
            import orjson

            return self.out.add(orjson.dumps(json_float(_DOUBLE.unpack(self.raw(start, 8))[0])))
        if field.is_topic_id:
            self.topic_ids.append(UUID_TEXTS[self.raw(start, 16)])
        return self.out.base64(self.data, start, 16, True)

    def take_integers(
        self, field: FieldTable, start: cython.Py_ssize_t, at: cython.Py_ssize_t, count: cython.Py_ssize_t
    ) -> cython.int:
        """Write an array of integers."""
        i: cython.Py_ssize_t
        self.key(field, False)
        self.out.byte(0x5B)
        for i in range(count):
            if i:
                self.out.byte(0x2C)
            self.out.number(self.number(field.kind, at + i * field.size))
        return self.out.byte(0x5D)

    def take_string(
        self,
        field: FieldTable,
        in_array: cython.bint,
        start: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
    ) -> cython.int:
        """Write text."""
        self.key(field, in_array)
        before: cython.Py_ssize_t = self.out.size
        try:
            self.out.json_string(self.data, at, length)
        except UnicodeDecodeError:
            raise self.not_utf8(field, in_array, start) from None
        if field.is_secret and length:
            self.out.cut(before)
            self.out.add(_HIDDEN)
        return 0

    def take_bytes(
        self,
        field: FieldTable,
        in_array: cython.bint,
        start: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
    ) -> cython.int:
        """Write bytes as base64."""
        self.key(field, in_array)
        if field.is_secret and length:
            return self.out.add(_HIDDEN)
        return self.out.base64(self.data, at, length, False)

    def take_records(
        self, field: FieldTable, start: cython.Py_ssize_t, at: cython.Py_ssize_t, length: cython.Py_ssize_t
    ) -> cython.int:
        """Write the size of records."""
        self.key(field, True)
        self.out.add(field.size_key)
        return self.out.number(length)
