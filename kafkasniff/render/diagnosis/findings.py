"""Findings as JSON lines and for the terminal (fields: docs/json.md), and what a rule says of itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from kafkasniff.diagnose.causes import effects_of
from kafkasniff.diagnose.finding import SEVERITIES, Evidence, Finding
from kafkasniff.diagnose.options.libraries import LIBRARIES
from kafkasniff.diagnose.options.library import Advice, filled, places
from kafkasniff.diagnose.rule import Rule
from kafkasniff.protocol.names import message_names
from kafkasniff.reading import Summary
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text
from kafkasniff.render.unseen import unseen
from kafkasniff.render.words import count_text, escape
from kafkasniff.render.wrapping import paragraph
from kafkasniff.wording import file_name

_NANOSECOND_DIGITS = 9


def finding_line(finding: Finding, so_far: bool = False) -> bytes:
    """Give a finding as one line of JSON, with its newline; `so_far` says in it that it may still grow."""
    item = {"type": "finding", **({"soFar": True} if so_far else {}), **finding_object(finding)}
    return safe_line(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))


def finding_object(finding: Finding, numbered: bool = True) -> dict[str, Any]:
    """Give a finding as its JSON has it; its consequences are findings too.

    Numbers of calls are those of a whole reading, and left out where that was `numbered` otherwise.
    """
    digits = max((item.arrival.interface.time_digits for item in finding.evidence), default=_NANOSECOND_DIGITS)
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "subject": finding.subject,
        "firstTime": utc_text(finding.first_time, digits),
        "lastTime": utc_text(finding.last_time, digits),
        "count": finding.count,
        "summary": finding.summary,
        "cause": finding.cause,
        "fix": finding.fix,
        "evidence": [_evidence_object(item, numbered) for item in finding.evidence],
        "consequences": [finding_object(item, numbered) for item in finding.consequences],
    }


def _evidence_object(evidence: Evidence, numbered: bool) -> dict[str, Any]:
    arrival = evidence.arrival
    return {
        "file": file_name(arrival.interface.file),
        "packet": arrival.packet,
        "time": utc_text(arrival.time, arrival.interface.time_digits),
        "what": evidence.what,
        "number": (evidence.call or None) if numbered else None,
    }


def for_people(finding: Finding) -> Finding:
    """Give a finding as screens say it: APIs by the names of their messages, where JSON has those of Kafka's ApiKeys.

    Names that its subject has, such as a topic called `METADATA`, stay as they are.
    """
    values = [each for value in finding.subject.values() for each in (value if isinstance(value, list) else [value])]
    kept = {each for each in values if isinstance(each, str)}
    return replace(
        finding,
        summary=message_names(finding.summary, kept),
        evidence=[item._replace(what=message_names(item.what, kept)) for item in finding.evidence],
        consequences=[*map(for_people, finding.consequences)],
    )


def closing_text(findings: list[Finding], summary: Summary) -> str:
    """Say in a line how many findings there are of each severity, and what of the capture could not be judged."""
    missed = ", ".join(part.what for part in unseen(summary))
    if not (summary.counts.calls if summary.matched is None else summary.matched) and not findings:
        return f"nothing could be judged: {missed or 'no calls'}"
    if not findings:
        return "nothing to report" + (f" of what could be read; not judged: {missed}" if missed else "")
    total = count_text(len(findings), "finding")
    return f"{total}: {counts_text(findings)}" + (f"; not judged: {missed}" if missed else "")


def counts_text(findings: Sequence[Finding]) -> str:
    """Say how many findings there are of each severity."""
    counts = Counter(finding.severity for finding in findings)
    parts = [count_text(counts[severity], severity) for severity in SEVERITIES[:2] if counts[severity]]
    return ", ".join(parts + ([f"{counts['info']:,} for information"] if counts["info"] else []))


def rule_text(rule: type[Rule[Any]], width: int) -> str:
    """Give all that a rule says of itself, for the terminal."""
    parts = [
        paragraph(f"{rule.id} ({rule.severity}): {rule.title}", width),
        f"Each finding is about one {rule.scope}.\n",
    ]
    parts += [_paragraph(f"{name}: ", text, width) for name, text in rule_parts(rule)]
    parts += _option_lines(rule, width)
    parts.append("  thresholds:")
    for item in rule.thresholds:
        value = f"{rule.id}.{item.name} = {item.default:g} {item.unit}".rstrip()
        parts.append(paragraph(f"{value} ({item.source})", width, "    ", "      "))
    if effects := effects_of(rule.id):
        parts.append(_paragraph("it explains: ", ", ".join(effects), width))
    parts.append(_paragraph("silence it: ", silencing(rule), width))
    return "\n".join(parts) + "\n"


def rule_parts(rule: type[Rule[Any]]) -> list[tuple[str, str]]:
    """Give the sections of a rule's explanation: name and text, with Java's names of options."""
    parts = [("meaning", rule.meaning), ("on the wire", rule.wire), ("cause", rule.cause), ("fix", rule.fix)]
    return [(name, filled(text, None)) for name, text in parts]


def rule_options(rule: type[Rule[Any]]) -> dict[str, dict[str, str]]:
    """Give the options that a rule's cause and fix name: by id, and by text the libraries that have it so."""
    found: dict[str, dict[str, str]] = {}
    for option in places(rule.cause + rule.fix):
        texts = found.setdefault(option, {})
        for library in LIBRARIES:
            text = library.options[option].text
            texts[text] = f"{texts[text]}, {library.id}" if text in texts else library.id
    return found


def rule_advice(rule: type[Rule[Any]]) -> dict[str, Advice]:
    """Give what is to be said to clients of certain libraries instead of a rule's own cause and fix."""
    found = {each.id: each for each in LIBRARIES if rule.id in each.advice}
    return {
        name: Advice(*(filled(text, library) for text in library.advice[rule.id])) for name, library in found.items()
    }


def _option_lines(rule: type[Rule[Any]], width: int) -> Iterator[str]:
    for name, advice in rule_advice(rule).items():
        yield _paragraph(f"with {name}: ", f"{advice.cause} {advice.fix}", width)
    for option, texts in rule_options(rule).items():
        yield f"  {option}:"
        yield from (_paragraph(f"  {libraries}: ", text, width) for text, libraries in texts.items())


def _paragraph(name: str, text: str, width: int) -> str:
    return paragraph(f"{name}{escape(text)}", width, "  ", "  " + " " * min(len(name), 5))


def silencing(rule: type[Rule[Any]]) -> str:
    """Say how a rule is silenced."""
    setting = rule.thresholds[0]
    return f"--ignore {rule.id}, or make it less strict: --set {rule.id}.{setting.name}={setting.default * 10:g}"


def rule_object(rule: type[Rule[Any]]) -> dict[str, Any]:
    """Give all that a rule says of itself, for JSON."""
    return {
        "rule": rule.id,
        "title": rule.title,
        "severity": rule.severity,
        "scope": rule.scope,
        "thresholds": [item._asdict() for item in rule.thresholds],
        "meaning": rule.meaning,
        "wire": rule.wire,
        "cause": filled(rule.cause, None),
        "fix": filled(rule.fix, None),
        "options": [
            {"option": option, "library": library.id, "text": library.options[option].text}
            for option in places(rule.cause + rule.fix)
            for library in LIBRARIES
        ],
        "explains": list(effects_of(rule.id)),
    }
