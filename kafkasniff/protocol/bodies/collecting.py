# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that collects the values of some fields of a message in lists, wherever in it they stand."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.values import ValueTaker
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_ELEMENTS

if not cython.compiled:
    from kafkasniff.protocol.bodies.walk import read_message

VALUE = 1
"""Role of a field whose values are collected."""
ID = 2
"""Role of one whose values are collected apart from these."""


@cython.cclass
class FieldCollector(ValueTaker):
    """Collects the values of fields with a role, as Kafka's JSON has them; null is no value, nor is a tag's default."""

    def __init__(self) -> None:
        """Make a collector, which can read one message after the other."""
        super().__init__()
        self.values: list[Any] = []
        self.ids: list[Any] = []
        self.codes: list[int] = []
        self.batches: list[tuple[str, int, int]] = []

    def collect(self, table: FieldTable, data: bytes, offset: cython.Py_ssize_t) -> cython.bint:
        """Read the message that begins at `offset`; tell whether it ends with `data` and has no problem.

        Then `values`, `ids`, `codes` (error codes that are not zero) and `batches` are complete.
        """
        self.clear()
        self.begin(data, offset, len(data), MAX_ELEMENTS)
        try:
            read_message(self, table)
        except ProtocolError:
            return False
        finally:
            self.release()
        return bool(self.p == len(data))

    def clear(self) -> cython.bint:
        """Let go of the message before, as if one without such fields had been read; tell so."""
        self.values = []
        self.ids = []
        self.codes = []
        self.batches = []
        return True

    def put(self, field: FieldTable, in_array: cython.bint, value: object) -> cython.int:
        """Collect a value, or those of an array of integers."""
        if value is None or (field.is_tagged and not in_array and value == field.default):
            return 0
        into = self.ids if field.role == ID else self.values
        if isinstance(value, list):
            into.extend(value)
        else:
            into.append(value)
        return 0

    def note_error(self, field: FieldTable, code: cython.longlong) -> cython.int:
        """Note an error code, and not where it stands."""
        self.codes.append(code)
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note where records lie, and not in which field."""
        self.batches.append(("", at, at + length))
        return 0
