"""Fetch sessions (KIP-227): which partitions an incremental Fetch covers beside those that it names."""

import struct
from typing import Any, Final

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.protocol.headers import response_header_version

FETCH: Final = 1


class Covered(dict[str, frozenset[int]]):
    """Partitions by topic: its name, from version 13 on its id. Steps that change nothing share one."""

    __slots__ = REBUILT = ("_decoded",)

    def decoded(self, topic_field: str) -> dict[str, Any]:
        """Give it in the form of the JSON lines, not to be changed; `topic_field` is what topics are named by."""
        known_field, decoded = getattr(self, "_decoded", None) or ("", {})
        if known_field != topic_field:
            topics = [{topic_field: name, "partitions": sorted(partitions)} for name, partitions in self.items()]
            decoded = {
                "where": "request",
                "path": "sessionId",
                "type": "FetchSession",
                "version": None,
                "value": {"topics": topics},
            }
            self._decoded: tuple[str, dict[str, Any]] = topic_field, decoded
        return decoded


FIRST_VERSION: Final = 7
FIRST_FLEXIBLE: Final = 12
FIRST_WITH_IDS: Final = 13
_NEW_SESSION_EPOCH: Final = 0
_LAST_EPOCH: Final = (1 << 31) - 1

MOST_SESSIONS: Final = 1_000
"""Sessions that are followed; a broker keeps as many (max.incremental.fetch.session.cache.slots)."""
MOST_PARTITIONS: Final = 20_000
"""Partitions of a session that is followed."""

_UNREAD_STEPS: Final = 64
_UNREAD_BYTES: Final = 32 << 10
"""What a session may hold of requests that nobody has asked about."""

_FIELDS: Final = frozenset({"topics", "forgottenTopicsData", "topic", "topicId", "partitions", "partition"})
_NO_CHANGES: Final = (bytes(8), b"\x01\x01")
"""No topics and none forgotten: two empty arrays, behind the session's epoch; plain and compact."""

_SESSION = struct.Struct(">ii")
_ERROR_AND_SESSION = struct.Struct(">hi")


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
        return "topic" if self._version < FIRST_WITH_IDS else "topicId"

    def covered(self) -> Covered | None:
        """Give the partitions that the session covers with this request; None where a request did not decode."""
        steps: list[SessionStep] = []
        step: SessionStep | None = self
        while step is not None and step._data:
            steps.append(step)
            step = step._previous
        covered: Covered | None = step._covered if step is not None else Covered()
        for step in reversed(steps):
            if covered is not None:
                covered = step._changed(covered)
            step._covered, step._data, step._previous = covered, b"", None
        return self._covered

    def _changed(self, covered: Covered) -> Covered | None:
        place = _session_place(self._version, self._offset) + _SESSION.size
        empty = _NO_CHANGES[self._version >= FIRST_FLEXIBLE]
        if self._data.startswith(empty, place):
            return covered
        scan = scan_body(FETCH, self._version, "request", self._data, self._offset, _FIELDS)
        if scan is None:
            return None
        body = scan.value
        topics, forgotten = body["topics"], body["forgottenTopicsData"]
        key = self.topic_field
        changes: dict[str, frozenset[int]] = {}
        for topic in topics:
            name = short_name(topic[key])
            before = changes.get(name, covered.get(name, frozenset()))
            changes[name] = before | {partition["partition"] for partition in topic["partitions"]}
        for topic in forgotten:
            name = short_name(topic[key])
            changes[name] = changes.get(name, covered.get(name, frozenset())) - set(topic["partitions"])
        if all(covered.get(name) == partitions for name, partitions in changes.items()):
            return covered
        merged = Covered((name, partitions) for name, partitions in {**covered, **changes}.items() if partitions)
        return merged if sum(map(len, merged.values())) <= MOST_PARTITIONS else None


class _Session:
    __slots__ = ("epoch", "step", "unread", "unread_bytes")

    def __init__(self, step: SessionStep) -> None:
        self.step = step
        self.epoch = 1
        """The epoch that the next request has."""
        self.unread = self.unread_bytes = 0


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
        if version < FIRST_VERSION:
            return None
        asked = _session_asked(version, request, body)
        if asked is None:
            return None
        session_id, epoch = asked
        error_code, given_id = _session_given(version, response)
        session = self._sessions.pop((server, session_id), None) if session_id else None
        if epoch == _NEW_SESSION_EPOCH:
            if error_code == 0 and given_id:
                step = SessionStep(None, version, request, body)
                if len(request) >= _UNREAD_BYTES:
                    step.covered()
                self._keep(server, given_id, _Session(step))
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
        self._keep(server, session_id, session)
        return step

    def _keep(self, server: str, session_id: int, session: _Session) -> None:
        if len(self._sessions) >= self._most:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[server, session_id] = session


def _session_place(version: int, offset: int) -> int:
    """Give where the session id stands in a request with its body at `offset`."""
    # Behind replicaId, maxWaitMs, minBytes, maxBytes (int32) and isolationLevel (int8); from version 15 on replicaId is
    # a tagged field (KIP-903).
    return offset + (17 if version < 15 else 13)


def _session_asked(version: int, request: bytes, offset: int) -> tuple[int, int] | None:
    """Give session id and epoch of a request."""
    place = _session_place(version, offset)
    if len(request) < place + _SESSION.size:
        return None
    session_id, epoch = _SESSION.unpack_from(request, place)
    return session_id, epoch


def _session_given(version: int, response: bytes | None) -> tuple[int, int]:
    """Give error code and session id of an answer; zeros where there is none."""
    # Behind the correlation id, header v1's empty tagged fields, and throttleTimeMs.
    place = 8 + response_header_version(FETCH, version)
    if response is None or len(response) < place + _ERROR_AND_SESSION.size:
        return 0, 0
    error_code, session_id = _ERROR_AND_SESSION.unpack_from(response, place)
    return error_code, session_id


def as_decoded(step: SessionStep) -> dict[str, Any] | None:
    """Give what a step covers in the form of the JSON lines; None where it is not known."""
    covered = step.covered()
    return None if covered is None else covered.decoded(step.topic_field)
