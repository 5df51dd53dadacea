from array import array
from datetime import UTC, datetime

from kafkasniff.capture.packets import Arrival, Interface, PacketBatch, datetime_of, new_arrival

FIRST = Interface("/captures/first.pcap", 1)
SECOND = Interface("second.pcap", 1)


def batch(numbers: "array[int] | None" = None) -> PacketBatch:
    return PacketBatch(
        b"abcdef",
        7,
        array("q", [0, 2]),
        array("q", [2, 4]),
        array("q", [2, 90]),
        array("q", [1_000, 2_000]),
        array("q", [0, 1]),
        [FIRST, SECOND],
        numbers,
    )


def test_packets_of_a_batch_follow_its_first_one() -> None:
    made = batch()
    assert len(made) == 2
    assert made.arrival(0) == Arrival(1_000, 7, FIRST)
    assert made.arrival(1) == Arrival(2_000, 8, SECOND)


def test_packets_of_merged_files_have_numbers_of_their_own() -> None:
    assert batch(array("q", [3, 40])).arrival(1) == Arrival(2_000, 40, SECOND)


def test_arrivals_are_the_same_in_time_number_and_interface() -> None:
    arrival = Arrival(1_000, 7, FIRST)
    assert arrival == new_arrival(1_000, 7, FIRST)
    assert hash(arrival) == hash(new_arrival(1_000, 7, FIRST))
    for other in (arrival.at(1_001), Arrival(1_000, 8, FIRST), Arrival(1_000, 7, SECOND), (1_000, 7)):
        assert arrival != other
    assert sorted([arrival.at(9_000), Arrival(1_000, 8, FIRST), arrival], key=lambda each: each.order)[0] is arrival
    assert repr(arrival) == "Arrival(1000, 7, 'first.pcap')"


def test_times_are_utc_to_the_microsecond() -> None:
    # `date -u -d @978307199`; the last one is later than any datetime.
    assert datetime_of(978_307_199_123_456_789) == datetime(2000, 12, 31, 23, 59, 59, 123_456, UTC)
    assert Arrival(0, 1, FIRST).datetime == datetime(1970, 1, 1, tzinfo=UTC)
    assert datetime_of(10**21) == datetime.max.replace(tzinfo=UTC)
