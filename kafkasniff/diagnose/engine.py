"""Runs the rules over what a capture gives, in order."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, ConnectionReport, FieldError, Gap
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.error_rule import ErrorRule
from kafkasniff.diagnose.facts import Facts
from kafkasniff.diagnose.finding import SEVERITIES, Finding
from kafkasniff.diagnose.joining import join
from kafkasniff.diagnose.memory import MOST_CONNECTIONS, MOST_KEYS, Bounded
from kafkasniff.diagnose.rule import ANY_API, Rule

Settings = Mapping[str, Mapping[str, float]]
"""Values of thresholds by rule id and threshold name."""


class Diagnosis:
    """Takes calls, gaps and connection reports in packet order; gives findings at any time."""

    def __init__(self, rules: Iterable[type[Rule[Any]]] = RULES, settings: Settings | None = None) -> None:
        """Run `rules`, with the thresholds of `settings` in place of their defaults."""
        settings = settings or {}
        self.facts = Facts()
        self._rules = [rule(self.facts, settings.get(rule.id, {})) for rule in rules]
        self._answered: Bounded[bool] = Bounded(MOST_CONNECTIONS)
        self._by_api: dict[int, list[Callable[[Call], None]]] = {}
        self._for_all: list[Callable[[Call], None]] = []
        self._by_code: dict[int, list[ErrorRule]] = {}
        for rule in self._rules:
            if rule.apis == ANY_API:
                self._for_all.append(rule.call)
            else:
                for key in rule.apis:
                    self._by_api.setdefault(key, []).append(rule.call)
            if isinstance(rule, ErrorRule):
                for code in rule.codes:
                    self._by_code.setdefault(code, []).append(rule)
        # Only rules that look at connections or gaps are asked to.
        self._connection_rules = [rule for rule in self._rules if type(rule).connection is not Rule.connection]
        self._gap_rules = [rule for rule in self._rules if type(rule).gap is not Rule.gap]

    def feed(self, item: Call | Gap | RawToken | ConnectionReport) -> None:
        """Take what comes next."""
        if isinstance(item, Call):
            self._call(item)
        elif isinstance(item, ConnectionReport):
            for rule in self._connection_rules:
                rule.connection(item)
            self.facts.forget(item)
            self._answered.pop(item.connection)
        elif isinstance(item, Gap):
            for rule in self._gap_rules:
                rule.gap(item)

    def findings(self) -> list[Finding]:
        """Give the findings so far, those that others explain under these, the worst first."""
        found = [finding for rule in self._rules for finding in rule.findings()]
        explains = {rule.id: rule.explains for rule in self._rules}
        return sorted(join(found, explains), key=lambda each: (SEVERITIES.index(each.severity), each.first_time))

    def limits_reached(self) -> list[str]:
        """Say of which rules there was more to remember than they may."""
        return [
            f"{rule.id}: state of {rule.given_up:,} given up, as there were more than {MOST_KEYS:,} to remember"
            for rule in self._rules
            if rule.given_up
        ]

    def _call(self, call: Call) -> None:
        if call.connection.initiator is None and not self._trusted(call):
            return
        self.facts.learn(call)
        for take in self._for_all:
            take(call)
        key = call.api_key
        if key is None:
            return
        for take in self._by_api.get(key, ()):
            take(call)
        if call.response is not None:
            errors = call.errors
            if errors:
                self._errors(call, errors)

    def _trusted(self, call: Call) -> bool:
        """Tell whether a connection whose beginning is not in the capture has shown an answered call.

        Requests alone may be the server's answers, misread: an accusation needs more.
        """
        if call.outcome == "answered":
            self._answered.put(call.connection, True)
            return True
        return self._answered.get(call.connection) is not None

    def _errors(self, call: Call, errors: list[FieldError]) -> None:
        wanted: dict[ErrorRule, list[FieldError]] = {}
        for error in errors:
            for rule in self._by_code.get(error.code, ()):
                wanted.setdefault(rule, []).append(error)
        for rule, of_rule in wanted.items():
            rule.errors(call, of_rule)
