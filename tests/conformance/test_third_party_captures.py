"""Captures that others made: what their owners expect of Kafka's, and no Kafka found in what is none."""

import re
import signal
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.capture.errors import CaptureError
from tests.conformance.recordings import printed_lines
from tests.conftest import SHARED, needs_shared

KAFKA_PCAPS = SHARED / "fixtures" / "kafka-pcaps"
OTHER_PCAPS = SHARED / "fixtures" / "other-pcaps"
HANG_SECONDS = 10

DEEPFLOW = sorted(KAFKA_PCAPS.glob("expected/*.result"))
SEGMENTIO = sorted(KAFKA_PCAPS.glob("expected/*.hex"))
CATEGORIES = sorted(path.name for path in OTHER_PCAPS.glob("*") if path.is_dir())

pytestmark = needs_shared


def capture_of(expected: Path) -> Path:
    return next(path for path in KAFKA_PCAPS.glob("*.pcap*") if path.stem == expected.stem)


def calls_in(capture: Path) -> list[dict[str, Any]]:
    return [line for line in printed_lines([capture]) if line["type"] == "call"]


_DEEPFLOW_MESSAGE = re.compile(
    r"KafkaInfo \{ msg_type: (?P<side>Request|Response), correlation_id: Some\((?P<id>\d+)\), api_key: (?P<api>\w+), "
    r'api_version: (?P<version>\d+), client_id: "(?P<client_id>.*?)", topic_name: "(?P<topic>.*?)", '
    r'partition: (?P<partition>\d+), offset: (?P<offset>\d+), group_id: "(?P<group>.*?)", .*?'
    r"req_msg_size: (?P<request_size>\S+), resp_msg_size: (?P<response_size>\S+), "
)


@pytest.mark.parametrize("expected", DEEPFLOW, ids=lambda path: path.stem)
def test_deepflow(expected: Path, add_figure: Callable[..., None]) -> None:
    calls = {call["requestHeader"]["correlationId"]: call for call in calls_in(capture_of(expected))}
    messages = list(_DEEPFLOW_MESSAGE.finditer(expected.read_text()))
    assert messages
    for message in messages:
        call = calls[int(message["id"])]
        header = call["requestHeader"]
        assert header["requestApiKeyName"] == re.sub(r"(?<=[a-z])(?=[A-Z])", "_", message["api"]).upper()
        assert header["requestApiVersion"] == int(message["version"])
        if message["side"] == "Request":
            assert header["clientId"] == message["client_id"]
            assert f"Some({call['requestSizeBytes']})" == message["request_size"]
            assert message["group"] in ("", call["request"].get("groupId"))
        else:
            assert call["outcome"] == "answered"
            assert f"Some({call['responseSizeBytes']})" == message["response_size"]
        if message["topic"]:
            place = first_place(message["api"], call[message["side"].lower()])
            assert place[:2] == (message["topic"], int(message["partition"]))
            assert place[2] in (None, int(message["offset"]))
    assert len(calls) == len({message["id"] for message in messages})
    add_figure("Captures of deepflow", expected.stem, messages=len(messages), calls=len(calls))


def first_place(api: str, body: dict[str, Any]) -> tuple[str, int, int | None]:
    """Give topic, partition and offset of the first partition in a Produce or Fetch body."""
    if "topicData" in body:
        topic = body["topicData"][0]
        return topic["name"], topic["partitionData"][0]["index"], None
    if api == "Produce":
        topic = body["responses"][0]
        partition = topic["partitionResponses"][0]
        return topic["name"], partition["index"], partition["baseOffset"]
    topic = body["topics"][0]
    partition = topic["partitions"][0]
    return topic["topic"], partition["partition"], partition["fetchOffset"]


