"""Puts findings that others explain under these: a cause is said once."""

from collections.abc import Mapping

from kafkasniff.diagnose.finding import Finding, Subject
from kafkasniff.diagnose.memory import SECOND

_SLACK_NS = 60 * SECOND
"""A consequence may begin this long after its cause was last seen."""

_LINKS = ("group", "transactionalId", "clientId", "client", "server", "brokerId")
"""What two subjects may have in common to be about the same trouble, the strongest first."""


def join(findings: list[Finding], explains: Mapping[str, tuple[str, ...]]) -> list[Finding]:
    """Give the findings that no other explains; the others stand under their cause.

    `explains` says for each rule id which rules' findings it can explain; it must hold no circle.
    """
    explaining: dict[str, list[Finding]] = {}
    for finding in findings:
        # Those of keys that were given up come again each time.
        finding.consequences = []
        for rule in explains.get(finding.rule, ()):
            explaining.setdefault(rule, []).append(finding)
    roots = []
    for finding in findings:
        cause = _cause(finding, explaining.get(finding.rule, []))
        if cause is None:
            roots.append(finding)
        else:
            cause.consequences.append(finding)
    return roots


def _cause(finding: Finding, explaining: list[Finding]) -> Finding | None:
    causes = [
        other
        for other in explaining
        if _linked(other.subject, finding.subject)
        and other.first_time <= finding.last_time
        and finding.first_time <= other.last_time + _SLACK_NS
    ]
    return min(causes, key=lambda cause: cause.first_time, default=None)


def _linked(first: Subject, second: Subject) -> bool:
    """Tell whether the strongest name that both have is the same."""
    if "advertised" in first and first["advertised"] == second.get("server"):
        return True
    for name in _LINKS:
        if name in first and name in second:
            return bool(_values(first[name]) & _values(second[name]))
    return False


def _values(value: object) -> set[object]:
    return set(value) if isinstance(value, list) else {value}
