"""`kafkasniff explain`: what a rule means."""

from typing import Annotated

import typer

from kafkasniff.cli.complete import complete_rule
from kafkasniff.cli.options import JsonOutput
from kafkasniff.cli.output import print_json, print_text
from kafkasniff.cli.pager import NoPager, page

EXAMPLES = """\b
Examples:
  kafkasniff explain
  kafkasniff explain rebalance-storm
  kafkasniff explain commit-storm --json
"""


def explain(
    rule: Annotated[
        str | None, typer.Argument(metavar="RULE", help="A rule's id.", autocompletion=complete_rule)
    ] = None,
    json_output: JsonOutput = False,
    no_pager: NoPager = False,
) -> None:
    """Say what a rule of `diagnose` means, how it looks on the wire, how it comes about and how to fix it."""
    page(not no_pager)
    from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
    from kafkasniff.render.findings import rule_object, rule_text
    from kafkasniff.render.terminal import text_width

    if rule is None:
        if json_output:
            print_json(*(rule_object(each) for each in RULES))
        else:
            width = max(len(each.id) for each in RULES)
            print_text("".join(f"{each.id:<{width}}  {each.severity:<7}  {each.title}\n" for each in RULES))
        return
    known = RULES_BY_ID.get(rule)
    if known is None:
        raise typer.BadParameter(f"no rule has the id {rule!r}; `kafkasniff explain` lists them all.")
    if json_output:
        print_json(rule_object(known))
    else:
        print_text(rule_text(known, text_width()))
