import lz4.frame
import pytest

from kafkasniff.protocol.records.compression.lz4_header import with_right_checksum, xxhash32


@pytest.mark.parametrize(
    ("data", "value"),
    [
        # Well-known values of XXH32 with seed 0.
        (b"", 0x02CC5D05),
        (b"a", 0x550D7456),
        (b"abc", 0x32D153FF),
    ],
)
def test_xxhash(data: bytes, value: int) -> None:
    assert xxhash32(data) == value


@pytest.mark.parametrize("stores_size", [True, False])
@pytest.mark.parametrize("linked", [True, False])
def test_checksum_is_the_one_that_lz4_writes(stores_size: bool, linked: bool) -> None:
    frame = lz4.frame.compress(b"content" * 9, store_size=stores_size, block_linked=linked)
    at = 14 if stores_size else 6
    broken = frame[:at] + bytes([frame[at] ^ 0x5A]) + frame[at + 1 :]
    with pytest.raises(RuntimeError):
        lz4.frame.decompress(broken)
    assert with_right_checksum(broken) == frame


@pytest.mark.parametrize("length", range(7))
def test_frames_cut_in_the_header_stay_as_they_are(length: int) -> None:
    frame = lz4.frame.compress(b"content", store_size=False)
    assert with_right_checksum(frame[:length]) == frame[:length]
