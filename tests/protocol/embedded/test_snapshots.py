from kafkasniff.protocol.embedded.snapshots import whole_batches
from kafkasniff.protocol.primitives import RecordsField
from tests.protocol.records.made_batches import simple_batch

FIRST, SECOND, THIRD = simple_batch(3), simple_batch(2, 3), simple_batch(4, 5)
SNAPSHOT = FIRST + SECOND + THIRD
PATH = "topics[0].partitions[0].unalignedRecords"


def start_of(chunk: bytes, position: int) -> int:
    """Give where the first whole batch of a chunk begins, with other bytes around the chunk."""
    data = b"before" + chunk + b"behind"
    field = RecordsField(PATH, 6, 6 + len(chunk))
    value = {"topics": [{"partitions": [{"position": position}]}]}
    (found,) = whole_batches(value, data, [field])
    assert (found.path, found.end) == (PATH, field.end)
    return found.start - 6


def test_the_first_chunk_begins_with_a_batch() -> None:
    assert start_of(SNAPSHOT[:-10], 0) == 0


def test_a_later_chunk_begins_behind_the_rest_of_a_batch() -> None:
    for cut in (1, 20, len(FIRST) - 1):
        assert start_of(SNAPSHOT[cut:], cut) == len(FIRST) - cut


def test_a_later_chunk_may_begin_with_a_batch() -> None:
    assert start_of(SNAPSHOT[len(FIRST) :], len(FIRST)) == 0


def test_a_chunk_without_a_whole_batch_is_empty() -> None:
    cut = len(FIRST) + 5
    assert start_of(SNAPSHOT[cut : cut + 40], cut) == 40
