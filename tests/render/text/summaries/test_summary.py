import gzip
import json
import struct
from collections import defaultdict
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.render.text.summaries.summary import Summaries
from tests.conftest import VECTORS
from tests.protocol.records.made_batches import batch, simple_batch
from tests.render.made_calls import heartbeat_call, made_call, metadata_call, request_bytes, text


def summary(call: Call) -> str:
    return Summaries().of(call)


def vector_rows() -> dict[tuple[int, int], dict[str, dict[str, dict[str, Any]]]]:
    """Rows of Kafka's own bytes by (key, version), row name and kind."""
    found: dict[tuple[int, int], dict[str, dict[str, dict[str, Any]]]] = defaultdict(lambda: defaultdict(dict))
    for kind in ("request", "response"):
        with gzip.open(VECTORS / f"api-{kind}s.jsonl.gz", "rt") as lines:
            for line in lines:
                row = json.loads(line)
                found[row["api_key"], row["api_version"]][row["row"]][kind] = row
    return found


def call_of(rows: dict[str, dict[str, Any]]) -> Call:
    frames = {kind: bytes.fromhex(row["header_hex"] + row["body_hex"]) for kind, row in rows.items()}
    return made_call(frames.get("request"), frames.get("response"))


def test_every_api_and_version_has_a_printable_summary() -> None:
    named = 0
    for rows_by_name in vector_rows().values():
        for rows in rows_by_name.values():
            words = summary(call_of(rows))
            assert words.isprintable()
            named += bool(words)
            if "request" in rows and "response" in rows:
                for kind in ("request", "response"):
                    call = call_of(rows)
                    frame = call.request if kind == "request" else call.response
                    assert frame is not None
                    frame.data = frame.data[:4]  # one side does not decode, the other stands alone
                    assert summary(call).isprintable()
    assert named > 1000


def test_metadata() -> None:
    assert summary(metadata_call()) == "orders → 1 broker, 1 topic"


def test_an_empty_topic_list_means_all_topics_in_version_0_only() -> None:
    for version, words in ((0, "all topics"), (1, "no topics")):
        call = made_call(request_bytes(3, version, 1, "c", struct.pack(">i", 0)), None, outcome="unanswered")
        assert summary(call) == words


def test_group_member_and_generation() -> None:
    assert summary(heartbeat_call()) == "group billing member m-1 generation 5"


def test_a_member_id_is_shown_without_the_client_id_before_it() -> None:
    body = text("billing") + struct.pack(">i", 5) + text("shop-3f2b8c1e-77aa")
    call = made_call(request_bytes(12, 0, 43, "shop", body), None, outcome="unanswered")
    assert summary(call) == "group billing member …-3f2b8c1e-77aa generation 5"


@pytest.mark.parametrize(("acks", "words"), [(-1, "acks=all"), (1, "acks=1"), (0, "acks=0")])
def test_produce(acks: int, words: str) -> None:
    partitions = struct.pack(">iiiii", 2, 3, -1, 4, -1)
    body = struct.pack(">hii", acks, 1000, 1) + text("orders") + partitions
    answer = struct.pack(">ii", 1, 1) + text("orders") + struct.pack(">iihq", 1, 3, 0, 1234)
    call = made_call(request_bytes(0, 0, 1, "c", body), answer)
    assert summary(call) == f"orders-3,4 0 B {words} → offset 1234"


def test_fetch_without_records() -> None:
    body = struct.pack(">iiii", -1, 500, 1, 1) + text("orders") + struct.pack(">iiqi", 1, 0, 42, 1048576)
    answer = struct.pack(">ii", 1, 1) + text("orders") + struct.pack(">iihqi", 1, 0, 0, 42, 0)
    assert summary(made_call(request_bytes(1, 0, 1, "c", body), answer)) == "orders-0@42 → no records"


def test_list_offsets_names_the_special_times() -> None:
    topics = struct.pack(">ii", -1, 1) + text("orders") + struct.pack(">iiqiq", 2, 0, -2, 1, -1)
    call = made_call(request_bytes(2, 1, 1, "c", topics), None, outcome="unanswered")
    assert summary(call) == "orders-0@earliest,1@latest"


