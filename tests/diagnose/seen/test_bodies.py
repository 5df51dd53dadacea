"""What rules are told of a call's bodies without these being decoded, against the decoded bodies of every recording."""

from pathlib import Path
from typing import Any, ClassVar

import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.rule import ANY_API, Rule
from kafkasniff.diagnose.seen.seen_call import ABSENT, SeenCall
from tests.diagnose.made import call

CAPTURES = sorted(path for path in Path("captures").iterdir() if path.suffix in (".pcap", ".pcapng"))
PRODUCE, FETCH, OFFSET_COMMIT, API_VERSIONS = 0, 1, 8, 18
TOPICS = {PRODUCE: "topicData", FETCH: "topics", OFFSET_COMMIT: "topics"}


class Looking(Rule[None]):
    """Notes what is told of each call."""

    id = "looking"
    apis = ANY_API
    told: ClassVar[list[SeenCall]] = []

    def call(self, seen: SeenCall) -> None:
        self.told.append(seen)


def told(calls: list[Call]) -> list[SeenCall]:
    Looking.told.clear()
    diagnosis = Diagnosis([Looking])
    for each in calls:
        diagnosis.feed(each)
    assert diagnosis.failures() == {}
    return [*Looking.told]


def topics_of(key: int, request: dict[str, Any]) -> list[dict[str, Any]]:
    return request.get(TOPICS.get(key, "")) or []


def parts_of(key: int, topic: dict[str, Any]) -> list[dict[str, Any]]:
    return topic["partitions"] if key == OFFSET_COMMIT else []


def named(topic: dict[str, Any]) -> str | None:
    return topic.get("name") or topic.get("topic") or topic.get("topicId")


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_as_the_decoded_bodies(path: Path) -> None:
    for seen in told([item for item in kafkasniff.read(str(path)) if isinstance(item, Call)]):
        request, response, key = request_of(seen.call), response_of(seen.call), seen.key
        if key != API_VERSIONS:
            assert (seen.group, seen.member) == (request.get("groupId"), request.get("memberId")) or key in (0, 1)
        if key == PRODUCE:
            assert (seen.acks, seen.transactional_id) == (request.get("acks", ABSENT), request.get("transactionalId"))
            sizes = [part["recordsSizeInBytes"] for topic in topics_of(key, request) for part in topic["partitionData"]]
            assert [each.end - each.start for each in seen.produced] == [size for size in sizes if size]
        if key == FETCH:
            assert seen.max_wait_ms == request.get("maxWaitMs", ABSENT)
            assert seen.session_epoch == request.get("sessionEpoch", ABSENT)
            assert (seen.rack or "") == request.get("rackId", "")
        topics = topics_of(key, request)
        assert seen.topics == [named(topic) for topic in topics]
        partitions = [(named(topic), item["partitionIndex"]) for topic in topics for item in parts_of(key, topic)]
        assert [(each.topic, each.partition) for each in seen.committed] == partitions
        assert seen.throttle_ms == response.get("throttleTimeMs", 0)
        assert seen.failed == bool(seen.call.errors)


def test_nothing_is_known_of_a_request_that_does_not_decode() -> None:
    whole = call(8, 2, {"groupId": "billing", "memberId": "m", "topics": [{"name": "orders"}]}, {"topics": []})
    (seen,) = told([whole])
    assert (seen.group, seen.member, seen.topics) == ("billing", "m", ["orders"])
    assert whole.request is not None
    whole.request.data = whole.request.data[:-1]
    whole.request.size -= 1
    (seen,) = told([whole])
    assert (seen.group, seen.member, seen.topics) == (None, None, [])


def test_an_answer_below_its_high_watermark() -> None:
    def fetched(high: int, stable: int) -> bool:
        partition = {"partitionIndex": 0, "highWatermark": high, "lastStableOffset": stable, "records": b"123"}
        answer = {"responses": [{"topic": "orders", "partitions": [partition]}]}
        (seen,) = told([call(1, 11, {"topics": []}, answer)])
        assert seen.told_bytes == len(b"123")
        return seen.is_behind

    assert (fetched(5, 5), fetched(5, -1), fetched(5, 4)) == (False, False, True)
