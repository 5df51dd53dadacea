import struct
from collections.abc import Callable, Iterator
from random import Random

import pytest
from crc32c import crc32c

from kafkasniff.calls.call import Call
from kafkasniff.reading import Reading
from kafkasniff.render import tails
from kafkasniff.render.tails import Tails
from kafkasniff.render.terminal import CallLines
from tests.conftest import CAPTURES
from tests.render.made_calls import made_call, request_bytes, text
from tests.render.test_gist import call_of, vector_rows


class Compared:
    """Tails beside the text of the call itself, which has to be the same."""

    def __init__(self) -> None:
        self.lines = CallLines()
        self.tails = Tails(self.slowly)
        self.calls = 0
        self.asked_for = 0
        self.random = Random(1)

    def slowly(self, call: Call) -> str:
        return self.lines.tail(call, None)

    def text(self, call: Call) -> str:
        """Give the text of a call with nothing read of it yet."""
        assert call.header is not None
        assert call.request is not None
        assert call.response is not None
        header, request, response = call.header, call.request.data, call.response.data

        def asked_for(row: int) -> Call:
            assert row == 7
            self.asked_for += 1
            return call

        self.calls += 1
        # Between other bytes, which must not matter.
        data = b"\xff" * 5 + request + b"\0\1" + response + b"\xff" * self.random.randrange(8)
        answer = 5 + len(request) + 2
        given = self.tails.text(
            header.api_key << 16 | header.api_version,
            data,
            5 + header.end,
            5 + len(request),
            answer,
            answer + len(response),
            header.client_id,
            asked_for,
            7,
        )
        assert given == self.slowly(fresh(call))
        return given

    def knows(self, call: Call) -> bool:
        """Tell whether the text of a call comes from its bytes alone."""
        before = self.asked_for
        self.text(call)
        return self.asked_for == before


def fresh(call: Call) -> Call:
    """The same call, with nothing read of it."""
    assert call.request is not None
    assert call.response is not None
    return made_call(call.request.data, call.response.data)


def taught(*calls: Call) -> Compared:
    """Tails that saw each of these calls often enough to know it."""
    compared = Compared()
    for call in calls:
        for _ in range(4):
            compared.text(fresh(call))
        assert compared.knows(fresh(call))
    return compared


def answered_calls(path: str) -> Iterator[Call]:
    for item in Reading([path]):
        if not isinstance(item, Call) or item.header is None or item.request is None or item.pairing_problems:
            continue
        whole = item.request.whole and (item.response is not None and item.response.whole)
        if whole and item.outcome == "answered":
            yield fresh(item)


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcap*")), ids=lambda path: path.name)
def test_the_text_of_every_call_in_the_captures(path: str) -> None:
    compared = Compared()
    for call in answered_calls(str(path)):
        compared.text(call)
    again = compared.asked_for
    for call in answered_calls(str(path)):
        compared.text(call)
    # What is never traced is asked for again: messages that hold messages, topic ids, APIs without a gist.
    assert compared.asked_for - again <= again


