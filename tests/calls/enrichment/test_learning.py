import struct
from base64 import urlsafe_b64encode

from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.authentication import Authentication
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.learning import Learning, take_login
from tests.calls.enrichment.fetches import answer as fetched
from tests.calls.enrichment.fetches import request as fetch
from tests.calls.memberships import ASSIGNMENT, SUBSCRIPTION, join_group, sized
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
