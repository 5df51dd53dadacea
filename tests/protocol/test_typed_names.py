import pytest

from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.typed_names import typed_names


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"key": "g"}, {"groupId": ["g"]}),
        ({"key": "g", "keyType": 0}, {"groupId": ["g"]}),
        ({"key": "t", "keyType": 1}, {"transactionalId": ["t"]}),
        ({"keyType": 0, "coordinatorKeys": ["g", "h"]}, {"groupId": ["g", "h"]}),
        ({"keyType": 2, "coordinatorKeys": ["g:id:0"]}, {}),
    ],
)
def test_coordinator_keys(value: dict[str, object], names: dict[str, list[str]]) -> None:
    assert typed_names(10, "request", value) == names


@pytest.mark.parametrize(
    ("key", "kind", "array"),
    [
        (32, "request", "resources"),
        (32, "response", "results"),
        (33, "response", "responses"),
        (44, "request", "resources"),
    ],
)
def test_config_resources(key: int, kind: Kind, array: str) -> None:
    resources = [
        {"resourceType": 2, "resourceName": "a-topic"},
        {"resourceType": 4, "resourceName": "1"},
        {"resourceType": 32, "resourceName": "a-group"},
    ]
    assert typed_names(key, kind, {array: resources}) == {"topicName": ["a-topic"], "groupId": ["a-group"]}


def test_other_apis_have_none() -> None:
    assert typed_names(3, "request", {"topics": []}) == {}