def damaged(random: Random, data: bytes, start: int) -> bytes:
    """Set one to three bytes behind `start` to what they seldom are."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        if start < len(data):
            changed[random.randrange(start, len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(changed)


def test_kafka_s_own_bytes_and_what_differs_from_them_in_a_few() -> None:
    random = Random(6)
    compared = Compared()
    for rows_by_name in vector_rows().values():
        for rows in rows_by_name.values():
            if len(rows) < 2 or random.random() < 0.7:
                continue
            call = call_of(rows)
            assert call.header is not None
            assert call.request is not None
            assert call.response is not None
            for _ in range(3):
                compared.text(fresh(call))
            for _ in range(6):
                request = damaged(random, call.request.data, call.header.end)
                response = damaged(random, call.response.data, 4)
                if random.random() < 0.5:
                    request, response = random.choice(((request, call.response.data), (call.request.data, response)))
                compared.text(made_call(request, response))
    assert compared.calls - compared.asked_for > 500


def heartbeat(member: str = "shop-1-2f", generation: int = 5, error: int = 0, client_id: str | None = "shop") -> Call:
    body = text("billing") + struct.pack(">i", generation) + text(member)
    return made_call(request_bytes(12, 0, 1, client_id, body), struct.pack(">ih", 1, error))


def batch(records: bytes, count: int = 1, attributes: int = 0, crc: int | None = None) -> bytes:
    covered = struct.pack(">hiqqqhii", attributes, 0, 0, 0, -1, -1, -1, count) + records
    checksum = crc32c(covered) if crc is None else crc
    return struct.pack(">qiibI", 0, len(covered) + 9, -1, 2, checksum) + covered


def produce(
    records: bytes = batch(b"x" * 20), topic: str = "orders", offset: int = 7, acks: int = -1, error: int = 0
) -> Call:
    """Produce v3 to one partition."""
    body = text(None) + struct.pack(">hii", acks, 30_000, 1) + text(topic)
    body += struct.pack(">iii", 1, 4, len(records)) + records
    answer = struct.pack(">ii", 1, 1) + text(topic) + struct.pack(">iihqqi", 1, 4, error, offset, -1, 0)
    return made_call(request_bytes(0, 3, 1, "shop", body), answer)


def fetch(records: bytes, session: int = 9, offset: int = 42, topic: str = "orders") -> Call:
    """Fetch v7 of one partition."""
    body = struct.pack(">iiiibiii", -1, 500, 1, 1 << 20, 0, session, 3, 1) + text(topic)
    body += struct.pack(">iiqqii", 1, 0, offset, -1, 1 << 20, 0)
    answer = struct.pack(">iihii", 1, 0, 0, session, 1) + text(topic)
    answer += struct.pack(">iihqqqii", 1, 0, 0, 50, 50, 0, -1, len(records)) + records
    return made_call(request_bytes(1, 7, 1, "shop", body), answer)


def test_numbers_and_names_that_are_only_shown_may_differ() -> None:
    compared = taught(heartbeat())
    assert compared.knows(heartbeat(member="shop-7-ab", generation=6))
    assert compared.text(heartbeat(generation=-2)) == "group billing member …-1-2f generation -2"
    assert compared.text(heartbeat(generation=2**31 - 1)).endswith("generation 2147483647")
    assert compared.knows(heartbeat(client_id="shop-1"))
    assert compared.text(heartbeat(client_id=None)).startswith("group billing member shop-1-2f ")
    assert compared.text(heartbeat(member="\x1b[31mabcd")).startswith(r"group billing member \x1b[31mabcd ")
    assert compared.text(heartbeat(member="100%d %s")) == "group billing member 100%d %s generation 5"


def test_another_error_is_another_text() -> None:
    compared = taught(heartbeat())
    assert not compared.knows(heartbeat(error=27))
    assert compared.text(heartbeat(error=27)).startswith("REBALANCE_IN_PROGRESS")
    assert compared.knows(heartbeat(error=27, generation=9))


def test_text_that_is_not_utf_8() -> None:
    call = heartbeat()
    assert call.request is not None
    compared = taught(call)
    call = fresh(call)
    assert call.request is not None
    call.request.data = call.request.data[:-1] + b"\xff"
    assert not compared.knows(call)


def test_records_of_another_length_and_count() -> None:
    compared = taught(produce())
    assert compared.knows(produce(batch(b"y" * 500, count=3), offset=1 << 40))
    assert compared.text(produce(batch(b"y" * 939, count=0))).startswith("orders-4 0 records 1.0 kB acks=all")
    compared.text(produce(batch(b"y" * 5_000_000, count=-1)))
    compared.text(produce(batch(b"", count=2**31 - 1)))


@pytest.mark.parametrize("offset", [-1, 0, 1, 2**31, 2**63 - 1, -(2**63)])
def test_sentinels_of_a_base_offset(offset: int) -> None:
    compared = taught(produce())
    assert compared.text(produce(offset=offset)).endswith(f"offset {offset}" if offset >= 0 else "acks=all")
    compared.text(produce(offset=offset))
    assert compared.knows(produce(offset=offset))


@pytest.mark.parametrize(
    "other",
    [
        lambda: produce(batch(b"x" * 20, crc=1)),
        lambda: produce(batch(b"x" * 20)[:-1]),
        lambda: produce(batch(b"x" * 20) + batch(b"z")),
        lambda: produce(batch(b"x" * 20) + b"\0" * 5),
        lambda: produce(batch(b"x" * 20)[:16] + b"\x03" + batch(b"x" * 20)[17:]),
        lambda: produce(batch(b"x" * 20)[:8] + struct.pack(">i", 49) + batch(b"x" * 20)[12:]),
        lambda: produce(batch(b"x" * 20, attributes=3)),
        lambda: produce(batch(b"x" * 20, attributes=0x27)),
        lambda: produce(batch(b"x" * 20), topic="orderz"),
        lambda: produce(batch(b"x" * 20), topic="payments"),
        lambda: produce(batch(b"x" * 20), acks=1),
        lambda: produce(batch(b"x" * 20), acks=0),
        lambda: produce(batch(b"x" * 20), acks=7),
        lambda: produce(batch(b"x" * 20), error=3),
        lambda: produce(b""),
        lambda: produce(b"x" * 10),
    ],
)
def test_batches_that_differ_from_a_known_one(other: Callable[[], Call]) -> None:
    compared = taught(produce())
    for _ in range(4):
        compared.text(other())
    assert compared.knows(produce())


def test_fetch_answers_with_and_without_records() -> None:
    compared = taught(fetch(batch(b"x" * 30)), fetch(b""))
    assert compared.knows(fetch(b"", session=77, offset=1 << 50))
    assert compared.knows(fetch(batch(b"x" * 31, count=5), session=78))
    assert compared.text(fetch(batch(b"x" * 30), session=0)) == "orders-0@42 → 1 record 91 B"
    assert compared.text(fetch(batch(b"x" * 30)[:-1])).startswith("session 9 orders-0@42")
    assert compared.text(fetch(batch(b"x" * 30) + b"\0\0")).startswith("session 9 orders-0@42 → 1 record")


@pytest.mark.parametrize("timestamp", [-1, -2, -3, -4, -5, -6, 0, 1_795_176_000_000])
def test_sentinels_of_list_offsets(timestamp: int) -> None:
    def list_offsets(timestamp: int) -> Call:
        body = struct.pack(">ii", -1, 1) + text("orders") + struct.pack(">iiq", 1, 0, timestamp)
        answer = struct.pack(">ii", 1, 1) + text("orders") + struct.pack(">iihqq", 1, 0, 0, -1, timestamp)
        return made_call(request_bytes(2, 1, 1, "shop", body), answer)

    compared = taught(list_offsets(5), list_offsets(-1))
    for _ in range(3):
        compared.text(list_offsets(timestamp))


def test_messages_of_the_same_length_that_are_laid_out_otherwise() -> None:
    def commit(*topics: tuple[str, int]) -> Call:
        body = text("billing") + struct.pack(">i", len(topics))
        for name, partitions in topics:
            body += text(name) + struct.pack(">i", partitions)
            for partition in range(partitions):
                body += struct.pack(">iq", partition, 1000 + partition) + text(None)
        answer = struct.pack(">ii", 1, 0)
        return made_call(request_bytes(8, 0, 1, "shop", body), answer)

    # A partition takes 14 bytes, a topic 6 and its name.
    compared = taught(commit(("a" * 8, 1), ("b" * 8, 1)), commit(("a" * 8, 2), ("b" * 8, 0)), commit(("a" * 22, 2)))
    assert compared.knows(commit(("c" * 8, 1), ("d" * 8, 1)))
    assert compared.text(commit(("c" * 8, 1), ("d" * 8, 1))) == "group billing cccccccc-0@1000 dddddddd-0@1000"
    compared.text(commit(("c" * 8, 0), ("d" * 8, 2)))
    compared.text(commit(("c" * 9, 1), ("d" * 7, 1)))


def test_more_than_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "MOST_TEMPLATES", 5)
    monkeypatch.setattr(tails, "MOST_SHAPES", 7)
    compared = Compared()
    for _ in range(3):
        for error in range(20):
            compared.text(heartbeat(error=error))
            compared.text(heartbeat(member="m" * (error + 1)))
    assert compared.knows(heartbeat(member="m" * 20)) or compared.knows(heartbeat(member="m" * 20))
