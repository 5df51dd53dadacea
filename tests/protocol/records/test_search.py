from random import Random

from kafkasniff.protocol.records.search import MAX_SEARCHED_BYTES, BatchSearch
from tests.protocol.records.made_batches import message, simple_batch


def test_finds_a_batch_of_each_magic_behind_other_bytes() -> None:
    other = Random(1).randbytes(3000)
    for encoded in (simple_batch(2), message(b"k", b"v"), message(None, b"v", magic=1)):
        data = other + encoded + other
        assert BatchSearch(data, len(data)).find(5) == len(other)
        assert BatchSearch(data, len(data)).is_proven(len(other))


def test_a_header_without_its_crc_is_no_batch() -> None:
    encoded = bytearray(simple_batch(2))
    encoded[-1] ^= 1
    data = b"x" * 9 + bytes(encoded)
    assert BatchSearch(data, len(data)).find(0) is None
    assert not BatchSearch(data, len(data)).is_proven(9)


def test_a_cut_batch_is_no_batch() -> None:
    data = b"x" * 9 + simple_batch(2)
    assert BatchSearch(data, len(data) - 1).find(0) is None
    assert not BatchSearch(data, len(data) - 1).is_proven(9)


def test_searches_go_on_behind_what_was_found() -> None:
    data = b"junk" + simple_batch(1) + b"junk" + simple_batch(2)
    search = BatchSearch(data, len(data))
    assert search.find(0) == 4
    assert search.find(5) == data.rindex(b"junk") + 4
    assert search.find(len(data) - 20) is None


def test_a_search_that_found_nothing_is_not_repeated() -> None:
    data = Random(2).randbytes(MAX_SEARCHED_BYTES) + simple_batch(1)
    search = BatchSearch(data, len(data))
    assert search.find(0) is None
    # The batch lies beyond the bytes that one field may cost.
    assert search.find(MAX_SEARCHED_BYTES - 10) is None
    assert BatchSearch(data, len(data)).find(MAX_SEARCHED_BYTES - 10) == MAX_SEARCHED_BYTES
