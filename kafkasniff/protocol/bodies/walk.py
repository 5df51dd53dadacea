# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Walks a message once by the steps of its table, checks all of it, and hands what is wanted to a sink."""

from binascii import b2a_base64

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.steps import Steps
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_STRING_BYTES

if not cython.compiled:
    from operator import getitem as kafkasniff_field

    from kafkasniff.protocol.bodies.steps import (
        AFTER,
        ARRAY,
        BEGIN,
        CAN_BE_NULL,
        COMPACT,
        DEPTH,
        ELEMENT,
        END,
        ERROR,
        FIELD,
        FIXED,
        FORM,
        INTEGERS,
        IS_RECORDS,
        IS_STRING,
        MARK,
        NEXT,
        NUMBER,
        OP,
        RUN,
        SIGNED,
        SIZE,
        TAGGED,
        TAGS,
        TEXT,
        TOLD,
        WANTED,
        WIDTH,
    )
    from kafkasniff.protocol.bodies.tables import STRUCT

_LONGEST_STRING = cython.declare(cython.int, MAX_STRING_BYTES)


def passed(table: FieldTable, data: bytes, offset: int, most: int) -> int:
    """Give where the message that begins at `offset` ends; -1 where it does not decode, or has text not UTF-8."""
    reader = BodyReader()
    reader.begin(data, offset, len(data), most)
    try:
        read_message(reader, table)
    except ProtocolError:
        return -1
    return reader.p


def field_end(table: FieldTable, data: bytes, offset: int, name: str, most: int) -> int:
    """Give where a plain field of the message from `offset` on ends; -1 where what is up to there does not decode."""
    field: FieldTable
    reader = BodyReader()
    reader.begin(data, offset, len(data), most)
    steps = steps_of(table)
    for field in table.plain_fields:
        if field.name == name:
            try:
                walk(reader, steps, 0, field.step_behind)
            except ProtocolError:
                break
            return reader.p
    return -1


def steps_of(table: FieldTable) -> Steps:
    """Give the steps of a message, made when it is first read."""
    if table.steps is None:
        table.steps = Steps(table)
    steps: Steps = table.steps
    return steps


def read_message(reader: BodyReader, table: FieldTable) -> cython.int:
    """Read the message; raises ProtocolError for one that does not decode. `p` is then where it ends."""
    steps: Steps | None = table.steps
    if steps is None:
        steps = steps_of(table)
    if table.is_told:
        reader.begin_struct(table)
    walk(reader, steps, 0, steps.end)
    if table.is_told:
        reader.end_struct(table)
    return 0


