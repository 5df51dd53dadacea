"""Plans by which structs are written as JSON at once, where nothing in them is unusual: made from their tables."""

from struct import Struct

from kafkasniff.protocol.bodies.tables import KINDS, FieldTable, JsonPlan

# Kinds of steps, and bits that go with them, as `json_writer.pxd` has them.
_BEGIN, _END, _NUMBER, _BOOL, _STRING, _UUID, _RECORDS, _INTEGERS, _STRINGS, _STRUCTS, _STRUCT = range(11)
_NULLABLE, _SIGNED, _NOTED, _NAMES_TOPIC, _FLEXIBLE = 1, 2, 4, 8, 16

TOPIC_NAME = 5
"""Role of a field that may name the topic of records. What has another role is not written at once."""

_INTEGER_TYPES = frozenset({"int8", "int16", "uint16", "int32", "uint32", "int64"})

_STEP = Struct("=BBBBHHIii")
_BEHIND_KEYS = bytes(32)
"""Bytes as many as are copied of a short key."""
_ROOM_OF_STEP = 32
"""Characters that a step takes at most, but for its key, and what it asks room for when it is taken."""
_MOST_ARRAYS = 4
"""Arrays around a value of which the indices are noted with it."""


class _Planner:
    """Adds up the steps of a message."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, ...]] = []
        self.keys = b""
        self.fields: list[FieldTable] = []
        self.begun: list[tuple[FieldTable, int]] = []
        """Structs that may be written at once, and the step with which each begins."""

    def add_struct(self, table: FieldTable) -> bool:
        """Add a struct; tell whether it may be written at once."""
        begin = len(self.steps)
        self.steps.append(())
        # Those behind one that may not be are added too.
        found = [self._add(field, place > 0) for place, field in enumerate(table.plain_fields)]
        self.steps.append((_END, 0, _FLEXIBLE * table.is_flexible, 0, 0, 0, 0, 0, 0))
        room = _ROOM_OF_STEP * (len(table.plain_fields) + 3)
        room += sum([len(field.key) + len(field.size_key) for field in table.plain_fields])
        self.steps[begin] = (_BEGIN, 0, 0, 0, 0, 0, 0, 0, room)
        if all(found):
            self.begun.append((table, begin))
        return all(found)

    def _add(self, field: FieldTable, follows: bool) -> bool:
        """Add the steps of a field; tell whether it may be written at once."""
        kind, size = _kind(field)
        is_noted = kind == _RECORDS or field.is_error_code or field.is_topic_id
        bits = _NULLABLE * field.is_nullable | _SIGNED * field.is_signed | _NOTED * is_noted
        bits |= _NAMES_TOPIC * (field.role == TOPIC_NAME)
        key, size_key = b"," * follows + field.key, b"," * follows + field.size_key
        place, step = len(self.keys), len(self.steps)
        self.keys += key + size_key * (kind == _RECORDS)
        self.steps.append(())
        may = kind >= 0 and not field.is_secret and field.role in (0, TOPIC_NAME)
        if kind in (_STRUCT, _STRUCTS):
            may = self.add_struct(field) and may
        behind = len(size_key) if kind == _RECORDS else len(self.steps)
        of_element = field.length_size if kind == _STRINGS else field.size
        self.steps[step] = (kind % 256, size, bits, field.depth, len(key), len(self.fields), place, behind, of_element)
        self.fields.append(field)
        return may and (not is_noted or field.depth <= _MOST_ARRAYS)


def plan_json(table: FieldTable) -> None:
    """Plan which structs of a message are written at once, when it is settled which fields have roles."""
    planner = _Planner()
    planner.add_struct(table)
    plan = JsonPlan(
        b"".join([_STEP.pack(*step) for step in planner.steps]), planner.keys + _BEHIND_KEYS, planner.fields
    )
    for struct, begin in planner.begun:
        struct.json_plan, struct.json_begin = plan, begin


def _kind(field: FieldTable) -> tuple[int, int]:
    """Give the kind of a field's step, -1 where it has none, and the bytes of its value, or of its length or count."""
    is_struct, is_integer = field.type_name not in KINDS, field.type_name in _INTEGER_TYPES
    if field.is_array:
        kind = _STRUCTS if is_struct else _INTEGERS if is_integer else _STRINGS if field.type_name == "string" else -1
        return kind, field.count_size
    if field.size:
        return _NUMBER if is_integer else {"bool": _BOOL, "uuid": _UUID}.get(field.type_name, -1), field.size
    return _STRUCT if is_struct else {"string": _STRING, "records": _RECORDS}.get(
        field.type_name, -1
    ), field.length_size
