"""Findings as JSON lines and for the terminal (fields: docs/json.md), and what a rule says of itself."""

from collections.abc import Iterator
from textwrap import fill
from typing import Any

import orjson

from kafkasniff.diagnose.finding import Evidence, Finding
from kafkasniff.diagnose.options.libraries import LIBRARIES
from kafkasniff.diagnose.options.library import Advice, filled, places
from kafkasniff.diagnose.rule import Rule
from kafkasniff.reading import Summary
from kafkasniff.render.colours import Colours
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text
from kafkasniff.render.unseen import unseen
from kafkasniff.render.words import count_text, escape, show
from kafkasniff.wording import file_name

_WIDTH = 100
_LONGEST_NAME = 80
_EVIDENCE_SHOWN = 3
_MANY = 6
_NANOSECOND_DIGITS = 9


def finding_line(finding: Finding, so_far: bool = False) -> bytes:
    """Give a finding as one line of JSON, with its newline; `so_far` says in it that it may still grow."""
    item = {"type": "finding", **({"soFar": True} if so_far else {}), **finding_object(finding)}
    return safe_line(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))


def finding_object(finding: Finding) -> dict[str, Any]:
    """Give a finding as its JSON has it; its consequences are findings too."""
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
        "evidence": [_evidence_object(item) for item in finding.evidence],
        "consequences": [finding_object(item) for item in finding.consequences],
    }


def _evidence_object(evidence: Evidence) -> dict[str, Any]:
    arrival = evidence.arrival
    return {
        "file": file_name(arrival.interface.file),
        "packet": arrival.packet,
        "time": utc_text(arrival.time, arrival.interface.time_digits),
        "what": evidence.what,
    }


def finding_text(finding: Finding, colours: Colours) -> str:
    """Give a finding as a paragraph for the terminal, with an empty line behind it."""
    mark = {"error": colours.error, "warning": colours.warning, "info": colours.note}[finding.severity]
    severity = f"{mark}{finding.severity.upper():<7}{colours.off}"
    lines = [f"{severity} {colours.api}{finding.rule}{colours.off}  {_subject(finding)}"]
    lines.append(_paragraph("", finding.summary))
    lines.append(_paragraph("why: ", finding.cause))
    lines.append(_paragraph("fix: ", finding.fix))
    lines += _evidence_lines(finding.evidence, colours)
    for item in finding.consequences:
        lines.append(_paragraph(f"it explains {item.rule}: ", item.summary))
    return "\n".join(lines) + "\n\n"


def _subject(finding: Finding) -> str:
    return "  ".join(f"{name}={show(_value(value), _LONGEST_NAME)}" for name, value in finding.subject.items())


def _value(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    shown = ", ".join(str(item) for item in value[:_MANY])
    return f"{shown} and {len(value) - _MANY} more" if len(value) > _MANY else shown


def _paragraph(name: str, text: str) -> str:
    return fill(
        f"{name}{escape(text)}",
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  " + " " * min(len(name), 5),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _evidence_lines(evidence: list[Evidence], colours: Colours) -> Iterator[str]:
    for item in evidence[:_EVIDENCE_SHOWN]:
        arrival = item.arrival
        place = f"{escape(arrival.interface.file)} packet {arrival.packet}"
        time = utc_text(arrival.time, arrival.interface.time_digits)
        yield f"  {colours.note}{time}  {place}: {show(item.what, 120)}{colours.off}"


def closing_text(findings: list[Finding], summary: Summary) -> str:
    """Say in a line how many findings there are of each severity, and what of the capture could not be judged."""
    missed = ", ".join(part.what for part in unseen(summary))
    if not summary.counts.calls and not findings:
        return f"nothing could be judged: {missed or 'no calls'}"
    if not findings:
        return "nothing to report" + (f" of what could be read; not judged: {missed}" if missed else "")
    counts = [(severity, sum(item.severity == severity for item in findings)) for severity in ("error", "warning")]
    infos = sum(item.severity == "info" for item in findings)
    parts = [count_text(count, severity) for severity, count in counts if count]
    parts += [f"{infos} for information"] if infos else []
    return f"{count_text(len(findings), 'finding')}: {', '.join(parts)}" + (f"; not judged: {missed}" if missed else "")


def rule_text(rule: type[Rule[Any]]) -> str:
    """Give all that a rule says of itself, for the terminal."""
    parts = [f"{rule.id} ({rule.severity}): {rule.title}", f"Each finding is about one {rule.scope}.\n"]
    parts += [_paragraph(f"{name}: ", text) for name, text in rule_parts(rule)]
    parts += _option_lines(rule)
    parts.append("  thresholds:")
    parts += [
        f"    {rule.id}.{item.name} = {item.default:g} {item.unit}".rstrip() + f"  ({item.source})"
        for item in rule.thresholds
    ]
    if rule.explains:
        parts.append(f"  it explains: {', '.join(rule.explains)}")
    parts.append(_paragraph("silence it: ", silencing(rule)))
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


def _option_lines(rule: type[Rule[Any]]) -> Iterator[str]:
    for name, advice in rule_advice(rule).items():
        yield _paragraph(f"with {name}: ", f"{advice.cause} {advice.fix}")
    for option, texts in rule_options(rule).items():
        yield f"  {option}:"
        yield from (_paragraph(f"  {libraries}: ", text) for text, libraries in texts.items())


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
        "explains": list(rule.explains),
    }
