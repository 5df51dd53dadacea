from collections.abc import Iterable, Iterator

from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field
from kafkasniff.protocol.secrets.messages import SECRET_FIELDS
from kafkasniff.render.text.summaries.fields import SUMMARY_FIELDS

SIDES = ("request", "response")

SHARED = {"groupInstanceId", "instanceId", "generationId", "memberEpoch", "memberId", "committed", "verifyOnly"}
SHARED |= {"transactionalId", "groupId", "topics.name", "topics.topicId", "assignment.topicPartitions.topicName"}
SHARED |= {
    "subscribedTopicNames",
    "assignment",
    "assignment.topicPartitions.topicId",
    "assignment.topicPartitions.partitions",
}
"""Fields of which some of the APIs that share roles have none."""


def paths(fields: Iterable[Field], place: str = "") -> Iterator[str]:
    for field in fields:
        yield place + field.name
        yield from paths(field.fields, f"{place}{field.name}.")


def test_every_field_is_one_of_its_message() -> None:
    for key, sides in SUMMARY_FIELDS.items():
        for side, roles in zip(SIDES, sides, strict=True):
            known = set(paths(api_definition(key, side).fields))
            missing = {path for path in roles if path not in known}
            assert {path.removeprefix("groups.").removeprefix("transactions.") for path in missing} <= SHARED


def test_no_secret_is_shown() -> None:
    for (key, side), secrets in SECRET_FIELDS.items():
        roles = SUMMARY_FIELDS.get(key, ({}, {}))[side == "response"]
        assert not any(path.rpartition(".")[2] in secrets for path in roles)
