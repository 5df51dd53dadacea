import pytest

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import (
    RequestHeader,
    read_request_header,
    read_response_header,
    request_header_version,
    response_header_version,
)


def test_header_v1() -> None:
    data = bytes.fromhex("000c" + "0003" + "0000002a" + "0002" + "6162" + "ff")
    assert read_request_header(data) == RequestHeader(12, 3, 42, "ab", 1, 12)


def test_header_v2_has_an_int16_client_id_and_tags() -> None:
    data = b"size" + bytes.fromhex("000c" + "0004" + "0000002a" + "0002" + "6162" + "01" + "6302cafe" + "ff")
    assert read_request_header(data, 4) == RequestHeader(12, 4, 42, "ab", 2, 21)


def test_header_v0_of_controlled_shutdown_has_no_client_id() -> None:
    data = bytes.fromhex("0007" + "0000" + "0000002a" + "00000001")
    assert read_request_header(data) == RequestHeader(7, 0, 42, None, 0, 8)


def test_null_client_id() -> None:
    assert read_request_header(bytes.fromhex("000c00030000002affff")).client_id is None


def test_versions_newer_than_known_have_the_newest_known_header() -> None:
    assert request_header_version(12, 300) == 2
    assert response_header_version(12, 300) == 1
    # SaslHandshake never became flexible.
    assert request_header_version(17, 300) == 1
    assert response_header_version(17, 300) == 0


def test_unknown_api_is_taken_as_flexible() -> None:
    assert request_header_version(999, 0) == 2
    assert response_header_version(999, 0) == 1


def test_api_versions_answers_have_header_v0_in_all_versions() -> None:
    assert [response_header_version(18, version) for version in range(6)] == [0] * 6
    assert request_header_version(18, 3) == 2


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("", ""),
        ("000c000300", ""),
        ("ffff" + "0003" + "0000002a" + "0000", "requestApiKey"),
        ("000c" + "8000" + "0000002a" + "0000", "requestApiVersion"),
        ("000c" + "0003" + "0000002a" + "00", "clientId"),
        ("000c" + "0003" + "0000002a" + "0003" + "6162", "clientId"),
        ("000c" + "0004" + "0000002a" + "0000", "taggedFields"),
        ("000c" + "0004" + "0000002a" + "0000" + "05", "taggedFields"),
    ],
)
def test_what_is_no_request_header(raw: str, path: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        read_request_header(bytes.fromhex(raw))
    assert refused.value.path == path


@pytest.mark.parametrize("raw", ["000c00040000002a0000016305", "000c00040000002a0000ffffffffffff"])
def test_impossible_tags_are_refused(raw: str) -> None:
    with pytest.raises(ProtocolError):
        read_request_header(bytes.fromhex(raw))


def test_tagged_fields_of_a_header_are_bounded() -> None:
    # MAX_ELEMENTS and one more, as varints of three bytes.
    begin = bytes.fromhex("000c00040000002a000163")
    most = b"\xc0\x84\x3d" + b"\0\0" * 1_000_000
    assert read_request_header(begin + most).end == len(begin) + len(most)
    with pytest.raises(ProtocolError, match="at most 1000000 tagged fields"):
        read_request_header(begin + b"\xc1\x84\x3d" + b"\0\0" * 1_000_001)


def test_response_headers() -> None:
    assert read_response_header(bytes.fromhex("0000002a"), 0) == (42, 4)
    assert read_response_header(bytes.fromhex("ff0000002a00"), 1, 1) == (42, 6)
    assert read_response_header(bytes.fromhex("fffffffe" + "016302cafe"), 1) == (-2, 9)
    for raw, version in (("00002a", 0), ("0000002a", 1)):
        with pytest.raises(ProtocolError):
            read_response_header(bytes.fromhex(raw), version)
