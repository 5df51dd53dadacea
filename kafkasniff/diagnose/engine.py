# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Runs the rules over what a capture gives, in order."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.causes import EXPLANATIONS
from kafkasniff.diagnose.error_rule import ErrorRule
from kafkasniff.diagnose.facts.answers import METADATA_FIELDS
from kafkasniff.diagnose.facts.facts import (
    GROUP_FIELDS,
    NAMING_GROUPS,
    TELLING,
    THROTTLE_FIELDS,
    Facts,
)
from kafkasniff.diagnose.facts.history import ConnectionHistory
from kafkasniff.diagnose.finding import SEVERITIES, Finding
from kafkasniff.diagnose.joining import join
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, MOST_KEYS, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.options.libraries import TELLING_VERSIONS
from kafkasniff.diagnose.rule import ANY_API, WITH_STATES, Rule
from kafkasniff.diagnose.seen.bodies import BodiesReader, table_of
from kafkasniff.diagnose.seen.seen_call import SeenCall, seen_call
from kafkasniff.protocol.api_keys import API_VERSIONS, METADATA, SASL_HANDSHAKE
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.scanning import scanner_of
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind
from kafkasniff.protocol.headers import is_known

Settings = Mapping[str, Mapping[str, float]]
"""Values of thresholds by rule id and threshold name."""


_WAITED_FOR = ("unanswered", "response-not-captured")
"""Outcomes of calls whose answer was wanted and is not there."""

_SLOW_NS = SECOND
"""From so long on an answer is slow: beyond the waits of most long polls (fetch.max.wait.ms is 500 by default)."""

Hook = Callable[..., None]


_NO_NAMES: frozenset[str] = frozenset()
_WITH_STATES = WITH_STATES


class Taker:
    """A rule's method that takes calls of one API."""

    __slots__ = ("only", "states", "take")

    def __init__(self, rule: Rule[Any], api_key: int) -> None:
        """Take the calls that `rule` wants."""
        self.take: Hook = rule.call
        self.only = rule.only.get(api_key, 0)
        self.states = rule.states


class Plan:
    """What is done with the calls of one API in one version."""

    __slots__ = (
        *("fingerprints", "is_known", "names_groups", "request", "request_table", "response", "response_table"),
        *("samples", "takers", "tells", "uses"),
    )

    def __init__(
        self,
        api_key: int,
        version: int,
        takers: list[Taker],
        request_fields: frozenset[str] | None,
        response_fields: frozenset[str],
        samples: list[Hook],
        uses: list[Hook],
    ) -> None:
        """Let calls be taken by `takers`, with these fields read; None for not reading requests."""
        self.takers = takers
        self.samples = samples
        """Methods that take one a second of each connection."""
        self.uses = uses
        """Those that take the first of each connection."""
        self.is_known = api_key >= 0
        """Whether the layout is; a broker that does not know a version of ApiVersions says so itself (KIP-511)."""
        self.request = scanner_of(api_key, version, "request", request_fields) if request_fields is not None else None
        self.response = scanner_of(api_key, version, "response", response_fields)
        self.request_table = table_of(api_key, version, "request")
        self.response_table = table_of(api_key, version, "response")
        """By which is read what rules look at in every call."""
        self.tells = api_key in TELLING
        self.names_groups = api_key in NAMING_GROUPS
        self.fingerprints = (api_key, version) in TELLING_VERSIONS


_UNKNOWN = Plan(-1, -1, [], None, _NO_NAMES, [], [])
"""What is done with calls of which the layout is not known."""


