"""What the calls of a connection tell of each other: logins, Fetch sessions, groups' protocols, names of topics."""

from dataclasses import replace
from typing import Final

from kafkasniff.calls.authentication import SASL_AUTHENTICATE, Authentication
from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context, GroupProtocol
from kafkasniff.calls.fetch_sessions import FetchSessions
from kafkasniff.calls.topics import FETCH, FETCH_SNAPSHOT, TELLING_APIS, may_fetch_metadata_log

JOIN_GROUP: Final = 11
SYNC_GROUP: Final = 14

TELLING: Final = TELLING_APIS | {FETCH, FETCH_SNAPSHOT, JOIN_GROUP, SYNC_GROUP, SASL_AUTHENTICATE}
"""APIs of the calls that tell of others, or that others tell of."""

_FIRST_METADATA_LOG_VERSION: Final = 12
_SMALLEST_LOG_ANSWER: Final = 112
"""Bytes of an answer with a batch: the batch's header has 61, the fields around it have as many and more."""
_TOPIC_FIELDS: Final = frozenset({"topics", "name", "topicId"})

# From these versions on the messages say the protocol themselves (KIP-559).
_JOIN_GROUP_SAYS: Final = 7
_SYNC_GROUP_SAYS: Final = 5

_MOST_GROUPS: Final = 64
"""Groups of one connection whose protocol is remembered."""


class Learning:
    """Notes on calls what others tell of them; one for each connection."""

    __slots__ = ("_context", "_groups", "_sessions", "authentication")

    def __init__(self, context: Context, sessions: FetchSessions, show_secrets: bool) -> None:
        """Give calls `context`, and what is learnt; topic names and Fetch sessions are those of all connections."""
        self._context = context
        self._sessions = sessions
        self._groups: dict[str, GroupProtocol] = {}
        self.authentication = Authentication(show_secrets)

    def take(self, call: Call) -> None:
        """Take a call that ended, of one of the APIs in `TELLING`."""
        key = call.api_key
        if key == FETCH:
            self._take_fetch(call)
        elif key in TELLING_APIS:
            self._take_topics(call)
        elif key == SASL_AUTHENTICATE:
            self._take_login(call)
        elif key == JOIN_GROUP:
            self._take_join_group(call)
        elif key == SYNC_GROUP:
            self._take_sync_group(call)
        elif key == FETCH_SNAPSHOT:
            self._take_log(call)

    def _take_topics(self, call: Call) -> None:
        if call.response is None:
            return
        scan = call.scan_response(_TOPIC_FIELDS)
        body = call.response_body if scan is None else None
        value = scan.value if scan is not None else body.value if body is not None else None
        if value is not None:
            self._context.topics.learn(value)

    def _take_fetch(self, call: Call) -> None:
        header, request, response = call.header, call.request, call.response
        assert header is not None
        assert request is not None
        if header.api_version >= _FIRST_METADATA_LOG_VERSION and may_fetch_metadata_log(request.data):
            self._take_log(call)
        answer = response.data if response is not None else None
        call.fetch_session = self._sessions.follow(call.server, header, request.data, answer)

    def _take_log(self, call: Call) -> None:
        if call.response is None or call.response.size < _SMALLEST_LOG_ANSWER:
            return
        body = call.response_body
        if body is not None and call.api_key is not None:
            self._context.topics.learn_from_log(call.api_key, call.response.data, body)

    def _take_login(self, call: Call) -> None:
        header, request, response = call.header, call.request, call.response
        assert header is not None
        assert request is not None
        tokens = self.authentication.authenticate(header, request.data, response.data if response is not None else None)
        call.context = replace(call.context, tokens=tokens)
        call.principal = self.authentication.principal

    def _take_join_group(self, call: Call) -> None:
        assert call.header is not None
        if call.header.api_version >= _JOIN_GROUP_SAYS or call.request_body is None or call.response_body is None:
            return
        asked, answered = call.request_body.value, call.response_body.value
        if asked is None or answered is None:
            return
        protocol = GroupProtocol(asked["protocolType"], answered["protocolName"])
        call.context = replace(call.context, group_protocol=protocol)
        if len(self._groups) >= _MOST_GROUPS:
            self._groups.clear()
        self._groups[asked["groupId"]] = protocol

    def _take_sync_group(self, call: Call) -> None:
        assert call.header is not None
        if call.header.api_version >= _SYNC_GROUP_SAYS or call.request_body is None:
            return
        asked = call.request_body.value
        if asked is not None and asked["groupId"] in self._groups:
            call.context = replace(call.context, group_protocol=self._groups[asked["groupId"]])
