import pytest

from kafkasniff.protocol.compiler import compile_decoder
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.scan_compiler import compile_scan_decoder
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, JSON_1, PLAIN, raw

VERSIONS = [(0, PLAIN, JSON_0), (1, FLEXIBLE, JSON_1)]


@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_all_fields(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    data = raw(parts)
    names = frozenset(field.name for field in EVERY_TYPE.fields) | {"topic", "next", "id", "node"}
    assert compile_scan_decoder(EVERY_TYPE, version, names)(data, 0, [], []) == (value, len(data))


@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_one_field_and_where_records_lie(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    data = b"before" + raw(parts)
    for name in ("flag", "name", "epochs"):
        records: list[RecordsField] = []
        scanned = compile_scan_decoder(EVERY_TYPE, version, frozenset({name}))(data, 6, records, [])
        assert scanned == ({name: value[name]}, len(data))
        [field] = records
        assert data[field.start : field.end] == b"\xaa\xbb\xcc"


@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_what_a_decoder_refuses_is_refused(version: int, parts: dict[str, str]) -> None:
    data = raw(parts)
    scan, decode = compile_scan_decoder(EVERY_TYPE, version, frozenset()), compile_decoder(EVERY_TYPE, version)
    for length in range(len(data)):
        with pytest.raises(ProtocolError):
            scan(data[:length], 0, [], [])
    for place in range(len(data)):
        for byte in (0, 0x7F, 0x80, 0xFF):
            damaged = data[:place] + bytes([byte]) + data[place + 1 :]
            try:
                end = decode(damaged, 0, [])[1]
            except ProtocolError:
                with pytest.raises(ProtocolError):
                    scan(damaged, 0, [], [])
            else:
                assert scan(damaged, 0, [], []) == ({}, end)


def test_errors_with_their_paths() -> None:
    message = Message(
        "Answer",
        versions="0",
        flexible="none",
        fields=(
            Field("errorCode", "int16", "0"),
            Field(
                "topics",
                "[]Topic",
                "0",
                fields=(Field("name", "string", "0"), Field("errorCode", "int16", "0"), Field("epoch", "int32", "0")),
            ),
        ),
    )
    data = bytes.fromhex("0001 00000002 000161 0000 00000007 000162 0006 00000008".replace(" ", ""))
    errors: list[tuple[str, int]] = []
    value, end = compile_scan_decoder(message, 0, frozenset({"topics", "name"}))(data, 0, [], errors)
    assert (value, end) == ({"topics": [{"name": "a"}, {"name": "b"}]}, len(data))
    assert errors == [("errorCode", 1), ("topics[1].errorCode", 6)]


def test_a_tagged_error_code() -> None:
    # CreateTopicsResponse v5: topicConfigErrorCode has tag 0.
    body = "00000000 02 0261 0000 00 ffffffff ffff 00 01 00 02 001d 00"
    errors: list[tuple[str, int]] = []
    compile_scan_decoder(api_definition(19, "response"), 5, frozenset())(bytes.fromhex(body), 0, [], errors)
    assert errors == [("topics[0].topicConfigErrorCode", 29)]


def test_fields_passed_over_are_read_with_their_neighbours() -> None:
    source = compile_scan_decoder(api_definition(12, "response"), 1, frozenset()).__source__
    # Heartbeat's throttleTimeMs and errorCode.
    assert "unpack_4xh(data, p)" in source
