import base64
import re
import struct

import pytest

from kafkasniff.calls.context import Context
from kafkasniff.protocol.limits import MessageLimits
from kafkasniff.render.colours import PLAIN
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.render.text.hexdump import field_lines, hexdump_lines
from kafkasniff.render.text.lines import CallLines
from tests.render.made_calls import made_call, metadata_call, request_bytes, text


def test_hexdump_is_that_of_hexdump_c() -> None:
    # The second column ends at 16 bytes, as `hexdump -C` prints it.
    assert list(hexdump_lines(b"Kafka\x00\xff wire bytes", 2)) == [
        "  000000  4b 61 66 6b 61 00 ff 20  77 69 72 65 20 62 79 74  Kafka.. wire byt",
        "  000010  65 73                                             es",
    ]


def test_hexdump_is_bounded() -> None:
    lines = list(hexdump_lines(bytes(5000)))
    assert len(lines) == 257
    assert lines[-1] == "… 904 more bytes"


def test_fields_account_for_every_byte_of_the_message() -> None:
    call = metadata_call()
    lines = list(field_lines(call, "request", 0))
    assert lines == [
        "000000  00 03                           requestApiKey = 3",
        "000002  00 01                           requestApiVersion = 1",
        "000004  00 00 00 2a                     correlationId = 42",
        "000008  00 04 73 68 6f 70               clientId = shop",
        "00000e  00 00 00 01                     topics = 1",
        "000012  00 06 6f 72 64 65 72 73         topics[0].name = orders",
    ]
    octets = "".join(line[8:39].replace("…", "") for line in lines)
    assert call.request is not None
    assert bytes.fromhex(octets) == call.request.data


def test_bytes_that_did_not_decode_follow_as_a_hexdump() -> None:
    call = made_call(request_bytes(3, 1, 1, None, struct.pack(">i", 1) + b"\x00\x09abc"), None, outcome="unanswered")
    lines = list(field_lines(call, "request", 0))
    assert lines[-1] == "00000e  00 09 61 62 63                                    ..abc"


def test_an_unknown_version_is_a_hexdump() -> None:
    call = made_call(request_bytes(3, 99, 1, None, b"\x00\x01\x02"), None, outcome="unanswered")
    assert list(field_lines(call, "request", 0))[-1].startswith("00000b  01 02 ")


def test_secrets_are_left_out_of_values_and_bytes() -> None:
    password = b"\x00alice\x00alice-secret"
    request = request_bytes(36, 0, 9, "c", struct.pack(">i", len(password)) + password)
    response = struct.pack(">ih", 9, 0) + text(None) + struct.pack(">i", 0)
    call = made_call(request, response)
    shown = "\n".join(field_lines(call, "request", 0))
    assert "***" in shown
    assert "61 6c 69" not in shown
    assert base64.b64encode(password).decode()[:8] not in shown
    call = made_call(request, response)
    call.show_secrets = True
    assert base64.b64encode(password).decode() in "\n".join(field_lines(call, "request", 0))


HUSH = b"hunter2-hunter2"
SAID = "not shown: may hold secrets; --show-secrets shows them"


def compact(content: bytes) -> bytes:
    return bytes([len(content) + 1]) + content


def alter_configs(value: bytes = HUSH) -> bytes:
    """The body of AlterConfigs v0: one topic with one config."""
    name = text("ssl.keystore.password")
    resource = b"\x02" + text("orders") + struct.pack(">i", 1) + name + struct.pack(">h", len(value)) + value
    return struct.pack(">i", 1) + resource + b"\0"


SASL = struct.pack(">i", len(HUSH)) + HUSH
SCRAM = compact(b"alice") + b"\1" + struct.pack(">i", 4096) + compact(HUSH) + compact(HUSH) + b"\0"
INNER = request_bytes(51, 0, 7, "c", b"\0\1\2" + SCRAM + b"\0")
METADATA_LOG = bytes(15) + b"\1"
"""The id of its topic."""


def wrapped(inner: bytes) -> bytes:
    """The body of Envelope v0."""
    return b"\0" + compact(inner) + compact(b"principal") + compact(b"\x0a\0\0\1") + b"\0"


