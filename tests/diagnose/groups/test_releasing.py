"""The fields are those of ConsumerGroupHeartbeat (KIP-848): owned partitions are sent when they change."""

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings

RULE = "partitions-not-released"
TOPIC = "AAAAAAAAAAAAAAAAAAAAAQ"


def beat(
    client_id: str, at: float, owns: list[int] | None = None, assigned: list[int] | None = None, epoch: int = 1
) -> Call:
    def topics(partitions: list[int]) -> list[object]:
        return [{"topicId": TOPIC, "partitions": partitions}] if partitions else []

    owned = None if owns is None else topics(owns)
    assignment = None if assigned is None else {"topicPartitions": topics(assigned)}
    request = {"groupId": "g", "memberId": client_id, "memberEpoch": epoch, "topicPartitions": owned}
    return call(
        68, 0, request, {"errorCode": 0, "memberEpoch": 1, "assignment": assignment}, at=at, client_id=client_id
    )


def held(until: float, waits: bool = True) -> list[Call]:
    """Member a owns 0 and 1, is to give up 1, and sends heartbeats until then; b has nothing."""
    calls = [beat("a", 0, [], [0, 1], epoch=0), beat("a", 0.3, [0, 1]), beat("a", 1, assigned=[0])]
    calls.insert(2, beat("b", 0.5, [], [] if waits else [1], epoch=0))
    return [*calls, beat("a", until)]


def test_partitions_that_are_not_released() -> None:
    assert findings(RULE, held(10.9)) == []
    found = finding(RULE, held(11.1))
    assert found.subject["clientId"] == "a"
    assert found.subject["memberId"] == "a"
    assert found.subject["group"] == "g"
    assert "did not give up 1 partition in group g for 10.1 s, while b had none" in found.summary


def test_partitions_that_are_released_in_time() -> None:
    calls = held(11.1)
    calls.insert(-1, beat("a", 5, [0]))
    assert findings(RULE, calls) == []


def test_nobody_waits() -> None:
    assert findings(RULE, held(20, waits=False)) == []


def test_a_member_whose_beginning_is_not_in_the_capture() -> None:
    assert findings(RULE, held(20)[2:]) == []


def test_a_member_that_stays_in_an_old_epoch() -> None:
    """What it owns was said before the capture: until it has given that up, it gets no newer epoch (KIP-848)."""

    def old(at: float) -> Call:
        request = {"groupId": "g", "memberId": "a", "memberEpoch": 2, "topicPartitions": None}
        answer = {"errorCode": 0, "memberEpoch": 2, "assignment": None}
        return call(68, 0, request, answer, at=at, client_id="a")

    def new(at: float, assigned: list[int]) -> Call:
        made = beat("b", at, [], assigned, epoch=0)
        assert made._response_body is not None
        made._response_body.value["memberEpoch"] = 3
        return made

    assert findings(RULE, [old(0), new(1, []), old(2), old(11.9)]) == []
    found = finding(RULE, [old(0), new(1, []), old(2), old(12.1)])
    assert found.subject["clientId"] == "a"
    assert "did not give up partitions in group g for 10.1 s, while b had none" in found.summary
    assert findings(RULE, [old(0), new(1, [0]), old(2), old(30)]) == []
