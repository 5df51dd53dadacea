# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Fetch sessions (KIP-227): which partitions an incremental Fetch covers beside those that it names."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.fetch_topics import FetchTopics

if not cython.compiled:
    from kafkasniff.octets import is_at, signed32, unsigned16

FIRST_WITH_IDS = 13
_FIRST_VERSION, _FIRST_FLEXIBLE, _FIRST_WITH_IDS = 7, 12, FIRST_WITH_IDS
_LAST_EPOCH = (1 << 31) - 1

MOST_SESSIONS = 1_000
"""Sessions that are followed; a broker keeps as many (max.incremental.fetch.session.cache.slots)."""
MOST_PARTITIONS = 20_000
"""Partitions of a session that is followed."""

_UNREAD_STEPS = 64
_UNREAD_BYTES = 32 << 10
"""What a session may hold of requests that nobody has asked about."""

_SESSION_BYTES = 8
"""Session id and epoch of a request, int32 each."""
_ERROR_AND_SESSION_BYTES = 6
"""Error code (int16) and session id of an answer."""
_NO_CHANGES, _NO_CHANGES_COMPACT = bytes(8), b"\x01\x01"
"""No topics and none forgotten: two empty arrays, behind the session's epoch; plain and compact."""

_READERS: list[FetchTopics] = []
"""Those that nobody uses now."""


@cython.final
@cython.cclass
class Covered:
    """Partitions by topic: its name, from version 13 on its id. Steps that change nothing share one."""

    __slots__ = ("_decoded", "_topic_field", "line", "line_has_ids", "partitions")
    REBUILT = ("_decoded", "_topic_field", "line", "line_has_ids")

    def __init__(self, partitions: dict[str, frozenset[int]]) -> None:
        """Take them."""
        self.partitions = partitions
        self.line: bytes | None = None
        """What lines of JSON say of it, once a line has said so; for the writer of these."""
        self.line_has_ids = False
        """Whether `line` has topics by id."""
        self._decoded: dict[str, Any] | None = None
        self._topic_field = ""

    def decoded(self, topic_field: str) -> dict[str, Any]:
        """Give it in the form of the JSON lines, not to be changed; `topic_field` is what topics are named by."""
        if self._decoded is None or self._topic_field != topic_field:
            self._topic_field = topic_field
            self._decoded = {
                "where": "request",
                "path": "sessionId",
                "type": "FetchSession",
                "version": None,
                "value": {
                    "topics": [
                        {topic_field: name, "partitions": sorted(partitions)}
                        for name, partitions in self.partitions.items()
                    ]
                },
            }
        return self._decoded


@cython.final
@cython.no_gc
@cython.freelist(256)
@cython.cclass
class SessionStep:
    """A Fetch request of a session: what it covers is what the step before it covers, with its changes.

    The request is decoded when somebody asks, here or at a later step.
    """

    __slots__ = ("_covered", "_data", "_offset", "_previous", "_version")

    def __init__(self, previous: "SessionStep | None", version: int, data: bytes, offset: int) -> None:
        """Hold the request in `data`, with its body at `offset`; without a step before it, it begins the session."""
        self._previous = previous
        self._version = version
        self._data = data
        self._offset = offset
        self._covered: Covered | None = None

    @property
    def topic_field(self) -> str:
        """Give what topics are named by: `topic` or `topicId`."""
        return "topic" if self._version < _FIRST_WITH_IDS else "topicId"

    def covered(self) -> Covered | None:
        """Give the partitions that the session covers with this request; None where a request did not decode."""
        if not self._data:
            return self._covered
        steps = []
        step: SessionStep | None = self
        while step is not None and step._data:
            steps.append(step)
            step = step._previous
        covered = step._covered if step is not None else Covered({})
        for step in reversed(steps):
            if covered is not None:
                covered = step._changed(covered)
            step._covered, step._data, step._previous = covered, b"", None
        return self._covered

    def _changed(self, covered: Covered) -> Covered | None:
        """Give what is covered with the changes of this request, when `covered` was before it."""
        place = _session_place(self._version, self._offset) + _SESSION_BYTES
        empty = _NO_CHANGES if self._version < _FIRST_FLEXIBLE else _NO_CHANGES_COMPACT
        if place + len(empty) <= len(self._data) and is_at(self._data, place, empty, len(empty)):
            return covered
        reader = _READERS.pop() if _READERS else FetchTopics()
        try:
            if not reader.read(self._version, self._data, self._offset):
                return None
            if _has_all(covered.partitions, reader):
                return covered
            partitions = _merged(covered.partitions, reader)
        finally:
            _READERS.append(reader)
        return Covered(partitions) if sum(map(len, partitions.values())) <= MOST_PARTITIONS else None


