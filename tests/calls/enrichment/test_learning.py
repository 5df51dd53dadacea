import struct
from base64 import urlsafe_b64encode

import pytest

from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.authentication import Authentication
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.learning import Learning, may_tell, names_topic_ids, take_login
from tests.calls.enrichment.fetches import answer as fetched
from tests.calls.enrichment.fetches import request as fetch
from tests.calls.memberships import ASSIGNMENT, SUBSCRIPTION, join_group, sized
from tests.protocol.records.made_batches import batch, record
from tests.render.made_calls import made_call, request_bytes, text

TOPIC_ID = bytes(range(16))


def learning(context: Context | None = None) -> Learning:
    return Learning(context or Context(), FetchSessions())


def test_names_come_from_metadata() -> None:
    context = Context()
    # Metadata v10: no brokers, a null cluster id, one topic.
    topic = b"\0\0" + b"\7orders" + TOPIC_ID + b"\0\1" + struct.pack(">i", 0) + b"\0"
    response = (
        struct.pack(">ibi", 1, 0, 0) + b"\1\0" + struct.pack(">i", 1) + b"\2" + topic + struct.pack(">i", 0) + b"\0"
    )
    request = struct.pack(">hhi", 3, 10, 1) + text("shop") + b"\0\0\1\0\0\0"
    call = made_call(request, response)
    learning(context).take(call)
    assert context.topics.get(urlsafe_b64encode(TOPIC_ID).decode().rstrip("=")) == "orders"


def test_a_fetch_is_given_its_session() -> None:
    learns = learning()
    first, second = made_call(fetch(0, {"orders": [0]}, session=0)[1], fetched()), made_call(fetch(1, {})[1], fetched())
    learns.take(first)
    learns.take(second)
    assert first.decoded == []
    [entry] = second.decoded
    assert entry["value"] == {"topics": [{"topic": "orders", "partitions": [0]}]}


def test_old_sync_group_is_read_by_what_join_group_agreed_on() -> None:
    learns = learning()
    joined = struct.pack(">ihi", 1, 0, 1) + text("range") + text("m-1") + text("m-1") + struct.pack(">i", 1)
    join = made_call(join_group(SUBSCRIPTION), joined + text("m-1") + sized(SUBSCRIPTION))
    learns.take(join)
    assert [entry["path"] for entry in join.decoded] == ["protocols[0].metadata", "members[0].metadata"]
    request = request_bytes(
        14, 0, 1, "shop", text("billing") + struct.pack(">i", 1) + text("m-1") + struct.pack(">i", 0)
    )
    sync = made_call(request, struct.pack(">ih", 1, 0) + sized(ASSIGNMENT))
    learns.take(sync)
    assert sync.context.group_protocol == ("consumer", "range")


def test_the_call_that_ends_a_login_has_its_principal() -> None:
    token = b"\0alice\0alice-secret"
    call = made_call(request_bytes(36, 0, 1, "shop", sized(token)), struct.pack(">ih", 1, 0) + text(None) + sized(b""))
    take_login(Authentication(show_secrets=False), call)
    assert call.principal == "User:alice"
    assert [entry["type"] for entry in call.decoded] == ["PLAIN credentials"]
    assert "alice-secret" not in str(call.decoded)


def compact(value: bytes) -> bytes:
    """Give a compact string or bytes: an unsigned varint of its length and one, and itself."""
    length = len(value) + 1
    return (bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])) + value


def topic_record(name: bytes, topic_id: bytes) -> bytes:
    """TopicRecord (2) v0 behind a frame version of 1, in a batch."""
    return batch(record(0, None, b"\1\2\0" + compact(name) + topic_id + b"\0"), 1)


ID_TEXT = urlsafe_b64encode(TOPIC_ID).decode().rstrip("=")
LOG = b"__cluster_metadata"


