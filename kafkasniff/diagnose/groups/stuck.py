"""A rule about groups that stand still while a member does not join again."""

from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from kafkasniff.calls.reports import Gap
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND
from kafkasniff.diagnose.memory.tallies import Cited, Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text
from kafkasniff.diagnose.seen.seen_call import FAILED, SeenCall
from kafkasniff.protocol.api_keys import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP
from kafkasniff.protocol.error_codes.numbers import REBALANCE_IN_PROGRESS

_MOST_MEMBERS = 256
_MOST_WAITS = 256
"""Joins of a group that had to wait and are judged."""
_MOST_TIMES = 64
"""Of a member's joins, and of its refused heartbeats."""


class Member:
    """What a member of a group did."""

    __slots__ = ("client", "joins", "rebalance_ms", "refused")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.client: Client | None = None
        self.rebalance_ms: int | None = None
        self.joins: deque[int] = deque(maxlen=_MOST_TIMES)
        """When it sent JoinGroup, or left (ns)."""
        self.refused: deque[int] = deque(maxlen=_MOST_TIMES)
        """When its Heartbeats were answered with 27 (ns)."""

    def is_late(self, wait: "Wait", share: float) -> bool:
        """Tell whether it heard of a rebalance that waited for it, and did not join in the first `share` of that."""
        heard = any(wait.begun <= time <= wait.ended for time in self.refused)
        in_time = wait.begun + int(share * (wait.ended - wait.begun))
        return heard and not any(wait.begun <= time < in_time for time in self.joins)


class Wait(NamedTuple):
    """A join that was answered late."""

    begun: int
    ended: int
    """When the request was sent, and the answer came (ns)."""
    member: str
    client: Client
    server: str
    is_first: bool
    """Whether the group had no generation before."""
    sent: Arrival
    cited: Cited


class Waits:
    """The members of a group, and the joins that had to wait."""

    __slots__ = ("members", "waits")

    def __init__(self) -> None:
        """Begin with none."""
        self.members: Bounded[Member] = Bounded(_MOST_MEMBERS)
        self.waits: deque[Wait] = deque(maxlen=_MOST_WAITS)


