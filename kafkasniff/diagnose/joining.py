"""Puts findings that others explain under these: a cause is said once."""

from collections.abc import Iterable, Iterator

from kafkasniff.diagnose.causes import Explanation
from kafkasniff.diagnose.facts.clients import host_of
from kafkasniff.diagnose.finding import Finding, Subject
from kafkasniff.diagnose.memory.rates import SECOND

_SLACK_NS = 60 * SECOND
"""A consequence may begin this long after its cause was last seen."""

LINKS = ("group", "transactionalId", "clientId", "client", "server", "brokerId")
"""What two subjects may have in common to be about the same trouble, the strongest first."""
_ADVERTISED = "advertised"


def join(findings: list[Finding], explanations: Iterable[Explanation]) -> list[Finding]:
    """Give the findings that no other explains; the others stand under their cause.

    `explanations` says which rules' findings explain which; it must hold no circle.
    """
    effects: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for each in explanations:
        for name in each.causes:
            effects.setdefault(name, set()).update((effect, each.by or LINKS) for effect in each.effects)
    causes: dict[str, dict[tuple[str, ...], _Causes]] = {}
    for finding in sorted(findings, key=lambda each: each.first_time):
        # Those of keys that were given up come again each time.
        finding.consequences = []
        for effect, by in effects.get(finding.rule, ()):
            causes.setdefault(effect, {}).setdefault(by, _Causes(by)).add(finding)
    roots: list[Finding] = []
    for finding in findings:
        found = [linked.of(finding) for linked in causes.get(finding.rule, {}).values()]
        cause = min((other for other in found if other), key=lambda each: each.first_time, default=None)
        if cause is None:
            roots.append(finding)
        else:
            cause.consequences.append(finding)
    return roots


class _Causes:
    """Findings that may explain those of one rule, found by what is linked: there may be thousands of each."""

    def __init__(self, links: tuple[str, ...]) -> None:
        """Link by what both have of these."""
        self._links = links
        self._by_names: dict[tuple[str, ...], dict[tuple[str, object], list[Finding]]] = {}
        """By the names in their subjects, and then by name and value."""

    def add(self, finding: Finding) -> None:
        """Take a finding; those that began before it come before it."""
        subject = finding.subject
        names = tuple(name for name in (*self._links, _ADVERTISED) if name in subject)
        by_value = self._by_names.setdefault(names, {})
        for name in names:
            for value in _values(subject[name]):
                by_value.setdefault((name, value), []).append(finding)
            if name == "client":
                for host in {_host(value) for value in _values(subject[name])}:
                    by_value.setdefault((_ON_HOST, host), []).append(finding)

    def of(self, finding: Finding) -> Finding | None:
        """Give the first that explains a finding."""
        causes = (
            next((other for other in linked if other is not finding and _in_time(other, finding)), None)
            for linked in self._linked(finding.subject)
        )
        return min((cause for cause in causes if cause), key=lambda cause: cause.first_time, default=None)

    def _linked(self, subject: Subject) -> Iterator[list[Finding]]:
        """Give those of which the strongest name that both have is the same."""
        for names, by_value in self._by_names.items():
            common = next((name for name in names if name in subject and name != _ADVERTISED), None)
            if common is not None:
                for value in _values(subject[common]):
                    yield by_value.get((common, value), [])
                    if common == "client":
                        # An address alone stands for all its ports.
                        host = _host(value)
                        yield by_value.get((_ON_HOST if host == value else common, host), [])
            for server in _values(subject.get("server")):
                yield by_value.get((_ADVERTISED, server), [])


_ON_HOST = "client's host"


def _host(client: object) -> str:
    """Give the address of a client: of `ip:port`, or of what is one already."""
    text = str(client)
    return host_of(text) if text.count(":") == 1 or "]:" in text else text


def _in_time(cause: Finding, finding: Finding) -> bool:
    return cause.first_time <= finding.last_time and finding.first_time <= cause.last_time + _SLACK_NS


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