class Diagnosis:
    """Takes calls, gaps, tokens and connection reports in packet order; gives findings at any time."""

    def __init__(self, rules: Iterable[type[Rule[Any]]] = RULES, settings: Settings | None = None) -> None:
        """Run `rules`, with the thresholds of `settings` in place of their defaults."""
        settings = settings or {}
        self.facts = Facts()
        self.rules = [rule(self.facts, settings.get(rule.id, {})) for rule in rules]
        self._reader = BodiesReader(self.facts)
        self._failed: Counter[str] = Counter()
        self._answered: Bounded[bool] = Bounded(MOST_CONNECTIONS)
        self._plans: dict[int, Plan] = {}
        """By API and version."""
        self._by_code: dict[int, list[ErrorRule]] = {}
        self._left = self._hooks("left")
        self._recovers = self._hooks("recovers")
        # Rules that do not run here run elsewhere, and take their errors there.
        others = [rule(self.facts, {}) for rule in RULES if issubclass(rule, ErrorRule)] if self._left else []
        own = {rule.id for rule in self.rules}
        self._elsewhere = [rule for rule in others if rule.id not in own]
        for rule in (*self.rules, *self._elsewhere):
            if isinstance(rule, ErrorRule):
                for code in rule.codes:
                    self._by_code.setdefault(code, []).append(rule)
        self._unanswered = self._hooks("unanswered")
        self._serves = self._hooks("serves")
        self._slow = self._hooks("slow")
        self._waits = self._hooks("waits")
        self._unrequested = self._hooks("unrequested")
        self._begins = self._hooks("begins")
        self._token = self._hooks("token")
        self._connection = self._hooks("connection")
        self._gap = self._hooks("gap")

    def remembered(self) -> dict[str, Any]:
        """Give what is known of what was seen, for a snapshot."""
        of_rules = {rule.id: rule.remembered() for rule in self.rules}
        return {"facts": self.facts, "failed": self._failed, "answered": self._answered, "rules": of_rules}

    def recall(self, remembered: Mapping[str, Any]) -> None:
        """Know that, and nothing else; a rule that was not there then begins. Raises ValueError, KeyError."""
        self.facts = self._reader.facts = remembered["facts"]
        self._failed, self._answered = remembered["failed"], remembered["answered"]
        of_rules = remembered["rules"]
        # They hold the states that rules had.
        self._plans.clear()
        for rule in self.rules:
            rule.facts = self.facts
            if rule.id in of_rules:
                rule.recall(of_rules[rule.id])

    def feed(self, item: Item) -> None:
        """Take what comes next; no exception that its bytes cause may end the run."""
        self.feed_all((item,))

    def feed_all(self, items: Iterable[Item]) -> None:
        """Take items one after the other, as `feed` does."""
        for item in items:
            try:
                self._feed(item)
            except Exception as error:
                self._failed[type(error).__name__] += 1

    def _feed(self, item: Item) -> None:
        if isinstance(item, Call):
            self._call(item)
        elif isinstance(item, ConnectionReport):
            self._tell(self._connection, item)
            self.facts.forget(item)
            self._answered.pop(item.connection)
        else:
            self._tell(self._gap if isinstance(item, Gap) else self._token, item)

    def _tell(self, takers: "Iterable[Hook]", *arguments: object) -> None:
        """Let rules take something: where one fails the others go on."""
        for take in takers:
            try:
                take(*arguments)
            except Exception as error:
                self._failed_in(take, error)

    def _give(self, takers: list[Taker], seen: SeenCall) -> None:
        """Let those rules take a call that take such calls."""
        traits = seen.traits()
        for taker in takers:
            only = taker.only
            if only and not only & traits and not (only & _WITH_STATES and len(taker.states)):
                continue
            try:
                taker.take(seen)
            except Exception as error:
                self._failed_in(taker.take, error)

    def _failed_in(self, take: Hook, error: Exception) -> None:
        take.__self__.failed[type(error).__name__] += 1  # type: ignore[attr-defined]

    def findings(self) -> list[Finding]:
        """Give the findings so far, those that others explain under these, the worst first."""
        return joined(self.found().values())

    def found(self) -> dict[str, list[Finding]]:
        """Give the findings so far by rule, as yet without what explains them."""
        return {rule.id: list(rule.findings()) for rule in self.rules}

    def limits_reached(self) -> list[str]:
        """Say of which rules there was more to remember than they may."""
        return limits_text(self.given_up()) + failures_text(self.failures())

    def failures(self) -> dict[str, Counter[str]]:
        """Give how often rules failed, by rule and the names of exceptions; what no rule could take by `calls`."""
        found = {rule.id: rule.failed for rule in self.rules if rule.failed}
        return found | {"calls": self._failed} if self._failed else found

    def given_up(self) -> dict[str, int]:
        """Give how many states rules had to give up, by rule, where they had to."""
        return {rule.id: rule.given_up for rule in self.rules if rule.given_up}

    def _hooks(self, name: str) -> list[Any]:
        """Give the methods of the rules that do something of their own there."""
        return [getattr(rule, name) for rule in self.rules if getattr(type(rule), name) is not getattr(Rule, name)]

    def _uses(self, api_key: int) -> list[Any]:
        """Give the methods that take the first call of an API of each connection."""
        return [take for take in self._hooks("uses") if take.__self__.used & {api_key, *ANY_API}]

    def _plan(self, api_key: int, version: int) -> Plan:
        """Settle what is done with the calls of an API in a version."""
        if not (api_key == API_VERSIONS or is_known(api_key, version)):
            return _UNKNOWN
        takers = [
            rule
            for rule in self.rules
            if (rule.apis == ANY_API or api_key in rule.apis) and rule.version(api_key, version)
        ]
        of_request = _NO_NAMES.union(*[rule.request_fields for rule in takers])
        if api_key in NAMING_GROUPS:
            of_request |= GROUP_FIELDS
        of_response = THROTTLE_FIELDS.union(*[rule.response_fields for rule in takers])
        of_response = _names_in(api_key, "response", of_response)
        if api_key == METADATA and of_response <= METADATA_FIELDS:
            # Read for the facts already.
            of_response = METADATA_FIELDS
        return Plan(
            api_key,
            version,
            [Taker(rule, api_key) for rule in takers],
            # What no request of the API has needs no look at it.
            _names_in(api_key, "request", of_request) or None,
            of_response,
            [rule.samples for rule in self.rules if api_key in rule.sampled],
            self._uses(api_key),
        )

    def _call(self, call: Call) -> None:
        if call.connection.initiator is None and not self._trusted(call):
            return
        header = call.header
        if header is None or call.request is None:
            self._tell(self._unrequested, call)
            return
        key = header.api_key
        layout = key << 16 | header.api_version & 0xFFFF
        plan = self._plans.get(layout)
        if plan is None:
            plan = self._plan(key, header.api_version)
            # There are as many layouts that are not known as hostile bytes name.
            if plan.is_known:
                self._plans[layout] = plan
        history = self.facts.history(call)
        if not plan.is_known:
            # What it asks for is not known, so that no rule can tell whether it is right.
            if call.response is not None:
                history.answered = call.ended.time
            elif (
                call.outcome in _WAITED_FOR
                and key in APIS
                and not self.facts.supports(call.server, key, header.api_version)
            ):
                # The broker may not know it either.
                self._tell(self._unanswered, call)
            return
        if plan.tells:
            self.facts.learn(call)
        if plan.fingerprints and history.layout != layout:
            history.layout = layout
            self.facts.profiles.learn_version(history.client, key, header.api_version)
        seen = seen_call(call, key, history, plan.request, plan.response)
        self._reader.read(seen, plan.request_table, plan.response_table)
        if plan.names_groups:
            self.facts.learn_group(seen.client, seen.request)
        if not history.named:
            history.named = True
            self.facts.profiles.meet(history.client, call.client)
            self._tell(self._begins, seen)
        if history.first_of(key):
            self._tell(plan.uses, seen)
        self._give(plan.takers, seen)
        if plan.samples and call.response is not None and not seen.failed and history.is_due(key, seen.ended):
            self._tell(plan.samples, seen)
        if not history.served and key != API_VERSIONS and (call.response is not None or key == SASL_HANDSHAKE):
            history.served = True
            self._tell(self._serves, seen)
        if call.principal is not None and call.principal != history.principal:
            history.principal = call.principal
            self.facts.profiles.learn_principal(history.client, history.principal)
        wait = seen.throttle_ms
        if wait or history.waits is not None:
            self._tell(self._waits, seen, wait)
            history.muted_until = max(history.muted_until, seen.ended + wait * MILLISECOND)
        if call.response is not None:
            if seen.ended - seen.sent >= _SLOW_NS:
                self._tell(self._slow, seen)
            history.answered = seen.ended
            history.largest = max(history.largest, call.request.size)
            history.largest_answer = max(history.largest_answer, history.latest_answer)
            history.latest_answer = call.response.size
            if seen.failed:
                self._errors(call, call.errors, history)
            elif history.erred is not None and key in history.erred:
                history.erred.discard(key)
                self._tell(self._recovers, seen)
        elif call.outcome in _WAITED_FOR:
            self._tell(self._unanswered, call)

    def _trusted(self, call: Call) -> bool:
        """Tell whether a connection whose beginning is not in the capture has shown an answered call.

        Requests alone may be the server's answers, misread: an accusation needs more.
        """
        if call.outcome == "answered":
            self._answered.put(call.connection, True)
            return True
        return self._answered.get(call.connection) is not None

    def _errors(self, call: Call, errors: list[FieldError], history: ConnectionHistory) -> None:
        wanted: dict[ErrorRule, list[FieldError]] = {}
        left = []
        for error in errors:
            takers = [rule for rule in self._by_code.get(error.code, ()) if rule.wanted(call)]
            for rule in takers:
                wanted.setdefault(rule, []).append(error)
            if not takers:
                left.append(error)
        for rule, of_rule in wanted.items():
            if rule not in self._elsewhere:
                self._tell((rule.errors,), call, of_rule)
        if left and self._left:
            self._tell(self._left, call, left)
            self.facts.note_error(history, call)


