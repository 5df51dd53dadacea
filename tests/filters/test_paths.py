import pytest

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.paths import path_field
from tests.render.made_calls import heartbeat_call, metadata_call


def test_values_are_those_of_all_elements() -> None:
    call = metadata_call(host="broker-7", topic="orders")
    assert list(path_field("request.topics[].name").read(call)) == ["orders"]
    assert list(path_field("response.brokers.host").read(call)) == ["broker-7"]
    assert list(path_field("response.topics[].partitions[].leaderId").read(call)) == [7]
    assert list(path_field("response.brokers[].host").read(heartbeat_call())) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("request.acks", "number"),
        ("request.timeoutMs", "milliseconds"),
        ("request.maxBytes", "size"),
        ("request.allowAutoTopicCreation", "bool"),
        ("request.groupId", "text"),
        ("response.errorCode", "error"),
        ("response.brokers", "struct"),
        ("request.topicData[].partitionData[].records", "size"),
    ],
)
def test_the_kind_of_values_is_that_of_the_definition(path: str, kind: str) -> None:
    assert path_field(path).kind == kind


@pytest.mark.parametrize(
    ("path", "message", "marked"),
    [
        ("request", "request is a body: name a field in it, such as request.acks", "request"),
        ("request.ackz", "no request has a field 'ackz', did you mean 'acks'?", "ackz"),
        ("request.acks.more", "request.acks has no fields", "request.acks"),
        ("response.brokers[].hots", "no response.brokers has a field 'hots'", "hots"),
    ],
)
def test_what_is_no_path_is_marked(path: str, message: str, marked: str) -> None:
    with pytest.raises(FilterError) as refused:
        path_field(path)
    assert refused.value.message.startswith(message.partition(", did")[0])
    assert marked == (path[refused.value.part] if refused.value.part else path)
