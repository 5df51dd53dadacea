"""Rules about quotas: clients that are slowed down, and those that take no notice."""

from collections import deque
from typing import Any

from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import MILLISECOND
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.error_codes.numbers import THROTTLING_QUOTA_EXCEEDED

_MOST_WAITS = 8
"""Waits of a connection that its requests are judged by."""
_HONOURS = "apache-kafka-java"
"""Java that says its name (2.4+) keeps each wait (`NetworkClient.maybeThrottle`): what comes early was on its way."""
_FIRST, _UNJUDGED, _KEPT, _BROKEN = range(4)
"""What is known of a wait so far; a request that broke it may be answered late. `_FIRST` is a connection's first wait,
of which nothing is known yet: it may find requests on their way."""


class Throttled(Rule[Tally]):
    """A client is over its quota by much."""

    id = "throttled"
    title = "The broker slows the client down"
    severity = "warning"
    scope = "client"
    state_type = Tally
    thresholds = (
        Threshold(
            "milliseconds", 500, "ms", "half of Java's default delivery margin; small throttles are quotas at work"
        ),
        Threshold("calls", 2, "calls", "one may be a start-up burst"),
    )
    meaning = "The client is over a quota, and the broker makes it wait."
    wire = "throttleTimeMs of 500 and more in answers (KIP-124, KIP-219)."
    cause = (
        "A quota (producer_byte_rate, consumer_byte_rate, request_percentage, controller_mutation_rate) below the load."
    )
    fix = (
        "Raise the quota (kafka-configs.sh --alter --add-config), or send less: compress, batch, spread the load "
        "over time."
    )

    def waits(self, seen: SeenCall, wait_ms: int) -> None:
        """Count answers with long throttle times; where the broker refused at once, that is told as an error."""
        call = seen.call
        refused = any(error.code == THROTTLING_QUOTA_EXCEEDED for error in call.errors)
        if wait_ms >= self.limits["milliseconds"] and not refused:
            what = f"{call.api_name} answered with throttleTimeMs {wait_ms}"
            self.state(seen.client).add(call.ended, what, call)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Client)
        if state.count < self.limits["calls"]:
            return None
        least = self.limits["milliseconds"]
        summary = f"{key.name} was told {state.count:,} times to wait {least:g} ms or longer, as it is over its quota."
        return self.make(state, client_subject(key, state.clients), summary)


class Throttles(Tally):
    """Requests sent too early, of all that came while a client was to wait or after it."""

    __slots__ = ("told",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.told = 0


class ThrottleIgnored(Rule[Throttles]):
    """A client does not wait although it was told to."""

    id = "throttle-ignored"
    title = "The client does not wait while it is throttled"
    severity = "warning"
    scope = "client"
    state_type = Throttles
    thresholds = (
        Threshold("milliseconds", 100, "ms", "shorter waits are over before the next request in most clients"),
        Threshold("calls", 3, "requests", "Java may have one request already on its way"),
        Threshold("share", 0.8, "", "measured: clients that ignore throttling do so nearly always"),
    )
    meaning = (
        "The client is told to wait, and sends on at once; the broker then mutes the connection, and answers come late."
    )
    wire = "The next request on the connection comes before throttleTimeMs of the last answer is over (KIP-219)."
    cause = "A client library without support for KIP-219, or a hand-made client."
    fix = (
        "Use a library that honours throttleTimeMs (Java 2.0+, kafkajs, sarama 1.41+); else lower the load or "
        "raise the quota."
    )

    def waits(self, seen: SeenCall, wait_ms: int) -> None:
        """Judge a request by what its sender had been told when it sent it; answers come in another order."""
        history, early, call = seen.history, False, seen.call
        # While a server closes its window what the client has sent waits at the client's host.
        shut = call.connection.counters[1 - client_direction(call)].zero_windows > 0
        if history.waits is not None and not shut:
            early = self._judge(seen, history.waits)
        if wait_ms >= self.limits["milliseconds"]:
            # Before KIP-219 the broker waits itself, and answers when the time is over.
            waited = call.response_delay_ns or 0
            if early or waited < self.limits["share"] * wait_ms * MILLISECOND:
                so_far = _UNJUDGED
                if history.waits is None:
                    history.waits, so_far = deque(maxlen=_MOST_WAITS), _FIRST
                on_its_way = call.connection.round_trip_ns or 0
                history.waits.append([seen.ended + on_its_way, seen.ended + wait_ms * MILLISECOND, so_far])

    def _judge(self, seen: SeenCall, waits: deque[list[int]]) -> bool:
        """Count a request that came before a wait was over, and once for each wait that was kept."""
        # Measured: Java 4.3 with requests under way sends up to two more, within 25 ms, before it reads the first wait.
        pipelined = seen.history.answered > seen.sent
        known = [wait for wait in waits if wait[0] < seen.sent and not (pipelined and wait[2] == _FIRST)]
        over = [wait for wait in known if wait[1] <= seen.sent]
        state = self.state(seen.client)
        if len(over) < len(known):
            early = max(wait[1] for wait in known) - seen.sent
            for wait in known:
                if wait[1] > seen.sent:
                    state.told -= wait[2] == _KEPT
                    wait[2] = _BROKEN
            state.told += 1
            what = f"{seen.call.api_name} sent {early / MILLISECOND:.0f} ms before the time to wait was over"
            assert seen.call.request is not None
            state.add(seen.call.request.first, what, seen.call)
            return True
        for wait in over:
            if wait[2] < _KEPT:
                state.told += 1
                wait[2] = _KEPT
        return False

    def finding(self, key: Any, state: Throttles) -> Finding | None:
        """Fire where it is the habit."""
        assert isinstance(key, Client)
        if state.count < self.limits["calls"] or state.count < self.limits["share"] * state.told:
            return None
        profiles = self.facts.profiles.known([key.client_id], [key.host]) if key.client_id else []
        if {name for profile in profiles for name, _ in profile.software} == {_HONOURS}:
            return None
        summary = (
            f"{key.name} sent {state.count:,} of {state.told:,} requests before the time that it was told to wait "
            f"was over."
        )
        return self.make(state, client_subject(key, state.clients), summary)


QUOTA_RULES: tuple[type[Rule[Any]], ...] = (Throttled, ThrottleIgnored)
