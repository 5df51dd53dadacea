# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Tables of the fields of a message in one version, made from its definition: what the reader of bodies goes by."""

from typing import Any, Final

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.fields import Field, JsonValue, Message, covers, fields_of

# Kinds of values; those before FLOAT64 are integers or as good as such, those before STRING have a fixed size.
BOOL = cython.declare(cython.int, 0)
INT8 = cython.declare(cython.int, 1)
INT16 = cython.declare(cython.int, 2)
UINT16 = cython.declare(cython.int, 3)
INT32 = cython.declare(cython.int, 4)
UINT32 = cython.declare(cython.int, 5)
INT64 = cython.declare(cython.int, 6)
FLOAT64 = cython.declare(cython.int, 7)
UUID = cython.declare(cython.int, 8)
STRING = cython.declare(cython.int, 9)
BYTES = cython.declare(cython.int, 10)
RECORDS = cython.declare(cython.int, 11)
STRUCT = cython.declare(cython.int, 12)

MAX_DEPTH: Final = 32
"""Most arrays within arrays; Kafka's messages have four."""

MAX_SLOTS: Final = 256
"""Most plain fields of a message before which tagged ones stand; Kafka's messages have two."""

KINDS: Final[dict[str, tuple[int, int]]] = {
    "bool": (BOOL, 1),
    "int8": (INT8, 1),
    "int16": (INT16, 2),
    "uint16": (UINT16, 2),
    "int32": (INT32, 4),
    "uint32": (UINT32, 4),
    "int64": (INT64, 8),
    "float64": (FLOAT64, 8),
    "uuid": (UUID, 16),
    "string": (STRING, 0),
    "bytes": (BYTES, 0),
    "records": (RECORDS, 0),
}
"""Kind and size in bytes of each primitive type; the size is 0 where it differs from value to value."""


