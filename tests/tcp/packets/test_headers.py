"""Numbers within a packet's bounds."""

from collections.abc import Callable

import pytest

from kafkasniff.tcp.packets.headers import HeaderError, u8, u16, u24, u32


@pytest.mark.parametrize(
    ("read", "width", "value"), [(u8, 1, 1), (u16, 2, 0x102), (u24, 3, 0x10203), (u32, 4, 0x1020304)]
)
def test_numbers_and_bounds(read: Callable[[bytes, int, int], int], width: int, value: int) -> None:
    data = b"\0\1\2\3\4\5"
    assert read(data, 1, 1 + width) == value
    with pytest.raises(HeaderError):
        read(data, 1, width)
