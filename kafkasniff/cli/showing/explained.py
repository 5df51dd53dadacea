"""Shows findings with the calls that they cite, decoded: `kafkasniff diagnose --explain`."""

from collections.abc import Sequence

import typer

from kafkasniff.calls.call import Call
from kafkasniff.cli.options.shape import Shape
from kafkasniff.cli.showing.chosen import call_text
from kafkasniff.cli.showing.findings import finding_form
from kafkasniff.cli.showing.reading import json_format, terminal_format
from kafkasniff.cli.terminal.output import Output
from kafkasniff.diagnose.finding import Finding
from kafkasniff.reading import Reading
from kafkasniff.render.words import count_text


def explained(wanted: str, findings: Sequence[Finding]) -> list[Finding]:
    """Give the finding with the number `wanted`, from 1, or those of the rule called so, also below others.

    Raises typer.BadParameter where there is none.
    """
    if wanted.isascii() and wanted.isdigit():
        found = [*findings[int(wanted) - 1 : int(wanted)]] if int(wanted) else []
    else:
        found = [each for root in findings for each in (root, *root.consequences) if each.rule == wanted]
    if not found:
        raise typer.BadParameter(
            f"{wanted!r}: expected a number up to that of findings, or a rule that found something; there are "
            f"{count_text(len(findings), 'finding')}.",
            param_hint="--explain",
        )
    return found


def explain_findings(findings: Sequence[Finding], reading: Reading, output: Output, json_output: bool) -> None:
    """Write findings, each with the calls that it cites as `show` prints them, which are read anew from `reading`.

    Raises CaptureError.
    """
    form = json_format() if json_output else terminal_format(Shape(verbose=2, no_header=True))
    numbers = {each.call for finding in findings for each in finding.evidence}
    texts: dict[int, bytes] = {}
    for item in reading:
        if isinstance(item, Call):
            form.learn(item)
            if item.number in numbers:
                texts[item.number] = call_text(form, item)
    head = finding_form(json_output)
    for finding in findings:
        output.write(head(finding))
        for number in dict.fromkeys(each.call for each in finding.evidence if each.call in texts):
            output.write(texts[number])
    output.flush()
