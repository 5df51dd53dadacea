# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about groups that start over: rebalances and coordinators."""

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Evidence, Finding
from kafkasniff.diagnose.memory.bounded import AnyBounded
from kafkasniff.diagnose.memory.rates import SECOND, Rate
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, quoted
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, HEARTBEAT, JOIN_GROUP, LEAVE_GROUP
from kafkasniff.protocol.error_codes.numbers import MEMBER_ID_REQUIRED

_MOST_MEMBERS = 256
_MOST_COMINGS = 512

_NO_REASONS = ("need to re-join with the given member-id", "group is already rebalancing")
"""What each Java client says whenever a group rebalances (AbstractCoordinator)."""


class Generations(Tally):
    """The generations of a group, and who came and went meanwhile."""

    __slots__ = ("comings", "newest", "of_worst", "planned", "rate", "reasons", "worst")

    def __init__(self, window_ns: int, most: int) -> None:
        """Count generations within `window_ns`."""
        super().__init__()
        self.rate = Rate(window_ns, most)
        self.newest = -1
        self.reasons = Names()
        """Why members leave or join again, as they say (KIP-800)."""
        self.planned = False
        """Whether it is a cluster of Connect workers, which rebalance for each connector that comes or goes."""
        self.comings: deque[tuple[int, Client, Evidence]] = deque(maxlen=_MOST_COMINGS)
        """When (ns) which client joined anew or left, and the packet that shows it."""
        self.of_worst: list[Evidence] = []
        """The first and the latest of those of the client that came and went most often, then."""
        self.worst: tuple[int, list[Client], int] = (0, [], 0)
        """The most generations within a window that are no deploy, and the clients that came and went most often."""


class RebalanceStorm(Rule[Generations]):
    """A group that hardly does anything but rebalance."""

    id = "rebalance-storm"
    title = "The group rebalances over and over"
    severity = "error"
    scope = "group"
    looks_across_clients = True
    apis = frozenset({JOIN_GROUP, LEAVE_GROUP, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"groupId", "members", "memberId", "memberEpoch", "protocolType", "reason"})
    response_fields = frozenset({"generationId", "errorCode", "memberEpoch"})
    thresholds = (
        Threshold("generations", 8, "generations", "measured: restarts and deploys stay at five or fewer"),
        Threshold("seconds", 30, "s", "window in which they are counted"),
        Threshold("comings", 4, "joins and leaves", "of one client; a deploy makes each client leave and join once"),
    )
    meaning = "Each rebalance stops all members of the group for a moment; so many of them leave no time to work."
    wire = (
        "JoinGroup answers with ever new generations (ConsumerGroupHeartbeat with ever new member epochs) within a "
        "short time, while some client joins and leaves several times, or nobody does (but for Connect's workers, "
        "which rebalance whenever a connector is made, changed or removed)."
    )
    cause = "A member joins and leaves again and again: it restarts, crashes, or is thrown out for polling too slowly."
    fix = (
        "Find out why the named member comes and goes. Keep its membership over restarts ({group.instance.id}, "
        "KIP-345), move few partitions at a time ({cooperative-sticky}, KIP-429), and leave more time "
        "({session.timeout.ms}; {max.poll.interval.ms})."
    )

    def new_state(self) -> Generations:
        """Begin with none."""
        return Generations(int(self.limits["seconds"] * SECOND), int(self.limits["generations"]) * 16)

    def call(self, seen: SeenCall) -> None:
        """Count new generations, joins of new members, and leaves."""
        request, response = seen.request, seen.response
        group = request.get("groupId")
        if not group or seen.call.response is None:
            return
        error = response.get("errorCode")
        if seen.key == CONSUMER_GROUP_HEARTBEAT:
            epoch = request.get("memberEpoch", 0)
            comes, generation = epoch <= 0, response.get("memberEpoch", -1)
            if not comes and generation == epoch:
                return
        else:
            comes = seen.key == LEAVE_GROUP or error == MEMBER_ID_REQUIRED or not request.get("memberId")
            generation = response.get("generationId", -1)
        state = self.state(group)
        state.planned = state.planned or request.get("protocolType") == "connect"
        if comes:
            what = f"{seen.client.name} {'left' if seen.key == LEAVE_GROUP else 'joined anew'}"
            state.comings.append((seen.ended, seen.client, Evidence(seen.call.response.last, what, seen.call.number)))
        for item in (request, *(request.get("members") or ())):
            if item.get("reason") and not item["reason"].startswith(_NO_REASONS):
                state.reasons.add(short_name(item["reason"]))
        if error == 0 and generation > state.newest:
            state.newest = generation
            state.add(seen.call.response.last, f"group {group} reached generation {generation}", seen.call)
            count = state.rate.add(seen.ended)
            if count >= self.limits["generations"]:
                self._judge(state, count)

    def _judge(self, state: Generations, count: int) -> None:
        """See whether the generations of a window are no deploy, in which each client leaves and joins once."""
        assert state.last is not None
        since = state.last.time - int(self.limits["seconds"] * SECOND)
        while state.comings and state.comings[0][0] < since:
            state.comings.popleft()
        comings = Counter(client for _, client, _ in state.comings)
        most = max(comings.values(), default=0)
        restless = most >= self.limits["comings"] or (2 * comings.total() < count and not state.planned)
        if count > state.worst[0] and restless:
            state.worst = count, [client for client, times in comings.items() if times == most], most
            shown = [evidence for _, client, evidence in state.comings if client == state.worst[1][0]] if most else []
            state.of_worst = [*shown[:2], *shown[2:][-1:]]

    def finding(self, key: Any, state: Generations) -> Finding | None:
        """Fire where a window held too many."""
        count, restless, most = state.worst
        if not count:
            return None
        subject: dict[str, Any] = {"group": key}
        who = ""
        if len(restless) == 1:
            subject |= client_subject(restless[0])
        else:
            subject["clientId"] = [client.client_id for client in restless if client.client_id]
        if len(restless) == 1 and most >= self.limits["comings"]:
            who = f"; {restless[0].name} joined or left {most:,} times"
        if len(state.reasons):
            who += f". Members say {quoted(state.reasons)}"
        summary = (
            f"Group {key} went through {count:,} generations within {self.limits['seconds']:g} s, "
            f"the latest being {state.newest}{who}."
        )
        found = self.make(state, subject, summary, count=count)
        if len(restless) == 1:
            # Who comes and goes is what to look at; the generations follow from it.
            found.evidence = sorted(state.of_worst, key=lambda each: each.arrival.time)
        return found


