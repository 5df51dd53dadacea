import pytest

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


def test_a_request_ends_with_its_session_at_least() -> None:
    """Behind it nothing need be there: the epoch is the last thing that is read at once."""
    version, data, body = request(0, {"orders": [0]}, session=0)
    # Fetch v7: four int32, an int8, and the session's id and epoch.
    there = body + 4 * 4 + 1 + 8
    assert FetchSessions().follow(SERVER, version, data[: there - 1], body, answer()) is None
    sessions = FetchSessions()
    assert sessions.follow(SERVER, version, data[:there], body, answer()) is None
    assert sessions.follow(SERVER, *request(1, {}), answer()) is not None


def test_an_answer_ends_with_its_session_at_least() -> None:
    """Correlation id, throttling, error code and session id; one that is shorter tells nothing."""
    for there, known in ((14, True), (13, False)):
        sessions = FetchSessions()
        assert sessions.follow(SERVER, *request(0, {"orders": [0]}, session=0), answer()[:there]) is None
        assert (sessions.follow(SERVER, *request(1, {}), answer()) is not None) == known


def test_an_error_at_the_beginning_begins_no_session() -> None:
    sessions = FetchSessions()
    sessions.follow(SERVER, *request(0, {"orders": [0]}, session=0), answer(error_code=71))
    assert sessions.follow(SERVER, *request(1, {}), answer()) is None


def test_without_an_answer_a_request_of_a_session_still_counts() -> None:
    sessions = begun({"orders": [0]})
    assert covered(sessions.follow(SERVER, *request(1, {"orders": [1]}), None)) == {
        "topics": [{"topic": "orders", "partitions": [0, 1]}]
    }


def test_a_session_that_is_closed_is_forgotten() -> None:
    """KIP-227: epoch -1 closes it, 0 begins another one in its place."""
    sessions = begun({"orders": [0]})
    assert sessions.follow(SERVER, *request(-1, {}), answer(0)) is None
    assert sessions.follow(SERVER, *request(1, {}), answer()) is None
    sessions = begun({"orders": [0]})
    assert sessions.follow(SERVER, *request(0, {"carts": [3]}), answer(8)) is None
    assert sessions.follow(SERVER, *request(1, {}), answer()) is None
    assert covered(sessions.follow(SERVER, *request(1, {}, session=8), answer(8))) == {
        "topics": [{"topic": "carts", "partitions": [3]}]
    }


def test_partitions_that_are_covered_change_nothing_but_one_that_is_new_does() -> None:
    sessions = begun({"orders": [0, 1], "carts": [3]})
    first = sessions.follow(SERVER, *request(1, {"orders": [1], "carts": [3]}), answer())
    second = sessions.follow(SERVER, *request(2, {"new": [], "orders": [1]}), answer())
    third = sessions.follow(SERVER, *request(3, {"new": [], "orders": [2]}), answer())
    fourth = sessions.follow(SERVER, *request(4, {"other": [0]}), answer())
    assert first is not None
    assert second is not None
    assert first.covered() is second.covered()
    assert covered(third) == {
        "topics": [{"topic": "orders", "partitions": [0, 1, 2]}, {"topic": "carts", "partitions": [3]}]
    }
    assert covered(fourth) == {
        "topics": [
            {"topic": "orders", "partitions": [0, 1, 2]},
            {"topic": "carts", "partitions": [3]},
            {"topic": "other", "partitions": [0]},
        ]
    }


@pytest.mark.parametrize(("count", "known"), [(20_000, True), (20_001, False)])
def test_a_session_of_20_000_partitions_is_followed(count: int, known: bool) -> None:
    sessions = begun({"orders": [*range(count - 1)]})
    step = sessions.follow(SERVER, *request(1, {"orders": [count - 1]}), answer())
    assert step is not None
    assert (as_decoded(step) is not None) == known


@pytest.mark.parametrize(("requests", "holds"), [(63, True), (64, False)])
def test_a_session_holds_few_requests_that_nobody_asked_about(requests: int, holds: bool) -> None:
    sessions = begun({"orders": [0]})
    for epoch in range(1, requests + 1):
        sessions.follow(SERVER, *request(epoch, {"orders": [epoch]}), answer())
    (session,) = sessions._sessions.values()
    # What was read is let go.
    assert (session.step._data != b"") == holds
    for epoch in range(requests + 1, requests + 64):
        step = sessions.follow(SERVER, *request(epoch, {}), answer())
    assert covered(step) == {"topics": [{"topic": "orders", "partitions": [*range(requests + 1)]}]}


def test_sessions_of_two_clients_are_apart() -> None:
    sessions = FetchSessions()
    for session in (7, 8):
        sessions.follow(SERVER, *request(0, {f"topic-{session}": [session]}, session=0), answer(session))
    for session in (8, 7):
        step = sessions.follow(SERVER, *request(1, {}, session=session), answer(session))
        assert covered(step) == {"topics": [{"topic": f"topic-{session}", "partitions": [session]}]}