@cython.final
@cython.cclass
class FieldTable:
    """A field of a message in one version; the message itself is one, of kind STRUCT, without a name.

    Each stands for one place of one layout, so that a path follows from it and from the indices of the arrays around.

    - `name`, `type_name`: as in the definition; of an array `type_name` is the type of an element.
    - `kind`, `size`: of the value, or of an element of an array; `size` is 0 where it differs.
    - `is_signed`: whether it is a signed integer.
    - `length_size`, `count_size`: bytes of the length before a string or bytes, and of the count before an array; 1 if
      that is a varint.
    - `is_array`, `is_nullable`, `is_tagged`: in this version.
    - `is_compact`: whether its length is a varint. `is_flexible`: whether a tag section ends the struct.
    - `is_error_code`, `is_topic_id`: what the value means.
    - `is_wanted`: whether a reader hands on its value; those inside it may be wanted only if it is.
    - `is_told`, `tells_elements`: of an array or struct that is wanted: whether a reader tells of where it begins and
      ends, and where its elements do.
    - `is_secret`: content to be replaced in JSON.
    - `role`: a number for whoever reads with the table; 0 at first.
    - `version`: of the message. `parent`: the struct around it. `depth`: how many arrays are around it.
    - `fields`: of a struct, in the definition's order: `plain_fields` and `tagged_fields` together.
    - `tagged_before`: the tagged fields that the definition has right before this plain one, `slot`: its number among
      those of the message that have some, -1 if it has none.
    - `other_tags`: tags that the struct has in other versions only.
    - `first_step`, `step_behind`: where the steps of a field begin and end, once they were made (steps.py); `steps`: of
      the message, all of them.
    - `default`, `default_text`: what a tagged field that is not sent holds, as a value and as JSON.
    - `first_path`: the path where all arrays around are at their first element, once a reader has made it.
    - `key`, `size_key`: `,"name":`, and `,"nameSizeInBytes":` of records.
    """

    def __init__(self, field: Field, version: int, parent: "FieldTable | None", message: Message) -> None:
        """Make the table of a field that is there in `version`, without its fields."""
        flexible = covers(message.flexible, version)
        self.name = field.name
        self.type_name = field.element_type
        self.kind, self.size = KINDS.get(field.element_type, (STRUCT, 0))
        self.is_array = field.is_array
        self.is_nullable = covers(field.nullable, version)
        self.is_tagged = covers(field.tagged, version)
        self.is_compact = flexible and field.flexible != "none"
        self.is_flexible = flexible
        self.is_signed = self.kind in (INT8, INT16, INT32, INT64)
        self.count_size = 1 if self.is_compact else 4
        self.length_size = 1 if self.is_compact else 2 if self.kind == STRING else 4
        self.is_error_code = is_error_code(field)
        self.is_topic_id = is_topic_id(field)
        self.is_wanted = True
        self.is_told = self.tells_elements = True
        self.is_secret = False
        self.role = 0
        self.tag = -1 if field.tag is None else field.tag
        self.version = version
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + parent.is_array
        if self.depth >= MAX_DEPTH:
            raise ValueError(f"{field.name}: expected at most {MAX_DEPTH} arrays within arrays")
        self.slot = -1
        self.first_step = self.step_behind = 0
        self.steps: Any = None
        self.fields: tuple[FieldTable, ...] = ()
        self.plain_fields: tuple[FieldTable, ...] = ()
        self.tagged_fields: tuple[FieldTable, ...] = ()
        self.tagged_before: tuple[FieldTable, ...] = ()
        self.other_tags: frozenset[int] = frozenset()
        self.default = field.json_default(version) if self.is_tagged else None
        self.default_text = json_text(self.default).encode() if self.is_tagged else b""
        self.first_path: str | None = None
        self.key = f',"{field.name}":'.encode()
        self.size_key = f',"{field.name}SizeInBytes":'.encode()

    def add_fields(self, fields: tuple[Field, ...], message: Message, wanted: frozenset[str] | None, slots: int) -> int:
        """Add the fields of a struct, only those called `wanted` being wanted; give the number of slots then used."""
        before: list[FieldTable] = []
        found: list[FieldTable] = []
        for field in fields_of(fields, self.version):
            table = FieldTable(field, self.version, self, message)
            table.is_wanted = self.is_wanted and (wanted is None or field.name in wanted)
            found.append(table)
            if table.is_tagged:
                before.append(table)
            elif before:
                table.tagged_before = tuple(before)
                table.slot = slots
                slots += 1
                before = []
            slots = table.add_fields(field.fields, message, wanted, slots)
        self.fields = tuple(found)
        self.plain_fields = tuple([table for table in found if not table.is_tagged])
        self.tagged_fields = tuple([table for table in found if table.is_tagged])
        known = {table.tag for table in self.tagged_fields}
        self.other_tags = frozenset([field.tag for field in fields if field.tag is not None]) - known
        return slots

    def tell_roles(self) -> None:
        """Let readers tell of no arrays and structs but those that have a role, and of no elements."""
        self.is_told = self.role > 0
        self.tells_elements = False
        for table in self.fields:
            table.tell_roles()

    def passed_size(self) -> int:
        """Give the bytes of a plain field of which nothing is noted; 0 where they differ."""
        if self.is_wanted or self.is_array or self.slot >= 0 or (self.kind == STRUCT and self.is_nullable):
            return 0
        return self.fixed_size()

    def fixed_size(self) -> int:
        """Give the bytes of the value, or of an element, where all take as many and nothing in it is noted; else 0."""
        if self.kind != STRUCT:
            return 0 if self.is_error_code else self.size
        return 0 if self.is_flexible else self.size_inside()

    def size_inside(self) -> int:
        """Give the bytes of a struct's plain fields where all take as many and none is noted; else 0."""
        sizes = [table.passed_size() for table in self.plain_fields]
        return sum(sizes) if sizes and 0 not in sizes else 0


def make_table(message: Message, version: int, wanted: frozenset[str] | None = None) -> FieldTable:
    """Make the table of a message in one version.

    With `wanted`, only the fields called so are wanted, inside structs and arrays that are called so themselves.
    """
    root = FieldTable(Field("", message.name, message.versions, message.fields), version, None, message)
    if root.add_fields(message.fields, message, wanted, 0) > MAX_SLOTS:
        raise ValueError(f"{message.name}: expected tagged fields at {MAX_SLOTS} places at most")
    return root


def tables_in(table: FieldTable) -> list[FieldTable]:
    """Give all fields of a message or struct, those inside them too, in the definition's order."""
    found: list[FieldTable] = []
    for field in table.fields:
        found.append(field)
        found += tables_in(field)
    return found


def is_error_code(field: Field) -> bool:
    """Tell whether a field holds an error code."""
    return field.type == "int16" and field.name.lower().endswith("errorcode")


def is_topic_id(field: Field) -> bool:
    """Tell whether a field holds a topic id; definitions have no entity type for these."""
    return field.type == "uuid" and field.name == "topicId"


def json_text(value: JsonValue) -> str:
    """Give the JSON of a default, of which the strings need no escaping."""
    if isinstance(value, dict):
        return "{" + ",".join([f'"{name}":{json_text(inner)}' for name, inner in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([json_text(inner) for inner in value]) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    constants: dict[Any, str] = {True: "true", False: "false"}
    return "null" if value is None else constants[value] if isinstance(value, bool) else repr(value)
