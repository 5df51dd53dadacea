# cython: language_level=3, annotation_typing=False, boundscheck=True
"""The rule about connections that brokers close as idle while their clients still use them."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import client_of
from kafkasniff.diagnose.facts.sides import client_direction, was_refused
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.network.connections import ServedBy
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text


class Closed(Tally):
    """Requests on connections that a server had closed."""

    __slots__ = ("latest",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.latest = 0
        """When the server closed the latest (ns)."""


class IdleCloseRace(Rule[Closed]):
    """A client uses a connection that the broker has just closed as idle."""

    id = "idle-close-race"
    title = "Requests are sent on connections that the broker closed as idle"
    severity = "warning"
    scope = "client and server"
    state_type = Closed
    thresholds = (
        Threshold("requests", 1, "requests", "each fails and must be retried"),
        Threshold("seconds", 2, "s", "of idleness before the broker's FIN"),
        Threshold(
            "stopped", 30, "s", "around the FIN: a server that refuses connections then, or ends busy ones, stops"
        ),
    )
    meaning = (
        "The request is lost and has to be sent again on a new connection; without retries the program sees an error."
    )
    wire = "A pause, the server's FIN, then a request of the client, then RST."
    cause = (
        "The client keeps idle connections ({connections.max.idle.ms}) for longer than connections.max.idle.ms of "
        "the broker (default 10 minutes)."
    )
    fix = "Let the client close idle connections sooner than the broker ({connections.max.idle.ms}); keep retries on."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no server stopped."""
        super().__init__(*arguments)
        self._stopped: Bounded[int] = Bounded()
        """By server, when it was seen to stop (ns)."""

    def connection(self, report: ConnectionReport) -> None:
        """Note a server that refuses connections, or ends one that is not idle."""
        connection, time = report.connection, report.connection.first.time
        if was_refused(connection):
            before = self._stopped.get(report.server)
            if before is None or time - before > self.limits["stopped"] * SECOND:
                self._stopped.put(report.server, time)
            return
        fin, history = connection.first_fin, self.facts.history_of(connection)
        if fin is None or history is None or connection.ended_direction != 1 - client_direction(report):
            return
        if fin.time - history.answered < self.limits["seconds"] * SECOND:
            self._stopped.put(report.server, fin.time)

    def unanswered(self, call: Call) -> None:
        """Compare a request with the server's FIN and what came before it."""
        connection, answered = call.connection, self.facts.history(call).answered
        fin = connection.first_fin
        if call.request is None or fin is None or connection.ended_direction == client_direction(call):
            return
        if not answered or call.outcome != "unanswered" or call.request.first.time <= fin.time:
            return
        idle = fin.time - answered
        if idle >= self.limits["seconds"] * SECOND:
            what = f"{call.api_name} sent after the server's FIN, which came after {seconds_text(idle)} of idleness"
            state = self.state(ServedBy(client_of(call), call.server))
            state.latest = fin.time
            state.add(call.request.first, what, call)

    def finding(self, key: Any, state: Closed) -> Finding | None:
        """Fire from the threshold on, unless the server was stopped."""
        assert isinstance(key, ServedBy)
        stopped = self._stopped.get(key.server)
        if stopped is not None and abs(stopped - state.latest) <= self.limits["stopped"] * SECOND:
            return None
        if state.count < self.limits["requests"]:
            return None
        requests = counted(state.count, "request")
        summary = f"{key.client.name} sent {requests} on connections that {key.server} had closed after idleness."
        return self.make(state, client_subject(key.client, state.clients) | {"server": key.server}, summary)


IDLE_RULES: tuple[type[Rule[Any]], ...] = (IdleCloseRace,)
