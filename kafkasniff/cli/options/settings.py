"""Which rules run, and with which thresholds: from options and from kafkasniff.toml."""

import os
from collections.abc import Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

import typer

from kafkasniff.cli.options.settings_file import FILE, read_settings
from kafkasniff.cli.terminal.output import print_message
from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
from kafkasniff.diagnose.rule import Rule
from kafkasniff.render.words import show

Settings = dict[str, dict[str, float]]
"""Values of thresholds by rule id and name."""


class RuleChoice(NamedTuple):
    """The rules that run, and values in place of their thresholds' defaults by rule id and name."""

    rules: list[type[Rule[Any]]]
    settings: Settings


def choose_rules(only: Sequence[str], ignored: Sequence[str], assignments: Sequence[str]) -> RuleChoice:
    """Give what options and `kafkasniff.toml` in the working folder ask for; raises typer.BadParameter.

    The file holds a table `[diagnose]` with `ignore = [...]`, and a table `[diagnose.RULE]` for each rule's thresholds.
    Options win. What the file changes is said on standard error: it need not be the user's own.
    """
    table = read_settings()
    listed, settings = _from_file(table or {})
    chosen: Settings = {}
    for assignment in assignments:
        path, _, value = assignment.partition("=")
        name, _, threshold = path.partition(".")
        _set(chosen, name, threshold, value, "--set")
    for rule_id in [*only, *ignored]:
        _rule(rule_id, "--rule and --ignore")
    silenced = set(listed) - set(only)
    rules = [rule for rule in RULES if rule.id not in {*ignored, *silenced} and (not only or rule.id in only)]
    if table is not None:
        left_out = sorted(silenced - set(ignored)) if not only else []
        running = {rule.id for rule in rules}
        changed = [
            f"{rule_id}.{name}={value:g}"
            for rule_id, values in settings.items()
            for name, value in values.items()
            if rule_id in running and name not in chosen.get(rule_id, {})
        ]
        _say(left_out, changed)
    for rule_id, values in chosen.items():
        settings.setdefault(rule_id, {}).update(values)
    return RuleChoice(rules, settings)


def _from_file(table: dict[str, Any]) -> tuple[list[str], Settings]:
    """Give the rules that the file leaves out, and its thresholds."""
    listed = table.pop("ignore", [])
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise typer.BadParameter(f"{FILE}: `ignore` is no list of rules.")
    for rule_id in listed:
        _rule(rule_id, FILE)
    settings: Settings = {}
    for name, values in table.items():
        if not isinstance(values, dict):
            raise typer.BadParameter(f"{FILE}: `diagnose.{show(name)}` is no table of thresholds.")
        for threshold, value in values.items():
            _set(settings, name, threshold, value, FILE)
    return listed, settings


def _say(left_out: Sequence[str], changed: Sequence[str]) -> None:
    """Say that the file was read, and what it changes of what runs."""
    parts = [f"{what} {', '.join(names)}" for what, names in (("leaves out", left_out), ("sets", changed)) if names]
    print_message(f"kafkasniff: {os.path.abspath(FILE)} {' and '.join(parts) or 'changes nothing'}")


def _rule(rule_id: str, where: str) -> type[Rule[Any]]:
    rule = RULES_BY_ID.get(rule_id)
    if rule is None:
        from kafkasniff.near_names import did_you_mean

        near = did_you_mean(rule_id, RULES_BY_ID)
        raise typer.BadParameter(
            f"no rule has the id {show(rule_id)!r}{near or '; `kafkasniff explain` lists them all.'}", param_hint=where
        )
    return rule


def _set(settings: Settings, rule_id: str, threshold: str, value: Any, where: str) -> None:
    names = [item.name for item in _rule(rule_id, where).thresholds]
    if threshold not in names:
        known = ", ".join(names)
        raise typer.BadParameter(f"{rule_id} has no threshold {show(threshold)!r}, only {known}.", param_hint=where)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        # An integer may have more digits than Python writes.
        found = f"{show(value)!r} is no number" if isinstance(value, str) else "expected a number, found none"
        raise typer.BadParameter(f"{rule_id}.{threshold}: {found}.", param_hint=where)
    settings.setdefault(rule_id, {})[threshold] = number
