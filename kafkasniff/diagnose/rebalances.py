"""Rules about groups that stand still or start over: rebalances and coordinators."""

from collections import deque
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts import (
    CONSUMER_GROUP_HEARTBEAT,
    FIND_COORDINATOR,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    Client,
    client_of,
    request_of,
    response_of,
)
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import MILLISECOND, SECOND, Bounded, Names, Rate, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text

_MOST_MEMBERS = 256


MEMBER_ID_REQUIRED = 79
REBALANCE_IN_PROGRESS = 27


class Generations(Tally):
    """The generations of a group, and who came and went."""

    def __init__(self, window_ns: int, most: int) -> None:
        """Count generations within `window_ns`."""
        super().__init__()
        self.rate = Rate(window_ns, most)
        self.newest = -1
        self.comings: dict[Client, int] = {}


class RebalanceStorm(Rule[Generations]):
    """A group that hardly does anything but rebalance."""

    id = "rebalance-storm"
    title = "The group rebalances over and over"
    severity = "error"
    scope = "group"
    apis = frozenset({JOIN_GROUP, LEAVE_GROUP})
    thresholds = (
        Threshold("generations", 8, "generations", "measured: restarts and deploys stay at five or fewer"),
        Threshold("seconds", 30, "s", "window in which they are counted"),
    )
    meaning = "Each rebalance stops all members of the group for a moment; so many of them leave no time to work."
    wire = "JoinGroup answers with ever new generations within a short time."
    cause = "A member joins and leaves again and again: it restarts, crashes, or is thrown out for polling too slowly."
    fix = (
        "Find out why the named member comes and goes. Use static membership (group.instance.id, KIP-345) for "
        "restarts, "
        "the cooperative-sticky assignor (KIP-429), and longer session.timeout.ms and max.poll.interval.ms."
    )

    def new_state(self) -> Generations:
        """Begin with none."""
        return Generations(int(self.limits["seconds"] * SECOND), int(self.limits["generations"]) * 16)

    def call(self, call: Call) -> None:
        """Count new generations, joins of new members, and leaves."""
        request = request_of(call)
        group = request.get("groupId")
        if not group or call.response is None:
            return
        state = self.state(group)
        client = client_of(call)
        response = response_of(call)
        error = response.get("errorCode")
        comes = call.api_key == LEAVE_GROUP or error == MEMBER_ID_REQUIRED or not request.get("memberId")
        if comes and (client in state.comings or len(state.comings) < _MOST_MEMBERS):
            state.comings[client] = state.comings.get(client, 0) + 1
        generation = response.get("generationId", -1)
        if call.api_key == JOIN_GROUP and error == 0 and generation > state.newest:
            state.newest = generation
            now = call.response.last.time
            state.add(call.response.last, f"group {group} reached generation {generation}", call.client)
            state.rate.add(now)

    def finding(self, key: Any, state: Generations) -> Finding | None:
        """Fire where a window held too many."""
        if state.rate.peak < self.limits["generations"]:
            return None
        most = max(state.comings.values(), default=0)
        restless = [client for client, count in state.comings.items() if count == most]
        subject: dict[str, Any] = {"group": key}
        who = ""
        if len(restless) == 1:
            subject |= client_subject(restless[0])
            who = f"; {restless[0].name} joined or left {most:,} times"
        else:
            subject["clientId"] = [client.client_id for client in restless if client.client_id]
        summary = (
            f"Group {key} went through {state.rate.peak:,} generations within {self.limits['seconds']:g} s, "
            f"the latest being {state.newest}{who}."
        )
        return self.make(state, subject, summary, count=state.rate.peak)


class Member:
    """What a member of a group did last."""

    __slots__ = ("client", "joined", "rebalance_ms", "refused")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.client: Client | None = None
        self.rebalance_ms: int | None = None
        self.joined = 0
        """When it last sent JoinGroup (ns)."""
        self.refused: deque[int] = deque(maxlen=64)
        """When its Heartbeats were answered with 27 (ns)."""


