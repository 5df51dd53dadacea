"""What responses prove alone, and what other protocols that answer in the same shape do not."""

import json
import struct
from collections.abc import Callable
from random import Random

import pytest

from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.lone_responses import LoneResponses
from tests.calls.hand_made import BUDGET, connection, data, gap, heartbeat_response, metadata_response, sized
from tests.conftest import needs_shared
from tests.robustness.conversations import vector_call

OF = connection(initiator=None)


def found(stream: bytes, segment: int = 0, of_kafka: bool = False, last_answer: int | None = None) -> int | None:
    """Push a stream, in segments or as one, and give what is found at last."""
    held = HeldStream(2 << 20, BUDGET)
    lone = LoneResponses()
    place = None
    for number, start in enumerate(range(0, len(stream), segment or len(stream))):
        held.push(data(OF, 1, stream[start : start + (segment or len(stream))], number))
        place = lone.find(held, of_kafka, last_answer)
        if place is not None:
            break
    return place


@needs_shared
def test_responses_of_all_apis_prove_themselves() -> None:
    rng = Random("lone")
    proven = 0
    for _ in range(40):
        calls = [vector_call(rng, 300 + number) for number in range(12)]
        proven += found(b"".join(call.response.frame for call in calls if call.response)) == 0
    assert proven >= 39


def zookeeper(rng: Random, zxid: int) -> bytes:
    """Give a reply as jute writes it: zxid, error, and what the operation gives (ZooKeeper's ReplyHeader, Stat)."""
    stat = struct.pack(">qqqqiiiqiiq", zxid, zxid, 1 << 40, 1 << 40, rng.randrange(9), 0, 0, 0, 7, 0, zxid)
    name = b"/brokers/topics/t%d" % rng.randrange(1 << 20)
    text = len(name).to_bytes(4, "big") + name
    children = rng.randrange(5)
    given = rng.choice([b"", stat, text, text + stat, children.to_bytes(4, "big") + text * children + stat])
    return struct.pack(">qi", zxid, 0) + given


LOOKALIKES: dict[str, Callable[[Random, int], bytes]] = {
    "ZooKeeper": lambda rng, number: zookeeper(rng, number + 400),
    "ZooKeeper of an ensemble": lambda rng, number: zookeeper(rng, 3 << 32 | number),
    "random bytes": lambda rng, number: rng.randbytes(rng.randrange(60)),
    "zeros": lambda rng, number: bytes(rng.randrange(60)),
    "JSON": lambda rng, number: json.dumps({"result": rng.randrange(10**6), "error": None}).encode(),
    "protocol buffers": lambda rng, number: b"\x08\x96\x01\x12\x07testing" * rng.randrange(1, 4),
    "a status": lambda rng, number: bytes(4),
    "a status and a long": lambda rng, number: bytes(4) + rng.randbytes(8),
    "text": lambda rng, number: b"ok, number %d is here" % number,
}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_others_that_count_their_replies_are_no_kafka(name: str) -> None:
    rng = Random(name)
    for _ in range(100):
        first = rng.randrange(1 << 20)
        frames = [sized(struct.pack(">i", first + each) + LOOKALIKES[name](rng, each)) for each in range(16)]
        assert found(b"".join(frames)) is None


def test_responses_that_say_nothing_prove_nothing() -> None:
    assert found(b"".join(heartbeat_response(number) for number in range(300, 316))) is None


def test_a_chain_behind_the_rest_of_a_message_is_found_at_a_segment() -> None:
    chain = b"".join(metadata_response(number) for number in range(300, 306))
    assert found(Random(1).randbytes(1448) + chain, segment=1448) == 1448


def test_two_responses_are_enough_of_a_server_that_speaks_kafka() -> None:
    two = metadata_response(300) + metadata_response(301)
    assert found(two) is None
    assert found(two, of_kafka=True) == 0
    assert found(metadata_response(300) + metadata_response(250), of_kafka=True) is None


def test_ids_behind_a_gap_count_on() -> None:
    two = metadata_response(300) + metadata_response(301)
    assert found(two, of_kafka=True, last_answer=290) == 0
    assert found(two, of_kafka=True, last_answer=300) is None


def test_a_stream_of_bodies_that_fit_nothing_is_not_looked_at_for_ever() -> None:
    held, lone = HeldStream(2 << 20, BUDGET), LoneResponses()
    for number in range(60):
        held.push(data(OF, 1, sized(struct.pack(">i", number) + b'{"result":1}'), number))
        lone.find(held, False)
    for number in range(60, 66):
        held.push(data(OF, 1, metadata_response(number), number))
        assert lone.find(held, False) is None


def test_a_length_that_leads_to_a_chain_is_no_response_of_it() -> None:
    chain = b"".join(metadata_response(number) for number in range(14, 20))
    # Its first bytes are as likely to be zeros as any, and zero is not far from fourteen.
    nested = sized(bytes(4) + metadata_response(7)[8:])
    assert found(nested + chain, segment=len(nested)) == len(nested)


@pytest.mark.parametrize("first", [300, 1 << 24])
@pytest.mark.parametrize(("below", "proven"), [(2, True), (1, False), (0, False)])
def test_responses_before_a_proven_one_have_lower_ids(first: int, below: int, proven: bool) -> None:
    two = metadata_response(first) + metadata_response(first + 1)
    held = HeldStream(2 << 20, BUDGET)
    held.push(data(OF, 1, two, 1))
    held.push_gap(gap(OF, 1, 500, 2))
    place = held.end
    held.push(data(OF, 1, metadata_response(first + below), 3))
    assert LoneResponses().find_before(held, place, None) == (0 if proven else None)
    # They come behind the last answer before a gap.
    assert LoneResponses().find_before(held, place, first - 1) == (0 if proven else None)
    assert LoneResponses().find_before(held, place, first) is None


@pytest.mark.parametrize(
    ("count", "of_kafka", "proven"), [(2, True, True), (1, True, False), (2, False, False), (3, False, True)]
)
def test_how_many_responses_prove_themselves(count: int, of_kafka: bool, proven: bool) -> None:
    """Eight points: one for each id that comes next, two for each body that tells something."""
    stream = b"".join(metadata_response(number) for number in range(300, 300 + count))
    assert (found(stream, of_kafka=of_kafka) == 0) == proven


@pytest.mark.parametrize(("step", "proven"), [(1, True), (2, False)])
def test_the_second_id_comes_next_where_nothing_tells_of_the_first(step: int, proven: bool) -> None:
    stream = b"".join(metadata_response(number) for number in (300, 300 + step, 302 + step, 303 + step, 304 + step))
    assert (found(stream) == 0) == proven


@pytest.mark.parametrize(("step", "proven"), [(16, True), (17, False)])
def test_later_ids_come_soon(step: int, proven: bool) -> None:
    stream = b"".join(map(metadata_response, (300, 301, 302, 302 + step)))
    assert (found(stream) is not None) == proven


@pytest.mark.parametrize(("step", "proven"), [(4_096, True), (4_097, False)])
def test_the_first_id_behind_a_gap_is_not_far(step: int, proven: bool) -> None:
    two = metadata_response(300 + step) + metadata_response(301 + step)
    assert (found(two, of_kafka=True, last_answer=300) == 0) == proven


def test_a_negative_id_is_none() -> None:
    assert found(metadata_response(-2) + metadata_response(-1), of_kafka=True) is None
