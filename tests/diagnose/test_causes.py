from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
from kafkasniff.diagnose.causes import EXPLANATIONS, effects_of


def test_the_rules_explain_each_other_without_a_circle() -> None:
    def below(rule_id: str, above: tuple[str, ...]) -> None:
        assert rule_id not in above
        for other in effects_of(rule_id):
            below(other, (*above, rule_id))

    for rule in RULES:
        below(rule.id, ())


def test_the_graph_names_rules_that_there_are_and_stands_in_one_place() -> None:
    named = {name for each in EXPLANATIONS for name in (*each.causes, *each.effects)}
    assert named <= set(RULES_BY_ID)
    assert [rule.id for rule in RULES if hasattr(rule, "explains")] == []
