"""`kafkasniff explain`: what a rule means."""

from typing import Annotated

import typer

from kafkasniff.cli.options.common import JsonOutput
from kafkasniff.cli.options.completion import complete_rule
from kafkasniff.cli.terminal.output import print_json, print_text
from kafkasniff.cli.terminal.pager import page

EXAMPLES = """\b
Examples:
  kafkasniff explain
  kafkasniff explain rebalance-storm
  kafkasniff explain NOT_LEADER_OR_FOLLOWER  an error, and rules about it
  kafkasniff explain commit-storm --json
"""

_SHORTEST = 2
"""A text of so few characters is in too many ids."""


def explain(
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="RULE|ERROR", help="A rule's id, or an error's code or name.", autocompletion=complete_rule
        ),
    ] = None,
    json_output: JsonOutput = False,
) -> None:
    """Say what a rule or an error means, and how to fix it. Also how it looks on the wire, and how it comes about."""
    page()
    from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
    from kafkasniff.render.diagnosis.findings import rule_object, rule_text
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
        _explain_error(rule, json_output)
    elif json_output:
        print_json(rule_object(known))
    else:
        print_text(rule_text(known, text_width()))


def _explain_error(text: str, json_output: bool) -> None:
    """Say what an error means, and which rules are about it or have the text in their ids.

    Raises BadParameter where there is neither.
    """
    from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
    from kafkasniff.near_names import did_you_mean
    from kafkasniff.protocol.error_codes.codes import ERROR_CODES
    from kafkasniff.protocol.names import find_error, find_error_by_begin
    from kafkasniff.render.diagnosis.findings import rule_parts
    from kafkasniff.render.reference.errors import error_object, error_text

    error = find_error(text)
    named = [rule for rule in RULES if error is None and len(text) > _SHORTEST and text.lower() in rule.id]
    error = error or find_error_by_begin(text)
    if error is None and not named:
        near = did_you_mean(text, (*RULES_BY_ID, *(each.name for each in ERROR_CODES.values())))
        raise typer.BadParameter(
            f"no rule has the id {text!r}, and no error this name{near or '; `kafkasniff explain` lists all rules.'}"
        )
    about = [
        rule
        for rule in RULES
        if rule in named
        or (error is not None and error.code in getattr(rule, "codes", ()))
        or (error is not None and any(error.name in part for _, part in rule_parts(rule)))
    ]
    if json_output:
        told = {} if error is None else error_object(error)
        print_json({**told, "rules": [rule.id for rule in about]})
        return
    if error is not None:
        print_text(error_text(error) + "\n" * bool(about))
    if about:
        width = max(len(rule.id) for rule in about)
        print_text("Rules about it:\n" + "".join(f"  {rule.id:<{width}}  {rule.title}\n" for rule in about))
