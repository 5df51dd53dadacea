# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The sink that notes which partitions a Fetch request names, and which it forgets."""

from functools import cache

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.long_names import LONGEST, short_name
from kafkasniff.protocol.api_keys import FETCH
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import FieldTable, make_table, tables_in
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_ELEMENTS, UUID_TEXTS

if not cython.compiled:
    from kafkasniff.protocol.bodies.walk import read_message

_FIELDS = frozenset({"topics", "forgottenTopicsData", "topic", "topicId", "partitions", "partition"})
_FORGOTTEN = cython.declare(cython.int, 1)
"""Role of the array of topics that are forgotten, which stands behind those that are named."""
_LONGEST_NAME = cython.declare(cython.Py_ssize_t, LONGEST)


@cython.final
@cython.cclass
class FetchTopics(BodyReader):
    """Reads Fetch requests.

    - `topics`, `partitions`: each topic's name, from version 13 on its id, and its partitions, as they come.
    - `named`: how many of them are named; those behind them are forgotten.
    """

    def __init__(self) -> None:
        """Make a reader, which can read one request after the other."""
        super().__init__()
        self.topics: list[str] = []
        self.partitions: list[list[int]] = []
        self.named = 0
        self.into: list[int] = []

    def read(self, version: cython.int, data: bytes, offset: cython.Py_ssize_t) -> cython.bint:
        """Read the request whose body begins at `offset`; give False where it has any problem."""
        table = _table(version)
        if table is None:
            return False
        self.topics = []
        self.partitions = []
        self.begin(data, offset, len(data), MAX_ELEMENTS)
        try:
            read_message(self, table)
            return self.p == self.end
        except ProtocolError:
            return False
        finally:
            self.release()

    def begin_topic(self, name: str) -> cython.int:
        """Begin a topic."""
        self.into = []
        self.topics.append(name)
        self.partitions.append(self.into)
        return 0

    def begin_array(self, field: FieldTable, count: cython.Py_ssize_t) -> cython.int:
        """Note how many topics are named, where those that are forgotten begin."""
        if field.role == _FORGOTTEN:
            self.named = len(self.topics)
        return 0

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Begin a topic with its name."""
        self.check_text(field, at, length)
        name = self.text(at, length)
        return self.begin_topic(name if length <= _LONGEST_NAME else short_name(name))

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Begin a topic with its id."""
        return self.begin_topic(UUID_TEXTS[self.raw(at, 16)])

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Take a partition that is named."""
        self.into.append(value)
        return 0

    def take_integers(self, field: FieldTable, at: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.int:
        """Take the partitions that are forgotten."""
        i: cython.Py_ssize_t
        for i in range(count):
            self.into.append(self.number(field, at + i * field.size))
        return 0


@cache
def _table(version: int) -> FieldTable | None:
    """Give the table of the request; None where the version is not known."""
    if not APIS[FETCH].first_version <= version <= APIS[FETCH].last_version:
        return None
    table = make_table(api_definition(FETCH, "request"), version, _FIELDS)
    for field in tables_in(table):
        if field.name == "forgottenTopicsData":
            field.role = _FORGOTTEN
    return table
