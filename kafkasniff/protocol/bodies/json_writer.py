# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that writes JSON: a message as Kafka's JSON has it, with secrets replaced."""

from array import array
from struct import Struct

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import MAX_DEPTH, MAX_SLOTS, FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.primitives import UUID_TEXTS, json_float
from kafkasniff.protocol.secrets.configs import REDACTED, is_secret_config, mask_secrets

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import BOOL, FLOAT64
    from kafkasniff.protocol.bodies.walk import read_message

_DOUBLE = Struct(">d")
RecordsPlace = tuple[str, int, int]
"""Path, begin and end of records."""

_MOST_ROOM = 1 << 20
"""Bytes of the largest buffer that is kept when a message has been read."""
_HIDDEN = f'"{REDACTED}"'.encode()
_NEXT = cython.declare(bytes, b",")
"""Stands before an element of an array, as a key does before a field."""
_MOST_NAMES = 4096
_LONGEST_NAME = 256
"""Names of configs, and bytes of each, of which is remembered whether they are secret."""

# Roles of fields in the tables that this sink goes by.
CONFIG = cython.declare(cython.int, 1)
CONFIG_NAME = cython.declare(cython.int, 2)
CONFIG_VALUE = cython.declare(cython.int, 3)
CONFIG_SENSITIVE = cython.declare(cython.int, 4)
TOPIC_NAME = cython.declare(cython.int, 5)

# What is noted of a config, at the depth of its fields: where name and value lie in the data, and the value's text in
# what was written, and whether the broker says that it is sensitive.
_NAME_AT = cython.declare(cython.int, 0)
_NAME_END = cython.declare(cython.int, 1)
_VALUE_AT = cython.declare(cython.int, 2)
_VALUE_END = cython.declare(cython.int, 3)
_TEXT_AT = cython.declare(cython.int, 4)
_TEXT_END = cython.declare(cython.int, 5)
_SENSITIVE = cython.declare(cython.int, 6)
_NOTED = cython.declare(cython.int, 7)

_CONFIG_ROLES = {"name": CONFIG_NAME, "key": CONFIG_NAME, "value": CONFIG_VALUE, "isSensitive": CONFIG_SENSITIVE}


def mark_config(configs: FieldTable) -> None:
    """Say which fields of the elements of an array tell whether the value of a config is secret."""
    configs.role = CONFIG
    for field in configs.fields:
        field.role = _CONFIG_ROLES.get(field.name, field.role)


def mark_topic_names(records: FieldTable) -> None:
    """Say which fields around a `records` field may name its topic."""
    struct = records.parent
    while struct is not None:
        for field in struct.fields:
            if field.type_name == "string" and not field.is_array and field.name in ("topic", "name"):
                field.role = TOPIC_NAME
        struct = struct.parent


