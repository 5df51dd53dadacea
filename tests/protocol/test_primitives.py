import base64
import math
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import (
    UUID_TEXTS,
    java_text,
    json_float,
    read_unsigned_varint,
    skip_tagged_field,
)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("00", 0),
        ("7f", 127),
        ("8001", 128),
        ("ac02", 300),  # the example of Protocol Buffers' encoding guide
        ("8000", 0),
        ("ffffffff07", 0x7FFFFFFF),
        ("ffffffff0f", -1),
        ("8080808008", -0x80000000),
        ("808080807f", -0x10000000),  # high bits of the fifth byte fall off Java's int
    ],
)
def test_unsigned_varint(raw: str, value: int) -> None:
    data = bytes.fromhex(raw)
    assert read_unsigned_varint(b"\xff" + data + b"\x01", 1) == (value, 1 + len(data))


def test_unsigned_varint_of_more_than_five_bytes_is_refused() -> None:
    with pytest.raises(ProtocolError, match="at most 5 bytes"):
        read_unsigned_varint(bytes.fromhex("ffffffffff01"), 0)


def test_unsigned_varint_that_is_cut() -> None:
    with pytest.raises(IndexError):
        read_unsigned_varint(b"\x80\x80", 0)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("c3a9", "é"),
        ("ff", "\ufffd"),
        ("c328", "\ufffd("),
        ("e6bc", "\ufffd"),
        ("e0808080", "\ufffd\ufffd\ufffd\ufffd"),
        ("eda080", "\ufffd"),  # Java: one for a surrogate; Python's own replacement gives three
        ("41eda08042", "A\ufffdB"),
        ("eda0", "\ufffd\ufffd"),
        ("f0288cbc", "\ufffd(\ufffd\ufffd"),
        ("f4908080", "\ufffd\ufffd\ufffd\ufffd"),
    ],
)
def test_malformed_utf8_is_replaced_as_java_does(raw: str, text: str) -> None:
    assert java_text(bytes.fromhex(raw)) == text


@given(st.binary(min_size=16, max_size=16))
def test_uuid_text(raw: bytes) -> None:
    text = UUID_TEXTS[raw]
    assert len(text) == 22
    assert uuid.UUID(bytes=base64.urlsafe_b64decode(text + "==")).bytes == raw


def test_uuid_of_fewer_bytes_is_refused() -> None:
    with pytest.raises(IndexError):
        UUID_TEXTS[b"short"]


def test_uuids_kept_are_bounded() -> None:
    for number in range(20_000):
        UUID_TEXTS[number.to_bytes(16)]
    assert len(UUID_TEXTS) <= 16384


@pytest.mark.parametrize(
    ("value", "shown"), [(0.5, 0.5), (math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")]
)
def test_json_float(value: float, shown: object) -> None:
    assert json_float(value) == shown


def test_skip_tagged_field() -> None:
    assert skip_tagged_field(bytes(10), 4, 9, 6) == 10
    for size in (-1, 7):
        with pytest.raises(ProtocolError, match="tag 9"):
            skip_tagged_field(bytes(10), 4, 9, size)
    with pytest.raises(ProtocolError, match="no tag 9"):
        skip_tagged_field(bytes(10), 4, 9, 6, gone=(9,))
