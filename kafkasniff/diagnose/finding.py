"""What a rule says: a finding, with its subject and evidence."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.typed_json import from_json, to_json

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the worst to the mildest."""

Subject = dict[str, Any]
"""Whom a finding is about, by the names in docs/json.md (`clientId`, `group`, `topic`, …); only what applies."""


class Evidence(NamedTuple):
    """A packet that shows what the finding says."""

    arrival: Arrival
    what: str
    call: int = 0
    """Number of the call, as `kafkasniff read` prints it; 0 where it is about a connection."""


@dataclass(slots=True)
class Finding:
    """Something that goes wrong, said once."""

    rule: str
    severity: Severity
    subject: Subject
    first_time: int
    """Nanoseconds since 1970-01-01 UTC, as is `last_time`."""
    last_time: int
    count: int
    """How often it was seen; the rule says of what."""
    summary: str
    cause: str
    fix: str
    evidence: list[Evidence]
    consequences: list["Finding"] = field(default_factory=list)
    """Findings that this one explains."""
    key: Any = None
    """Of the rule's state that gave it: with `rule` the same for as long as the finding grows. Hashable."""

    @property
    def worst(self) -> Severity:
        """Give the worst severity of the finding and of those that it explains."""
        return min((self.severity, *(each.worst for each in self.consequences)), key=SEVERITIES.index)


def findings_to_json(found: dict[str, list[Finding]]) -> bytes:
    """Give findings by rule for another process, without their keys."""
    return to_json({rule: [replace(each, key=None) for each in findings] for rule, findings in found.items()}, _BY_RULE)


def findings_from_json(data: bytes) -> dict[str, list[Finding]]:
    """Give what `findings_to_json` took. Raises ValueError where `data` is nothing of the kind."""
    found: dict[str, list[Finding]] = from_json(data, _BY_RULE)
    return found


_BY_RULE = dict[str, list[Finding]]
