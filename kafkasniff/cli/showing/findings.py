"""What `diagnose` and `live --diagnose` have in common: how findings are printed, and when they fail the command."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kafkasniff.cli.options.values import none_of
from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.diagnose.finding import Finding
from kafkasniff.reading import Summary
from kafkasniff.render.closing import closing_line, closing_notes
from kafkasniff.render.colours import colours_for
from kafkasniff.render.diagnosis.diagnosis import Diagnosed
from kafkasniff.render.diagnosis.findings import closing_text, finding_line
from kafkasniff.render.terminal import text_width
from kafkasniff.wording import failure_text


class Shape(NamedTuple):
    """How findings are shown to people."""

    severity: str = "info"
    brief: bool = False


FAIL_ON = {"error": {"error"}, "warning": {"error", "warning"}}
"""Severities that fail the command, by the value of --fail-on."""

FindingForm = Callable[[Finding], bytes]

SEVERE = {"error": {"error"}, "warning": {"error", "warning"}, "info": {"error", "warning", "info"}}
"""Severities that are shown, by the value of --severity."""


def check_fail_on(value: str | None) -> None:
    """Raise typer.BadParameter for a value of --fail-on that is none."""
    if value is not None and value not in FAIL_ON:
        raise none_of(value, FAIL_ON, "--fail-on")


def fails(findings: Iterable[Finding], fail_on: str | None) -> bool:
    """Tell whether a finding is so bad as `fail_on` says or worse; None: never."""
    return fail_on is not None and any(finding.worst in FAIL_ON[fail_on] for finding in findings)


def finding_form(json_output: bool, so_far: bool = False) -> FindingForm:
    """Give how a finding is printed; `so_far`: one that may still grow, which JSON says."""
    people = Diagnosed(colours_for(sys.stdout), text_width())

    def form(finding: Finding) -> bytes:
        try:
            return finding_line(finding, so_far) if json_output else people.one(finding).encode()
        except Exception as error:
            print_message(f"kafkasniff: a finding of {finding.rule} {failure_text(error)}")
            return b""

    return form


def write_findings(
    findings: Sequence[Finding], summary: Summary, output: Output, json_output: bool, shape: Shape, whole: bool
) -> None:
    """Write findings that are so severe as asked for; `whole`: leave nothing out."""
    chosen = [finding for finding in findings if finding.severity in SEVERE[shape.severity]]
    if json_output:
        form = finding_form(json_output)
        for finding in chosen:
            output.write(form(finding))
    else:
        try:
            for text in Diagnosed(colours_for(sys.stdout), text_width(), shape.brief, whole).report(chosen, summary):
                output.write(text.encode())
        except Exception as error:
            print_message(f"kafkasniff: the findings {failure_text(error)}; --json may show them")
    output.flush()


def say_closing(summary: Summary, limits: Iterable[str], findings: list[Finding]) -> None:
    """Say on standard error what the capture was worth, which `limits` were reached, and how much was found."""
    for text in (*closing_notes(summary), *limits):
        print_message(f"kafkasniff: {text}")
    print_message(closing_line(summary))
    print_message(closing_text(findings, summary))
