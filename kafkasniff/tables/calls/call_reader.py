# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Reads the bodies of a call for its rows: names, error codes, settings, partitions, and where record batches lie."""

from array import array
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.bodies.known_texts import KnownTexts
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import RequestHeader, response_header_version
from kafkasniff.protocol.primitives import UUID_TEXTS
from kafkasniff.protocol.records.batches import MAX_BATCHES
from kafkasniff.tables.bodies import SETTINGS
from kafkasniff.tables.calls import layouts
from kafkasniff.tables.partition_rows import MEASURES

if not cython.compiled:
    from kafkasniff.protocol.bodies.walk import read_message
    from kafkasniff.protocol.records.crc32c import sound_batch

_TOPIC = cython.declare(cython.int, layouts.TOPIC)
_GROUP = cython.declare(cython.int, layouts.GROUP)
_PARTITION = cython.declare(cython.int, layouts.PARTITION)
_TOLD_PARTITION = cython.declare(cython.int, layouts.TOLD_PARTITION)
_RACK = cython.declare(cython.int, layouts.RACK)
_KEY = cython.declare(cython.int, layouts.KEY)
_KEY_TYPE = cython.declare(cython.int, layouts.KEY_TYPE)
_MEASURE = cython.declare(cython.int, layouts.MEASURE)
_SETTING = cython.declare(cython.int, layouts.SETTING)
_UNREAD = cython.declare(cython.int, layouts.UNREAD)

_GROUPS = cython.declare(cython.longlong, 0)
"""The type of keys that are groups, also of those before version 1 (FindCoordinatorRequest.CoordinatorType)."""
_WITH_TAGS = cython.declare(cython.int, 5)
"""Bytes of the header of an answer that has tagged fields, but no tags."""
_MOST_BATCHES = cython.declare(cython.longlong, MAX_BATCHES)
_MOST_ELEMENTS = cython.declare(cython.longlong, 1 << 62)
"""More than the bytes of a message can be."""
_SIDE = cython.declare(cython.longlong, 64)
"""Elements of an array in an array to which paths are kept, of both."""
_FEW = cython.declare(cython.int, 8)
"""Partitions that are looked through one by one."""
_MOST_KEPT = 1_024
"""Partitions for which room is kept."""


@cython.final
@cython.cclass
class ToldPartition:
    """What a call tells of a partition."""

    def __init__(self) -> None:
        """Make room; `begin` sets the rest."""
        self.measures = array("q", bytes(8 * len(MEASURES)))

    def begin(self, topic: str | None, is_id: cython.bint, partition: cython.longlong) -> cython.int:
        """Nothing is told so far of this partition."""
        self.topic = topic
        self.is_id = is_id
        self.partition = partition
        self.told = 0
        self.bytes = self.records = 0
        self.behind = 0
        self.has_records = False
        return 0

    def is_of(self, topic: str | None, partition: cython.longlong) -> cython.bint:
        """Tell whether it is that partition."""
        return self.partition == partition and (self.topic is topic or self.topic == topic)


@cython.final
@cython.cclass
class _Layout:
    """How the calls of an API in one version are read."""

    def __init__(self, request: FieldTable | None, response: FieldTable | None, offset: int) -> None:
        """Keep what is given; bodies of answers begin at `offset`."""
        self.request = request
        self.response = response
        self.offset = offset


