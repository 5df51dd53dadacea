"""What rules see of calls whose bytes are not what their layout says."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from tests.calls.hand_made import BUDGET, arrival, connection, data

# What librdkafka 2.16.0 and its mock cluster (test.mock.num.brokers=1) sent each other. The mock knows ApiVersions up
# to v2, and answers v3 with an empty compact array and its entry for itself behind that (rdkafka_mock_handlers.c).
ASKED = bytes.fromhex(
    "0000003f001200030000000100066d6f636b65640017636f6e666c75656e742d6b61666b612d707974686f6e"
    "16322e31362e312d72646b61666b612d322e31362e3000"
)
MOCK_ANSWERED = bytes.fromhex("000000110000000100230100120000000200000000")
BROKER_THROTTLED = bytes.fromhex("0000000c00000001000001 00120000 00")
"""ApiVersions v3 in its layout, with the throttleTimeMs that the mock's answer seems to have."""

METADATA = bytes.fromhex("0000001d0003000d00000023000b72646b2d73686f702d63310000000000000000")
"""Metadata v13 of librdkafka 2.16.1, with three bytes behind it (captures/librdkafka.pcap, packet 455)."""


def calls(*segments: tuple[int, bytes]) -> list[Call]:
    of = connection()
    conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    items = [
        item
        for number, (side, content) in enumerate(segments, 1)
        for item in conversation.take(data(of, side, content, number))
    ]
    return [item for item in [*items, *conversation.end(arrival(99))] if isinstance(item, Call)]


@pytest.mark.parametrize(
    ("answer", "rules"), [(MOCK_ANSWERED, []), (BROKER_THROTTLED, ["throttled"])], ids=["mock", "broker"]
)
def test_fields_of_an_answer_with_a_problem_are_not_trusted(answer: bytes, rules: list[str]) -> None:
    diagnosis = Diagnosis()
    for call in [each for _ in range(3) for each in calls((0, ASKED), (1, answer))]:
        diagnosis.feed(call)
    assert [finding.rule for finding in diagnosis.findings()] == rules


def test_the_body_of_an_answer_with_a_problem_is_shown_and_not_told_to_rules() -> None:
    (call,) = calls((0, ASKED), (1, MOCK_ANSWERED))
    assert call.response_body is not None
    assert call.response_body.value == {"errorCode": 35, "apiKeys": [], "throttleTimeMs": 1179648}
    assert response_of(call) == {}
    assert request_of(call)["clientSoftwareName"] == "confluent-kafka-python"


def test_a_few_bytes_behind_a_request_are_left_there_by_real_clients() -> None:
    (call,) = calls((0, METADATA))
    assert [problem.message for problem in call.problems] == ["expected the end of the body, found 3 more bytes"]
    assert request_of(call) == {
        "topics": None,
        "allowAutoTopicCreation": False,
        "includeTopicAuthorizedOperations": False,
    }
    (longer,) = calls((0, ASKED), (0, (len(METADATA) - 4 + 20).to_bytes(4, "big") + METADATA[4:] + bytes(20)))[1:]
    assert longer.api_key == 3
    assert request_of(longer) == {}
