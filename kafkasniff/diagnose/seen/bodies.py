# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Reads of the bodies of each call what rules look at again and again: a few names and numbers, and errors at all."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.long_names import LONGEST, short_name
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.resync.agreement import LEFT_BEHIND
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.seen.produced import Produced, batches_in
from kafkasniff.diagnose.seen.seen_call import CommittedPartition, SeenCall
from kafkasniff.protocol.api_keys import API_VERSIONS, FETCH, OFFSET_COMMIT, PRODUCE
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.known_texts import KnownTexts
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.scanning import Scanner
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.primitives import MAX_ELEMENTS, UUID_TEXTS

if not cython.compiled:
    from kafkasniff.protocol.bodies.walk import read_message

_GROUP = cython.declare(cython.int, 1)
_MEMBER = cython.declare(cython.int, 2)
_TRANSACTIONAL_ID = cython.declare(cython.int, 3)
_RACK = cython.declare(cython.int, 4)
_TOPIC = cython.declare(cython.int, 5)
_TOPIC_ID = cython.declare(cython.int, 6)
_COMMITTED = cython.declare(cython.int, 7)
_PARTITION = cython.declare(cython.int, 8)
_ACKS = cython.declare(cython.int, 9)
_MAX_WAIT = cython.declare(cython.int, 10)
_SESSION_EPOCH = cython.declare(cython.int, 11)
_THROTTLE = cython.declare(cython.int, 12)
_HIGH = cython.declare(cython.int, 13)
_STABLE = cython.declare(cython.int, 14)

_OF_EVERY_REQUEST = {"groupId": _GROUP, "memberId": _MEMBER}
_OF_REQUESTS = {
    PRODUCE: {
        **{"acks": _ACKS, "transactionalId": _TRANSACTIONAL_ID},
        **{"topicData": 0, "name": _TOPIC, "topicId": _TOPIC_ID, "partitionData": 0, "index": _PARTITION, "records": 0},
    },
    FETCH: {
        **{"maxWaitMs": _MAX_WAIT, "sessionEpoch": _SESSION_EPOCH, "rackId": _RACK},
        **{"topics": 0, "topic": _TOPIC, "topicId": _TOPIC_ID},
    },
    OFFSET_COMMIT: {
        **_OF_EVERY_REQUEST,
        **{"topics": 0, "name": _TOPIC, "topicId": _TOPIC_ID, "partitions": 0, "partitionIndex": _COMMITTED},
    },
}
_OF_EVERY_RESPONSE = {"throttleTimeMs": _THROTTLE}
_OF_RESPONSES = {
    FETCH: {
        **_OF_EVERY_RESPONSE,
        **{"responses": 0, "partitions": 0, "highWatermark": _HIGH, "lastStableOffset": _STABLE},
    }
}
"""By API the fields that are looked at, inside structs that are named too, and what they are."""

_WITH_TAGS = cython.declare(cython.int, 5)
"""Bytes of the header of an answer that has tagged fields, but no tags."""
_LONGEST = cython.declare(cython.int, LONGEST)
_LEFT_BEHIND = cython.declare(cython.int, LEFT_BEHIND)
_MOST_ELEMENTS = cython.declare(cython.longlong, MAX_ELEMENTS)


def table_of(api_key: int, version: int, side: Kind) -> FieldTable | None:
    """Give the table by which `BodiesReader` reads; None where it does not."""
    api = APIS.get(api_key)
    # A refused ApiVersions is answered in version 0, whatever was asked (KIP-511).
    if api is None or not api.first_version <= version <= api.last_version or api_key == API_VERSIONS:
        return None
    is_request = side == "request"
    of_api, of_every = (_OF_REQUESTS, _OF_EVERY_REQUEST) if is_request else (_OF_RESPONSES, _OF_EVERY_RESPONSE)
    roles = of_api.get(api_key, of_every)
    table = make_table(api_definition(api_key, side), version, frozenset(roles))
    _give_roles(table, roles)
    table.tell_roles()
    return table if not is_request or any(field.is_wanted for field in table.fields) else None


def _give_roles(table: FieldTable, roles: dict[str, int]) -> None:
    for field in table.fields:
        field.role = roles.get(field.name, 0)
        _give_roles(field, roles)


