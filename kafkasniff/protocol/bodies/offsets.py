# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that notes offsets: every field of a message with the bytes it came from."""

from contextlib import suppress
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.values import ValueTaker
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import JsonValue
from kafkasniff.protocol.primitives import MAX_PARTIAL_ELEMENTS

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import STRUCT


class TracedField(NamedTuple):
    """A field with the bytes it came from. Without gaps, in wire order, these make up the message."""

    path: str
    offset: int
    length: int
    """Bytes, with the length that stands before the value. An array's own entry is its count, but for integers all."""
    value: JsonValue
    """As in Kafka's JSON; of an array whose elements have entries of their own, the count of them."""


def trace(table: FieldTable, data: bytes, offset: int = 0) -> list[TracedField]:
    """List every field of the message of that table which begins at `offset`, as far as it decodes."""
    reader = OffsetReader()
    with suppress(ProtocolError):
        # What came before what fails is noted all the same.
        reader.read(table, data, offset, MAX_PARTIAL_ELEMENTS, True)
    return reader.traced


@cython.final
@cython.cclass
class OffsetReader(ValueTaker):
    """Notes the values of one message instead of putting them together."""

    def __init__(self) -> None:
        """Make a reader."""
        super().__init__()
        self.notes_structure = True
        self.traced: list[TracedField] = []

    def put(self, field: FieldTable, in_array: cython.bint, value: object) -> cython.int:
        """Note a value, of which all bytes have been read."""
        return self.take_structure(self.path(field, in_array), self.start, value)

    def take_structure(self, path: str, start: cython.Py_ssize_t, value: Any) -> cython.int:
        """Note what has been read since `start`."""
        self.traced.append(TracedField(path, start, self.p - start, value))
        return 0

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Note the count."""
        return self.put(field, False, count)

    def take_null(self, field: FieldTable) -> cython.int:
        """Note null, but of a struct, of which the marker has been noted."""
        if field.kind == STRUCT and not field.is_array:
            return 0
        return self.put(field, False, None)
