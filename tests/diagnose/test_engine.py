from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_KEYS
from kafkasniff.diagnose.rule import WITH_STATES, Rule
from kafkasniff.diagnose.seen.seen_call import (
    ACKS_ONE,
    ACKS_ZERO,
    BEHIND,
    FAILED,
    TRANSACTIONAL,
    UNANSWERED,
    WITH_RACK,
    WITH_RECORDS,
    SeenCall,
)
from tests.diagnose.made import call, connection, findings

REQUEST, DENIED = {"mechanism": "X"}, {"errorCode": 33, "mechanisms": []}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_all_of_itself(rule: type[Rule[object]]) -> None:
    for text in (rule.title, rule.meaning, rule.wire, rule.cause, rule.fix, rule.scope):
        assert text
    assert rule.thresholds
    assert all(threshold.source for threshold in rule.thresholds)
    assert rule.severity in ("error", "warning", "info")


def test_thresholds_can_be_set() -> None:
    calls = [call(17, 1, REQUEST, DENIED, at=at) for at in range(3)]
    assert len(findings("unsupported-sasl-mechanism", calls)) == 1
    assert findings("unsupported-sasl-mechanism", calls, calls=4) == []


def test_what_begins_in_the_middle_must_show_an_answer_first() -> None:
    on = connection()
    on.initiator = None
    calls = [call(0, 3, {"acks": 0, "topicData": []}, on=on, outcome="no-response-expected") for _ in range(3)]
    assert findings("acks-zero", calls) == []
    answered = call(12, 0, {}, {"errorCode": 0}, on=on)
    assert len(findings("acks-zero", [answered, *calls])) == 1


def test_findings_of_keys_that_are_given_up_stay() -> None:
    calls = [call(17, 1, REQUEST, DENIED, at=at, client_id="first") for at in range(3)]
    calls += [call(17, 1, REQUEST, DENIED, client_id=f"shop-{number}") for number in range(MOST_KEYS)]
    diagnosis = Diagnosis()
    for each in calls:
        diagnosis.feed(each)
    assert "first" in [finding.subject.get("clientId") for finding in diagnosis.findings()]
    assert any(text.startswith("unsupported-sasl-mechanism") for text in diagnosis.limits_reached())


class Failing(Rule[list[int]]):
    """Fails at every call, and when asked what it found."""

    id = "failing"
    apis = frozenset({17})

    def new_state(self) -> list[int]:
        return []

    def call(self, seen: SeenCall) -> None:
        self.state(seen.client)
        raise KeyError(seen.key)

    def finding(self, key: object, state: list[int]) -> Finding | None:
        raise RecursionError


def test_a_rule_that_fails_ends_nothing_and_is_said() -> None:
    [sound] = [rule for rule in RULES if rule.id == "unsupported-sasl-mechanism"]
    diagnosis = Diagnosis([Failing, sound])
    for at in range(3):
        diagnosis.feed(call(17, 1, REQUEST, DENIED, at=at))
    assert [finding.rule for finding in diagnosis.findings()] == ["unsupported-sasl-mechanism"]
    assert len(diagnosis.findings()) == 1
    fault = "a fault of kafkasniff; what it says may lack something"
    assert diagnosis.limits_reached() == [
        f"failing: failed (KeyError: 3), {fault}",
        f"failing: failed (RecursionError: 1), {fault}",
    ]


def test_a_call_that_cannot_be_taken_ends_nothing_and_is_said() -> None:
    broken = call(17, 1, REQUEST, DENIED)
    broken.connection = None  # type: ignore[assignment]
    diagnosis = Diagnosis()
    diagnosis.feed(broken)
    assert diagnosis.findings() == []
    [text] = diagnosis.limits_reached()
    assert text.startswith("calls: failed (AttributeError: 1), a fault of kafkasniff")


PRODUCE, FETCH, HEARTBEAT = 0, 1, 12


class Particular(Rule[list[int]]):
    """Notes the correlation of what it takes: the calls that it asks for."""

    id = "particular"
    apis = frozenset({PRODUCE, FETCH, HEARTBEAT})
    thresholds = ()
    state_type = list

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.taken: list[SeenCall] = []

    def call(self, seen: SeenCall) -> None:
        self.taken.append(seen)

    def finding(self, key: object, state: list[int]) -> Finding | None:
        return None


def taken(only: Mapping[int, int], *calls: Any) -> list[bool]:
    """Which of the calls a rule takes that asks for these only."""

    class Choosy(Particular):
        only: ClassVar[Mapping[int, int]]

    Choosy.only = only
    diagnosis = Diagnosis([Choosy])
    for each in calls:
        diagnosis.feed(each)
    assert diagnosis.failures() == {}
    [rule] = diagnosis.rules
    return [any(seen.call is each for seen in rule.taken) for each in calls]


def produce(acks: int, transactional_id: str | None = None, answered: bool = True) -> Any:
    request = {"transactionalId": transactional_id, "acks": acks, "timeoutMs": 1, "topicData": []}
    return call(PRODUCE, 3, request, {"responses": [], "throttleTimeMs": 0} if answered else None)


def fetch(rack: str, stable: int = 5, records: bytes | None = None) -> Any:
    part = {"partitionIndex": 0, "errorCode": 0, "highWatermark": 5, "lastStableOffset": stable, "records": records}
    response = {"throttleTimeMs": 0, "responses": [{"topic": "orders", "partitions": [part]}]}
    return call(FETCH, 11, {"rackId": rack, "topics": []}, response)


@pytest.mark.parametrize(
    ("key", "trait", "with_it", "without"),
    [
        (HEARTBEAT, FAILED, call(HEARTBEAT, 0, {}, {"errorCode": 27}), call(HEARTBEAT, 0, {}, {"errorCode": 0})),
        (HEARTBEAT, UNANSWERED, call(HEARTBEAT, 0, {}), call(HEARTBEAT, 0, {}, {"errorCode": 0})),
        (PRODUCE, ACKS_ZERO, produce(0, answered=False), produce(-1)),
        (PRODUCE, ACKS_ONE, produce(1), produce(-1)),
        (PRODUCE, TRANSACTIONAL, produce(-1, "payments"), produce(-1)),
        (FETCH, WITH_RACK, fetch("a"), fetch("")),
        (FETCH, BEHIND, fetch("", stable=4), fetch("")),
        (FETCH, WITH_RECORDS, fetch("", records=bytes(70)), fetch("")),
    ],
)
def test_a_rule_takes_the_calls_that_it_asks_for(key: int, trait: int, with_it: Any, without: Any) -> None:
    assert taken({key: trait}, with_it, without) == [True, False]
    assert taken({key: trait | WITH_STATES}, with_it, without) == [True, False]
    assert taken({}, with_it, without) == [True, True]


def test_a_rule_with_states_takes_all_calls() -> None:
    class Remembering(Particular):
        only: ClassVar[Mapping[int, int]] = {HEARTBEAT: FAILED | WITH_STATES}

        def call(self, seen: SeenCall) -> None:
            self.state(seen.client)
            super().call(seen)

    diagnosis = Diagnosis([Remembering])
    calls = [call(HEARTBEAT, 0, {}, {"errorCode": code}) for code in (0, 27, 0)]
    for each in calls:
        diagnosis.feed(each)
    [rule] = diagnosis.rules
    assert [seen.call for seen in rule.taken] == calls[1:]
