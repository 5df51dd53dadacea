import pytest

from kafkasniff.protocol.error_codes import numbers
from kafkasniff.protocol.error_codes.by_name import codes_named
from kafkasniff.protocol.error_codes.codes import ERROR_CODES


def test_names_are_those_of_kafka() -> None:
    codes = {name: value for name, value in vars(numbers).items() if not name.startswith("_")}
    assert codes
    assert {ERROR_CODES[code].name: code for code in codes.values()} == codes


def test_codes_are_found_by_their_names() -> None:
    """Numbers of Kafka's class Errors."""
    assert codes_named("NOT_LEADER_OR_FOLLOWER UNKNOWN_MEMBER_ID") == {6, 25}
    with pytest.raises(KeyError):
        codes_named("NOT_LEADER_FOR_PARTITION")
