"""What all rules have in common, by a rule of two lines."""

from typing import Any, ClassVar

import pytest

from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.finding import Finding, Severity
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.rule import (
    MOST_KEPT,
    OTHER_NAMES,
    Rule,
    Threshold,
    client_subject,
    connections_subject,
    counted,
    listed,
    quoted,
    seconds_text,
    times_text,
)
from tests.diagnose.made import NOON, SECOND, arrival


class Seen(Rule[Tally]):
    """Finds what was seen at least `least` times."""

    id = "seen"
    title = "Seen"
    severity: ClassVar[Severity] = "warning"
    scope = "topic"
    state_type = Tally
    thresholds = (Threshold("least", 2, "times", "made"), Threshold("again", 3, "times", "made"))
    meaning = wire = "It was seen."
    cause = "{linger.ms} is 0."
    fix = "Raise {linger.ms}."

    def finding(self, key: str, state: Tally) -> Finding | None:
        if key == "broken":
            raise ZeroDivisionError
        return self.make(state, {"topic": key}, key) if state.count >= self.limits["least"] else None


def rule(**settings: float) -> Seen:
    return Seen(Facts(), settings)


def see(by: Rule[Tally], key: str, *seconds: float) -> None:
    for at in seconds:
        by.state(key).add(arrival(at), f"seen at {at}")


def found(by: Rule[Any]) -> list[tuple[str, int]]:
    return [(finding.summary, finding.count) for finding in by.findings()]


def test_each_key_has_a_state_of_its_own() -> None:
    seen = rule()
    see(seen, "orders", 1, 2, 3)
    see(seen, "carts", 2)
    see(seen, "bills", 4, 5)
    assert found(seen) == [("orders", 3), ("bills", 2)]
    [orders, bills] = seen.findings()
    assert (orders.first_time, orders.last_time) == (NOON + 1 * SECOND, NOON + 3 * SECOND)
    assert [each.what for each in orders.evidence] == ["seen at 1", "seen at 2", "seen at 3"]
    assert (orders.rule, orders.subject, orders.key) == ("seen", {"topic": "orders"}, "orders")
    # Fewer than `again` are no more than an info.
    assert (orders.severity, bills.severity) == ("warning", "info")


def test_a_threshold_can_be_set() -> None:
    seen = rule(least=3)
    see(seen, "orders", 1, 2, 3)
    see(seen, "carts", 1, 2)
    assert found(seen) == [("orders", 3)]


def test_a_rule_that_fails_says_so_and_the_others_findings_stand() -> None:
    seen = rule()
    see(seen, "broken", 1, 2)
    see(seen, "orders", 1, 2)
    assert found(seen) == found(seen) == [("orders", 2)]
    assert seen.failed == {"ZeroDivisionError": 1}


def test_what_had_to_be_given_up_leaves_its_finding() -> None:
    seen = rule()
    for number in range(MOST_KEPT + 1):
        tally = Tally()
        tally.add(arrival(number), "")
        tally.add(arrival(number), "")
        seen._keep(f"topic-{number}", tally)
    seen._keep("once", Tally())
    assert seen.given_up == MOST_KEPT + 2
    assert found(seen) == [(f"topic-{number}", 2) for number in range(MOST_KEPT)]


def test_what_was_remembered_goes_on() -> None:
    before, after = rule(), rule()
    see(before, "orders", 1, 2)
    after.recall(before.remembered())
    see(after, "orders", 3)
    assert found(after) == [("orders", 3)]
    # What a rule is made with is not remembered.
    assert before.remembered().keys() == {"states", "given_up", "failed", "_kept"}
    with pytest.raises(ValueError, match=r"expected what seen remembers, found \['states'\]"):
        rule().recall({"states": before.states})


def test_of_a_library_that_is_not_known_options_have_javas_names() -> None:
    seen = rule()
    see(seen, "orders", 1, 2, 3)
    [finding] = seen.findings()
    assert (finding.cause, finding.fix) == ("linger.ms is 0.", "Raise linger.ms. " + OTHER_NAMES.format("seen"))


def test_what_a_finding_alone_says_stands() -> None:
    seen, tally = rule(), Tally()
    for at in (1, 2, 5):
        tally.add(arrival(at), "", topic="orders" if at < 5 else "carts")
    made = seen.make(tally, {"topic": None, "group": "billing"}, "", count=7, cause="So.", fix="Do.", severity="error")
    assert (made.count, made.cause, made.fix, made.severity) == (7, "So.", "Do.", "error")
    assert made.subject == {"group": "billing", "topics": ["orders", "carts"]}


def names(*values: str) -> Names:
    made = Names()
    for value in values:
        made.add(value)
    return made


def test_clients_are_named_by_id_else_by_their_connections() -> None:
    one, two = names("10.0.0.1:5000"), names("10.0.0.1:5000", "10.0.0.1:5001")
    known, nameless = Client("shop", "10.0.0.1"), Client("", "10.0.0.1")
    assert client_subject(known) == {"clientId": "shop", "client": None}
    assert client_subject(known, one) == {"clientId": "shop", "client": "10.0.0.1:5000"}
    assert client_subject(known, two) == {"clientId": "shop", "client": None}
    assert client_subject(nameless) == {"client": "10.0.0.1"}
    assert client_subject(nameless, two) == {"client": ["10.0.0.1:5000", "10.0.0.1:5001"]}
    assert client_subject(nameless, names()) == {"client": "10.0.0.1"}


@pytest.mark.parametrize(("count", "told"), [(0, False), (2, True), (12, True), (13, False), (17, False)])
def test_up_to_twelve_connections_are_named(count: int, told: bool) -> None:
    assert (connections_subject(names(*map(str, range(count)))) is not None) == told


def test_texts() -> None:
    assert listed(None) == []
    assert listed("a") == ["a"]
    assert listed(["a", "b"]) == ["a", "b"]
    assert quoted(names("a", "b")) == "“a” and “b”"
    assert quoted(names("a", "b", "c", "d")) == "“a” and “b” and “c”, …"
    assert seconds_text(1_250_000_000) == "1.2 s"
    assert (counted(1, "request"), counted(2_000, "request")) == ("1 request", "2,000 requests")
    assert (times_text(1), times_text(2_000)) == ("once", "2,000 times")