@cython.final
@cython.cclass
class BodiesReader(BodyReader):
    """Reads one call after the other, into the `SeenCall` of each."""

    def __init__(self, facts: Facts) -> None:
        """Make a reader that finds names of topic ids in `facts`."""
        super().__init__()
        self.facts = facts
        self._texts = KnownTexts()
        self._seen: Any = None
        self._topic: str | None = None
        self._name: str | None = None
        self._partition = 0
        self._high = 0

    def read(self, seen: SeenCall, request: FieldTable | None, response: FieldTable | None) -> cython.int:
        """Read the call; None for what is not read so."""
        header: RequestHeader | None = seen.call.header
        scanner: Scanner = seen.response_scanner
        self._seen = seen
        asked: Frame | None = seen.call.request
        assert header is not None
        assert asked is not None
        if request is not None and not self._read_frame(request, asked, header.end, _LEFT_BEHIND):
            seen.forget_request()
        if seen.call.response is not None and not self._read_response(response, seen.call.response, scanner.begins):
            seen.read_whole_response()
        return 0

    def _read_response(self, table: FieldTable | None, frame: Frame, offset: cython.Py_ssize_t) -> cython.bint:
        if table is None or (offset == _WITH_TAGS and (len(frame.data) < _WITH_TAGS or frame.data[4] != 0)):
            return False
        return self._read_frame(table, frame, offset, 0)

    def _read_frame(
        self, table: FieldTable, frame: Frame, offset: cython.Py_ssize_t, left_behind: cython.Py_ssize_t
    ) -> cython.bint:
        """Read one side; False where it does not decode, or leaves more than some bytes behind it."""
        if len(frame.data) != frame.size:
            return False
        self.look_at(frame.data, offset, frame.size, _MOST_ELEMENTS)
        try:
            read_message(self, table)
        except ProtocolError:
            return False
        return self.end - self.p <= left_behind

    # What the reader hands on

    def note_error(self, field: FieldTable, code: cython.longlong) -> cython.int:
        """Note that there is an error."""
        self._seen.failed = True
        return 0

    def note_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Add the bytes of an answer's records; those of a request are taken."""
        if not field.is_wanted:
            self._seen.told_bytes += length
        return 0

    def take_records(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take the batches of a partition."""
        found: Produced | None = batches_in(self.data, at, at + length)
        if found is not None:
            found.topic, found.name, found.partition = self._topic, self._name, self._partition
            found.start, found.end = at, at + length
            if not self._seen.produced:
                self._seen.produced = []
            self._seen.produced.append(found)
        return 0

    def take_string(self, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Take a name."""
        role: cython.int = field.role
        text: str = self._texts.text_at(self, field, at, length)
        if length > _LONGEST:
            text = short_name(text)
        if role == _TOPIC:
            self._take_topic(text or None, text or None)
        elif role == _GROUP:
            self._seen.group = text
        elif role == _MEMBER:
            self._seen.member = text
        elif role == _RACK:
            self._seen.rack = text
        else:
            self._seen.transactional_id = text
        return 0

    def take_fixed(self, field: FieldTable, at: cython.Py_ssize_t) -> cython.int:
        """Take a topic id."""
        text: str = UUID_TEXTS[self.raw(at, 16)]
        self._take_topic(text, self.facts.topic_called(text))
        return 0

    def _take_topic(self, topic: str | None, name: str | None) -> cython.int:
        self._topic, self._name = topic, name
        if not self._seen.topics:
            self._seen.topics, self._seen.names = [], []
        self._seen.topics.append(topic)
        self._seen.names.append(name)
        return 0

    def take_number(self, field: FieldTable, value: cython.longlong) -> cython.int:
        """Take a number."""
        role: cython.int = field.role
        if role == _PARTITION:
            self._partition = value
        elif role == _COMMITTED:
            if not self._seen.committed:
                self._seen.committed = []
            self._seen.committed.append(CommittedPartition(self._topic, len(self._seen.topics) - 1, value))
        elif role == _HIGH:
            self._high = value
        elif role == _STABLE:
            if 0 <= value < self._high:
                self._seen.is_behind = True
        elif role == _THROTTLE:
            self._seen.throttle_ms = value
        elif role == _ACKS:
            self._seen.acks = value
        elif role == _MAX_WAIT:
            self._seen.max_wait_ms = value
        else:
            self._seen.session_epoch = value
        return 0