def test_find_coordinator() -> None:
    request = request_bytes(10, 0, 1, "c", text("billing"))
    answer = struct.pack(">ihi", 1, 0, 7) + text("broker-7") + struct.pack(">i", 9092)
    assert summary(made_call(request, answer)) == "group billing → broker 7 at broker-7:9092"


def test_end_of_a_transaction() -> None:
    body = text("tx-1") + struct.pack(">qhb", 4000, 1, 0)
    assert (
        summary(made_call(request_bytes(26, 0, 1, "c", body), None, outcome="unanswered")) == "transaction tx-1 abort"
    )


def test_long_lists_are_cut() -> None:
    names = [f"topic-{number}" for number in range(10)]
    body = struct.pack(">i", len(names)) + b"".join(map(text, names))
    call = made_call(request_bytes(3, 1, 1, "c", body), None, outcome="unanswered")
    assert summary(call) == "topic-0, topic-1, topic-2, …"


def test_apis_without_words_of_their_own_name_their_entities() -> None:
    # OffsetDelete v0: group, topics with partitions.
    body = text("billing") + struct.pack(">i", 1) + text("orders") + struct.pack(">ii", 1, 0)
    request = request_bytes(47, 0, 1, "c", body)
    assert read_request_header(request).api_key == 47
    assert summary(made_call(request, None, outcome="unanswered")) == "group billing, orders"


def test_nothing_decoded_gives_no_summary() -> None:
    assert summary(made_call(request_bytes(3, 99, 1, "c", b"\x00\x01"), None, outcome="unanswered")) == ""
    assert summary(made_call(None, struct.pack(">i", 1), outcome="request-not-captured")) == ""


def test_bodies_with_and_without_bytes_behind_them_give_the_same_summary() -> None:
    different = []
    for rows_by_name in vector_rows().values():
        for name, rows in rows_by_name.items():
            decoded = call_of(rows)
            for frame in (decoded.request, decoded.response):
                if frame is not None:
                    # Which is a problem, so that they are read in another way.
                    frame.data += b"!"
                    frame.size += 1
            if summary(decoded) != summary(call_of(rows)):
                different.append(name)
    assert different == []


def test_a_member_is_shown_without_its_client_id() -> None:
    def join(client_id: str) -> Call:
        body = text("billing") + struct.pack(">i", 5) + text("shop-b7a1f0c2")
        return made_call(request_bytes(12, 0, 43, client_id, body), struct.pack(">ih", 43, 0))

    words = [summary(join(client_id)) for client_id in ("shop", "shop", "shop", "other", "other", "shop")]
    assert words[:3] == words[5:] * 3 == ["group billing member …-b7a1f0c2 generation 5"] * 3
    assert words[3:5] == ["group billing member shop-b7a1f0c2 generation 5"] * 2


def produce_call(records: bytes) -> Call:
    """Produce v8 to one partition, unanswered."""
    fields = struct.pack(">hii", 1, 1000, 1) + text("orders") + struct.pack(">iii", 1, 4, len(records))
    return made_call(request_bytes(0, 8, 1, "shop", text(None) + fields + records), None, outcome="unanswered")


def test_batches_are_counted_whether_they_are_sound_or_not() -> None:
    sound = simple_batch(1) + batch(b"", 4, attributes=3)
    damaged = bytearray(simple_batch(3))
    damaged[-1] ^= 1
    cut = produce_call(simple_batch(1))
    assert cut.request is not None
    cut.request.data = cut.request.data[:-1]
    lone = metadata_call()
    lone.header = None
    calls = [
        produce_call(sound),
        produce_call(bytes(damaged)),
        metadata_call(),
        cut,
        lone,
    ]
    assert [summary(call) for call in calls] == [
        f"orders-4 5 records lz4 {len(sound)} B acks=1",
        f"orders-4 3 records {len(damaged)} B acks=1",
        "orders → 1 broker, 1 topic",
        "",
        "",
    ]
    # Of the message that is cut, both itself and its batch lack a byte.
    assert [len(call.problems) for call in calls] == [0, 1, 0, 2, 0]
    assert [len(call.batches) for call in calls] == [2, 1, 0, 0, 0]
