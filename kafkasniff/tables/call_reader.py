# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Reads the bodies of a call for its rows: names, error codes, settings, partitions, and where record batches lie."""

import re
from array import array
from functools import cache
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Frame
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.finders import is_entity, leading_fields
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import FieldTable, is_error_code, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Kind, fields_of
from kafkasniff.protocol.headers import API_VERSIONS, RequestHeader, response_header_version
from kafkasniff.protocol.primitives import UUID_TEXTS
from kafkasniff.protocol.records.batches import MAX_BATCHES
from kafkasniff.protocol.typed_names import CONFIG_RESOURCES, FIND_COORDINATOR
from kafkasniff.tables.bodies import NAMED, SETTINGS
from kafkasniff.tables.bodies import RACK as RACK_FIELD
from kafkasniff.tables.partition_rows import BROKERS_OWN, MEASURES, OLD_OFFSETS, WITH_PARTITIONS
from kafkasniff.tables.places import PARTITION_FIELDS

if not cython.compiled:
    from kafkasniff.protocol.records.crc32c import crc32c_of

TOPIC = cython.declare(cython.int, 1)
GROUP = cython.declare(cython.int, 2)
PARTITION = cython.declare(cython.int, 3)
TOLD_PARTITION = cython.declare(cython.int, 4)
"""One of which there is a row."""
RACK = cython.declare(cython.int, 5)
MEASURE = cython.declare(cython.int, 8)
"""The first of `MEASURES`; the others follow."""
SETTING = cython.declare(cython.int, 32)
"""The first of `SETTINGS`; the others follow."""
UNREAD = cython.declare(cython.int, -1)
"""Of a whole body: there is nothing to be read in it."""

_NAMES = ("topics", "groups")
_COLUMNS = {name: re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name) for name in (*SETTINGS, RACK_FIELD)}
"""The columns of `calls` that show settings."""

_OTHERWISE_READ = HOLDING_APIS | {API_VERSIONS, FIND_COORDINATOR, *(key for key, _ in CONFIG_RESOURCES)}
"""APIs in whose bodies there is more to see than fields with names: their calls are few."""

_GROUP = frozenset({"groupId"})

_HEADER = cython.declare(cython.int, 61)
"""Bytes of the header of a batch of magic 2."""
_MOST_BATCHES = cython.declare(cython.longlong, MAX_BATCHES)
_CRC_BITS = cython.declare(cython.longlong, (1 << 32) - 1)
_MOST_ELEMENTS = cython.declare(cython.longlong, 1 << 62)
"""More than the bytes of a message can be."""
_MOST_TEXTS = 4_096
"""Names that are remembered as they lie in messages."""


@cache
def table_of(
    api_key: int, version: int, side: Kind, partitions: bool, columns: frozenset[str] | None = None
) -> FieldTable | None:
    """Give the table by which a body is read, also for `partitions`; None where its calls are to be read otherwise.

    With `columns`, only what these columns of `calls` show is read, and no batches; a table of which nothing is to be
    read has the role `UNREAD`.
    """
    api = APIS.get(api_key)
    if api is None or api_key in _OTHERWISE_READ or not api.first_version <= version <= api.last_version:
        return None
    definition = api_definition(api_key, side)

    def is_wanted(field: Field) -> bool:
        return (has_names and is_entity(field, NAMED)) or (columns is None and field.type == "records")

    has_names = columns is None or not columns.isdisjoint(_NAMES)
    wanted = leading_fields(definition, version, is_wanted)
    tells_partitions = partitions and api_key in WITH_PARTITIONS
    if tells_partitions and leading_fields(definition, version, lambda field: field.name == OLD_OFFSETS):
        return None
    if tells_partitions or (
        columns is None and leading_fields(definition, version, lambda field: field.type == "records")
    ):
        wanted |= leading_fields(definition, version, lambda field: field.name in PARTITION_FIELDS)
    measures: dict[str, int] = {}
    if tells_partitions:
        names = [name for name in MEASURES if side == "response" or name not in BROKERS_OWN]
        measures = {name: MEASURE + MEASURES.index(name) for name in names}
    settings = {RACK_FIELD: RACK, **{name: SETTING + index for index, name in enumerate(SETTINGS)}}
    if columns is not None:
        settings = {name: role for name, role in settings.items() if _COLUMNS[name] in columns}
    wanted |= {field.name for field in definition.fields if field.name in settings} | measures.keys()
    table = make_table(definition, version, wanted)
    _give_roles(table, definition.fields, version, measures)
    for inner in table.fields:
        if inner.name in settings and not inner.is_array:
            inner.role = settings[inner.name]
    table.tell_roles()
    if columns is not None and not wanted and not leading_fields(definition, version, is_error_code):
        table.role = UNREAD
    return table


