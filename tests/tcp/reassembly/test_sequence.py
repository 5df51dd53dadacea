import pytest

from kafkasniff.tcp.reassembly.sequence import distance


@pytest.mark.parametrize(
    ("sequence", "base", "expected"),
    [(5, 3, 2), (3, 5, -2), (1, 0xFFFFFFFF, 2), (0xFFFFFFFF, 1, -2), (0x7FFFFFFF, 0, 0x7FFFFFFF)],
)
def test_distance_wraps(sequence: int, base: int, expected: int) -> None:
    assert distance(sequence, base) == expected
