"""A diagnosis on a screen: what it is worth, then findings by what causes them, for the width at hand."""

from collections.abc import Iterator, Sequence
from typing import Any

from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.diagnose.finding import Evidence, Finding
from kafkasniff.reading import Summary
from kafkasniff.render.colours import Colours
from kafkasniff.render.diagnosis.findings import counts_text, for_people
from kafkasniff.render.times import NANOSECONDS, utc_text
from kafkasniff.render.unseen import unseen
from kafkasniff.render.words import count_text, escape, show
from kafkasniff.render.wrapping import paragraph

_LONGEST_NAME = 80
_EVIDENCE_SHOWN = 3
_MANY = 6
_GROUP_SHOWN = 5
"""Findings of one cause that are shown with summary and evidence; of the others whom they are about."""
_OTHERS_SHOWN = 20


class Diagnosed:
    """Writes findings for people."""

    def __init__(self, colours: Colours, width: int, brief: bool = False, whole: bool = False) -> None:
        """Write lines of at most `width` columns; `brief`: a sentence each, `whole`: leave nothing out."""
        self._colours = colours
        self._width = width
        self._brief = brief
        self._whole = whole
        self._names_files = True

    def report(self, findings: Sequence[Finding], summary: Summary) -> Iterator[str]:
        """Give all that was found, with lines' ends: a head line, then what needs doing, then the rest in short."""
        if not findings:
            return
        files = {item.arrival.interface.file for finding in findings for item in finding.evidence}
        self._names_files = len(files) > 1
        yield paragraph(_head(findings, summary), self._width) + "\n\n"
        findings = [for_people(finding) for finding in findings]
        groups: dict[tuple[str, str, str], list[Finding]] = {}
        for finding in findings:
            groups.setdefault((finding.rule, finding.cause, finding.fix), []).append(finding)
        folded: dict[str, list[Finding]] = {}
        for group in groups.values():
            if group[0].severity == "info" and not self._whole:
                folded.setdefault(group[0].rule, []).extend(group)
            else:
                yield self._sentence(group) if self._brief else self._group(group)
        for group in folded.values():
            yield self._folded(group)

    def one(self, finding: Finding) -> str:
        """Give a finding alone, with an empty line behind it."""
        finding = for_people(finding)
        lines = [self._title(finding, _subject(finding)), self._text(finding.summary)]
        lines += [self._text(finding.cause, "why: "), self._text(finding.fix, "fix: ")]
        lines += self._evidence(finding.evidence[:_EVIDENCE_SHOWN], "  ")
        lines += self._consequences(finding, "  ")
        return "\n".join(lines) + "\n\n"

    def _group(self, group: list[Finding]) -> str:
        """Give findings of one cause: the cause and what to do about it once."""
        if len(group) == 1:
            return self.one(group[0])
        first = group[0]
        most = len(group) if self._whole else _GROUP_SHOWN
        lines = [self._title(first, count_text(len(group), "finding"))]
        lines += [self._text(first.cause, "why: "), self._text(first.fix, "fix: ")]
        for finding in group[:most]:
            lines.append(paragraph(f"- {_subject(finding)}", self._width, "  ", "    "))
            lines.append(paragraph(escape(finding.summary), self._width, "    "))
            lines += self._evidence(finding.evidence[:1], "    ")
            lines += self._consequences(finding, "    ")
        if others := group[most:]:
            text = f"- and {len(others):,} more: {_names(others)} (--rule {first.rule} shows them)"
            lines.append(paragraph(text, self._width, "  ", "    "))
        return "\n".join(lines) + "\n\n"

    def _sentence(self, group: list[Finding]) -> str:
        """Give findings of one cause in a sentence."""
        first = group[0]
        more = f" And {len(group) - 1:,} more: {_names(group[1:])}." if len(group) > 1 else ""
        return self._title(first, f"{escape(first.summary)}{more}") + "\n"

    def _folded(self, group: list[Finding]) -> str:
        """Give findings of one rule in a line."""
        title = RULES_BY_ID[group[0].rule].title
        return self._title(group[0], f"{count_text(len(group), 'finding')}: {title}: {_names(group)}") + "\n"

    def _title(self, finding: Finding, text: str) -> str:
        """Give severity and rule, and behind them a text."""
        colours = self._colours
        mark = {"error": colours.error, "warning": colours.warning, "info": colours.note}[finding.severity]
        start = f"{finding.severity.upper():<7} {finding.rule}"
        lines = paragraph(text, self._width, f"{start}  ", " " * 8)
        coloured = f"{mark}{lines[:7]}{colours.off} {colours.api}{finding.rule}{colours.off}"
        return coloured + lines[len(start) :]

    def _text(self, text: str, name: str = "") -> str:
        return paragraph(f"{name}{escape(text)}", self._width, "  ", "  " + " " * len(name))

    def _consequences(self, finding: Finding, indent: str) -> Iterator[str]:
        for item in finding.consequences:
            yield paragraph(f"it explains {item.rule}: {escape(item.summary)}", self._width, indent, f"{indent}     ")
            yield from self._consequences(item, f"{indent}  ")

    def _evidence(self, evidence: Sequence[Evidence], indent: str) -> Iterator[str]:
        for item in evidence:
            arrival = item.arrival
            time = utc_text(arrival.time, arrival.interface.time_digits)
            file = f"{escape(arrival.interface.file)} " if self._names_files else ""
            call = f", call {item.call}" if item.call else ""
            text = f"{time} {file}packet {arrival.packet}{call}: {show(item.what, 120)}"
            colours = self._colours
            yield f"{colours.note}{paragraph(text, self._width, indent, indent + '  ')}{colours.off}"


def _head(findings: Sequence[Finding], summary: Summary) -> str:
    """Say how much was found in how much, and what could not be judged."""
    counts = summary.counts
    seen = f"{count_text(counts.calls, 'call')} of {count_text(counts.kafka_connections, 'Kafka connection')}"
    if summary.first_time is not None and summary.last_time is not None:
        seen += f" in {(summary.last_time - summary.first_time) / NANOSECONDS:,.3f} s"
    missed = ", ".join(part.what for part in unseen(summary))
    return f"{counts_text(findings)} from {seen}" + (f"; not judged: {missed}" if missed else "")


def _names(findings: Sequence[Finding]) -> str:
    """Give whom findings are about by what tells them best, each once."""
    names = list(dict.fromkeys(_main_name(finding.subject) for finding in findings))
    more = f" and {len(names) - _OTHERS_SHOWN:,} more" if len(names) > _OTHERS_SHOWN else ""
    return ", ".join(names[:_OTHERS_SHOWN]) + more


def _main_name(subject: dict[str, Any]) -> str:
    for name in ("clientId", "group", "client", "server", "topic"):
        if name in subject:
            value = subject[name]
            several = isinstance(value, list) and len(value) > 1
            return show(f"{value[0]} and others" if several else _value(value), _LONGEST_NAME)
    return show(", ".join(f"{name}={_value(value)}" for name, value in subject.items()), _LONGEST_NAME)


def _subject(finding: Finding) -> str:
    return "; ".join(f"{name}={show(_value(value), _LONGEST_NAME)}" for name, value in finding.subject.items())


def _value(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    shown = ", ".join(str(item) for item in value[:_MANY])
    return f"{shown} and {len(value) - _MANY} more" if len(value) > _MANY else shown