@cython.final
@cython.cclass
class CallReader(BodyReader):
    """Reads one call after the other.

    - `topics`, `topic_ids`, `groups`: names, each once, in order of appearance; the request's first.
    - `codes`: side, path and code of each error code that is not zero.
    - `batches`: of each record batch the frame that holds it, side and path of its field, its topic (or `topic_id`),
      partition, and where it begins in the frame.
    - `settings`, `is_set`: the numbers called `SETTINGS`, and a bit for each that is there; `rack`.
    - `pool`, `told`: of Produce, Fetch and the like what is told of each partition, where that is asked for: the first
      `told` of the pool. They are used again for the next call.
    - `is_whole`: whether that is all there is to tell of the call.
    """

    def __init__(self, apis: frozenset[int] = frozenset(), columns: frozenset[str] | None = None) -> None:
        """Make a reader, which of `apis` reads what is told of partitions.

        With `columns`, only what these columns of `calls` show is read.
        """
        super().__init__()
        self._apis = apis
        self._columns = columns
        self.pool: list[ToldPartition] = []
        self.told = 0
        self._by_place: dict[tuple[str | None, int], ToldPartition] = {}
        self._next_told = 0
        self._told: ToldPartition | None = None
        self.settings = array("q", bytes(8 * len(SETTINGS)))
        self.is_set = 0
        self.rack: str | None = None
        self._layouts: dict[int, _Layout] = {}
        self._last_key = -1
        self._last_layout: _Layout | None = None
        self.topic: str | None = None
        self._names = KnownTexts()
        self._last_name: str | None = None
        self._paths: dict[FieldTable, dict[int, str]] = {}
        self.is_whole = False
        self.topics: dict[str, None] = {}
        self.topic_ids: dict[str, None] = {}
        self.groups: dict[str, None] = {}
        self.codes: list[tuple[Kind, str, int]] = []
        self.batches: list[tuple[Any, ...]] = []
        self._keys: list[str] = []
        self._key_type = _GROUPS

    def _forget(self) -> cython.int:
        if self.topics:
            self.topics = {}
        if self.topic_ids:
            self.topic_ids = {}
        if self.groups:
            self.groups = {}
        if self.codes:
            self.codes = []
        if self.batches:
            self.batches = []
        if self._keys:
            self._keys = []
        self._key_type = _GROUPS
        self.told = self.is_set = 0
        self.rack = self._last_name = None
        if self._by_place:
            self._by_place = {}
            del self.pool[_MOST_KEPT:]
        return 0

    def read_call(self, call: Call) -> cython.bint:
        """Read a call; False where it is to be read in another way: something in it is rare, or wrong."""
        self.is_whole = self._read(call)
        return self.is_whole

    def _read(self, call: Call) -> cython.bint:
        header: RequestHeader | None = call.header
        layout: _Layout
        self._forget()
        if header is None or call.pairing_problems or call.context.records:
            return False
        layout = self._layout(header.api_key, header.api_version)
        if call.request is not None:
            if not self._read_frame(layout.request, call.request, 0, header.end):
                return False
            if self._keys and self._key_type == _GROUPS:
                self.groups = dict.fromkeys(self._keys)
        if call.response is None:
            return True
        data = call.response.data
        if layout.offset == _WITH_TAGS and (len(data) < _WITH_TAGS or data[4] != 0):
            return False
        return self._read_frame(layout.response, call.response, 1, layout.offset)

    def _layout(self, api_key: cython.longlong, version: cython.longlong) -> _Layout:
        key: cython.longlong = api_key << 16 | version
        layout: _Layout | None = self._last_layout
        if layout is None or key != self._last_key:
            layout = self._layouts.get(key)
            if layout is None:
                tells = api_key in self._apis
                layout = self._layouts[key] = _Layout(
                    layouts.table_of(api_key, version, "request", tells, self._columns),
                    layouts.table_of(api_key, version, "response", tells, self._columns),
                    4 + response_header_version(api_key, version),
                )
            self._last_key, self._last_layout = key, layout
        return layout

    def _read_frame(
        self, table: FieldTable | None, frame: Frame, side: cython.int, offset: cython.Py_ssize_t
    ) -> cython.bint:
        if table is None or frame._problems or len(frame.data) != frame.size:
            return False
        if table.role == _UNREAD:
            return True
        self.side = side
        self.frame = frame
        self.topic = None
        self.partition = -1
        self._told = None
        self._next_told = 0
        self.look_at(frame.data, offset, frame.size, _MOST_ELEMENTS)
        try:
            read_message(self, table)
        except ProtocolError:
            return False
        return self.p == self.end

    # What the reader hands on

    def note_error(self, field: FieldTable, code: cython.longlong) -> cython.int:
        """Note an error code that is not zero."""
        self.codes.append(("response" if self.side else "request", self.path(field, field.is_array), code))
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Note nothing: batches are counted where they are taken."""
        return 0

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take a name."""
        if not field.role or length == 0:
            return self.check_text(field, at, length)
        name: str = self._names.text_at(self, field, at, length)
        if field.role == _RACK:
            self.rack = name
        elif field.role == _GROUP:
            self.groups[name] = None
        elif field.role == _KEY:
            self._keys.append(name)
        else:
            if name is not self._last_name:
                self.topics[name] = None
                self._last_name = name
            self.topic, self.is_id = name, False
        return 0

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Take a topic id."""
        if field.role == _TOPIC:
            name: str = UUID_TEXTS[self.raw(at, 16)]
            self.topic_ids[name] = None
            self.topic, self.is_id = name, True
        return 0

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Take a partition, a setting, or what a partition has."""
        told: ToldPartition | None
        role: cython.int = field.role
        index: cython.int
        if role in (_PARTITION, _TOLD_PARTITION):
            self.partition = value
            if role == _TOLD_PARTITION:
                self._begin_partition()
        elif role == _KEY_TYPE:
            self._key_type = value
        elif role >= _SETTING:
            index = role - _SETTING
            if not self.is_set >> index & 1:
                self.settings[index] = value
                self.is_set |= 1 << index
        elif role >= _MEASURE:
            told = self._told
            if told is not None:
                index = role - _MEASURE
                told.measures[index] = value
                told.told |= 1 << index
        return 0

    def _begin_partition(self) -> cython.int:
        told: ToldPartition | None = self._known_partition()
        if told is None:
            if self.told == len(self.pool):
                self.pool.append(ToldPartition())
            told = self.pool[self.told]
            told.begin(self.topic, self.is_id, self.partition)
            self.told += 1
            self._next_told = self.told
            if self.told > _FEW:
                if self.told == _FEW + 1:
                    self._by_place = {(each.topic, each.partition): each for each in self.pool[:_FEW]}
                self._by_place[self.topic, self.partition] = told
        self._told = told
        return 0

    def _known_partition(self) -> ToldPartition | None:
        """Give what is told so far of the partition; None where nothing is."""
        told: ToldPartition
        index: cython.Py_ssize_t
        # Answers mostly name partitions in the order of the request.
        if self._next_told < self.told:
            told = self.pool[self._next_told]
            self._next_told += 1
            if told.is_of(self.topic, self.partition):
                return told
        if self.told > _FEW:
            return self._by_place.get((self.topic, self.partition))
        for index in range(self.told):
            told = self.pool[index]
            if told.is_of(self.topic, self.partition):
                return told
        return None

    def _path_of(self, field: FieldTable) -> str:
        """Give the path of a field in arrays, which calls have in common as far as their arrays are short."""
        key: cython.longlong = self.indices[0] * _SIDE + self.indices[1]
        found: str | None
        if field.depth != 2 or self.indices[0] >= _SIDE or self.indices[1] >= _SIDE:
            return self.path(field, False)
        paths: dict[int, str] | None = self._paths.get(field)
        if paths is None:
            paths = self._paths[field] = {}
        found = paths.get(key)
        if found is None:
            found = paths[key] = self.path(field, False)
        return found

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take record batches; raises ProtocolError for what is no whole batch of magic 2 with the right CRC."""
        size: cython.longlong
        end: cython.Py_ssize_t = at + length
        path: str = self._path_of(field) if length > 0 else ""
        told: ToldPartition | None = self._told
        if told is not None:
            told.bytes = length
        while at < end:
            size = sound_batch(self.data, at, end) if len(self.batches) < _MOST_BATCHES else 0
            if not size:
                raise ProtocolError("expected a record batch", at)
            side = "response" if self.side else "request"
            self.batches.append((self.frame, side, path, self.topic, self.is_id, self.partition, at))
            if told is not None:
                told.records += self.integer(at + 57, 4)
                told.behind = self.integer(at, 8) + self.integer(at + 23, 4) + 1
                told.has_records = True
            at += size
        return 0
