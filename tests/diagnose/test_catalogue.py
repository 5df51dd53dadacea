"""All rules: what holds for each, and that none was left out."""

import importlib
import pkgutil

import kafkasniff.diagnose
from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID


def test_each_rule_has_an_id_of_its_own() -> None:
    assert len(RULES_BY_ID) == len(RULES)


def test_the_rules_of_every_family_are_among_them() -> None:
    declared = []
    for module in pkgutil.walk_packages(kafkasniff.diagnose.__path__, "kafkasniff.diagnose."):
        if module.name != "kafkasniff.diagnose.catalogue":
            members = vars(importlib.import_module(module.name))
            declared += [rule for name, rules in members.items() if name.endswith("_RULES") for rule in rules]
    assert {rule.id for rule in declared} == set(RULES_BY_ID)
