"""A rule about consumers that leave their groups as their programs do not poll in time."""

from typing import Any, NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.groups.membership import GroupMember
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import Cited, Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, quoted, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT, JOIN_GROUP, LEAVE_GROUP
from kafkasniff.protocol.error_codes.numbers import MEMBER_ID_REQUIRED
from kafkasniff.tcp.events import Connection

_MOST_MEMBERS = 64
_LEFT = -1
"""Member epoch with which a consumer leaves its group (ConsumerGroupHeartbeatRequest.LEAVE_GROUP_MEMBER_EPOCH)."""


class Away(NamedTuple):
    """A leave of the newer protocol, after which the member did not come back."""

    member_id: str
    sent: Arrival
    cited: Cited


class Leaves(Tally):
    """Leaves for slow polling, and the latest joins and leaves without a reason."""

    __slots__ = ("away", "joined", "left", "members", "poll_interval_ms", "reasons")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.joined: Bounded[int] = Bounded(_MOST_MEMBERS)
        """When a connection's first join since its last leave was answered (ns); of the newer protocol, a member's."""
        self.left: Bounded[int] = Bounded(_MOST_MEMBERS)
        self.away: Bounded[Away] = Bounded(_MOST_MEMBERS)
        """By connection."""
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
        Threshold(
            "open",
            1,
            "s",
            "for which the connection of who left so stays open without it: a consumer that closes ends it",
        ),
        Threshold("share", 0.9, "", "of max.poll.interval.ms since the join: nobody leaves for slow polling sooner"),
    )
    meaning = (
        "Processing one batch takes longer than max.poll.interval.ms; the partitions go to others, and come back later."
    )
    wire = (
        "LeaveGroup v5 with the reason 'consumer poll timeout has expired.' (Java); or a LeaveGroup without reason "
        "and a JoinGroup on the same connection later (librdkafka and older clients); or ConsumerGroupHeartbeat with "
        "member epoch -1, and later the same member's with 0, or nothing on a connection that stays open (a warning)."
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
        state, connection = self.state(GroupMember(group, seen.client)), seen.call.connection
        state.away.pop(connection)
        if epoch == 0:
            away = self.limits["rejoin_seconds_848"]
            if self._comes(seen, state, member_id, away, "ConsumerGroupHeartbeat", "as the same member"):
                state.members.add(member_id)
        elif self._could_be_late(state, member_id, seen.sent):
            assert seen.call.request is not None
            state.left.put(member_id, seen.sent)
            if state.joined.get(member_id) is not None:
                cited = Cited(seen.call.client, seen.call.number)
                state.away.put(connection, Away(member_id, seen.call.request.last, cited))

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
            return self._stays_away(key, state)
        interval = f" (max.poll.interval.ms {state.poll_interval_ms:,})" if state.poll_interval_ms else ""
        times = times_text(state.count)
        said = f", saying {quoted(state.reasons)}" if len(state.reasons) else ""
        summary = f"{key.client.name} left group {key.group} {times}{said}, as it did not poll in time{interval}."
        subject = client_subject(key.client) | {"group": key.group, "memberId": state.members.only}
        return self.make(state, subject, summary)

    def _stays_away(self, key: GroupMember, state: Leaves) -> Finding | None:
        """Fire where a member left and did not come back, while its connection stayed open."""
        tally, members = Tally(), Names()
        for connection, away in state.away.items():
            fin = connection.first_fin or connection.last
            if min(fin.time, connection.last.time) - away.sent.time >= self.limits["open"] * SECOND:
                tally.add(
                    away.sent,
                    "ConsumerGroupHeartbeat with member epoch -1, on a connection that stays open",
                    away.cited,
                )
                members.add(away.member_id)
        if not tally.count:
            return None
        summary = (
            f"{key.client.name} left group {key.group} {times_text(tally.count)} and did not come back, with its "
            "connection open: it did not poll in time, or unsubscribed."
        )
        subject = client_subject(key.client) | {"group": key.group, "memberId": members.only}
        return self.make(tally, subject, summary, severity="warning")


POLL_TIMEOUT_RULES: tuple[type[Rule[Any]], ...] = (PollTimeoutEviction,)