def limits_text(given_up: Mapping[str, int]) -> list[str]:
    """Say of which rules there was more to remember than they may, by how many states each gave up."""
    return [
        f"{rule}: state of {count:,} given up, as there were more than {MOST_KEYS:,} to remember"
        for rule, count in given_up.items()
    ]


def failures_text(failures: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Say which rules failed, by how often each did with which exception."""
    return [
        f"{rule}: failed ({error}: {count:,}), a fault of kafkasniff; what it says may lack something"
        for rule, counts in failures.items()
        for error, count in counts.items()
    ]


def joined(found: Iterable[list[Finding]]) -> list[Finding]:
    """Give findings of rules, in the order of the catalogue: those that others explain under these, the worst first."""
    findings = [finding for of_rule in found for finding in of_rule]
    return sorted(join(findings, EXPLANATIONS), key=lambda each: (SEVERITIES.index(each.worst), each.first_time))


def _names_in(api_key: int, kind: Kind, names: frozenset[str]) -> frozenset[str]:
    """Give those of the names that fields of an API's request or response have in any version.

    Structures with none of these inside are left out.
    """
    return frozenset(_wanted(api_definition(api_key, kind).fields, names)) if api_key in APIS else _NO_NAMES


def _wanted(fields: Iterable[Field], names: frozenset[str]) -> Iterator[str]:
    for field in fields:
        if field.name in names:
            inner = list(_wanted(field.fields, names))
            if inner or not field.fields:
                yield field.name
                yield from inner
