import pytest

from kafkasniff.tcp.tls.beginning import begins_tls


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (bytes.fromhex("160301020001"), True),
        (bytes.fromhex("160303005a02"), True),
        (b"\x16", True),
        (b"\x16\x03\x01", True),
        (b"", False),
        (b"\x15\x03\x03\x00\x02\x02", False),
        (bytes.fromhex("16030102000b"), False),
        (bytes.fromhex("1603ffffff01"), False),
        (bytes.fromhex("000000200012"), False),
    ],
)
def test_tells_tls_by_its_first_bytes(start: bytes, expected: bool) -> None:
    assert begins_tls(start) == expected
