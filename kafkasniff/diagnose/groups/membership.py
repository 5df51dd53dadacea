# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about members of consumer groups: evictions and commits."""

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
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import Cited, Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, quoted, seconds_text, times_text
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

_MOST_MEMBERS = 64
_LEFT = -1
"""Member epoch with which a consumer leaves its group (ConsumerGroupHeartbeatRequest.LEAVE_GROUP_MEMBER_EPOCH)."""
_GONE = frozenset({ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH})
"""ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH: the member is not what it was."""


class GroupMember(NamedTuple):
    """A client within a group."""

    group: str
    client: Client


class Leaves(Tally):
    """Leaves for slow polling, and the latest joins and leaves without a reason."""

    __slots__ = ("joined", "left", "members", "poll_interval_ms", "reasons")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.joined: Bounded[int] = Bounded(_MOST_MEMBERS)
        """When a connection's first join since its last leave was answered (ns); of the newer protocol, a member's."""
        self.left: Bounded[int] = Bounded(_MOST_MEMBERS)
        self.poll_interval_ms: int | None = None
        self.members = Names()
        self.reasons = Names()
        """What LeaveGroup says (KIP-800)."""


class PollTimeoutEviction(Rule[Leaves]):
    """A consumer leaves its group as its program does not poll in time."""

    id = "poll-timeout-eviction"
    title = "A consumer polls too slowly and leaves its group"
    severity = "error"
    scope = "group and client"
    state_type = Leaves
    apis = frozenset({LEAVE_GROUP, JOIN_GROUP, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"groupId", "members", "memberId", "reason", "rebalanceTimeoutMs", "memberEpoch"})
    response_fields = frozenset({"errorCode"})
    thresholds = (
        Threshold("leaves", 1, "leaves", "each stops the group and repeats work"),
        Threshold(
            "rejoin_seconds",
            1.5,
            "s",
            "measured: a program that closes its consumer does not come back on the connection",
        ),
        Threshold(
            "rejoin_seconds_848",
            0.5,
            "s",
            "as the same member: who unsubscribes and subscribes does both at once "
            "(Java 4.3.1, polling slowly: 1.0 to 1.6)",
        ),
        Threshold("share", 0.9, "", "of max.poll.interval.ms since the join: nobody leaves for slow polling sooner"),
    )
    meaning = (
        "Processing one batch takes longer than max.poll.interval.ms; the partitions go to others, and come back later."
    )
    wire = (
        "LeaveGroup v5 with the reason 'consumer poll timeout has expired.' (Java); or a LeaveGroup without reason "
        "and a "
        "JoinGroup on the same connection later (librdkafka and older clients)."
    )
    cause = "The program takes longer between two polls than it may ({max.poll.interval.ms})."
    fix = (
        "Leave more time between polls ({max.poll.interval.ms}); take fewer records at once ({max.poll.records}); "
        "move slow work to other threads and pause the partitions meanwhile ({consumer.pause()})."
    )

    def call(self, seen: SeenCall) -> None:
        """Watch leaves and who comes back."""
        group = seen.request.get("groupId")
        if not group:
            return
        if seen.key == CONSUMER_GROUP_HEARTBEAT:
            self._heartbeat(seen, group)
        elif seen.key == JOIN_GROUP:
            state = self.state(GroupMember(group, seen.client))
            if seen.response.get("errorCode") == MEMBER_ID_REQUIRED:
                return
            away = self.limits["rejoin_seconds"]
            self._comes(seen, state, seen.call.connection, away, "JoinGroup", "on the same connection")
        else:
            self._leave(seen, self.state(GroupMember(group, seen.client)))

    def _leave(self, seen: SeenCall, state: Leaves) -> None:
        members = seen.request.get("members") or [seen.request]
        reasons = [member.get("reason") or "" for member in members]
        if any("poll timeout" in reason for reason in reasons):
            assert seen.call.request is not None
            state.add(seen.call.request.last, f"LeaveGroup: {reasons[0]}", seen.call)
            for member, reason in zip(members, reasons, strict=True):
                state.members.add(member.get("memberId"))
                state.reasons.add(reason or None)
        elif not any(reasons) and self._could_be_late(state, seen.call.connection, seen.sent):
            state.left.put(seen.call.connection, seen.sent)

    def _heartbeat(self, seen: SeenCall, group: str) -> None:
        """Take a heartbeat of the newer protocol, in which a member keeps its id for as long as its program runs."""
        epoch, member_id = seen.request.get("memberEpoch"), seen.request.get("memberId")
        if epoch not in (0, _LEFT) or not member_id:
            return
        state = self.state(GroupMember(group, seen.client))
        if epoch == 0:
            away = self.limits["rejoin_seconds_848"]
            if self._comes(seen, state, member_id, away, "ConsumerGroupHeartbeat", "as the same member"):
                state.members.add(member_id)
        elif self._could_be_late(state, member_id, seen.sent):
            state.left.put(member_id, seen.sent)

    def _could_be_late(self, state: Leaves, who: Connection | str, now: int) -> bool:
        """Tell whether who leaves can have missed its poll: it was a member for as long as it may take."""
        joined = state.joined.get(who)
        if joined is None or not state.poll_interval_ms:
            return True
        return now - joined >= self.limits["share"] * state.poll_interval_ms * MILLISECOND

    def _comes(self, seen: SeenCall, state: Leaves, who: Connection | str, least: float, what: str, how: str) -> bool:
        """Note a join; tell whether its member had left for `least` seconds or longer."""
        interval = seen.request.get("rebalanceTimeoutMs", -1)
        if interval > 0:
            state.poll_interval_ms = interval
        left = state.left.pop(who)
        if seen.call.response is not None and (left is not None or state.joined.get(who) is None):
            # Later joins may be the library's own doing, while the program does not poll.
            state.joined.put(who, seen.ended)
        away = seen.sent - left if left is not None else 0
        if left is None or away < least * SECOND:
            return False
        assert seen.call.request is not None
        state.add(seen.call.request.last, f"{what} {seconds_text(away)} after a leave {how}", seen.call)
        return True

    def finding(self, key: Any, state: Leaves) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, GroupMember)
        if state.count < self.limits["leaves"]:
            return None
        interval = f" (max.poll.interval.ms {state.poll_interval_ms:,})" if state.poll_interval_ms else ""
        times = times_text(state.count)
        said = f", saying {quoted(state.reasons)}" if len(state.reasons) else ""
        summary = f"{key.client.name} left group {key.group} {times}{said}, as it did not poll in time{interval}."
        subject = client_subject(key.client) | {"group": key.group, "memberId": state.members.only}
        return self.make(state, subject, summary)


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


MEMBERSHIP_RULES: tuple[type[Rule[Any]], ...] = (PollTimeoutEviction, SessionTimeout)
