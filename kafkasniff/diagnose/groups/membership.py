# cython: language_level=3, annotation_typing=False, boundscheck=True
"""A rule about members of consumer groups that were silent for too long."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import AnyBounded, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND
from kafkasniff.diagnose.memory.tallies import Cited, Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    CONSUMER_GROUP_HEARTBEAT,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    OFFSET_COMMIT,
    SYNC_GROUP,
)
from kafkasniff.protocol.error_codes.numbers import (
    FENCED_MEMBER_EPOCH,
    ILLEGAL_GENERATION,
    MEMBER_ID_REQUIRED,
    STALE_MEMBER_EPOCH,
    UNKNOWN_MEMBER_ID,
)
from kafkasniff.tcp.events import Connection

_GONE = frozenset({ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH})
"""ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH: the member is not what it was."""


class GroupMember(NamedTuple):
    """A client within a group."""

    group: str
    client: Client


class Member:
    """A member of a group, as its requests tell."""

    __slots__ = ("connection", "last", "session_ms")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.last = 0
        """When it last sent a group request that was not refused, or was answered (ns); 0 for never."""
        self.session_ms: int | None = None
        self.connection: Connection | None = None
        """The latest that it used."""

    def hear(self, seen: SeenCall) -> bool:
        """Note that it lives; tell whether it uses another connection than before."""
        self.last = max(self.last, seen.ended if seen.call.response is not None else seen.sent)
        if self.connection is seen.call.connection:
            return False
        self.connection = seen.call.connection
        return True


class Silence(NamedTuple):
    """A pause of a member that was refused after it, before its session timeout is known."""

    member_id: str
    pause: int
    """Nanoseconds."""
    what: str
    refused: Arrival
    cited: Cited


class Evictions(Tally):
    """Members that were thrown out."""

    __slots__ = ("members",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.members = Names()


class SessionTimeout(Rule[Evictions]):
    """A member was silent for longer than its session."""

    id = "session-timeout"
    title = "A member was silent for longer than its session timeout"
    severity = "error"
    scope = "group and client"
    looks_across_clients = True
    state_type = Evictions
    apis = frozenset({JOIN_GROUP, SYNC_GROUP, HEARTBEAT, OFFSET_COMMIT, LEAVE_GROUP, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"members", "memberId", "sessionTimeoutMs", "memberEpoch"})
    response_fields = frozenset({"memberId", "errorCode", "heartbeatIntervalMs"})
    thresholds = (
        Threshold("evictions", 1, "evictions", "each stops the group and repeats work"),
        Threshold("share", 0.9, "", "of the session timeout: the coordinator's clock starts before the capture's"),
        Threshold(
            "intervals", 6, "heartbeats", "missed, in KIP-848's protocol: the broker's 45 s are nine intervals of 5 s"
        ),
    )
    meaning = "The coordinator took the member for dead and gave its partitions to others, while it still ran."
    wire = (
        "No group request for longer than JoinGroup's sessionTimeoutMs, then 25 UNKNOWN_MEMBER_ID; or a JoinGroup "
        "without member id on the same connection, where the client noticed by itself (librdkafka)."
    )
    cause = (
        "The process stood still: a garbage collection, a frozen or overloaded host, a stopped container, or a cut "
        "network."
    )
    fix = (
        "Find what stopped the process (garbage collection logs, CPU limits); leave more time "
        "({session.timeout.ms}), and keep heartbeats at a third of it ({heartbeat.interval.ms})."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no member known."""
        super().__init__(*arguments)
        self._members: Bounded[Member] = Bounded()
        self._by_connection: Bounded[tuple[str, str]] = Bounded()
        """The member that last used a connection, by its group and id."""
        self._sessions: Bounded[int] = Bounded()
        """Session timeouts (ms) of clients within groups: a program's setting stays the same."""
        self._unjudged: Bounded[Silence] = Bounded()
        """By client within a group."""

    @cython.locals(seen=SeenCall, key=cython.int, known=Member, member=Member, members=AnyBounded)
    def call(self, seen: SeenCall) -> None:
        """Measure the pause before a member is refused, or begins anew."""
        key, group, member_id = seen.key, seen.group, seen.member
        if not group:
            return
        if key == LEAVE_GROUP:
            for left in seen.request.get("members") or (seen.request,):
                self._members.pop((group, left.get("memberId")))
            return
        error = seen.response.get("errorCode", 0) if seen.failed else 0
        if key == JOIN_GROUP and not member_id:
            self._begins_anew(seen, group)
        if key == JOIN_GROUP and seen.response.get("memberId") and error in (0, MEMBER_ID_REQUIRED):
            member = self._members.touch((group, seen.response["memberId"]), Member)
            member.session_ms = seen.request.get("sessionTimeoutMs")
            if member.hear(seen):
                self._by_connection.put(seen.call.connection, (group, seen.response["memberId"]))
            self._learn(GroupMember(group, seen.client), member.session_ms)
            return
        if not member_id:
            return
        members = self._members
        known = members.get((group, member_id))
        if known is None and key == SYNC_GROUP and not error:
            # Its JoinGroup was not captured.
            known = self._members.touch((group, member_id), Member)
        if key == CONSUMER_GROUP_HEARTBEAT and not error:
            interval = seen.response.get("heartbeatIntervalMs")
            if seen.request.get("memberEpoch", 0) < 0:
                self._members.pop((group, member_id))
            elif interval:
                known = known or self._members.touch((group, member_id), Member)
                known.session_ms = int(interval * self.limits["intervals"] / self.limits["share"])
        if known is None:
            return
        if not error and key == OFFSET_COMMIT and seen.failed:
            error = seen.call.errors[0].code
        if error not in _GONE:
            if known.hear(seen):
                self._by_connection.put(seen.call.connection, (group, member_id))
            return
        self._silent((group, member_id), known, seen, f"{seen.call.api_name} refused with {seen.call.errors[0].name}")
        self._members.pop((group, member_id))

    def _begins_anew(self, seen: SeenCall, group: str) -> None:
        """Look at who used the connection before: a client that missed its own session joins without its member id."""
        before = self._by_connection.pop(seen.call.connection)
        known = self._members.get(before) if before is not None and before[0] == group else None
        if known is not None and seen.call.response is not None:
            assert before is not None
            self._silent(before, known, seen, "JoinGroup as a new member")
            self._members.pop(before)

    def _silent(self, who: tuple[str, str], member: Member, seen: SeenCall, what: str) -> None:
        if not member.last:
            return
        assert seen.call.response is not None
        key = GroupMember(who[0], seen.client)
        silence = Silence(
            who[1], seen.sent - member.last, what, seen.call.response.last, Cited(seen.call.client, seen.call.number)
        )
        session_ms = member.session_ms or self._sessions.get(key)
        if session_ms is None:
            self._unjudged.put(key, silence)
        else:
            self._judge(key, silence, session_ms)

    def _learn(self, key: GroupMember, session_ms: int | None) -> None:
        """Take in a client's session timeout, by which what came before it is judged."""
        if session_ms:
            self._sessions.put(key, session_ms)
            silence = self._unjudged.pop(key)
            if silence is not None:
                self._judge(key, silence, session_ms)

    def _judge(self, key: GroupMember, silence: Silence, session_ms: int) -> None:
        if silence.pause >= self.limits["share"] * session_ms * MILLISECOND:
            pause = f"{seconds_text(silence.pause)} of silence (session timeout {session_ms:,} ms)"
            state = self.state(key)
            state.members.add(silence.member_id)
            state.add(silence.refused, f"{silence.what} after {pause}", silence.cited)

    def finding(self, key: Any, state: Evictions) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, GroupMember)
        if state.count < self.limits["evictions"]:
            return None
        times = times_text(state.count)
        summary = f"{key.client.name} was thrown out of group {key.group} {times}: {state.evidence[0].what}."
        return self.make(
            state, client_subject(key.client) | {"group": key.group, "memberId": state.members.only}, summary
        )


MEMBERSHIP_RULES: tuple[type[Rule[Any]], ...] = (SessionTimeout,)
