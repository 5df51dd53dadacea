"""Which rules run, and with which thresholds: from options and from kafkasniff.toml."""

import tomllib
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

import typer

from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
from kafkasniff.diagnose.rule import Rule

FILE = "kafkasniff.toml"


class RuleChoice(NamedTuple):
    """The rules that run, and values in place of their thresholds' defaults by rule id and name."""

    rules: list[type[Rule[Any]]]
    settings: dict[str, dict[str, float]]


def choose_rules(only: Sequence[str], ignored: Sequence[str], assignments: Sequence[str]) -> RuleChoice:
    """Give what options and `kafkasniff.toml` in the working folder ask for; raises typer.BadParameter.

    The file holds a table `[diagnose]` with `ignore = [...]`, and a table `[diagnose.RULE]` for each rule's thresholds.
    Options win.
    """
    settings: dict[str, dict[str, float]] = {}
    table = _table(Path(FILE))
    listed = table.pop("ignore", [])
    if not isinstance(listed, list):
        raise typer.BadParameter(f"{FILE}: `ignore` is no list of rules.")
    for name, values in table.items():
        if not isinstance(values, dict):
            raise typer.BadParameter(f"{FILE}: `diagnose.{name}` is no table of thresholds.")
        for threshold, value in values.items():
            _set(settings, name, threshold, value, FILE)
    for assignment in assignments:
        path, _, value = assignment.partition("=")
        name, _, threshold = path.partition(".")
        _set(settings, name, threshold, value, "--set")
    for rule_id in [*only, *ignored, *listed]:
        _rule(rule_id, "--rule and --ignore")
    unwanted = {*ignored, *listed} - set(only)
    return RuleChoice([rule for rule in RULES if rule.id not in unwanted and (not only or rule.id in only)], settings)


def _table(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} cannot be read: {error}.") from None
    try:
        table = tomllib.loads(text).get("diagnose", {})
    except tomllib.TOMLDecodeError as error:
        raise typer.BadParameter(f"{path} is no TOML: {error}.") from None
    return dict(table) if isinstance(table, dict) else {}


def _rule(rule_id: str, where: str) -> type[Rule[Any]]:
    rule = RULES_BY_ID.get(rule_id)
    if rule is None:
        raise typer.BadParameter(
            f"no rule has the id {rule_id!r}; `kafkasniff explain` lists them all.", param_hint=where
        )
    return rule


def _set(settings: dict[str, dict[str, float]], rule_id: str, threshold: str, value: Any, where: str) -> None:
    names = [item.name for item in _rule(rule_id, where).thresholds]
    if threshold not in names:
        known = ", ".join(names)
        raise typer.BadParameter(f"{rule_id} has no threshold {threshold!r}, only {known}.", param_hint=where)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        raise typer.BadParameter(f"{rule_id}.{threshold}: {value!r} is no number.", param_hint=where)
    settings.setdefault(rule_id, {})[threshold] = number
