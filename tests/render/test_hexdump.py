import base64
import struct

from kafkasniff.render.hexdump import field_lines, hexdump_lines
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


def test_an_unknown_api_is_a_hexdump() -> None:
    call = made_call(request_bytes(900, 0, 1, None, b"\x00\x01\x02"), None, outcome="unanswered")
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
