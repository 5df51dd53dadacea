from importlib.machinery import PathFinder

import pytest

from kafkasniff.protocol.records.checksums import checksum_of_magic_2, computed_crc, stated_crc

CHECK_INPUT = b"123456789"
"""The input for which catalogues of CRCs state the check value."""


def test_magic_2_has_crc_32c_from_the_attributes_on() -> None:
    data = b"before" + bytes(16) + b"\x02" + b"\xe3\x06\x92\x83" + CHECK_INPUT + b"behind"
    assert computed_crc(data, 6, len(data) - 6) == 0xE3069283
    assert stated_crc(data, 6) == 0xE3069283


def test_magic_0_and_1_have_crc_32_from_the_magic_byte_on() -> None:
    # CRC-32 of 00 and of 01, as any table of the polynomial begins.
    for magic, crc in ((0, 0xD202EF8D), (1, 0xA505DF1B)):
        data = b"before" + bytes(12) + crc.to_bytes(4) + bytes([magic])
        assert computed_crc(data, 6, len(data)) == crc
        assert stated_crc(data, 6) == crc


def test_without_the_extension_module_the_package_itself_computes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathFinder, "find_spec", lambda name, path=None, target=None: None)
    checksum_of_magic_2.cache_clear()
    try:
        assert checksum_of_magic_2()(CHECK_INPUT) == 0xE3069283
    finally:
        checksum_of_magic_2.cache_clear()
