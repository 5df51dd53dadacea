"""Each gap is told once."""

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import Gap
from kafkasniff.calls.resync.gaps import HELD_GAPS, Gaps
from tests.calls.hand_made import connection, data, gap, metadata_request, metadata_response

OF = connection()


def test_what_lacks_without_a_byte_between_is_one_gap() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 317, 5))
    gaps.lose(gap(OF, 0, 670, 9))
    assert gaps.take() == []
    gaps.follow(0)
    assert gaps.take() == [gap(OF, 0, 987, 5)]
    assert not gaps


def test_bytes_between_make_two_of_it() -> None:
    gaps = Gaps()
    for length in (10, 20):
        gaps.lose(gap(OF, 1, length, 5))
        gaps.follow(1)
    gaps.lose(gap(OF, 0, 30, 6))
    assert gaps.take() == [gap(OF, 1, 10, 5), gap(OF, 1, 20, 5)]
    assert gaps


def test_a_length_that_is_not_known_makes_the_whole_unknown() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 10, 5))
    gaps.lose(gap(OF, 0, None, 6))
    gaps.lose(gap(OF, 0, 10, 7))
    gaps.follow(0)
    assert [each.length for each in gaps.take()] == [None]


def test_what_lacks_before_and_behind_a_packet_is_two_gaps() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 10, 5))
    gaps.follow(0)
    gaps.lose(gap(OF, 0, 20, 7))
    gaps.follow(0)
    assert [each.length for each in gaps.take()] == [10, 20]


def test_what_is_not_kept_is_counted() -> None:
    gaps = Gaps()
    for packet in range(HELD_GAPS + 5):
        gaps.lose(gap(OF, 0, 10, packet))
        gaps.follow(0)
    assert gaps.left_out == 5
    assert [each.arrival.packet for each in gaps.take()] == list(range(HELD_GAPS))


def test_gaps_left_out_of_a_connection_that_turns_out_to_be_kafka_are_said() -> None:
    of, budget = connection(None), Budget(1 << 30)
    conversation = Conversation(of, CallLimits(), CallOptions(), budget)
    for number in range(HELD_GAPS + 5):
        conversation.take(gap(of, 0, 10, number))
        conversation.take(data(of, 0, b"\xff", number))
    assert budget.notes() == []
    found = []
    for number in range(1, 4):
        found += conversation.take(data(of, 0, metadata_request(number), 2_000 + number))
        found += conversation.take(data(of, 1, metadata_response(number), 2_000 + number))
    assert [item.correlation_id for item in found if isinstance(item, Call)] == [1, 2, 3]
    assert sum(isinstance(item, Gap) for item in found) == HELD_GAPS
    assert budget.notes() == ["gaps left out: more than 1,000 came before the connection was known for Kafka: 1"]
