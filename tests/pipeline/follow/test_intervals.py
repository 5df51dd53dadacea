import pytest

from kafkasniff.pipeline.follow.intervals import intervals_of, numbers_in


@pytest.mark.parametrize(
    ("numbers", "intervals"),
    [
        ([], ()),
        ([7], ((7, 7),)),
        ([3, 1, 2], ((1, 3),)),
        ([-1, 0, 5, 6, 9], ((-1, 0), (5, 6), (9, 9))),
    ],
)
def test_intervals_hold_the_numbers_and_no_other(numbers, intervals):
    assert intervals_of(numbers) == intervals
    assert numbers_in([intervals]) == set(numbers)


def test_sets_may_overlap():
    assert numbers_in([((1, 3),), ((2, 4), (9, 9)), ((1, 3),)]) == {1, 2, 3, 4, 9}
