# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that makes values: a message as a dict, whole, or as much of it as is wanted or decodes."""

from binascii import b2a_base64
from struct import Struct
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.primitives import UUID_TEXTS, java_text, json_float

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import BOOL, FLOAT64
    from kafkasniff.protocol.bodies.walk import read_message

_DOUBLE = Struct(">d")


def borrow_reader() -> "ValueReader":
    """Give a reader that nobody uses; it is to be given back."""
    return _FREE.pop() if _FREE else ValueReader()


def give_back(reader: "ValueReader") -> cython.int:
    """Take a reader back, which lets go of what it read."""
    reader.value = {}
    _FREE.append(reader)
    return 0


@cython.cclass
class ValueTaker(BodyReader):
    """Takes values as those of Kafka's JSON: a subclass says where each is to be put.

    `malformed` holds offset and path of texts that are not UTF-8, where such are taken: in reading what there is of a
    message. `longest` is the number of characters that the longest text has at most.
    """

    def __init__(self) -> None:
        """Make a reader."""
        super().__init__()
        self.longest = 0
        self.malformed: list[tuple[int, str]] = []

    def read(
        self, table: FieldTable, data: bytes, offset: cython.Py_ssize_t, most: cython.longlong, is_partial: cython.bint
    ) -> cython.Py_ssize_t:
        """Read the message that begins at `offset`, with at most `most` array elements; give where it ends.

        Raises ProtocolError; if `is_partial`, what there was of it was taken then.
        """
        self.begin(data, offset, len(data), most)
        self.is_partial = is_partial
        try:
            read_message(self, table)
        finally:
            self.release()
        return self.p

    def put(self, field: FieldTable, in_array: cython.bint, value: object) -> cython.int:
        """Put a value in its place; its field begins at `start`."""
        raise NotImplementedError

    def take_null(self, field: FieldTable) -> cython.int:
        """Put null."""
        return self.put(field, False, None)

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Put a number or bool."""
        if field.kind == BOOL:
            return self.put(field, field.is_array, bool(value))
        return self.put(field, field.is_array, value)

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Put a float or the text of a uuid."""
        raw = self.raw(at, field.size)
        value = json_float(_DOUBLE.unpack(raw)[0]) if field.kind == FLOAT64 else UUID_TEXTS[raw]
        return self.put(field, field.is_array, value)

    def take_integers(self, field: FieldTable, at: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Put a list of integers."""
        i: cython.Py_ssize_t
        items: list[Any] = []
        for i in range(count):
            items.append(self.number(field, at + i * field.size))
        return self.put(field, False, items)

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Put text."""
        self.longest = max(self.longest, length)
        try:
            value = self.text(at, length)
        except UnicodeDecodeError:
            if not self.is_partial:
                raise self.not_utf8(field) from None
            self.malformed.append((self.start, self.path(field, field.is_array)))
            value = java_text(self.raw(at, length))
        return self.put(field, field.is_array, value)

    def take_bytes(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Put bytes as base64."""
        self.longest = max(self.longest, 2 * length)
        return self.put(field, field.is_array, b2a_base64(self.raw(at, length), newline=False).decode("ascii"))

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Put the size of records."""
        return self.put(field, False, length)


@cython.cclass
class ValueReader(ValueTaker):
    """Reads messages as dicts with the values of Kafka's JSON, the keys in the definition's order.

    `value` is the message; where reading failed, what there was before.
    """

    def __init__(self) -> None:
        """Make a reader."""
        super().__init__()
        self.value: dict[str, Any] = {}
        self.into = self.value
        self.items: list[Any] = []
        self.around: list[Any] = []
        """The structs and arrays around, the first `depth` of them: a list that grows and shrinks costs more."""
        self.depth = 0

    def put(self, field: FieldTable, in_array: cython.bint, value: object) -> cython.int:
        """Put a value into the struct or array around it."""
        if in_array:
            self.items.append(value)
        else:
            self.into[field.name] = value
        return 0

    def enter(self, around: object) -> cython.int:
        """Remember what is around a struct or array that begins."""
        if self.depth == len(self.around):
            self.around.append(around)
        else:
            self.around[self.depth] = around
        self.depth += 1
        return 0

    def leave(self) -> Any:
        """Give what is around one that ends."""
        self.depth -= 1
        around = self.around[self.depth]
        self.around[self.depth] = None
        return around

    def begin_struct(self, field: FieldTable) -> cython.int:
        """Begin a dict."""
        value: dict[str, Any] = {}
        if field.parent is None:
            self.value = value
            self.longest = 0
            # What failed has left something there.
            self.depth = 0
            if self.malformed:
                self.malformed = []
        else:
            self.put(field, field.is_array, value)
        self.enter(self.into)
        self.into = value
        return 0

    def end_struct(self, field: FieldTable) -> cython.int:
        """End it."""
        self.into = self.leave()
        return 0

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Begin a list."""
        items: list[Any] = []
        self.into[field.name] = items
        self.enter(self.items)
        self.items = items
        return 0

    def end_array(self, field: FieldTable) -> cython.int:
        """End it."""
        self.items = self.leave()
        return 0

    def end_tags(self, table: FieldTable) -> cython.int:
        """Put tagged fields in their place as Kafka's JSON has it, and drop those that hold their default."""
        field: FieldTable
        found: dict[str, Any] = dict(self.into)
        self.into.clear()
        for field in table.fields:
            name: str = field.name
            if name not in found:
                name = f"{name}SizeInBytes"
            if name in found and (not field.is_tagged or found[name] != field.default):
                self.into[name] = found[name]
        return 0

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Put the size of records."""
        self.into[f"{field.name}SizeInBytes"] = length
        return 0


_FREE = [ValueReader() for _ in range(4)]
"""Readers that nobody uses: several, so that the list keeps its size."""
