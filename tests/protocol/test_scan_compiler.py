import pytest

from kafkasniff.protocol.compiler import compile_decoder
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.scan_compiler import compile_scan_decoder
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, JSON_1, PLAIN, raw

VERSIONS = [(0, PLAIN, JSON_0), (1, FLEXIBLE, JSON_1)]


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_all_fields(version: int, parts: dict[str, str], value: dict[str, object], short: bool) -> None:
    data = raw(parts)
    names = frozenset(field.name for field in EVERY_TYPE.fields) | {"topic", "next", "id", "node"}
    assert compile_scan_decoder(EVERY_TYPE, version, names, short)(data, 0, [], []) == (value, len(data))


@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_one_field_and_where_records_lie(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    data = b"before" + raw(parts)
    for name in ("flag", "name", "epochs"):
        records: list[RecordsField] = []
        scanned = compile_scan_decoder(EVERY_TYPE, version, frozenset({name}))(data, 6, records, [])
        assert scanned == ({name: value[name]}, len(data))
        [field] = records
        assert data[field.start : field.end] == b"\xaa\xbb\xcc"


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_what_a_decoder_refuses_is_refused(version: int, parts: dict[str, str], short: bool) -> None:
    data = raw(parts)
    scan, decode = compile_scan_decoder(EVERY_TYPE, version, frozenset(), short), compile_decoder(EVERY_TYPE, version)
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


PAIRS = Message(
    "Pairs",
    versions="0",
    flexible="none",
    fields=(
        Field("pairs", "[]Pair", "0", fields=(Field("id", "uuid", "0"), Field("epoch", "int32", "0")), nullable="0"),
        Field("end", "int8", "0"),
    ),
)


@pytest.mark.parametrize("names", [frozenset({"end"}), frozenset({"pairs", "end"})])
def test_elements_of_which_nothing_is_read_are_passed_at_once(names: frozenset[str]) -> None:
    scan = compile_scan_decoder(PAIRS, 0, names, short=True)
    kept = {"pairs": [{}, {}]} if "pairs" in names else {}
    assert scan(bytes((0, 0, 0, 2, *range(40), 7)), 0, [], []) == (kept | {"end": 7}, 45)
    for count in ("00000003", "7fffffff"):
        with pytest.raises(ProtocolError):
            scan(bytes.fromhex(count) + bytes(41), 0, [], [])


def test_long_messages_have_no_more_elements_than_a_decoder_takes() -> None:
    data = bytes.fromhex("00000002") + bytes(41)
    for names in (frozenset[str](), frozenset({"pairs"})):
        scan = compile_scan_decoder(PAIRS, 0, names)
        assert scan(data, 0, [], [], 2)[1] == len(data)
        with pytest.raises(ProtocolError):
            scan(data, 0, [], [], 1)
