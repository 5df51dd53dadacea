"""Captures with labels, and how what is found agrees with them.

    python -m tests.conformance.labels [incidents|misbehave] [NAME...]

prints a line for each labelled capture: the rules of its label, whether they are found with the culprit, and what
nobody asked for.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.reading import Reading
from tests.conftest import SHARED

CAPTURES = SHARED / "captures"


@dataclass(frozen=True)
class Label:
    """What a capture must and may bring; `rules` is empty for a control."""

    rules: frozenset[str]
    culprit: dict[str, Any]
    """By the names of a finding's subject."""
    acceptable: frozenset[str]


def label_of(capture: Path) -> Label:
    """The label beside a capture."""
    label = json.loads(capture.with_suffix(".json").read_text())
    rules = label["rules"] if "rules" in label else [label["rule"]] if label["rule"] else []
    culprit = {camel_case(name): value for name, value in label["culprit"].items()}
    return Label(frozenset(rules), culprit, frozenset(label["also_acceptable"]))


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def diagnose(*paths: Path) -> list[Finding]:
    diagnosis = Diagnosis()
    for item in Reading([str(path) for path in paths], connections=True):
        diagnosis.feed(item)
    return diagnosis.findings()


def every(findings: list[Finding]) -> Iterator[Finding]:
    """Findings with those below them, at any depth."""
    for finding in findings:
        yield finding
        yield from every(finding.consequences)


def values(value: object) -> set[str]:
    return set(map(str, value)) if isinstance(value, list) else {str(value)}


def addresses(value: object) -> set[str]:
    """Those of `ip:port` or of addresses alone."""
    return {each.rpartition(":")[0] or each for each in values(value)}


def names_the_culprit(finding: Finding, culprit: dict[str, Any]) -> bool:
    """Whether a finding names one thing of the culprit's, and nothing against it."""
    subject = finding.subject
    common = [name for name in culprit if name in subject]
    agree = all(
        addresses(subject[name]) <= addresses(culprit[name])
        if name == "client"
        else values(subject[name]) <= values(culprit[name])
        for name in common
    )
    return agree and bool(common)


def judge(capture: Path) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings by the label's rules with its culprit; those without; and what the label does not allow.

    Info is always allowed, but on a control.
    """
    label = label_of(capture)
    findings = list(every(diagnose(capture)))
    mine = [finding for finding in findings if finding.rule in label.rules]
    right = [finding for finding in mine if names_the_culprit(finding, label.culprit)]
    allowed = label.rules | label.acceptable
    other = [
        finding
        for finding in findings
        if finding.rule not in allowed and (finding.severity != "info" or not label.rules)
    ]
    return right, [finding for finding in mine if finding not in right], other


def main(folder: str = "incidents", *names: str) -> None:
    missed = unasked = total = 0
    for capture in sorted((CAPTURES / folder).glob("*.pcap")):
        if names and capture.stem not in names:
            continue
        label = label_of(capture)
        right, elsewhere, other = judge(capture)
        total += bool(label.rules)
        missed += bool(label.rules) and not right
        unasked += bool(other)
        verdict = "-" if not label.rules else "found" if right else "ELSEWHERE" if elsewhere else "MISSED"
        print(f"{capture.stem:36} {verdict:9} {' or '.join(sorted(label.rules))}")
        for mark, found in (("", right), ("elsewhere", elsewhere), ("not asked for", other)):
            for finding in found if mark or names else ():
                print(f"    {mark} {finding.severity} {finding.rule} {finding.subject}: {finding.summary}")
    print(f"{total - missed} of {total} found; {unasked} captures with what nobody asked for")


if __name__ == "__main__":
    main(*sys.argv[1:])
