# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The steps in which a message of one table is read: rows of small numbers, which the reader goes through."""

from array import array

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.tables import FieldTable

if not cython.compiled:
    from kafkasniff.protocol.bodies.tables import FLOAT64, INT8, INT64, RECORDS, STRING, STRUCT

    # What a step does, and what its numbers are; as in steps.pxd.
    RUN, MARK, NUMBER, FIXED, TEXT, INTEGERS, ARRAY, NEXT, NULLABLE, BEGIN, END, TAGS = range(12)
    OP, SIZE, AFTER, FIELD, DEPTH, FORM, WIDTH = range(7)
    WANTED, TOLD, ELEMENT, ERROR, SIGNED, COMPACT, CAN_BE_NULL, IS_STRING, IS_RECORDS, TAGGED = (
        1 << bit for bit in range(10)
    )


@cython.final
@cython.cclass
class Steps:
    """The steps of a message, made when it is settled which of its fields are wanted, and with which roles.

    `code` has `WIDTH` numbers a step: what it does (`OP`), a size in bytes, the step behind what it may pass over
    (`AFTER`), its field's place in `fields`, how many arrays are around it, and bits for the form of its value:

    - `RUN`: passes over `SIZE` bytes up to `AFTER`, if there are as many.
    - `MARK`: tells of the place before a field.
    - `NUMBER`, `FIXED`: a value of `SIZE` bytes: an integer or bool that is wanted or an error code; another one.
    - `TEXT`: a string, bytes or records, behind a length of `SIZE` bytes unless that is a varint.
    - `INTEGERS`: an array of integers of `SIZE` bytes.
    - `ARRAY`: the beginning of another array, up to `AFTER`; `SIZE` is that of an element where nothing in it is noted,
      with `TAGGED` that of its fields before a byte for the count of its tagged fields.
    - `NEXT`: the end of an element; the next one begins at `AFTER`.
    - `NULLABLE`: says whether a struct is there that goes on to `AFTER`.
    - `BEGIN`, `END`: tell of the beginning and the end of a struct.
    - `TAGS`: the tagged fields of a struct. Their own steps stand behind the message's (`FieldTable.first_step`).
    """

    def __init__(self, table: FieldTable) -> None:
        """Make the steps of a message."""
        self.rows: list[list[int]] = []
        self.found: list[FieldTable] = []
        waiting = self._add_struct(table)
        self.end = len(self.rows) * WIDTH
        for field in waiting:
            waiting += self._add_field(field)
        self.fields = tuple(self.found)
        # Of a message without fields too, there is a first step.
        self.rows.append([0] * WIDTH)
        self.code = array("i", [number for row in self.rows for number in row])

    def _add(self, op: int, field: FieldTable, size: int = 0, form: int = 0) -> list[int]:
        """Add a step; give it."""
        form |= WANTED * field.is_wanted | TOLD * (field.is_wanted and field.is_told)
        form |= COMPACT * field.is_compact | CAN_BE_NULL * field.is_nullable
        row = [op, size, 0, len(self.found), field.depth, form]
        self.rows.append(row)
        self.found.append(field)
        return row

    def _here(self) -> int:
        return len(self.rows) * WIDTH

    def _add_struct(self, struct: FieldTable) -> list[FieldTable]:
        """Add what is inside a struct; give the tagged fields whose steps are to follow."""
        waiting = list(struct.tagged_fields)
        plain = struct.plain_fields
        behind: dict[int, list[int]] = {}
        for place, field in enumerate(plain):
            count = next((i for i, each in enumerate(plain[place:]) if not each.passed_size()), len(plain) - place)
            is_first = place == 0 or not plain[place - 1].passed_size()
            if is_first and (count > 1 or (count and field.kind == STRUCT)):
                size = sum([each.passed_size() for each in plain[place : place + count]])
                behind[place + count] = self._add(RUN, field, size)
            waiting += self._add_field(field)
            if place + 1 in behind:
                behind[place + 1][AFTER] = self._here()
        if struct.is_flexible:
            self._add(TAGS, struct)
        return waiting

    def _add_field(self, field: FieldTable) -> list[FieldTable]:
        """Add the steps of a field; give the tagged fields inside it."""
        field.first_step = self._here()
        if field.slot >= 0:
            self._add(MARK, field)
        waiting: list[FieldTable] = []
        if field.is_array and INT8 <= field.kind <= INT64:
            self._add(INTEGERS, field, field.size)
        elif field.is_array:
            begin = self._add(ARRAY, field, *_element_size(field))
            body = self._here()
            waiting = self._add_value(field, ELEMENT)
            self._add(NEXT, field)[AFTER] = body
            begin[AFTER] = self._here()
        else:
            waiting = self._add_value(field, 0)
        field.step_behind = self._here()
        return waiting

    def _add_value(self, field: FieldTable, form: int) -> list[FieldTable]:
        """Add the steps of a field's value, or of an element."""
        if field.kind == STRUCT:
            return self._add_inner(field, form)
        if field.size:
            form |= ERROR * field.is_error_code | SIGNED * field.is_signed
            is_number = field.kind < FLOAT64 and (field.is_wanted or field.is_error_code)
            self._add(NUMBER if is_number else FIXED, field, field.size, form)
        else:
            form |= IS_STRING * (field.kind == STRING) | IS_RECORDS * (field.kind == RECORDS)
            self._add(TEXT, field, field.length_size, form)
        return []

    def _add_inner(self, field: FieldTable, form: int) -> list[FieldTable]:
        # What says whether a nullable struct that is tagged is there is another thing, and is read before.
        marker = self._add(NULLABLE, field) if field.is_nullable and not field.is_tagged and not form else None
        is_told = field.is_wanted and (field.tells_elements if form else field.is_told)
        if is_told:
            self._add(BEGIN, field, 0, form)
        waiting = self._add_struct(field)
        if is_told:
            self._add(END, field)
        if marker is not None:
            marker[AFTER] = self._here()
        return waiting


def _element_size(array: FieldTable) -> tuple[int, int]:
    """Give the size of the elements of an array for its step, and the bit for its form; 0 where there is none."""
    is_told = array.is_wanted and array.tells_elements
    if array.kind == STRUCT and array.is_flexible and not is_told:
        size = array.size_inside()
        return size, TAGGED if size else 0
    return 0 if array.is_wanted else array.fixed_size(), 0