class Waits(Tally):
    """Joins that had to wait, and who held them up."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.members: Bounded[Member] = Bounded(_MOST_MEMBERS)
        self.longest = 0
        self.culprits: dict[tuple[Client, str], int] = {}
        self.waiting = Names()


class RebalanceStuck(Rule[Waits]):
    """A rebalance waits for a member that does not join again."""

    id = "rebalance-stuck"
    title = "A rebalance waits for a member that does not rejoin"
    severity = "error"
    scope = "group"
    apis = frozenset({JOIN_GROUP, HEARTBEAT, LEAVE_GROUP})
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
        "Make the named member poll more often (max.poll.records), or lower max.poll.interval.ms, which is the "
        "rebalance timeout."
    )

    def new_state(self) -> Waits:
        """Begin with none."""
        return Waits()

    def call(self, call: Call) -> None:
        """Note who hears of the rebalance without coming, and how long others wait."""
        request = request_of(call)
        group = request.get("groupId")
        if not group or call.request is None:
            return
        state = self.state(group)
        member_id = request.get("memberId")
        if call.api_key == LEAVE_GROUP:
            for item in request.get("members") or [request]:
                state.members.pop(item.get("memberId"))
        elif call.api_key == HEARTBEAT:
            if call.response is not None and response_of(call).get("errorCode") == REBALANCE_IN_PROGRESS:
                member = state.members.touch(member_id, Member)
                member.client = client_of(call)
                member.refused.append(call.response.last.time)
        elif call.response is not None and response_of(call).get("memberId"):
            self._join(call, state, request)

    def _join(self, call: Call, state: Waits, request: dict[str, Any]) -> None:
        assert call.request is not None
        assert call.response is not None
        response = response_of(call)
        begun, ended = call.request.last.time, call.response.last.time
        if response["errorCode"] == 0 and ended - begun >= self.limits["milliseconds"] * MILLISECOND:
            self._waited(call, state, begun, ended, response["memberId"])
        if response["errorCode"] == 0:
            member = state.members.touch(response["memberId"], Member)
            member.client = client_of(call)
            member.joined = begun
            member.refused.clear()
            member.rebalance_ms = request.get("rebalanceTimeoutMs", request.get("sessionTimeoutMs"))

    def _waited(self, call: Call, state: Waits, begun: int, ended: int, own: str) -> None:
        took = ended - begun
        timeouts = [member.rebalance_ms for _, member in state.members.items() if member.rebalance_ms]
        absent = [
            (member_id, member)
            for member_id, member in state.members.items()
            if member_id != own and member.joined < begun and any(begun <= time <= ended for time in member.refused)
        ]
        timeout = min(
            (member.rebalance_ms for _, member in absent if member.rebalance_ms), default=min(timeouts, default=None)
        )
        if timeout is None or took < self.limits["share"] * timeout * MILLISECOND:
            return
        client = client_of(call)
        what = f"JoinGroup of {client.name} answered after {seconds_text(took)}"
        assert call.response is not None
        state.add(call.response.last, what, call.client)
        state.longest = max(state.longest, took)
        state.waiting.add(client.name)
        for member_id, member in absent:
            if member.client is not None:
                key = (member.client, member_id)
                state.culprits[key] = state.culprits.get(key, 0) + 1

    def finding(self, key: Any, state: Waits) -> Finding | None:
        """Fire when a join had to wait."""
        if not state.count:
            return None
        waiting = ", ".join(state.waiting)
        subject: dict[str, Any] = {"group": key}
        if state.culprits:
            client, member_id = max(state.culprits, key=lambda each: state.culprits[each])
            subject |= client_subject(client) | {"memberId": member_id}
            who = f"for {client.name}, which heard of the rebalance and did not rejoin"
        else:
            subject["client"] = state.clients.only
            who = "for a member that was not heard of meanwhile"
        summary = f"Group {key} stood still for {seconds_text(state.longest)}: {waiting} waited {who}."
        return self.make(state, subject, summary)


class Coordinators(Tally):
    """The coordinators that were named for a group."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.nodes = Names()
        self.current: int | None = None
        self.member: Client | None = None


class CoordinatorFlapping(Rule[Coordinators]):
    """A group's coordinator moves again and again."""

    id = "coordinator-flapping"
    title = "The group's coordinator moves again and again"
    severity = "error"
    scope = "group"
    apis = frozenset({FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, CONSUMER_GROUP_HEARTBEAT})
    thresholds = (Threshold("moves", 2, "moves", "one move is what an orderly restart of a broker brings"),)
    meaning = "Each move stops commits and heartbeats of the group until the new coordinator has loaded its state."
    wire = "FindCoordinator names another node each time; 16 NOT_COORDINATOR or closed connections in between."
    cause = (
        "Brokers that lead partitions of __consumer_offsets stop and start: crashes, or restarts that follow too fast."
    )
    fix = (
        "Find out why the named brokers go; in rolling restarts wait for all replicas to be in sync before the "
        "next broker."
    )
    explains = ("rebalance-stuck", "response-timeout", "dead-broker-connect-loop")

    def new_state(self) -> Coordinators:
        """Begin with none."""
        return Coordinators()

    def call(self, call: Call) -> None:
        """Follow the named coordinators, and note who is a member."""
        request = request_of(call)
        if call.api_key != FIND_COORDINATOR:
            state = self.states.get(request.get("groupId"))
            if state is not None:
                state.member = client_of(call)
            return
        if call.response is None or request.get("keyType", 0) != 0:
            return
        response = response_of(call)
        for item in response.get("coordinators") or [response]:
            group = item.get("key") or request.get("key")
            node = item.get("nodeId", -1)
            if not group or item.get("errorCode") or node < 0:
                continue
            state = self.state(group)
            state.nodes.add(node)
            if state.current is not None and node != state.current:
                state.add(
                    call.response.last, f"coordinator of {group} is now {node}, no longer {state.current}", call.client
                )
            state.current = node
            if state.member is None:
                state.member = client_of(call)

    def finding(self, key: Any, state: Coordinators) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits["moves"]:
            return None
        nodes = ", ".join(str(node) for node in state.nodes)
        subject: dict[str, Any] = {"group": key, "coordinators": list(state.nodes)}
        if state.member is not None:
            subject |= client_subject(state.member)
        summary = f"The coordinator of group {key} moved {state.count:,} times (brokers {nodes})."
        return self.make(state, subject, summary)


REBALANCE_RULES: tuple[type[Rule[Any]], ...] = (RebalanceStorm, RebalanceStuck, CoordinatorFlapping)
