"""Codes and what they mean are Kafka's (Errors.java); what is normal is said by the KIPs named in the table."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.normal_errors import NORMAL_ERRORS
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from tests.diagnose.made import call, finding, findings

RULE = "unexplained-error"


@pytest.mark.parametrize(("code", "key", "version"), [(79, 11, 5), (27, 12, 3), (35, 18, 3), (46, 0, 9), (70, 1, 12)])
def test_what_is_always_normal(code: int, key: int, version: int) -> None:
    assert findings(RULE, [call(key, version, {}, {"errorCode": code}, at=at / 10) for at in range(500)]) == []


def test_what_is_normal_for_a_while() -> None:
    def refused(count: int) -> list[Call]:
        return [call(22, 4, {}, {"errorCode": 14}, at=at / 2) for at in range(count)]

    assert findings(RULE, refused(60)) == []
    assert finding(RULE, refused(61)).count == 61


def test_changes_of_a_partition_that_come_second_are_normal() -> None:
    """AlterPartition builds on a partition epoch, which another change may have raised (KIP-497)."""
    partition = {"partitionIndex": 0, "errorCode": 95}
    answer = {"errorCode": 0, "topics": [{"topicId": "7wAAAAAAAAAAAAAAAAAAAA", "partitions": [partition]}]}

    def refused(count: int) -> list[Call]:
        return [call(56, 3, {"brokerId": 1}, answer, at=at) for at in range(count)]

    assert findings(RULE, refused(10)) == []
    assert finding(RULE, refused(11)).count == 11


def test_the_list_of_what_is_normal_names_codes_and_reasons() -> None:
    for normal in NORMAL_ERRORS:
        assert normal.codes <= set(ERROR_CODES)
        assert normal.why
