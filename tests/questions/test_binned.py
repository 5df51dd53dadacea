from kafkasniff.questions.binned import MOST_BINS, Bins, bins_of

SECOND = 1_000_000_000


def test_bins_are_one_two_or_five_times_a_power_of_ten() -> None:
    assert bins_of(0, 239 * SECOND) == Bins(0, SECOND, 240)
    assert bins_of(0, 240 * SECOND) == Bins(0, 2 * SECOND, 121)
    assert bins_of(0, 24 * 3600 * SECOND) == Bins(0, 500 * SECOND, 173)
    assert bins_of(5, 5) == Bins(5, 1, 1)


def test_bins_begin_at_a_multiple_of_their_width_and_reach_the_last_moment() -> None:
    for first, last in ((1_234_567, 98_765_432_109), (10**18 + 7, 10**18 + 10**12), (999, 1_001)):
        bins = bins_of(first, last)
        assert bins.start_ns % bins.width_ns == 0
        assert bins.start_ns <= first < bins.start_ns + bins.width_ns
        assert 0 <= bins.start_ns + bins.number * bins.width_ns - 1 - last < bins.width_ns
        assert bins.number <= MOST_BINS


def test_wider_bins_cover_whole_ones() -> None:
    assert Bins(30, 10, 5).wider() == Bins(20, 20, 3)
    assert Bins(40, 10, 4).wider() == Bins(40, 20, 2)