@cython.cclass
class JsonWriter(BodyReader):
    """Writes the messages that it reads, one after the other, into `out`."""

    def __init__(self) -> None:
        """Make a writer into a new buffer."""
        super().__init__()
        self.out = TextBuffer()
        self.topic_ids: list[str] = []
        self.places: list[RecordsPlace] = []
        self.marks = array("q", bytes(8 * MAX_SLOTS))
        self.tagged_texts: dict[FieldTable, bytes] = {}
        self.tagged_starts: list[int] = []
        self.configs = array("q", bytes(8 * _NOTED * MAX_DEPTH))
        self.secret_names: dict[bytes, bool] = {}
        self.names_internal_topic = 0

    def read(self, table: FieldTable, data: bytes, offset: cython.Py_ssize_t, most: cython.longlong) -> bytes | None:
        """Give the JSON of the message from `offset` on; None where it does not end with `data`.

        Raises ProtocolError.
        """
        start: cython.Py_ssize_t = self.out.size
        self.begin(data, offset, len(data), most)
        self.topic_ids = []
        self.places = []
        try:
            self.write(table)
            return self.out.taken(start) if self.p == self.end else None
        finally:
            self.out.cut(start)
            self.release()
            if self.out.room > _MOST_ROOM:
                self.out = TextBuffer()

    def begin_next(self, data: bytes, offset: cython.Py_ssize_t, most: cython.longlong) -> cython.int:
        """Begin a message as `begin` does; lists that hold nothing of the message before are used again."""
        if self.errors:
            self.errors = []
        if self.topic_ids:
            self.topic_ids = []
        if self.places:
            self.places = []
        return self.look_at(data, offset, len(data), most)

    def write(self, table: FieldTable) -> cython.int:
        """Write the message that was begun; raises ProtocolError, and what was written is to be cut off then."""
        if self.tagged_starts:
            self.tagged_starts = []
        self.names_internal_topic = 0
        if self.tagged_texts:
            self.tagged_texts = {}
        return read_message(self, table)

    def key(self, field: FieldTable, in_array: cython.bint) -> cython.int:
        """Write what stands before a value."""
        return self.out.key(_NEXT if in_array else field.key)

    def begin_struct(self, field: FieldTable) -> cython.int:
        """Begin an object."""
        if field.role == CONFIG:
            noted: cython.Py_ssize_t = _NOTED * (field.depth + 1)
            self.configs[noted + _NAME_AT] = -1
            self.configs[noted + _VALUE_AT] = -1
            self.configs[noted + _SENSITIVE] = 0
        if field.parent is None:
            return self.out.byte(0x7B)
        return self.out.open(_NEXT if field.is_array else field.key, 0x7B)

    def end_struct(self, field: FieldTable) -> cython.int:
        """End it."""
        if field.role == CONFIG:
            self.hide_config(field)
        return self.out.byte(0x7D)

    def hide_config(self, field: FieldTable) -> cython.int:
        """Replace the value of a secret config, or the secrets inside another's, as `redact_config` does."""
        noted: cython.Py_ssize_t = _NOTED * (field.depth + 1)
        at: cython.Py_ssize_t = self.configs[noted + _VALUE_AT]
        length: cython.Py_ssize_t = self.configs[noted + _VALUE_END] - at
        name_at: cython.Py_ssize_t = self.configs[noted + _NAME_AT]
        name_length: cython.Py_ssize_t = self.configs[noted + _NAME_END] - name_at
        if at < 0 or length == 0:
            return 0
        text: bytes = _HIDDEN
        if (
            name_at >= 0
            and not self.configs[noted + _SENSITIVE]
            and not self.is_secret_name(self.raw(name_at, name_length))
        ):
            if not self.may_hold_secrets(at, length):
                return 0
            value = self.text(at, length)
            masked = mask_secrets(value)
            if masked == value:
                return 0
            # Rare, and slow to import.
            import orjson

            text = orjson.dumps(masked)
        return self.out.replace(self.configs[noted + _TEXT_AT], self.configs[noted + _TEXT_END], text)

    def is_secret_name(self, name: bytes) -> cython.bint:
        """Tell whether the name of a config says that its value is secret."""
        known = self.secret_names.get(name)
        if known is None:
            known = is_secret_config(name.decode())
            if len(self.secret_names) >= _MOST_NAMES:
                self.secret_names.clear()
            if len(name) <= _LONGEST_NAME:
                self.secret_names[name] = known
        return known is True

    def may_hold_secrets(self, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.bint:
        """Tell whether a value may hold what `mask_secrets` replaces: all that has an equals sign, colon or space."""
        i: cython.Py_ssize_t
        c: cython.int
        if at < 0 or length > self.end - at:
            raise IndexError("bytes behind the end")
        for i in range(at, at + length):
            c = self.view[i]
            if c <= 0x20 or c >= 0x7F or c in (0x3A, 0x3D):
                return True
        return False

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Begin an array."""
        return self.out.open(field.key, 0x5B)

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
        self.tagged_texts[field] = b"" if text == field.key.removeprefix(b",") + field.default_text else text
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

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note path and place of records."""
        self.places.append((self.path(field, False), at, at + length))
        return 0

    # Values

    def take_null(self, field: FieldTable) -> cython.int:
        """Write null."""
        self.key(field, False)
        return self.out.add(b"null")

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Write a number or bool."""
        if field.kind != BOOL:
            return self.out.member(_NEXT if field.is_array else field.key, value)
        self.key(field, field.is_array)
        if field.role == CONFIG_SENSITIVE:
            self.configs[_NOTED * field.depth + _SENSITIVE] = value
        return self.out.add(b"true" if value else b"false")

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Write a float or uuid."""
        self.key(field, field.is_array)
        if field.kind == FLOAT64:
            # Rare, and slow to import.
            import orjson

            return self.out.add(orjson.dumps(json_float(_DOUBLE.unpack(self.raw(at, 8))[0])))
        if field.is_topic_id:
            self.topic_ids.append(UUID_TEXTS[self.raw(at, 16)])
        return self.out.base64(self.data, at, 16, True)

    def take_integers(self, field: FieldTable, at: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Write an array of integers."""
        self.key(field, False)
        return self.out.integers(self.data, at, count, field.size, field.is_signed)

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write text."""
        self.key(field, field.is_array)
        before: cython.Py_ssize_t = self.out.size
        if self.out.write_string(self.data, at, length, False):
            self.check_text(field, at, length)
        if field.is_secret and length:
            self.out.cut(before)
            self.out.add(_HIDDEN)
        if field.role:
            self.note_text(field, at, length, before)
        return 0

    def note_text(
        self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t, text_at: cython.Py_ssize_t
    ) -> cython.int:
        """Note the name or value of a config, and whether a topic is an internal one."""
        noted: cython.Py_ssize_t = _NOTED * field.depth
        if field.role == TOPIC_NAME:
            if length >= 2 and self.view[at] == 0x5F and self.view[at + 1] == 0x5F:
                self.names_internal_topic = 1
        elif field.role == CONFIG_NAME:
            self.configs[noted + _NAME_AT] = at
            self.configs[noted + _NAME_END] = at + length
        elif field.role == CONFIG_VALUE:
            self.configs[noted + _VALUE_AT] = at
            self.configs[noted + _VALUE_END] = at + length
            self.configs[noted + _TEXT_AT] = text_at
            self.configs[noted + _TEXT_END] = self.out.size
        return 0

    def take_bytes(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write bytes as base64."""
        self.key(field, field.is_array)
        if field.is_secret and length:
            return self.out.add(_HIDDEN)
        return self.out.base64(self.data, at, length, False)

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write the size of records."""
        return self.out.member(field.size_key, length)
