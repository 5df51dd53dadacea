# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""A message that is being read: its bytes, where in it the reading stands, and what a sink takes of it."""

from array import array

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.tables import MAX_DEPTH, FieldTable
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_STRING_BYTES, RecordsField

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import STRING

# Numbers of more than 31 bits in the text of a function would be Python's.
_HALF_32 = cython.declare(cython.longlong, 1 << 31)
_WHOLE_32 = cython.declare(cython.longlong, 1 << 32)
_LONGEST_STRING = cython.declare(cython.int, MAX_STRING_BYTES)


@cython.cclass
class BodyReader:
    """Reads messages of any layout; what a message holds goes to the `take_…` methods, which a sink overrides.

    By itself it takes nothing but error codes that are not zero, and where `records` fields lie.
    """

    def __init__(self) -> None:
        """Make a reader, which can read one message after the other."""
        self.notes_structure = False
        self.is_partial = False
        self.p = self.end = self.start = 0
        self.most = self.left = 0
        self.errors: list[tuple[str, int]] = []
        self.records: list[RecordsField] = []
        self.data = self.view = b""
        # Of the arrays around what is read: which element it is, and of how many.
        self.indices = array("q", bytes(8 * MAX_DEPTH))
        self.counts = array("q", bytes(8 * MAX_DEPTH))

    def begin(
        self, data: bytes, offset: cython.Py_ssize_t, end: cython.Py_ssize_t, most: cython.longlong
    ) -> cython.int:
        """Begin a message that lies in `data` from `offset` on, and has at most `most` array elements."""
        self.errors = []
        self.records = []
        return self.look_at(data, offset, end, most)

    def look_at(
        self, data: bytes, offset: cython.Py_ssize_t, end: cython.Py_ssize_t, most: cython.longlong
    ) -> cython.int:
        """Begin a message as `begin` does, but keep what was noted of those before."""
        if data is None or offset < 0:
            raise IndexError(f"expected bytes from {offset} on")
        # `view` is where `data` lies in memory: what it gives was compared with `end` before.
        self.data = data
        self.view = data
        self.p = offset
        # What a caller says is not trusted: behind the data nothing is read.
        self.end = min(end, len(data))
        self.most = self.left = most
        return 0

    def release(self) -> cython.int:
        """Let go of the data."""
        self.end = 0
        self.data = self.view = b""
        return 0

    # What is read, checked against the end

    def number(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.longlong:
        """Give the integer or bool of a field at a place; raises IndexError where it is not before the end."""
        if at < 0 or field.size > self.end - at:
            raise IndexError("bytes behind the end")
        if cython.compiled:
            return kafkasniff_number_at(cython.address(self.view[at]), field.size, field.is_signed)  # type: ignore[name-defined]  # noqa: F821
        value = int.from_bytes(self.data[at : at + field.size], "big", signed=field.is_signed)
        # Of one byte only a bool has no sign.
        return value if field.is_signed or field.size > 1 else value != 0

    def integer(self, at: cython.Py_ssize_t, size: cython.int) -> cython.longlong:
        """Give the signed number of 1, 2, 4 or 8 bytes at a place; raises IndexError where it is not before the end."""
        if at < 0 or size > self.end - at:
            raise IndexError("bytes behind the end")
        if cython.compiled:
            return kafkasniff_signed(cython.address(self.view[at]), size)  # type: ignore[name-defined]  # noqa: F821
        return int.from_bytes(self.data[at : at + size], "big", signed=True)

    def varint(self, field: FieldTable, in_array: cython.bint, suffix: str, expected: str) -> cython.longlong:
        """Read an unsigned varint of at most 5 bytes; give it as Java's int would hold it."""
        value: cython.longlong = 0
        byte: cython.longlong
        shift: cython.int = 0
        start: cython.Py_ssize_t = self.p
        at: cython.Py_ssize_t = start
        while shift < 35:
            if at >= self.end:
                raise self.failure(expected, start, self.place(field, in_array, suffix))
            byte = self.view[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.p = at
                # Kafka's ByteUtils shifts the fifth byte into an int, where the high bits fall off.
                value &= _WHOLE_32 - 1
                return value - _WHOLE_32 if value >= _HALF_32 else value
            shift += 7
        message = "expected a varint of at most 5 bytes, found a longer one"
        raise ProtocolError(message, start, self.place(field, in_array, suffix))

    def long_length(self, field: FieldTable, in_array: cython.bint, size: cython.int) -> cython.longlong:
        """Read a compact length of several bytes; raises ProtocolError for one of other forms, which is cut."""
        start: cython.Py_ssize_t = self.p
        value: cython.longlong
        if size == 1:
            value = self.varint(field, in_array, "", f"the length of {self.described(field, in_array)}")
            # One less is, in Java's int, the largest length.
            return 0x7FFFFFFF if value == -_HALF_32 else value - 1
        expected = f"the length of {self.described(field, in_array)} of {size} bytes"
        raise self.failure(expected, start, self.path(field, in_array))

    def raw(self, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> bytes:
        """Copy bytes of the data."""
        if length <= 0 or at < 0 or length > self.end - at:
            return b""
        if cython.compiled:
            raw: bytes = cython.cast(cython.p_char, cython.address(self.view[at]))[:length]
            return raw
        return self.data[at : at + length]

    def text(self, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> str:
        """Give bytes of the data as text; raises UnicodeDecodeError."""
        if length <= 0 or at < 0 or length > self.end - at:
            return ""
        if cython.compiled:
            text: str = cython.cast(cython.p_char, cython.address(self.view[at]))[:length].decode("utf-8")
            return text
        return self.data[at : at + length].decode()

    def check_text(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Check that bytes are UTF-8; raises ProtocolError."""
        i: cython.Py_ssize_t
        if at < 0 or at + length > self.end:
            raise IndexError("bytes behind the end")
        if cython.compiled and kafkasniff_is_ascii(cython.address(self.view[at]), length):  # type: ignore[name-defined]  # noqa: F821
            return 0
        for i in range(at, at + length):
            if self.view[i] >= 0x80:
                try:
                    self.text(at, length)
                except UnicodeDecodeError:
                    if not self.is_partial:
                        raise self.not_utf8(field) from None
                break
        return 0

    # What is null, or not there as a whole

    def no_text(self, field: FieldTable, length: cython.longlong) -> ProtocolError:
        """Give the exception for a string, bytes or records that are null, too long, or not there."""
        if length < 0:
            return ProtocolError(
                f"expected {field.type_name}, found null", self.start, self.path(field, field.is_array)
            )
        if field.kind == STRING and length > _LONGEST_STRING:
            message = f"expected a string of at most {MAX_STRING_BYTES} bytes, found a length of {length}"
            return ProtocolError(message, self.start, self.path(field, field.is_array))
        name = "a string" if field.kind == STRING else field.type_name
        return self.failure(f"{name} of {length} bytes", self.p, self.path(field, field.is_array))

    def take_no_array(self, field: FieldTable, count: cython.longlong) -> cython.int:
        """Take null for an array; raises ProtocolError where there cannot be as many elements.

        Kafka refuses more than there are bytes left, before it allocates them.
        """
        if count >= 0:
            raise self.failure(f"an array of {count} {field.type_name}", self.start, self.path(field, False))
        if not field.is_nullable:
            raise ProtocolError("expected an array, found null", self.start, self.path(field, False))
        return self.take_null(field) if field.is_wanted else 0

    def no_fixed(self, field: FieldTable) -> ProtocolError:
        """Give the exception for a value of one size that is not there."""
        name = "a uuid" if field.size == 16 else field.type_name
        return self.failure(f"{name} of {field.size} bytes", self.p, self.path(field, field.is_array))

    def no_elements(self, field: FieldTable, count: cython.longlong, size: cython.Py_ssize_t) -> ProtocolError:
        """Give the exception for elements of one size that are not there."""
        return self.failure(f"{count} elements of {size} bytes", self.p, self.path(field, False))

    def no_integers(self, field: FieldTable, count: cython.Py_ssize_t) -> ProtocolError:
        """Give the exception for an array of integers that is not there as a whole; take those that are."""
        at: cython.Py_ssize_t = self.p
        there: cython.Py_ssize_t = min(count, (self.end - at) // field.size)
        self.p = at + there * field.size
        if field.is_wanted and self.is_partial and not self.notes_structure:
            self.take_integers(field, at, there)
        self.indices[field.depth] = there
        return self.failure(f"{field.type_name} of {field.size} bytes", self.p, self.path(field, True))

    # What is said of a message that does not decode

    def path(self, field: FieldTable, in_array: cython.bint) -> str:
        """Give the path of a field, or of the element of it that is being read.

        Where all arrays around are at their first element it is made once.
        """
        depth: cython.int
        is_first = not in_array
        for depth in range(field.depth):
            is_first = is_first and self.indices[depth] == 0
        if is_first and field.first_path is not None:
            return field.first_path
        path: str = f"{field.name}[{self.indices[field.depth]}]" if in_array else field.name
        parent: FieldTable | None = field.parent
        while parent is not None and parent.parent is not None:
            index = f"[{self.indices[parent.depth]}]" if parent.is_array else ""
            path = f"{parent.name}{index}.{path}"
            parent = parent.parent
        if is_first:
            field.first_path = path
        return path

    def place(self, field: FieldTable, in_array: cython.bint, suffix: str) -> str:
        """Give the path of a field, or with a `suffix` that of what is no field inside a struct."""
        if not suffix:
            return self.path(field, in_array)
        return suffix if field.parent is None else f"{self.path(field, in_array)}.{suffix}"

    def described(self, field: FieldTable, in_array: cython.bint) -> str:
        """Say what a length is that of."""
        if field.is_array and not in_array:
            return f"an array of {field.type_name}"
        return "a string" if field.kind == STRING else field.type_name

    def failure(self, expected: str, offset: cython.Py_ssize_t, path: str) -> ProtocolError:
        """Give the exception for bytes that are not there."""
        left = max(self.end - offset, 0)
        return ProtocolError(f"expected {expected}, found {left} bytes left", offset, path)

    def too_many(self, field: FieldTable, in_array: cython.bint, suffix: str) -> ProtocolError:
        """Give the exception for one more element of an array, or tagged field: of both two bytes may be all."""
        message = f"expected at most {self.most} array elements in a message shown in part"
        return ProtocolError(message, self.p, self.place(field, in_array, suffix))

    def not_utf8(self, field: FieldTable) -> ProtocolError:
        """Give the exception for text that is not UTF-8."""
        return ProtocolError("expected UTF-8, found other bytes", self.start, self.path(field, field.is_array))

    def note_error(self, field: FieldTable, code: cython.longlong) -> cython.int:
        """Note an error code that is not zero."""
        self.errors.append((self.path(field, field.is_array), code))
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note where records lie."""
        # Its own class has a Python function to make one.
        self.records.append(tuple.__new__(RecordsField, (self.path(field, False), at, at + length)))
        return 0

    # What a sink takes: the bytes of a value lie from `at` on; `start` is where its field begins with its length

    def begin_struct(self, field: FieldTable) -> cython.int:
        """Take the beginning of the message, of a struct, or of an element that is one."""
        return 0

    def end_struct(self, field: FieldTable) -> cython.int:
        """Take the end of what `begin_struct` began."""
        return 0

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Take the beginning of an array that is not one of integers."""
        return 0

    def end_array(self, field: FieldTable) -> cython.int:
        """Take its end."""
        return 0

    def begin_tagged(self, field: FieldTable) -> cython.int:
        """Take the beginning of a known tagged field, which follows all plain fields of its struct."""
        return 0

    def end_tagged(self, field: FieldTable) -> cython.int:
        """Take its end."""
        return 0

    def end_tags(self, table: FieldTable) -> cython.int:
        """Take the end of the tagged fields of a struct, one of them at least known."""
        return 0

    def mark_place(self, field: FieldTable) -> cython.int:
        """Take the place before a plain field, where tagged fields may have to be put: those in `tagged_before`."""
        return 0

    def take_null(self, field: FieldTable) -> cython.int:
        """Take null."""
        return 0

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Take an integer or a bool."""
        return 0

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Take a float64 or a uuid."""
        return 0

    def take_integers(self, field: FieldTable, at: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Take an array of integers, or those of them that are there."""
        return 0

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take a string, of which the sink finds out whether it is UTF-8."""
        return self.check_text(field, at, length)

    def take_bytes(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take bytes."""
        return 0

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take records; where they lie is noted already."""
        return 0

    def take_structure(self, path: str, start: cython.Py_ssize_t, value: object) -> cython.int:
        """Take a marker, tag, or count of tagged fields with its path; only where `notes_structure` is set."""
        return 0