def fetched_log(version: int, topic: bytes, records: bytes) -> tuple[bytes, bytes]:
    """Fetch v12 of one topic and partition: request and answer."""
    request = struct.pack(">hhi", 1, version, 5) + text("broker-2") + b"\0"
    request += struct.pack(">iiiibii", 2, 500, 1, 1000, 0, 0, -1)
    request += b"\2" + compact(topic) + b"\2" + struct.pack(">iiqiqi", 0, 1, 0, -1, 0, 1000) + b"\0\0" + b"\1\1\0"
    answer = struct.pack(">ibihi", 5, 0, 0, 0, 0) + b"\2" + compact(topic) + b"\2"
    answer += struct.pack(">ihqqq", 0, 0, 9, 9, 0) + b"\0" + struct.pack(">i", -1) + compact(records) + b"\0\0\0"
    return request, answer


@pytest.mark.parametrize(("topic", "name"), [(LOG, "orders"), (b"orders", None)])
def test_names_come_from_the_metadata_log_alone(topic: bytes, name: str | None) -> None:
    context = Context()
    learning(context).take(made_call(*fetched_log(12, topic, topic_record(b"orders", TOPIC_ID))))
    assert context.topics.get(ID_TEXT) == name


def test_names_come_from_snapshots_of_the_metadata_log() -> None:
    """FetchSnapshot v0 (KIP-630)."""
    records = topic_record(b"orders", TOPIC_ID)
    request = struct.pack(">hhi", 59, 0, 5) + text("broker-2") + b"\0" + struct.pack(">ii", 2, 1000)
    request += b"\2" + compact(LOG) + b"\2" + struct.pack(">iiqiq", 0, 1, 9, 1, 0) + b"\0\0\0"
    answer = struct.pack(">ibih", 5, 0, 0, 0) + b"\2" + compact(LOG) + b"\2"
    answer += struct.pack(">ihqibqq", 0, 0, 9, 1, 0, len(records), 0) + compact(records) + b"\0\0\0"
    for response, name in ((None, None), (answer[:60], None), (answer, "orders")):
        context = Context()
        learning(context).take(made_call(request, response))
        assert context.topics.get(ID_TEXT) == name


def test_a_call_without_its_request_tells_nothing() -> None:
    context = Context()
    learning(context).take(made_call(None, struct.pack(">ihi", 1, 0, 0)))
    assert context.topics.known() == {}


@pytest.mark.parametrize(
    ("api_key", "version", "tells"),
    [
        *((1, 0, True), (59, 0, True), (11, 0, True), (14, 0, True), (12, 4, False), (0, 13, False)),
        *((3, 9, False), (3, 10, True), (19, 6, False), (19, 7, True), (75, 0, True), (20, 6, False)),
    ],
)
def test_which_calls_are_to_be_told(api_key: int, version: int, tells: bool) -> None:
    assert may_tell(api_key, version) == tells


@pytest.mark.parametrize(
    ("api_key", "version", "names"), [(0, 12, False), (0, 13, True), (1, 13, True), (3, 9, False), (12, 4, False)]
)
def test_which_messages_may_have_topic_ids(api_key: int, version: int, names: bool) -> None:
    assert names_topic_ids(api_key, version) == names


def test_a_call_knows_the_names_that_were_known_when_it_ended() -> None:
    context = Context()
    learns = learning(context)
    first, second, third = (made_call(fetch(1, {})[1], fetched()) for _ in range(3))
    for call in (first, second, third):
        call.context = context
    learns.date(first)
    learns.date(second)
    learns.names.add(ID_TEXT, "orders")
    learns.date(third)
    assert [call.context.topics.get(ID_TEXT) for call in (first, second, third)] == [None, None, "orders"]
    # Calls that know the same share what they know.
    assert first.context is second.context


def test_a_call_of_other_wishes_keeps_them() -> None:
    context, other = Context(), Context(records=True)
    learns = learning(context)
    first, second = (made_call(fetch(1, {})[1], fetched()) for _ in range(2))
    first.context, second.context = context, other
    learns.date(first)
    learns.date(second)
    assert (first.context.records, second.context.records) == (False, True)