def walk(reader: BodyReader, steps: Steps, step: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Go through the steps from one up to another."""
    # All that is read comes by here: places are kept in local variables, and `p` is set for what is called.
    p: cython.Py_ssize_t = reader.p
    end: cython.Py_ssize_t = reader.end
    start: cython.Py_ssize_t
    size: cython.Py_ssize_t
    depth: cython.int
    form: cython.int
    op: cython.int
    value: cython.longlong
    done: cython.longlong
    most: cython.longlong
    fields = steps.fields
    view = reader.view
    # Steps name no fields but their own, and no table has arrays within more arrays than there is room for.
    if cython.compiled:
        code, indices, counts = (
            cython.address(steps.code[0]),
            cython.address(reader.indices[0]),
            cython.address(reader.counts[0]),
        )
    else:
        code, indices, counts = steps.code, reader.indices, reader.counts
    while step < stop:
        op = code[step + OP]
        size = code[step + SIZE]
        start = p
        if op == RUN:
            if size <= end - p and code[step + AFTER] <= stop:
                p += size
                step = code[step + AFTER]
                continue
        elif op == NUMBER:
            form = code[step + FORM]
            if size > end - p:
                reader.p = p
                raise reader.no_fixed(kafkasniff_field(fields, code[step + FIELD]))
            if cython.compiled:
                value = kafkasniff_number_at(view + p, size, form & SIGNED)  # type: ignore[name-defined]  # noqa: F821
            else:
                value = reader.number(kafkasniff_field(fields, code[step + FIELD]), p)
            p += size
            if value or form & WANTED:
                reader.p = p
                if value and form & ERROR:
                    reader.note_error(kafkasniff_field(fields, code[step + FIELD]), value)
                if form & WANTED:
                    reader.start = start
                    reader.take_number(kafkasniff_field(fields, code[step + FIELD]), value)
        elif op == TEXT:
            form = code[step + FORM]
            if form & COMPACT and p < end and view[p] < 0x80:
                value = view[p]
                value -= 1
                p += 1
            elif form & COMPACT or size > end - p:
                reader.p = p
                value = reader.long_length(kafkasniff_field(fields, code[step + FIELD]), form & ELEMENT, size)
                p = reader.p
            else:
                value = kafkasniff_signed(view + p, size) if cython.compiled else reader.integer(p, size)  # type: ignore[name-defined]  # noqa: F821
                p += size
            reader.p = p
            reader.start = start
            if value < 0 and form & CAN_BE_NULL and not form & ELEMENT:
                if form & WANTED:
                    reader.take_null(kafkasniff_field(fields, code[step + FIELD]))
            elif value < 0 or value > end - p or (form & IS_STRING and value > _LONGEST_STRING):
                raise reader.no_text(kafkasniff_field(fields, code[step + FIELD]), value)
            else:
                size = p
                p += value
                reader.p = p
                if form & IS_STRING and form & WANTED:
                    reader.take_string(kafkasniff_field(fields, code[step + FIELD]), size, value)
                elif form & IS_STRING:
                    if not cython.compiled or not kafkasniff_is_ascii(view + size, value):  # type: ignore[name-defined]  # noqa: F821
                        reader.check_text(kafkasniff_field(fields, code[step + FIELD]), size, value)
                elif form & IS_RECORDS:
                    reader.note_records(kafkasniff_field(fields, code[step + FIELD]), size, value)
                    if form & WANTED:
                        reader.take_records(kafkasniff_field(fields, code[step + FIELD]), size, value)
                elif form & WANTED:
                    reader.take_bytes(kafkasniff_field(fields, code[step + FIELD]), size, value)
        elif op == NEXT:
            depth = code[step + DEPTH]
            indices[depth] += 1
            if indices[depth] < counts[depth]:
                reader.p = p
                reader.left -= 1
                if reader.left < 0:
                    raise reader.too_many(kafkasniff_field(fields, code[step + FIELD]), True, "")
                step = code[step + AFTER]
                continue
            if code[step + FORM] & TOLD:
                reader.p = p
                reader.end_array(kafkasniff_field(fields, code[step + FIELD]))
        elif op in (ARRAY, INTEGERS):
            form = code[step + FORM]
            if form & COMPACT and p < end and view[p] < 0x80:
                value = view[p]
                value -= 1
                p += 1
            elif form & COMPACT or end - p < 4:
                reader.p = p
                value = reader.long_length(
                    kafkasniff_field(fields, code[step + FIELD]), False, 1 if form & COMPACT else 4
                )
                p = reader.p
            else:
                value = kafkasniff_signed(view + p, 4) if cython.compiled else reader.integer(p, 4)  # type: ignore[name-defined]  # noqa: F821
                p += 4
            reader.p = p
            reader.start = start
            if value < 0 or value > end - p:
                reader.take_no_array(kafkasniff_field(fields, code[step + FIELD]), value)
            elif op == INTEGERS:
                if value * size > end - p:
                    raise reader.no_integers(kafkasniff_field(fields, code[step + FIELD]), value)
                p += value * size
                if form & WANTED:
                    reader.p = p
                    reader.take_integers(kafkasniff_field(fields, code[step + FIELD]), p - value * size, value)
            else:
                if value > reader.left and not reader.is_partial:
                    raise ProtocolError(f"expected at most {reader.left} more elements, found {value}", start)
                if form & TOLD:
                    reader.begin_array(kafkasniff_field(fields, code[step + FIELD]), value)
                done = 0
                if form & TAGGED:
                    # Elements that are longer have tagged fields.
                    most = 0 if reader.notes_structure else min(value, reader.left)
                    while done < most and size < end - p and view[p + size] == 0:
                        p += size + 1
                        done += 1
                    reader.left -= done
                elif size:
                    if value * size > end - p:
                        raise reader.no_elements(kafkasniff_field(fields, code[step + FIELD]), value, size)
                    reader.left -= value
                    p += value * size
                    done = value
                if done < value:
                    depth = code[step + DEPTH]
                    indices[depth] = done
                    counts[depth] = value
                    reader.left -= 1
                    if reader.left < 0:
                        raise reader.too_many(kafkasniff_field(fields, code[step + FIELD]), True, "")
                    step += WIDTH
                    continue
                if form & TOLD:
                    reader.end_array(kafkasniff_field(fields, code[step + FIELD]))
            if op == ARRAY:
                step = code[step + AFTER]
                continue
        elif op == TAGS:
            if p < end and view[p] == 0 and not reader.notes_structure:
                p += 1
            else:
                reader.p = p
                read_tags(reader, steps, kafkasniff_field(fields, code[step + FIELD]))
                p = reader.p
        elif op == FIXED:
            form = code[step + FORM]
            if size > end - p:
                reader.p = p
                raise reader.no_fixed(kafkasniff_field(fields, code[step + FIELD]))
            p += size
            if form & WANTED:
                reader.p = p
                reader.start = start
                reader.take_fixed(kafkasniff_field(fields, code[step + FIELD]), start)
        else:
            reader.p = p
            if op == BEGIN:
                reader.begin_struct(kafkasniff_field(fields, code[step + FIELD]))
            elif op == END:
                reader.end_struct(kafkasniff_field(fields, code[step + FIELD]))
            elif op == MARK:
                reader.mark_place(kafkasniff_field(fields, code[step + FIELD]))
            elif not read_marker(reader, kafkasniff_field(fields, code[step + FIELD])):
                p = reader.p
                step = code[step + AFTER]
                continue
            p = reader.p
        step += WIDTH
    reader.p = p
    return 0


def read_tags(reader: BodyReader, steps: Steps, table: FieldTable) -> cython.int:
    """Read the tagged fields (KIP-482): known ones in place whatever their stated size, as Kafka does."""
    field: FieldTable
    known: FieldTable | None
    any_known: cython.bint = False
    i: cython.longlong
    tag: cython.longlong
    size: cython.longlong
    start: cython.Py_ssize_t = reader.p
    count: cython.longlong = reader.varint(table, table.is_array, "taggedFields", "a count of tagged fields")
    if reader.notes_structure:
        reader.take_structure(reader.place(table, table.is_array, "taggedFields"), start, count)
    if count > reader.left and not reader.is_partial:
        raise ProtocolError(f"expected at most {reader.left} more elements, found {count} tagged fields", start)
    for i in range(count):
        suffix = f"taggedFields[{i}]"
        reader.left -= 1
        if reader.left < 0:
            raise reader.too_many(table, table.is_array, suffix)
        start = reader.p
        tag = reader.varint(table, table.is_array, suffix, "a tag")
        size = reader.varint(table, table.is_array, suffix, "the size of a tagged field")
        if reader.notes_structure:
            reader.take_structure(reader.place(table, table.is_array, suffix), start, tag)
        known = None
        for field in table.tagged_fields:
            if field.tag == tag:
                known = field
        if known is None:
            pass_tag(reader, table, suffix, start, tag, size)
            continue
        any_known = True
        if known.is_wanted:
            reader.begin_tagged(known)
            read_tagged(reader, steps, known)
            reader.end_tagged(known)
        else:
            read_tagged(reader, steps, known)
    if any_known and table.is_wanted and table.is_told:
        reader.end_tags(table)
    return 0


def pass_tag(
    reader: BodyReader,
    table: FieldTable,
    suffix: str,
    tag_at: cython.Py_ssize_t,
    tag: cython.longlong,
    size: cython.longlong,
) -> cython.int:
    """Pass over the value of a tagged field that is not known."""
    start: cython.Py_ssize_t = reader.p
    if tag in table.other_tags:
        message = f"expected no tag {tag} in version {table.version}, found it"
        raise ProtocolError(message, tag_at, reader.place(table, table.is_array, suffix))
    if size < 0 or size > reader.end - start:
        raise reader.failure(
            f"{size} bytes of the unknown tag {tag}", start, reader.place(table, table.is_array, suffix)
        )
    reader.p += size
    if reader.notes_structure:
        value = b2a_base64(reader.raw(start, size), newline=False).decode("ascii")
        reader.take_structure(f"{reader.place(table, table.is_array, suffix)}.bytes", start, value)
    return 0


def read_tagged(reader: BodyReader, steps: Steps, field: FieldTable) -> cython.int:
    """Read a known tagged field."""
    if field.kind == STRUCT and not field.is_array and field.is_nullable:
        # A varint stands before a nullable struct that is tagged, an int8 before others (MessageDataGenerator).
        start: cython.Py_ssize_t = reader.p
        marker: cython.longlong = reader.varint(field, False, "", "a null marker")
        if reader.notes_structure:
            reader.take_structure(reader.path(field, False), start, marker)
        if marker <= 0:
            reader.start = start
            return reader.take_null(field) if field.is_wanted else 0
    return walk(reader, steps, field.first_step, field.step_behind)


def read_marker(reader: BodyReader, field: FieldTable) -> cython.bint:
    """Read what says whether a struct is there that no tag stands before; give it."""
    start: cython.Py_ssize_t = reader.p
    if start >= reader.end:
        raise reader.failure("a null marker of 1 bytes", start, reader.path(field, False))
    marker: cython.longlong = reader.integer(start, 1)
    reader.p += 1
    if reader.notes_structure:
        reader.take_structure(reader.path(field, False), start, marker)
    if marker < 0 and field.is_wanted:
        reader.start = start
        reader.take_null(field)
    return marker >= 0
