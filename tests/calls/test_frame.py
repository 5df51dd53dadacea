from kafkasniff.calls.frame import Frame, new_frame
from kafkasniff.protocol.errors import Problem
from tests.calls.hand_made import arrival


def test_a_frame_is_whole_when_its_size_is_there() -> None:
    assert Frame(5, b"12345", arrival(1), arrival(2), 0).whole
    assert Frame(0, b"", arrival(1), arrival(1), 0).whole
    assert not Frame(6, b"12345", arrival(1), arrival(2), 0).whole


def test_problems_are_a_list_of_its_own() -> None:
    first, second = (Frame(1, b"1", arrival(1), arrival(1), 0) for _ in range(2))
    first.problems.append(Problem("request", 0, "", "cut"))
    assert [each.message for each in first.problems] == ["cut"]
    assert second.problems == []


def test_the_quick_way_makes_the_same() -> None:
    of = (9, b"123", arrival(1), arrival(2), 40)
    slow, quick = Frame(*of, packets=(arrival(1),)), new_frame(*of, (arrival(1),))
    for name in ("size", "data", "first", "last", "stream_offset", "packets", "limited", "header", "responses_lost"):
        assert getattr(quick, name) == getattr(slow, name), name
    assert quick.problems == slow.problems == []
