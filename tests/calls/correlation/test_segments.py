"""What is remembered of the sizes of segments."""

from random import Random

from kafkasniff.calls.correlation.segments import LargestSegments


def test_the_largest_are_counted_one_by_one_and_together() -> None:
    rng = Random(1)
    sizes = [rng.randrange(1, 6) for _ in range(50)]
    one_by_one, together = LargestSegments(), LargestSegments()
    for size in sizes:
        one_by_one.note(size)
    for half in (sizes[:25], sizes[25:]):
        of_half = LargestSegments()
        for size in half:
            of_half.note(size)
        together.join(of_half)
    for segments in (one_by_one, together):
        assert (segments.size, segments.count) == (max(sizes), sizes.count(max(sizes)))


def test_those_in_a_row_are_counted() -> None:
    segments = LargestSegments()
    for size in (7, 7, 3, 7, 7, 7, 2, 7):
        segments.note(size)
    assert (segments.count, segments.row) == (6, 3)
    segments.note(8)
    assert (segments.count, segments.row) == (1, 1)
