# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What calls tell of each other: Fetch sessions, groups' protocols, names of topics, and logins."""

from functools import lru_cache
from typing import Final

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context, GroupProtocol
from kafkasniff.calls.enrichment.authentication import Authentication
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.enrichment.topics import (
    TELLING_APIS,
    TopicNames,
    has_topic_ids,
    may_fetch_metadata_log,
)
from kafkasniff.protocol.api_keys import FETCH, FETCH_SNAPSHOT, JOIN_GROUP, SYNC_GROUP
from kafkasniff.protocol.fields import MOST_LAYOUTS

_TELLING: Final = frozenset({FETCH, FETCH_SNAPSHOT, JOIN_GROUP, SYNC_GROUP})
"""Beside those that name topics, APIs of the calls that tell of others, or that others tell of."""

_FIRST_METADATA_LOG_VERSION = 12
_SMALLEST_LOG_ANSWER = 112
"""Bytes of an answer with a batch: the batch's header has 61, the fields around it have as many and more."""
_TOPIC_FIELDS: Final = frozenset({"topics", "name", "topicId"})

# From these versions on the messages say the protocol themselves (KIP-559).
_JOIN_GROUP_SAYS: Final = 7
_SYNC_GROUP_SAYS: Final = 5

_MOST_GROUPS: Final = 10_000
"""Groups whose protocol is remembered, each for each connection."""


@lru_cache(maxsize=MOST_LAYOUTS)
def names_topic_ids(api_key: int, version: int) -> bool:
    """Tell whether the messages of an API in a version may have topic ids."""
    return has_topic_ids(api_key, version, "request") or has_topic_ids(api_key, version, "response")


def may_tell(api_key: int, version: int) -> bool:
    """Tell whether calls of an API in a version are to be told to `Learning`."""
    return api_key in _TELLING or (api_key in TELLING_APIS and has_topic_ids(api_key, version, "response"))


class Learning:
    """Notes on calls what others tell of them; to be told all calls, of all connections, as they ended."""

    __slots__ = ("_dated", "_dated_from", "_dated_names", "_groups", "_sessions", "names")

    def __init__(self, context: Context, sessions: FetchSessions | None) -> None:
        """Learn names for `context`; without `sessions`, Fetch sessions are not followed."""
        assert isinstance(context.topics, TopicNames)
        self.names = context.topics
        """Names of topic ids learnt so far."""
        self._sessions = sessions
        self._dated_from = self._dated = context
        """A context, and the same with the names that are known by now; most calls have the same one."""
        self._dated_names = -1
        """How many names were known then."""
        self._groups: dict[tuple[str, str, str], GroupProtocol] = {}
        """By client, server and group."""

    def take(self, call: Call) -> None:
        """Take a call that ended."""
        header = call.header
        if header is None:
            return
        key = header.api_key
        if key == FETCH:
            self._take_fetch(call)
        elif key in TELLING_APIS:
            self._take_topics(call)
        elif key == JOIN_GROUP:
            self._take_join_group(call)
        elif key == SYNC_GROUP:
            self._take_sync_group(call)
        elif key == FETCH_SNAPSHOT:
            self._take_log(call)

    def date(self, call: Call) -> None:
        """Let a call that ended know the names of topic ids that are known by now, and none that come later."""
        known = self.names.learnt
        if call.context is not self._dated_from or known != self._dated_names:
            self._dated_from, self._dated = call.context, call.context.having(topics=self.names.now)
            self._dated_names = known
        call.context = self._dated

    def _take_topics(self, call: Call) -> None:
        header = call.header
        assert header is not None
        if call.response is None or not has_topic_ids(header.api_key, header.api_version, "response"):
            return
        scan = call.scan_response(_TOPIC_FIELDS)
        body = call.response_body if scan is None else None
        value = scan.value if scan is not None else body.value if body is not None else None
        if value is not None:
            self.names.learn(value)

    def _take_fetch(self, call: Call) -> None:
        header, request, response = call.header, call.request, call.response
        assert header is not None
        assert request is not None
        answer = None
        if response is not None:
            answer = response.data
            if (
                header.api_version >= _FIRST_METADATA_LOG_VERSION
                and response.size >= _SMALLEST_LOG_ANSWER
                and may_fetch_metadata_log(request.data)
            ):
                self._take_log(call)
        if self._sessions is not None:
            call.fetch_session = self._sessions.follow(
                call.server, header.api_version, request.data, header.end, answer
            )

    def _take_log(self, call: Call) -> None:
        header, response = call.header, call.response
        assert header is not None
        if response is None or response.size < _SMALLEST_LOG_ANSWER:
            return
        body = call.response_body
        if body is not None:
            self.names.learn_from_log(header.api_key, response.data, body)

    def _take_join_group(self, call: Call) -> None:
        assert call.header is not None
        if call.header.api_version >= _JOIN_GROUP_SAYS or call.request_body is None or call.response_body is None:
            return
        asked, answered = call.request_body.value, call.response_body.value
        if asked is None or answered is None:
            return
        protocol = GroupProtocol(short_name(asked["protocolType"]), short_name(answered["protocolName"]))
        call.context = call.context.having(group_protocol=protocol)
        if len(self._groups) >= _MOST_GROUPS:
            self._groups.clear()
        self._groups[call.client, call.server, short_name(asked["groupId"])] = protocol

    def _take_sync_group(self, call: Call) -> None:
        assert call.header is not None
        if call.header.api_version >= _SYNC_GROUP_SAYS or call.request_body is None:
            return
        asked = call.request_body.value
        if asked is None:
            return
        known = self._groups.get((call.client, call.server, short_name(asked["groupId"])))
        if known is not None:
            call.context = call.context.having(group_protocol=known)


def take_login(authentication: Authentication, call: Call) -> None:
    """Take a SaslAuthenticate call of the connection of `authentication`, and note on it what its tokens say."""
    header, request, response = call.header, call.request, call.response
    assert header is not None
    assert request is not None
    tokens = authentication.authenticate(header, request.data, response.data if response is not None else None)
    call.context = call.context.having(tokens=tokens)
    call.principal = authentication.principal
