from typing import Any

import pytest

from kafkasniff.protocol.records.content import as_text, in_json_form, is_plain, put_bytes, schema_id


@pytest.mark.parametrize("padding", [0, 20_000])
def test_plain_is_ascii_without_controls(padding: int) -> None:
    padded = "x" * padding
    assert is_plain([])
    assert is_plain(["", padded, "a b\tc\r\nd~"])
    for other in ("\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\x7f", "\x80", "é"):
        assert not is_plain([padded, "a", f"b{other}", "c"]), other
        assert not is_plain(["a"] * 3000 + [padded, other])


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        (b"two\r\n\tlines", "two\r\n\tlines"),
        ("Größe 漢字 😀".encode(), "Größe 漢字 😀"),
        ("line\u2028separator".encode(), "line\u2028separator"),
        (b"nul\0", None),
        (b"escape \x1b[31m", None),
        (b"delete \x7f", None),
        ("next line \u0085".encode(), None),
        ("C1 \u009f".encode(), None),
        (b"\xff\xfe", None),
        (b"\xed\xa0\x80", None),
        (b"cut \xe6\xbc", None),
    ],
)
def test_text_is_utf_8_without_controls(raw: bytes, text: str | None) -> None:
    assert as_text(raw) == text


@pytest.mark.parametrize(
    ("raw", "limit", "item"),
    [
        (None, None, {"value": None}),
        (None, 1, {"value": None}),
        (b"", None, {"value": ""}),
        (b"text", None, {"value": "text"}),
        (b"text", 4, {"value": "text"}),
        (b"text", 3, {"value": "tex", "valueSizeInBytes": 4}),
        (b"text", 0, {"value": "", "valueSizeInBytes": 4}),
        ("aé".encode(), 2, {"value": "a", "valueSizeInBytes": 3}),
        (b"\xff\x00\x01", None, {"valueBase64": "/wAB"}),
        (b"\xff\x00\x01", 2, {"valueBase64": "/wA=", "valueSizeInBytes": 3}),
        (b"text, then binary\x00", 4, {"valueBase64": "dGV4dA==", "valueSizeInBytes": 18}),
    ],
)
def test_put_bytes(raw: bytes | None, limit: int | None, item: dict[str, Any]) -> None:
    put: dict[str, Any] = {}
    put_bytes(put, "value", raw, limit)
    assert put == item


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (b"\0\0\0\0\x2a{}", 42),
        (b"\0\0\x01\x86\xa1avro", 100_001),
        (None, None),
        (b"", None),
        (b"\0\0\0\0\x2a", None),
        (b"\x01\0\0\0\x2a{}", None),
        # Not an id but a small number of eight bytes, and one that is too large to be counted up to.
        (b"\0\0\0\0\0\0\0\x2a", None),
        (b"\0\x01\0\x07group", None),
    ],
)
def test_schema_id(raw: bytes | None, number: int | None) -> None:
    assert schema_id(raw) == number


def test_record_in_json_form() -> None:
    record = {
        "offset": 5,
        "timestamp": 6,
        "key": "\0\0\0\0\x07id",
        "value": "\0\0\0\0\x08{}",
        "headers": ({"key": "caf\xc3\xa9", "value": "\x01"}, {"key": "\xff", "value": None}),
    }
    item = in_json_form(record, None)
    assert item == {
        "offset": 5,
        "timestamp": 6,
        "keyBase64": "AAAAAAdpZA==",
        "valueBase64": "AAAAAAh7fQ==",
        "headers": ({"key": "café", "valueBase64": "AQ=="}, {"key": "\ufffd", "value": None}),
        "keySchemaId": 7,
        "schemaId": 8,
    }
    assert list(item)[:5] == ["offset", "timestamp", "keyBase64", "valueBase64", "headers"]