class RebalanceStuck(Rule[Waits]):
    """A rebalance waits for a member that does not join again.

    Joins are judged at the end: what a member did behind a gap is known later than it came.
    """

    id = "rebalance-stuck"
    title = "A rebalance waits for a member that does not rejoin"
    severity = "error"
    scope = "group"
    looks_across_clients = True
    state_type = Waits
    apis = frozenset({JOIN_GROUP, HEARTBEAT, LEAVE_GROUP})
    only: ClassVar[Mapping[int, int]] = {HEARTBEAT: FAILED}
    request_fields = frozenset({"members", "memberId", "rebalanceTimeoutMs", "sessionTimeoutMs"})
    response_fields = frozenset({"memberId", "errorCode", "generationId"})
    thresholds = (
        Threshold(
            "milliseconds", 3_500, "ms", "above group.initial.rebalance.delay.ms (3 s) and Java's heartbeat interval"
        ),
        Threshold("share", 0.8, "", "of the rebalance timeout of the member that does not come"),
    )
    meaning = "The whole group stands still until the slowest member joins again, or its rebalance timeout is over."
    wire = (
        "JoinGroup is answered only after most of a rebalance timeout; meanwhile a member heartbeats on, answered "
        "with 27."
    )
    cause = "The member is busy in its processing, or its client ignores 27 REBALANCE_IN_PROGRESS."
    fix = (
        "Make the named member take less at once ({max.poll.records}), or wait less for it: its rebalance timeout "
        "is what it may take between two polls ({max.poll.interval.ms})."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no gap seen."""
        super().__init__(*arguments)
        self._gaps: Bounded[int] = Bounded()
        """By server, when bytes were last found lost, in which the late member may have been heard of (ns)."""

    def gap(self, gap: Gap) -> None:
        """Note that bytes are lost."""
        self._gaps.put(gap.server, max(self._gaps.get(gap.server) or 0, gap.arrival.time))

    def call(self, seen: SeenCall) -> None:
        """Note who hears of the rebalance and who joins, and how long others wait."""
        group = seen.group
        if not group:
            return
        if seen.key == HEARTBEAT:
            if seen.response.get("errorCode") == REBALANCE_IN_PROGRESS:
                member = self.state(group).members.touch(seen.member, Member)
                member.client = seen.client
                member.refused.append(seen.ended)
        elif seen.key == LEAVE_GROUP:
            state = self.state(group)
            for item in seen.request.get("members") or [seen.request]:
                left = state.members.get(item.get("memberId"))
                if left is not None:
                    left.joins.append(seen.sent)
        elif seen.response.get("memberId") and seen.response["errorCode"] == 0:
            self._join(seen, self.state(group))

    def _join(self, seen: SeenCall, state: Waits) -> None:
        assert seen.call.request is not None
        begun, member_id, is_first = seen.call.request.last.time, seen.response["memberId"], False
        if seen.ended - begun >= self.limits["milliseconds"] * MILLISECOND:
            is_first = seen.response.get("generationId") == 1
            cited = Cited(seen.call.client, seen.call.number)
            server, sent = seen.call.server, seen.call.request.last
            state.waits.append(Wait(begun, seen.ended, member_id, seen.client, server, is_first, sent, cited))
        member = state.members.touch(member_id, Member)
        member.client = seen.client
        member.joins.append(begun)
        member.rebalance_ms = seen.request.get("rebalanceTimeoutMs", seen.request.get("sessionTimeoutMs"))

    def _late(self, state: Waits, wait: Wait) -> dict[str, Member] | None:
        """Give the members that a join had to wait for; None where it waited for nobody for long."""
        members = {key: member for key, member in state.members.items() if key != wait.member}
        share = self.limits["share"]
        late = {key: member for key, member in members.items() if member.is_late(wait, share)}
        # The first join waits for others to come (group.initial.rebalance.delay.ms), and nobody is late.
        if not late and (wait.is_first or (self._gaps.get(wait.server) or 0) >= wait.begun):
            return None
        own = state.members.get(wait.member)
        known = (late or members | ({wait.member: own} if own is not None else {})).values()
        timeout = min((member.rebalance_ms for member in known if member.rebalance_ms), default=None)
        if timeout is None or wait.ended - wait.begun < share * timeout * MILLISECOND:
            return None
        return late

    def finding(self, key: Any, state: Waits) -> Finding | None:
        """Fire when a join had to wait."""
        tally, waiting, longest = Tally(), Names(), 0
        culprits: dict[tuple[Client, str], int] = {}
        for wait in state.waits:
            late = self._late(state, wait)
            if late is None:
                continue
            took = wait.ended - wait.begun
            tally.add(wait.sent, f"JoinGroup of {wait.client.name} answered after {seconds_text(took)}", wait.cited)
            waiting.add(wait.client.name)
            longest = max(longest, took)
            for member_id, member in late.items():
                if member.client is not None:
                    culprits[member.client, member_id] = culprits.get((member.client, member_id), 0) + 1
        if not tally.count:
            return None
        subject: dict[str, Any] = {"group": key}
        if culprits:
            client, member_id = max(culprits, key=lambda each: culprits[each])
            subject |= client_subject(client) | {"memberId": member_id}
            who = f"for {client.name}, which heard of the rebalance and did not rejoin"
        else:
            subject["client"] = tally.clients.only
            who = "for a member that was not heard of meanwhile"
        summary = f"Group {key} stood still for {seconds_text(longest)}: {', '.join(waiting)} waited {who}."
        return self.make(tally, subject, summary)


STUCK_RULES: tuple[type[Rule[Any]], ...] = (RebalanceStuck,)
