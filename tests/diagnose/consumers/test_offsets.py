from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings


def misses(offsets: list[int | None], partition: int = 0) -> list[Call]:
    """Fetches of a partition that are refused with OFFSET_OUT_OF_RANGE; None: as before, in a session."""
    calls = []
    for at, offset in enumerate(offsets):
        asked = [] if offset is None else [{"partition": partition, "fetchOffset": offset}]
        request = {"maxWaitMs": 500, "sessionEpoch": 1, "topics": [{"topic": "orders", "partitions": asked}]}
        refused = {"partitionIndex": partition, "errorCode": 1, "highWatermark": -1, "recordsSizeInBytes": 0}
        answer = {"errorCode": 0, "responses": [{"topic": "orders", "partitions": [refused]}]}
        calls.append(call(1, 11, request, answer, at=at))
    return calls


def test_offset_out_of_range() -> None:
    assert findings("offset-out-of-range", misses([7, 7])) == []
    assert finding("offset-out-of-range", misses([7, 7, 7])).count == 3
    assert finding("offset-out-of-range", misses([7, None, None])).subject["topic"] == "orders"


def test_who_moves_on_is_not_stuck() -> None:
    every = [each for partition in range(9) for each in misses([7], partition)]
    assert findings("offset-out-of-range", every) == []


def test_topics_of_which_only_the_id_was_captured_are_not_mixed_up() -> None:
    """Fetch v13 names topics by id (KIP-516), and Metadata came before the capture."""
    calls = []
    for at in range(4):
        topic = {"topicId": f"AAAAAAAAAAAAAAAAAAAA{'AQg'[at % 2 + 1]}g"}
        asked = {**topic, "partitions": [{"partition": 0, "fetchOffset": 7}]}
        refused = {"partitionIndex": 0, "errorCode": 1, "highWatermark": -1, "recordsSizeInBytes": 0}
        answer = {"errorCode": 0, "responses": [{**topic, "partitions": [refused]}]}
        calls.append(call(1, 13, {"maxWaitMs": 500, "sessionEpoch": 1, "topics": [asked]}, answer, at=at))
    assert findings("offset-out-of-range", calls) == []
    assert "topic with id AAAA" in finding("offset-out-of-range", [*calls, calls[0]]).summary


def begins_at(offset: int, at: float) -> Call:
    """What ListOffsets tells of where the log begins."""
    request = {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 0, "timestamp": -2}]}]}
    partition = {"partitionIndex": 0, "errorCode": 0, "timestamp": -1, "offset": offset}
    return call(2, 5, request, {"topics": [{"name": "orders", "partitions": [partition]}]}, at=at)


def test_retention_is_faster_than_the_consumer() -> None:
    """Each next offset is gone, and the log begins twenty records farther on, as ListOffsets tells."""
    calls = misses([10, 40, 70])
    with_starts = [each for at, miss in enumerate(calls) for each in (miss, begins_at(30 * at + 30, at + 0.5))]
    assert findings("offset-out-of-range", with_starts[:4]) == []
    found = finding("offset-out-of-range", with_starts)
    assert "at least 60 records were deleted before it read them" in found.summary
    assert "reads more slowly" in found.cause
    assert "records were deleted" not in finding("offset-out-of-range", calls).summary
    assert findings("offset-out-of-range", misses([70, 40, 10])) == []