@pytest.mark.parametrize(
    ("request_", "size"),
    [
        pytest.param(request_bytes(33, 0, 1, "c", alter_configs()[:-8]), 100, id="cut inside the value"),
        pytest.param(request_bytes(33, 0, 1, "c", struct.pack(">i", 9) + alter_configs()[4:]), None, id="damaged"),
        pytest.param(request_bytes(33, 0, 1, "c", b"\0" + alter_configs()), None, id="shifted by a byte"),
        pytest.param(request_bytes(33, 0, 1, "c", alter_configs() + HUSH), None, id="bytes behind the body"),
        pytest.param(request_bytes(33, 99, 1, "c", b"\0" + alter_configs()), None, id="unknown version"),
        pytest.param(request_bytes(10_000, 0, 1, "c", b"\0" + alter_configs()), None, id="unknown API"),
        pytest.param(request_bytes(36, 0, 1, "c", SASL[:-3]), 200, id="cut token"),
        pytest.param(request_bytes(36, 0, 1, "c", b"\0\0\0\3abc" + HUSH), None, id="bytes behind a token"),
        pytest.param(request_bytes(36, 77, 1, "c", b"\0" + SASL), None, id="token of an unknown version"),
        pytest.param(
            request_bytes(36, 2, 1, "c", b"\0" + compact(b"abc") + b"\1\x63" + bytes([len(HUSH)]) + HUSH), None,
            id="unknown tagged field",
        ),
        pytest.param(
            request_bytes(36, 2, 1, "c", b"\1\x63" + bytes([len(HUSH)]) + HUSH + compact(b"abc") + b"\0"), None,
            id="unknown tagged field of the header",
        ),
        pytest.param(request_bytes(51, 0, 1, "c", b"\0\1\3" + SCRAM), None, id="one SCRAM credential of two"),
        pytest.param(request_bytes(58, 0, 1, "c", wrapped(INNER)), None, id="envelope"),
        pytest.param(request_bytes(58, 0, 1, "c", wrapped(INNER)[:-30]), 400, id="cut envelope"),
        pytest.param(request_bytes(58, 0, 1, "c", wrapped(INNER[:-4])), None, id="damaged inside of an envelope"),
        pytest.param(request_bytes(58, 9, 1, "c", wrapped(INNER)), None, id="envelope of an unknown version"),
        pytest.param(request_bytes(59, 9, 1, "c", b"\0" + HUSH), None, id="FetchSnapshot of an unknown version"),
        pytest.param(request_bytes(1, 99, 1, "c", b"\0" + METADATA_LOG + HUSH), None, id="Fetch of the metadata log"),
    ],
)  # fmt: skip
def test_what_does_not_decode_of_apis_with_secrets_is_not_shown(request_: bytes, size: int | None) -> None:
    def shown(show_secrets: bool) -> str:
        call = made_call(request_, None, outcome="unanswered", request_size=size)
        call.show_secrets = show_secrets
        octets = "".join(line[8:56] for line in field_lines(call, "request", 0)).replace(" ", "")
        lines = CallLines(None, "absolute", 2, PLAIN).call(call) + JsonLines().line(call).decode()
        return f"{octets} {bytes.fromhex(''.join(re.findall('[0-9a-f]{2}', octets)))!r} {lines}"

    def found(where: str) -> bool:
        parts = [HUSH[start : start + 6] for start in range(len(HUSH) - 5)]
        encoded = [base64.b64encode(HUSH[start : start + 9]).decode()[:8] for start in range(3)]
        return any(text in where for part in parts for text in (part.decode(), part.hex())) or any(
            text in where for text in encoded
        )

    assert not found(shown(False))
    assert SAID in shown(False) or "***" in shown(False)
    assert found(shown(True))
    assert SAID not in shown(True)


def test_elements_beyond_the_limit_are_not_shown() -> None:
    """Of a message with too many elements a tenth is decoded, and only secrets in it were replaced."""
    config = text("ssl.keystore.password") + text("hunter2")
    body = struct.pack(">i", 1) + b"\x02" + text("t") + struct.pack(">i", 60) + config * 60 + b"\0"
    call = made_call(request_bytes(33, 0, 1, "c", body), None, outcome="unanswered")
    call.context = Context(limits=MessageLimits(elements=50))
    lines = list(field_lines(call, "request", 0))
    assert "hunter2" not in "\n".join(lines)
    assert lines[-1].endswith(SAID)


def test_a_snapshot_may_begin_in_the_midst_of_a_secret() -> None:
    partition = struct.pack(">ih", 0, 0) + struct.pack(">qi", 5, 0) + b"\0" + struct.pack(">qq", 99, 9) + compact(HUSH)
    body = struct.pack(">ih", 0, 0) + b"\2" + compact(b"__cluster_metadata") + b"\2" + partition + b"\0\0\0"
    request = request_bytes(59, 0, 1, "c", b"\0" + struct.pack(">ii", -1, 9) + b"\1\0")
    call = made_call(request, struct.pack(">i", 1) + b"\0" + body)
    assert call.response_body is not None
    assert call.response_body.value is not None
    [line] = [each for each in field_lines(call, "response", 0) if "unalignedRecords" in each]
    assert line.split()[1:] == ["***", "topics[0].partitions[0].unalignedRecords", "=", "***"]


@pytest.mark.parametrize(("topic", "shown"), [("orders", True), ("__cluster_metadata", False)])
def test_records_are_hidden_of_the_metadata_log_alone(topic: str, shown: bool) -> None:
    # Fifteen zeros and a 1 are the id of the metadata log, and stand in records of others too.
    records = bytes(15) + b"\x01"
    partition = struct.pack(">ihqi", 0, 0, 7, len(records)) + records
    response = struct.pack(">ii", 1, 1) + text(topic) + struct.pack(">i", 1) + partition
    asked = struct.pack(">iiii", -1, 500, 1, 1) + text(topic) + struct.pack(">iiqi", 1, 0, 7, 100)
    call = made_call(request_bytes(1, 0, 1, "c", asked), response)
    [line] = [each for each in field_lines(call, "response", 0) if each.split(" = ")[0].endswith("records")]
    assert line.endswith("= 16" if shown else "= ***")
