"""APIs and versions that Kafka does not have here: the call is shown and paired, and nobody is blamed for it."""

import json
import struct
from pathlib import Path

import pytest

import kafkasniff
from kafkasniff.protocol.bodies.scanning import scanner_of
from kafkasniff.protocol.fields import MOST_LAYOUTS
from tests.calls.exchanges import METADATA
from tests.cli.conftest import Run, environment, run
from tests.conformance.composed_captures import Exchange, write

__all__ = ["environment", "run"]

HEADERS = {
    ("10000", "v1"): "2710000000000007000673686f702d31",
    ("3 v99", "v1"): "0003006300000007000673686f702d31",
    ("10000", "v2"): "2710000000000007000673686f702d3100",
    ("3 v99", "v2"): "0003006300000007000673686f702d3100",
}
"""Request headers of both layouts with the correlation id 7, written by RequestHeaderData of kafka-clients 4.3.1."""


def exchange(header: str, correlation_id: int) -> Exchange:
    number = struct.pack(">i", correlation_id)
    # The body is one that no reader of tagged fields takes.
    request = bytes.fromhex(header).replace(struct.pack(">i", 7), number, 1) + b"\xff\xfe body"
    return request, number + b"\xff answer"


@pytest.mark.parametrize("header", HEADERS.values(), ids=[" ".join(key) for key in HEADERS])
def test_twenty_unknown_exchanges(header: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "unknown.pcap"
    write(path, [METADATA, *(exchange(header, number) for number in range(7, 27))])
    done = run("read", "--json", str(path))
    _, *calls = [json.loads(line) for line in done.stdout.splitlines()]
    key, version = struct.unpack_from(">hh", bytes.fromhex(header))
    assert [call["requestHeader"]["correlationId"] for call in calls] == list(range(7, 27))
    for number, call in enumerate(calls, 7):
        said = call["requestHeader"]
        assert (said["requestApiKey"], said["requestApiVersion"], said["clientId"]) == (key, version, "shop-1")
        request, response = exchange(header, number)
        assert (call["requestSizeBytes"], call["responseSizeBytes"]) == (len(request), len(response))
        assert (call["outcome"], call["request"], call["response"]) == ("answered", None, None)
        assert call["totalTimeMs"] > 0
        (problem,) = call["problems"]
        assert problem["where"] == "request"
        assert "is not known" in problem["message"]
    text = run("read", str(path))
    assert len(text.stdout.splitlines()) == 21
    found = run("diagnose", "--json", str(path))
    assert (found.stdout, found.returncode) == ("", 0)


def test_what_is_remembered_of_layouts_is_bounded(tmp_path: Path) -> None:
    """Bytes may name 2^30 of them."""
    header = bytes.fromhex(HEADERS["10000", "v2"])[8:]
    count = 2 * MOST_LAYOUTS
    numbers = [struct.pack(">i", number) for number in range(7, 7 + count)]
    exchanges = [
        (struct.pack(">hh", 20_000, version) + number + header, number + b"\0")
        for version, number in enumerate(numbers)
    ]
    write(tmp_path / "many.pcap", [METADATA, *exchanges])
    calls = list(kafkasniff.read(tmp_path / "many.pcap").calls())
    assert [call.errors for call in calls] == [[]] * (1 + count)
    assert scanner_of.cache_info().currsize <= MOST_LAYOUTS