def _has_all(partitions: dict[str, frozenset[int]], reader: FetchTopics) -> bool:
    """Tell whether a request names only partitions that are covered already, and forgets none."""
    if len(reader.topics) > reader.named:
        return False
    for i in range(reader.named):
        found = reader.partitions[i]
        if not found:
            continue
        known = partitions.get(reader.topics[i])
        if known is None:
            return False
        for partition in found:
            if partition not in known:
                return False
    return True


def _merged(partitions: dict[str, frozenset[int]], reader: FetchTopics) -> dict[str, frozenset[int]]:
    """Give partitions with those that a request names, and without those that it forgets."""
    merged = dict(partitions)
    for i in range(len(reader.topics)):
        name = reader.topics[i]
        before = merged.get(name, frozenset())
        if i < reader.named:
            merged[name] = before.union(reader.partitions[i])
        else:
            merged[name] = before.difference(reader.partitions[i])
    return {name: covered for name, covered in merged.items() if covered}


@cython.final
@cython.cclass
class _Session:
    """A session that is followed."""

    __slots__ = ("epoch", "step", "unread", "unread_bytes")

    def __init__(self, step: SessionStep) -> None:
        self.step = step
        self.epoch = 1
        """The epoch that the next request has."""
        self.unread = self.unread_bytes = 0


@cython.final
@cython.cclass
class FetchSessions:
    """The sessions of all brokers: a client keeps its session when it connects anew."""

    __slots__ = ("_most", "_sessions")

    def __init__(self, most: int = MOST_SESSIONS) -> None:
        """Follow at most `most` sessions, those used last."""
        self._most = most
        self._sessions: dict[tuple[str, int], _Session] = {}

    def follow(
        self, server: str, version: int, request: bytes, body: int, response: bytes | None
    ) -> SessionStep | None:
        """Take a Fetch call that ended; give its step where it is incremental and all of its session was seen.

        `body` is where the request's body begins.
        """
        place = _session_place(version, body)
        if version < _FIRST_VERSION or len(request) < place + _SESSION_BYTES:
            return None
        session_id = signed32(request, place)
        epoch = signed32(request, place + 4)
        error_code = given_id = 0
        # Behind the correlation id, header v1's empty tagged fields, and throttleTimeMs.
        place = 8 + (version >= _FIRST_FLEXIBLE)
        if response is not None and len(response) >= place + _ERROR_AND_SESSION_BYTES:
            error_code = unsigned16(response, place)
            given_id = signed32(response, place + 2)
        session = None
        key = (server, session_id)
        if session_id:
            session = self._sessions.pop(key, None)
        if epoch == 0:
            if error_code == 0 and given_id:
                step = SessionStep(None, version, request, body)
                if len(request) >= _UNREAD_BYTES:
                    step.covered()
                self._keep((server, given_id), _Session(step))
            return None
        if session is None or epoch != session.epoch or error_code:
            # Closed (epoch -1), refused, or a request of the session is missing: what it covers is not known.
            return None
        session.epoch = epoch + 1 if epoch < _LAST_EPOCH else 1
        session.step = step = SessionStep(session.step, version, request, body)
        session.unread += 1
        session.unread_bytes += len(request)
        if session.unread >= _UNREAD_STEPS or session.unread_bytes >= _UNREAD_BYTES:
            session.unread = session.unread_bytes = 0
            step.covered()
        self._keep(key, session)
        return step

    def _keep(self, key: tuple[str, int], session: _Session) -> None:
        if len(self._sessions) >= self._most:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[key] = session


def _session_place(version: int, offset: int) -> int:
    """Give where the session id stands in a request with its body at `offset`."""
    # Behind replicaId, maxWaitMs, minBytes, maxBytes (int32) and isolationLevel (int8); from version 15 on replicaId is
    # a tagged field (KIP-903).
    return offset + (17 if version < 15 else 13)


def as_decoded(step: SessionStep) -> dict[str, Any] | None:
    """Give what a step covers in the form of the JSON lines; None where it is not known."""
    covered = step.covered()
    return None if covered is None else covered.decoded(step.topic_field)
