import pytest

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.layout import batch_size
from tests.protocol.records.made_batches import message, simple_batch


@pytest.mark.parametrize("encoded", [simple_batch(3), message(b"k", b"v"), message(b"k", b"v", magic=1)])
def test_size_counts_the_whole_batch(encoded: bytes) -> None:
    assert batch_size(encoded, 0, len(encoded)) == len(encoded)
    assert batch_size(b"xyz" + encoded, 3, 3 + len(encoded)) == len(encoded)


@pytest.mark.parametrize("seen", range(17))
def test_no_size_before_the_magic_byte_is_there(seen: int) -> None:
    assert batch_size(simple_batch(3), 0, seen) is None


def test_size_may_exceed_what_is_there() -> None:
    encoded = simple_batch(3)
    assert batch_size(encoded, 0, 17) == len(encoded)


@pytest.mark.parametrize(
    ("encoded", "offset", "message_part"),
    [
        (bytes(8) + b"\0\0\0\x0d" + bytes(5), 8, "at least 26 bytes, found a size of 13"),
        (bytes(8) + b"\xff\xff\xff\xff" + bytes(5), 8, "found a size of -1"),
        (bytes(8) + b"\0\0\0\x40" + bytes(4) + b"\x03", 16, "magic 0, 1 or 2, found 3"),
        (bytes(8) + b"\0\0\0\x15" + bytes(4) + b"\x01", 8, "magic 1, of at least 34 bytes, found a size of 21"),
        (bytes(8) + b"\0\0\0\x30" + bytes(4) + b"\x02", 8, "magic 2, of at least 61 bytes, found a size of 48"),
    ],
)
def test_impossible_headers_are_refused(encoded: bytes, offset: int, message_part: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        batch_size(encoded, 0, len(encoded))
    assert refused.value.offset == offset
    assert message_part in refused.value.message
