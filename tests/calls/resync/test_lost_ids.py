"""What the ids of requests around a gap say of those within it."""

from kafkasniff.calls.resync.lost_ids import LostIds


def test_the_ids_between_two_requests_around_a_gap_are_lost() -> None:
    ids = LostIds(from_the_beginning=True)
    ids.add(4)
    ids.lose()
    ids.add(8)
    ids.add(10)
    assert [number for number in range(20) if ids.may_have(number)] == [5, 6, 7]
    assert ids.may_have(9) is False
    assert ids.may_have(11) is None
    assert ids.near(5) == [6, 7]


def test_behind_a_gap_the_next_ids_may_be_lost() -> None:
    ids = LostIds(from_the_beginning=True)
    ids.add(4)
    ids.lose()
    assert ids.may_have(5) is True
    assert ids.may_have(21) is None


def test_before_the_capture_began_the_ids_below_the_first_may_be_lost() -> None:
    ids = LostIds(from_the_beginning=False)
    assert ids.may_have(3) is None
    ids.add(1000)
    assert ids.may_have(999) is True
    assert ids.may_have(900) is False


def test_clients_count_from_zero() -> None:
    """Four bytes of ones behind what reads as a size are in many a body; as an id they are far from any."""
    ids = LostIds(from_the_beginning=False)
    ids.add(3)
    assert [number for number in range(-20, 4) if ids.may_have(number)] == [0, 1, 2]


def test_ids_that_ran_over_count_on_from_the_lowest() -> None:
    ids = LostIds(from_the_beginning=False)
    ids.add(-(1 << 31) + 2)
    assert [number for number in range(-(1 << 31), -(1 << 31) + 4) if ids.may_have(number)] == [
        -(1 << 31),
        -(1 << 31) + 1,
    ]


def test_a_gap_may_hold_sixteen_ids_and_none_that_was_seen() -> None:
    ids = LostIds(from_the_beginning=True)
    ids.add(100)
    ids.lose()
    assert [number for number in range(90, 130) if ids.may_have(number)] == [*range(101, 117)]
    assert ids.near(100) == [*range(101, 117)]
    assert ids.near(110) == [*range(111, 117)]
    # No answer came yet.
    assert ids.near(None) == []


def test_as_many_as_sixteen_ids_may_stand_before_the_first() -> None:
    ids = LostIds(from_the_beginning=False)
    ids.add(1000)
    assert [number for number in range(900, 1100) if ids.may_have(number)] == [*range(984, 1000)]


def test_a_thousand_lost_ids_are_remembered_the_last_ones() -> None:
    ids = LostIds(from_the_beginning=True)
    ids.add(4)
    ids.lose()
    ids.add(2000)
    assert (ids.may_have(2000 - 1024), ids.may_have(2000 - 1025)) == (True, False)
    ids.lose()
    ids.add(2003)
    remembered = [number for number in range(2010) if ids.may_have(number)]
    assert (remembered[0], remembered[-2:], len(remembered)) == (978, [2001, 2002], 1024)


def test_without_a_gap_nothing_is_lost() -> None:
    ids = LostIds(from_the_beginning=True)
    ids.add(4)
    ids.add(9)
    assert [number for number in range(20) if ids.may_have(number)] == []
    assert ids.may_have(10) is None


def test_no_id_has_more_than_32_bits() -> None:
    """Java's logins take the highest ones: SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID is 2147483640."""
    ids = LostIds(from_the_beginning=True)
    ids.add(2_147_483_641)
    ids.lose()
    assert ids.near(2_147_483_641) == [*range(2_147_483_642, 2_147_483_648)]
    assert ids.near(2_147_483_647) == []
