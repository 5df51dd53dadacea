import struct

import pytest

from kafkasniff.browse.panes.following import followed, quoted
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from tests.conftest import CAPTURES
from tests.render.made_calls import made_call, request_bytes, text

NAMES = ["shop", 'a"b', "back\\slash", "st*r", "wh?t", "\\", '\\"', "[bold]", "it's", "a and b", "x" * 9000, " ", "\n"]


def heartbeat(client_id: str, group: str = "g"):  # type: ignore[no-untyped-def]
    body = text(group) + struct.pack(">i", 5) + text("m-1")
    return made_call(request_bytes(12, 0, 43, client_id, body), struct.pack(">ih", 43, 0))


@pytest.mark.parametrize("name", NAMES)
def test_an_expression_is_about_the_value_alone(name: str) -> None:
    call = heartbeat(name, name)
    expressions = dict(followed(call))
    for what in ("client id", "group", "connection", "client host", "API"):
        assert Filter(expressions[what]).wants(call), expressions[what]
    others = [heartbeat(other, other) for other in (*NAMES, "stir", "what", "a") if other != name]
    wanted = Filter(f"client_id == {quoted(name)}")
    assert not any(wanted.wants(other) for other in others)


def test_topics_and_partitions() -> None:
    fetch = next(
        call
        for call in Reading(str(CAPTURES / "java-4.3.1-basic.pcap")).calls()
        if call.api_name == "PRODUCE" and call.request_body
    )
    assert fetch.request_body is not None
    assert fetch.request_body.value is not None
    topic = fetch.topics or fetch.request_body.value["topicData"][0]
    name = next(iter(fetch.topics.values())) if fetch.topics else topic["name"]
    expressions = dict(followed(fetch))
    assert expressions["topic"] == f'topic == "{name}"'
    assert expressions["topic partition"].startswith(f'topic == "{name}" and partition == ')
    assert all(Filter(where).wants(fetch) for where in expressions.values())