@pytest.mark.parametrize("expected", SEGMENTIO, ids=lambda path: path.stem)
def test_segmentio(expected: Path, add_figure: Callable[..., None]) -> None:
    frame = bytes.fromhex(expected.read_text())
    size, correlation_id = struct.unpack_from(">ii", frame)
    calls = calls_in(capture_of(expected))
    fetches = [
        call
        for call in calls
        if call["requestHeader"]["requestApiKeyName"] == "FETCH"
        and call["requestHeader"]["correlationId"] == correlation_id
        and call["responseSizeBytes"] == size
    ]
    assert len(fetches) == 1
    topic, partition, high_watermark, batches = read_fetch_v10(frame)
    response = fetches[0]["response"]
    assert fetches[0]["requestHeader"]["requestApiVersion"] == 10
    assert [one["topic"] for one in response["responses"]] == [topic]
    assert [
        (one["partitionIndex"], one["highWatermark"], one["recordsSizeInBytes"])
        for one in response["responses"][0]["partitions"]
    ] == [(partition, high_watermark, sum(batch[-1] for batch in batches))]
    assert [
        (batch["magic"], batch["baseOffset"], batch["lastOffset"], batch["sizeInBytes"])
        for batch in fetches[0]["batches"]
    ] == batches
    assert {call["outcome"] for call in calls} <= {"answered", "unanswered", "response-not-captured"}
    assert not [call for call in calls if call.get("problems")]
    add_figure("Captures of segmentio", expected.stem, calls=len(calls), batches=len(batches))


Batch = tuple[int, int | None, int, int]
"""Magic, first and last offset, size in bytes."""


def read_fetch_v10(frame: bytes) -> tuple[str, int, int, list[Batch]]:
    """Read a Fetch response v10 of one partition: topic, partition, high watermark, batches."""
    topics, name_length = struct.unpack_from(">ih", frame, 18)
    at = 24 + name_length
    topic = frame[24:at].decode()
    partitions, partition, _error, high_watermark = struct.unpack_from(">iihq", frame, at)
    aborted, records_size = struct.unpack_from(">ii", frame, at + 34)
    assert (topics, partitions, aborted) == (1, 1, -1)
    at += 42
    assert at + records_size == len(frame)
    batches = []
    while at < len(frame):
        batches.append(read_batch(frame, at))
        at += batches[-1][-1]
    return topic, partition, high_watermark, batches


def read_batch(data: bytes, at: int) -> Batch:
    offset, length = struct.unpack_from(">qi", data, at)
    magic, attributes = data[at + 16], data[at + 17]
    if magic == 2:
        return magic, offset, offset + int.from_bytes(data[at + 23 : at + 27]), length + 12
    # The offset of a compressed message is that of the last one in it; the first stands inside.
    return magic, None if attributes & 7 else offset, offset, length + 12


class HungError(Exception):
    """A file took longer than it may."""


@contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Interrupt what takes longer."""

    def interrupt(_signal: int, _frame: object) -> None:
        raise HungError(f"over {seconds} s")

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("category", CATEGORIES)
def test_finds_no_kafka_where_there_is_none(category: str, add_figure: Callable[..., None]) -> None:
    seen: Counter[str] = Counter()
    claimed = []
    for path in sorted((OTHER_PCAPS / category).rglob("*")):
        if not path.is_file():
            continue
        seen["files"] += 1
        try:
            with alarm(HANG_SECONDS):
                reading = kafkasniff.read(str(path))
                found = [item for item in reading if isinstance(item, Call)]
        except CaptureError:
            seen["refused"] += 1
            continue
        seen["damaged"] += bool(reading.summary.damages)
        seen["packets"] += reading.summary.packets
        claimed += [f"{path.name}: {call.api_name} v{call.api_version} at {call.time.packet}" for call in found]
    columns = {name: seen[name] for name in ("files", "packets", "refused", "damaged")}
    add_figure("Captures without Kafka", category, **columns, **{"calls claimed": len(claimed)})
    assert not claimed, "\n".join(claimed)


def test_every_capture_without_kafka_is_read() -> None:
    assert len([path for path in OTHER_PCAPS.glob("*/**/*") if path.is_file()]) == 401