def _give_roles(table: FieldTable, fields: tuple[Field, ...], version: int, measures: dict[str, int]) -> None:
    within = [field.name for field in table.fields if field.name in PARTITION_FIELDS and not field.is_array]
    for inner, field in zip(table.fields, fields_of(fields, version), strict=True):
        if is_entity(field, NAMED):
            inner.role = GROUP if is_entity(field, _GROUP) else TOPIC
        elif field.name in PARTITION_FIELDS:
            inner.role = TOLD_PARTITION if measures and not field.is_array else PARTITION
        elif within:
            inner.role = measures.get(field.name, 0)
        _give_roles(inner, field.fields, version, measures)


@cython.final
@cython.cclass
class ToldPartition:
    """What a call tells of a partition."""

    def __init__(self, topic: str | None, is_id: bool, partition: int) -> None:
        """Nothing is told so far."""
        self.topic = topic
        self.is_id = is_id
        self.partition = partition
        self.measures = array("q", bytes(8 * len(MEASURES)))
        self.told = 0
        self.bytes = self.records = 0
        self.behind = 0
        self.has_records = False


@cython.final
@cython.cclass
class CallReader(BodyReader):
    """Reads one call after the other.

    - `topics`, `topic_ids`, `groups`: names, each once, in order of appearance; the request's first.
    - `codes`: side, path and code of each error code that is not zero.
    - `batches`: of each record batch the frame that holds it, side and path of its field, its topic (or `topic_id`),
      partition, and where it begins in the frame.
    - `settings`, `is_set`: the numbers called `SETTINGS`, and a bit for each that is there; `rack`.
    - `partitions`: of Produce, Fetch and the like what is told of each partition, where that is asked for.
    - `is_whole`: whether that is all there is to tell of the call.
    """

    def __init__(self, partitions: bool = False, columns: frozenset[str] | None = None) -> None:
        """Make a reader, which reads `partitions` too, or with `columns` only what these columns of `calls` show."""
        super().__init__()
        self._with_partitions = partitions
        self._columns = columns
        self.partitions: list[ToldPartition] = []
        self._by_place: dict[tuple[str | None, int], ToldPartition] = {}
        self._told: ToldPartition | None = None
        self.settings = array("q", bytes(8 * len(SETTINGS)))
        self.is_set = 0
        self.rack: str | None = None
        self._tables: dict[int, FieldTable | None] = {}
        self.topic: str | None = None
        self._texts: dict[bytes, str] = {}
        self.is_whole = False
        self._forget()

    def _forget(self) -> cython.int:
        self.topics: dict[str, None] = {}
        self.topic_ids: dict[str, None] = {}
        self.groups: dict[str, None] = {}
        self.codes: list[tuple[Kind, str, int]] = []
        self.batches: list[tuple[Any, ...]] = []
        return 0

    def _forget_partitions(self) -> cython.int:
        self.partitions = []
        self._by_place = {}
        return 0

    def read_call(self, call: Call) -> cython.bint:
        """Read a call; False where it is to be read in another way: something in it is rare, or wrong."""
        self.is_whole = self._read(call)
        return self.is_whole

    def _read(self, call: Call) -> cython.bint:
        header: RequestHeader | None = call.header
        frame: Frame
        offset: cython.int
        if self.topics or self.topic_ids or self.groups or self.codes or self.batches:
            self._forget()
        if self.partitions:
            self._forget_partitions()
        self.is_set = 0
        self.rack = None
        if header is None or call.pairing_problems or call.context.records:
            return False
        if call.request is not None and not self._read_frame(header, call.request, 0, header.end):
            return False
        if call.response is None:
            return True
        frame = call.response
        offset = 4 + response_header_version(header.api_key, header.api_version)
        if offset == 5 and (len(frame.data) < 5 or frame.data[4] != 0):
            return False
        return self._read_frame(header, frame, 1, offset)

    def _read_frame(
        self, header: RequestHeader, frame: Frame, side: cython.int, offset: cython.Py_ssize_t
    ) -> cython.bint:
        key: cython.longlong = header.api_key << 17 | header.api_version << 1 | side
        table: FieldTable | None
        if key in self._tables:
            table = self._tables[key]
        else:
            name = "response" if side else "request"
            table = table_of(header.api_key, header.api_version, name, self._with_partitions, self._columns)
            self._tables[key] = table
        if table is None or frame._problems or len(frame.data) != frame.size:
            return False
        if table.role == UNREAD:
            return True
        self.side = side
        self.frame = frame
        self.topic = None
        self.partition = -1
        self._told = None
        self.look_at(frame.data, offset, frame.size, _MOST_ELEMENTS)
        try:
            self.read_message(table)
        except ProtocolError:
            return False
        return self.p == self.end

    # What the reader hands on

    def note_error(self, field: FieldTable, in_array: cython.bint, code: cython.longlong) -> cython.int:
        """Note an error code that is not zero."""
        self.codes.append(("response" if self.side else "request", self.path(field, in_array), code))
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note nothing: batches are counted where they are taken."""
        return 0

    def take_string(
        self,
        field: FieldTable,
        in_array: cython.bint,
        start: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
    ) -> cython.int:
        """Take a name."""
        name: str | None
        if not field.role or length == 0:
            return self.check_text(field, in_array, start, at, length)
        raw: bytes = self.raw(at, length)
        name = self._texts.get(raw)
        if name is None:
            self.check_text(field, in_array, start, at, length)
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            name = self._texts[raw] = self.text(at, length)
        if field.role == RACK:
            self.rack = name
        elif field.role == GROUP:
            self.groups[name] = None
        else:
            self.topics[name] = None
            self.topic, self.is_id = name, False
        return 0

    def take_fixed(self, field: FieldTable, in_array: cython.bint, start: cython.Py_ssize_t) -> cython.int:
        """Take a topic id."""
        if field.role == TOPIC:
            name: str = UUID_TEXTS[self.raw(start, 16)]
            self.topic_ids[name] = None
            self.topic, self.is_id = name, True
        return 0

    def take_number(
        self, field: FieldTable, in_array: cython.bint, start: cython.Py_ssize_t, value: cython.longlong
    ) -> cython.int:
        """Take a partition, a setting, or what a partition has."""
        told: ToldPartition | None
        role: cython.int = field.role
        index: cython.int
        if role in (PARTITION, TOLD_PARTITION):
            self.partition = value
            if role == TOLD_PARTITION:
                self._begin_partition()
        elif role >= SETTING:
            index = role - SETTING
            if not self.is_set >> index & 1:
                self.settings[index] = value
                self.is_set |= 1 << index
        elif role >= MEASURE:
            told = self._told
            if told is not None:
                index = role - MEASURE
                told.measures[index] = value
                told.told |= 1 << index
        return 0

    def _begin_partition(self) -> cython.int:
        place = (self.topic, self.partition)
        told: ToldPartition | None = self._by_place.get(place)
        if told is None:
            told = ToldPartition(self.topic, self.is_id, self.partition)
            self._by_place[place] = told
            self.partitions.append(told)
        self._told = told
        return 0

    def take_records(
        self, field: FieldTable, start: cython.Py_ssize_t, at: cython.Py_ssize_t, length: cython.Py_ssize_t
    ) -> cython.int:
        """Take record batches; raises ProtocolError for what is no whole batch of magic 2 with the right CRC."""
        size: cython.longlong
        end: cython.Py_ssize_t = at + length
        path: str = self.path(field, False) if length > 0 else ""
        told: ToldPartition | None = self._told
        if told is not None:
            told.bytes = length
        while at < end:
            size = 0
            if end - at >= _HEADER and self.view[at + 16] == 2 and len(self.batches) < _MOST_BATCHES:
                size = self.integer(at + 8, 4) + 12
            if not (
                _HEADER <= size <= end - at
                and crc32c_of(self.data, at + 21, at + size) == self.integer(at + 17, 4) & _CRC_BITS
            ):
                raise ProtocolError("expected a record batch", at)
            side = "response" if self.side else "request"
            self.batches.append((self.frame, side, path, self.topic, self.is_id, self.partition, at))
            if told is not None:
                told.records += self.integer(at + 57, 4)
                told.behind = self.integer(at, 8) + self.integer(at + 23, 4) + 1
                told.has_records = True
            at += size
        return 0