def test_without_sessions_none_is_followed() -> None:
    learns = Learning(Context(), None)
    first, second = made_call(fetch(0, {"orders": [0]}, session=0)[1], fetched()), made_call(fetch(1, {})[1], fetched())
    learns.take(first)
    learns.take(second)
    assert second.decoded == []


def test_groups_of_other_clients_tell_nothing() -> None:
    learns = learning()
    joined = struct.pack(">ihi", 1, 0, 1) + text("range") + text("m-1") + text("m-1") + struct.pack(">i", 0)
    learns.take(made_call(join_group(SUBSCRIPTION), joined))
    for group, protocol in (("billing", ("consumer", "range")), ("other", (None, None))):
        body = text(group) + struct.pack(">i", 1) + text("m-1") + struct.pack(">i", 0)
        sync = made_call(request_bytes(14, 0, 1, "shop", body), struct.pack(">ih", 1, 0) + sized(ASSIGNMENT))
        learns.take(sync)
        assert sync.context.group_protocol == protocol


def test_a_join_without_an_answer_agrees_on_nothing() -> None:
    learns = learning()
    join = made_call(join_group(SUBSCRIPTION), None, outcome="unanswered")
    learns.take(join)
    assert join.context.group_protocol == (None, None)


def test_names_come_from_an_answer_whose_header_has_tagged_fields() -> None:
    """KIP-482: one with tag 5 and a byte; what it means is not known, and does not matter."""
    context = Context()
    topic = b"\0\0" + b"\7orders" + TOPIC_ID + b"\0\1" + struct.pack(">i", 0) + b"\0"
    response = struct.pack(">i", 1) + b"\1\5\1x" + struct.pack(">i", 0) + b"\1\0" + struct.pack(">i", 1)
    response += b"\2" + topic + struct.pack(">i", 0) + b"\0"
    learning(context).take(made_call(struct.pack(">hhi", 3, 10, 1) + text("shop") + b"\0\0\1\0\0\0", response))
    assert context.topics.get(ID_TEXT) == "orders"


def joined_and_synced(join_version: int, sync_version: int) -> tuple[str | None, str | None]:
    """JoinGroup v6 or v7 and SyncGroup v4 or v5: what is known of the group's protocol beside the messages."""
    learns = learning()
    request = struct.pack(">hhi", 11, join_version, 1) + text("shop") + b"\0" + compact(b"billing")
    request += struct.pack(">ii", 10_000, 10_000) + compact(b"m-1") + b"\0" + compact(b"consumer")
    request += b"\2" + compact(b"range") + compact(SUBSCRIPTION) + b"\0\0"
    response = struct.pack(">ibihi", 1, 0, 0, 0, 1) + (compact(b"consumer") if join_version >= 7 else b"")
    learns.take(made_call(request, response + compact(b"range") + compact(b"m-1") + compact(b"m-1") + b"\1\0"))
    request = struct.pack(">hhi", 14, sync_version, 2) + text("shop") + b"\0" + compact(b"billing")
    request += struct.pack(">i", 1) + compact(b"m-1") + b"\0"
    request += (compact(b"consumer") + compact(b"range") if sync_version >= 5 else b"") + b"\1\0"
    response = struct.pack(">ibih", 2, 0, 0, 0) + (
        compact(b"consumer") + compact(b"range") if sync_version >= 5 else b""
    )
    sync = made_call(request, response + compact(ASSIGNMENT) + b"\0")
    assert sync.request_body is not None
    assert sync.request_body.problems == []
    learns.take(sync)
    protocol = sync.context.group_protocol
    return protocol.type, protocol.name


@pytest.mark.parametrize(
    ("join_version", "sync_version", "known"), [(6, 4, True), (6, 5, False), (7, 4, False), (7, 5, False)]
)
def test_newer_versions_say_the_protocol_themselves(join_version: int, sync_version: int, known: bool) -> None:
    """KIP-559: JoinGroup from 7 on, SyncGroup from 5 on."""
    assert joined_and_synced(join_version, sync_version) == (("consumer", "range") if known else (None, None))
