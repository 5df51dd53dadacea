import pytest

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.varints import read_varint


@pytest.mark.parametrize(
    ("encoded", "value"),
    [
        # From Kafka's ByteUtilsTest.
        ("00", 0),
        ("01", -1),
        ("02", 1),
        ("7e", 63),
        ("7f", -64),
        ("8001", 64),
        ("8101", -65),
        ("fe7f", 8191),
        ("ff7f", -8192),
        ("808001", 8192),
        ("feffffff0f", 2**31 - 1),
        ("ffffffff0f", -(2**31)),
    ],
)
def test_32_bits(encoded: str, value: int) -> None:
    data = b"\x55" + bytes.fromhex(encoded) + b"\x55"
    assert read_varint(data, 1, 32) == (value, len(data) - 1)
    assert read_varint(data, 1, 64) == (value, len(data) - 1)


def test_64_bits() -> None:
    assert read_varint(bytes.fromhex("feffffffffffffffff01"), 0, 64) == (2**63 - 1, 10)
    assert read_varint(bytes.fromhex("ffffffffffffffffff01"), 0, 64) == (-(2**63), 10)


@pytest.mark.parametrize(("bits", "most"), [(32, 5), (64, 10)])
def test_longer_ones_are_refused(bits: int, most: int) -> None:
    with pytest.raises(ProtocolError, match=f"at most {most} bytes") as refused:
        read_varint(b"\0\0" + b"\x80" * 11 + b"\0", 2, bits)
    assert refused.value.offset == 2


def test_the_end_raises_index_error() -> None:
    with pytest.raises(IndexError):
        read_varint(b"\x80\x80", 0, 32)
