from typing import Any

from kafkasniff.diagnose.causes import Explanation
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.joining import join
from tests.diagnose.made import NOON, SECOND

EXPLAINS = (
    Explanation(("cause",), ("effect",), ""),
    Explanation(("effect",), ("symptom",), ""),
    Explanation(("leaderless",), ("effect",), "", ("topic",)),
)


def made(rule: str, begin: float = 0, end: float = 10, **subject: Any) -> Finding:
    times = (NOON + round(begin * SECOND), NOON + round(end * SECOND))
    return Finding(rule, "error", subject, *times, 1, "", "", "", [])


def rules(findings: list[Finding]) -> list[Any]:
    return [(each.rule, rules(each.consequences)) for each in findings]


def test_a_chain() -> None:
    found = [made(rule, group="billing") for rule in ("symptom", "effect", "cause")]
    assert rules(join(found, EXPLAINS)) == [("cause", [("effect", [("symptom", [])])])]


def test_other_groups_are_other_troubles() -> None:
    found = [made("cause", group="billing", clientId="a"), made("effect", group="audit", clientId="a")]
    assert rules(join(found, EXPLAINS)) == [("cause", []), ("effect", [])]


def test_clients_may_be_lists() -> None:
    found = [made("cause", clientId=["a", "b"]), made("effect", clientId="b"), made("effect", clientId="c")]
    assert rules(join(found, EXPLAINS)) == [("cause", [("effect", [])]), ("effect", [])]


def test_a_cause_comes_before_and_not_long_before() -> None:
    late = [made("cause", 20, 30, group="g"), made("effect", 0, 10, group="g")]
    assert len(join(late, EXPLAINS)) == 2
    gone = [made("cause", 0, 10, group="g"), made("effect", 71, 80, group="g")]
    assert len(join(gone, EXPLAINS)) == 2
    soon = [made("cause", 0, 10, group="g"), made("effect", 70, 80, group="g")]
    assert len(join(soon, EXPLAINS)) == 1


def test_an_advertised_address_is_the_server_that_does_not_answer() -> None:
    found = [made("cause", advertised="10.0.0.9:9092", clientId="a"), made("effect", server="10.0.0.9:9092")]
    assert len(join(found, EXPLAINS)) == 1


def test_an_address_alone_stands_for_all_its_ports() -> None:
    here, there = made("cause", client="10.0.0.1"), made("effect", client=["10.0.0.1:50001", "10.0.0.1:50002"])
    assert rules(join([here, there], EXPLAINS)) == [("cause", [("effect", [])])]
    assert len(join([made("cause", client="10.0.0.1:50001"), made("effect", client="10.0.0.1")], EXPLAINS)) == 1
    assert len(join([made("cause", client="10.0.0.1:50001"), made("effect", client="10.0.0.1:50002")], EXPLAINS)) == 2
    assert len(join([made("cause", client="[fd00::1]:50001"), made("effect", client="fd00::1")], EXPLAINS)) == 2
    assert len(join([made("cause", client="10.0.0.1"), made("effect", client="10.0.0.11:50001")], EXPLAINS)) == 2


def test_what_else_two_may_have_in_common() -> None:
    """A partition without leader concerns whoever writes to it, also others than those who told of it."""
    offline = made("leaderless", topic="orders", clientId="a")
    assert len(join([offline, made("effect", topic="orders", clientId="b")], EXPLAINS)) == 1
    assert len(join([offline, made("effect", topic="audit", clientId="a")], EXPLAINS)) == 2
    either = [Explanation(("leaderless",), ("effect",), "", by) for by in ((), ("topic",))]
    assert len(join([offline, made("effect", topic="orders", clientId="b")], either)) == 1
    assert len(join([offline, made("effect", topic="audit", clientId="a")], either)) == 1


def test_the_worst_below_decides_how_bad_a_root_is() -> None:
    root, below = made("cause", group="g"), made("effect", group="g")
    root.severity = "warning"
    (found,) = join([root, below], EXPLAINS)
    assert (found.severity, found.worst) == ("warning", "error")


def test_findings_that_come_again_explain_no_more_than_before() -> None:
    kept = [made("cause", group="billing")]
    for _ in range(2):
        assert rules(join([*kept, made("effect", group="billing")], EXPLAINS)) == [("cause", [("effect", [])])]


def test_many_findings_of_one_server_are_told_apart() -> None:
    found = [
        made(rule, clientId=f"client {number}", server="10.0.0.2:9092")
        for number in range(5_000)
        for rule in ("effect", "cause")
    ]
    assert rules(join(found, EXPLAINS)) == [("cause", [("effect", [])])] * 5_000
