from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions, SessionStep, as_decoded
from tests.calls.enrichment.fetches import Topics, answer, request

SERVER = "10.0.0.2:9092"


def covered(step: SessionStep | None) -> object:
    assert step is not None
    decoded = as_decoded(step)
    assert decoded is not None
    assert (decoded["where"], decoded["path"], decoded["type"]) == ("request", "sessionId", "FetchSession")
    return decoded["value"]


def begun(topics: Topics) -> FetchSessions:
    sessions = FetchSessions()
    assert sessions.follow(SERVER, *request(0, topics, session=0), answer()) is None
    return sessions


def test_an_empty_request_covers_what_the_session_began_with() -> None:
    sessions = begun({"orders": [0, 1], "payments": [3]})
    step = sessions.follow(SERVER, *request(1, {}), answer())
    expected = [{"topic": "orders", "partitions": [0, 1]}, {"topic": "payments", "partitions": [3]}]
    assert covered(step) == {"topics": expected}


def test_partitions_are_added_and_forgotten() -> None:
    sessions = begun({"orders": [0, 1], "payments": [3]})
    sessions.follow(SERVER, *request(1, {"orders": [1, 2]}), answer())
    step = sessions.follow(SERVER, *request(2, {}, {"orders": [0], "payments": [3]}), answer())
    assert covered(step) == {"topics": [{"topic": "orders", "partitions": [1, 2]}]}


def test_steps_keep_what_they_covered_in_whatever_order_one_asks() -> None:
    sessions = begun({"orders": [0]})
    steps = [sessions.follow(SERVER, *request(epoch, {"orders": [epoch]}), answer()) for epoch in range(1, 200)]
    for epoch in (199, 5, 64, 1):
        assert covered(steps[epoch - 1]) == {"topics": [{"topic": "orders", "partitions": [*range(epoch + 1)]}]}


def test_a_session_goes_on_over_another_connection_but_not_at_another_broker() -> None:
    sessions = begun({"orders": [0]})
    assert sessions.follow("10.0.0.3:9092", *request(1, {}), answer()) is None
    assert sessions.follow(SERVER, *request(1, {}), answer()) is not None


def test_what_misses_a_request_is_not_known() -> None:
    sessions = begun({"orders": [0]})
    assert sessions.follow(SERVER, *request(2, {}), answer()) is None
    assert sessions.follow(SERVER, *request(3, {}), answer()) is None


def test_a_session_that_is_refused_is_forgotten() -> None:
    sessions = begun({"orders": [0]})
    assert sessions.follow(SERVER, *request(1, {}), answer(0, error_code=71)) is None
    assert sessions.follow(SERVER, *request(1, {}), answer()) is None


def test_a_session_whose_start_was_not_seen_is_not_known() -> None:
    assert FetchSessions().follow(SERVER, *request(5, {}), answer()) is None


def test_a_request_without_session_begins_none() -> None:
    sessions = FetchSessions()
    assert sessions.follow(SERVER, *request(-1, {"orders": [0]}, session=0), answer(0)) is None
    assert sessions.follow(SERVER, *request(1, {}, session=0), answer(0)) is None


def test_a_request_that_does_not_decode_ends_what_is_known() -> None:
    sessions = begun({"orders": [0]})
    version, data, body = request(1, {"orders": [1]})
    broken = sessions.follow(SERVER, version, data[:-2], body, answer())
    later = sessions.follow(SERVER, *request(2, {"orders": [1]}), answer())
    assert broken is not None
    assert broken.covered() is None
    assert later is not None
    assert as_decoded(later) is None


def test_sessions_used_longest_ago_are_forgotten() -> None:
    sessions = FetchSessions(most=2)
    for session in (1, 2, 3):
        sessions.follow(SERVER, *request(0, {"orders": [session]}, session=0), answer(session))
    assert sessions.follow(SERVER, *request(1, {}, session=1), answer(1)) is None
    assert covered(sessions.follow(SERVER, *request(1, {}, session=3), answer(3))) == {
        "topics": [{"topic": "orders", "partitions": [3]}]
    }


def test_old_versions_and_cut_messages_have_no_session() -> None:
    version, data, body = request(0, {"orders": [0]})
    assert FetchSessions().follow(SERVER, 6, data, body, answer()) is None
    assert FetchSessions().follow(SERVER, version, data[: body + 10], body, None) is None


def test_what_a_session_holds_of_a_large_first_request_is_what_it_covers() -> None:
    sessions = begun({f"{number:04}" + "t" * 3_000: [number] for number in range(20)})
    (session,) = sessions._sessions.values()
    assert session.step._data == b""
    step = sessions.follow(SERVER, *request(1, {}), answer())
    value = covered(step)
    assert isinstance(value, dict)
    assert [(topic["topic"][:5], len(topic["topic"]), topic["partitions"]) for topic in value["topics"]] == [
        (f"{number:04}t", 255, [number]) for number in range(20)
    ]