class Coordinators(Tally):
    """The coordinators that were named for a group."""

    __slots__ = ("current", "member", "moves", "nodes", "since")

    def __init__(self, window_ns: int) -> None:
        """Count moves within `window_ns`."""
        super().__init__()
        self.nodes = Names()
        self.moves = Rate(window_ns, _MOST_MEMBERS)
        self.current: int | None = None
        self.since = 0
        """Since when the current coordinator is named (ns)."""
        self.member: Client | None = None


class CoordinatorFlapping(Rule[Coordinators]):
    """A group's coordinator moves again and again."""

    id = "coordinator-flapping"
    title = "The group's coordinator moves again and again"
    severity = "error"
    scope = "group"
    looks_across_clients = True
    apis = frozenset({FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"key", "keyType"})
    response_fields = frozenset({"coordinators", "key", "nodeId", "errorCode"})
    thresholds = (
        Threshold("moves", 2, "moves", "one move is what an orderly restart of a broker brings"),
        Threshold("seconds", 300, "s", "in which they happen; a rolling restart takes minutes for each broker"),
        Threshold(
            "settled", 1, "s", "a coordinator is named before its going counts: brokers hear of moves one by one"
        ),
    )
    meaning = "Each move stops commits and heartbeats of the group until the new coordinator has loaded its state."
    wire = "FindCoordinator names another node each time; 16 NOT_COORDINATOR or closed connections in between."
    cause = (
        "Brokers that lead partitions of __consumer_offsets stop and start: crashes, or restarts that follow too fast."
    )
    fix = (
        "Find out why the named brokers go; in rolling restarts wait for all replicas to be in sync before the "
        "next broker."
    )

    def new_state(self) -> Coordinators:
        """Begin with none."""
        return Coordinators(int(self.limits["seconds"] * SECOND))

    @cython.locals(seen=SeenCall, states=AnyBounded)
    def call(self, seen: SeenCall) -> None:
        """Follow the named coordinators, and note who is a member."""
        if seen.key != FIND_COORDINATOR:
            states = self.states
            state = states.get(seen.group)
            if state is not None:
                state.member = seen.client
            return
        request = seen.request
        if seen.call.response is None or request.get("keyType", 0) != 0:
            return
        for item in seen.response.get("coordinators") or [seen.response]:
            group = item.get("key") or request.get("key")
            node = item.get("nodeId", -1)
            if group and not item.get("errorCode") and node >= 0:
                self._named(seen, self.state(group), group, node)

    def _named(self, seen: SeenCall, state: Coordinators, group: str, node: int) -> None:
        state.nodes.add(node)
        if state.member is None:
            state.member = seen.client
        if node == state.current:
            return
        if state.current is not None and seen.ended - state.since >= self.limits["settled"] * SECOND:
            what = f"coordinator of {group} is now {node}, no longer {state.current}"
            state.add(seen.call.ended, what, seen.call)
            state.moves.add(seen.ended)
        state.current, state.since = node, seen.ended

    def finding(self, key: Any, state: Coordinators) -> Finding | None:
        """Fire from the threshold on."""
        if state.moves.peak < self.limits["moves"]:
            return None
        nodes = ", ".join(str(node) for node in state.nodes)
        subject: dict[str, Any] = {"group": key, "coordinators": list(state.nodes)}
        if state.member is not None:
            subject |= client_subject(state.member)
        summary = f"The coordinator of group {key} moved {state.count:,} times (brokers {nodes})."
        if state.count == 2 and next(iter(state.nodes)) == state.current:
            # Preferred leaders are elected when a broker is back.
            return self.make(state, subject, f"{summary[:-1]}, as one restart of a broker brings.", severity="info")
        return self.make(state, subject, summary)


REBALANCE_RULES: tuple[type[Rule[Any]], ...] = (RebalanceStorm, CoordinatorFlapping)
