"""What is remembered of the sizes of segments."""

from collections import Counter
from random import Random

from kafkasniff.calls.correlation.segments import LargestSegments


def test_the_largest_are_counted_one_by_one_and_together() -> None:
    rng = Random(1)
    sizes = [rng.randrange(1, 6) for _ in range(50)]
    one_by_one, together = LargestSegments(), LargestSegments()
    for size in sizes:
        one_by_one.note(size)
    for size, count in Counter(sizes).items():
        together.note(size, count)
    for segments in (one_by_one, together):
        assert (segments.size, segments.count) == (max(sizes), sizes.count(max(sizes)))
