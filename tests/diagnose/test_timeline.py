from kafkasniff.calls.call import Call
from kafkasniff.diagnose.timeline import Timeline
from tests.diagnose.kinds import heartbeat, join, leave
from tests.diagnose.made import call, connection, report


def rows(kind: str, name: str, calls: list[Call]) -> list[tuple[str, str, int]]:
    timeline = Timeline(kind, name)
    for each in calls:
        timeline.feed(each)
    return [(row.what, row.mark, row.count) for row in timeline.rows]


def test_the_life_of_a_group() -> None:
    calls = [
        join(0, 1),
        heartbeat(1, 0),
        heartbeat(2, 27),
        heartbeat(3, 27),
        join(4, 2, took=5),
        heartbeat(10, 25),
        leave("consumer poll timeout has expired.", at=11),
    ]
    assert rows("group", "billing", calls) == [
        ("JOIN_GROUP v2", "new generation", 1),
        ("HEARTBEAT v1", "", 2),
        ("JOIN_GROUP v2", "new generation, waited 5.0 s", 1),
        ("HEARTBEAT v1", "thrown out", 1),
        ("LEAVE_GROUP v5", "evicted itself", 1),
    ]
    assert rows("group", "audit", calls) == []


ANSWER = {"errorCode": 0, "brokers": [], "topics": [], "responses": []}
STORY = [(18, {}), (3, {}), (10, {"key": "g"}), (11, {}), (14, {}), (9, {}), (2, {}), (1, {}), (12, {})]


def story(calls: list[Call], kind: str = "client", name: str = "shop") -> list[str]:
    timeline = Timeline(kind, name)
    for each in calls:
        timeline.feed(each)
    return timeline.story()


def test_the_story_of_a_consumer() -> None:
    calls = [call(key, 0, body, ANSWER, at=at) for at, (key, body) in enumerate(STORY)]
    names = (
        "ApiVersions → Metadata → FindCoordinator → JoinGroup → SyncGroup → OffsetFetch → ListOffsets → "
        "Fetch → Heartbeat"
    )
    assert story(calls) == [f"start: {names}"]
    assert story(calls, "connection", "10.0.0.1:50000-10.0.0.2:9092") == [f"start: {names}"]
    assert [row[1] for row in rows("client", "shop", calls)][:3] == ["step 1", "step 2", "step 3"]


def test_what_is_missing_and_out_of_order() -> None:
    keys = [3, 18, 11, 14, 1]
    calls = [call(key, 0, {}, ANSWER, at=at) for at, key in enumerate(keys)]
    assert story(calls)[1:] == [
        "missing: FindCoordinator, OffsetFetch, ListOffsets, Heartbeat",
        "out of order: Metadata before ApiVersions",
    ]


def test_a_key_of_find_coordinator_is_of_a_group_or_a_transaction() -> None:
    calls = [call(10, 4, {"keyType": kind, "coordinatorKeys": ["billing"]}, ANSWER, at=kind) for kind in (0, 1)]
    for kind in ("group", "transactional-id"):
        assert rows(kind, "billing", calls) == [("FIND_COORDINATOR v4", "", 1)]


def test_a_transactional_id_and_the_end_of_a_connection() -> None:
    calls = [call(22, 0, {"transactionalId": name}, {"errorCode": 0}) for name in ("tx", "other", "tx")]
    assert rows("transactional-id", "tx", calls) == [("INIT_PRODUCER_ID v0", "", 2)]
    timeline = Timeline("connection", "10.0.0.1:50000-10.0.0.2:9092")
    timeline.feed(report(connection()))
    assert timeline.rows[0].what == "connection ended"
