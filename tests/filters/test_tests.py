"""Comparisons of fields with values; tests/filters/test_against_json.py compares all of them with lines of JSON."""

import pytest

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.tests import find_field, make_test
from tests.render.made_calls import heartbeat_call, metadata_call


@pytest.mark.parametrize(
    ("field", "operator", "values", "holds"),
    [
        ("api", "==", ["Metadata"], True),
        ("api", "in", ["heartbeat", "3"], True),
        ("api", "~", ["^meta"], True),
        ("api", "!=", ["METADATA"], False),
        ("version", ">=", ["1"], True),
        ("version", "<", ["1"], False),
        ("error", "", [], True),
        ("error", "==", ["NOT_LEADER_OR_FOLLOWER"], True),
        ("error", "not in", ["5", "6"], False),
        ("client_id", "~", ["^s.*p$"], True),
        ("client_id", "!~", ["^s"], False),
        ("outcome", "==", ["Answered"], True),
        ("outcome", "==", ["*answer*"], True),
        ("latency", ">", ["1ms"], True),
        ("topic", "", [], True),
        ("group", "", [], False),
        ("response.brokers[].nodeId", "==", ["7"], True),
    ],
)
def test_operators(field: str, operator: str, values: list[str], holds: bool) -> None:
    assert make_test(field, operator, values).holds(metadata_call(error_code=6)) is holds


def test_acks_may_be_called_as_clients_call_them() -> None:
    assert not make_test("acks", "==", ["all"]).holds(heartbeat_call())


@pytest.mark.parametrize(
    ("field", "operator", "value", "message"),
    [
        ("topics", "==", "x", "no field is called 'topics'"),
        ("version", "~", "1", "version is a number: compare it with"),
        ("client_id", "<", "a", "client_id is no number: compare it with"),
        ("api", "==", "Fetsch", "'Fetsch'"),
        ("api", "==", "x*y", "no API has a name like 'x*y'"),
        ("error", "==", "0", "NONE (0) is no error: write `not error`"),
        ("outcome", "==", "lost", "no outcome is called 'lost'"),
        ("response.brokers", "==", "7", "response.brokers holds other fields: name one of them"),
    ],
)
def test_what_does_not_fit(field: str, operator: str, value: str, message: str) -> None:
    with pytest.raises(FilterError) as refused:
        make_test(field, operator, [value])
    assert message in refused.value.message


def test_a_near_name_is_offered() -> None:
    with pytest.raises(FilterError, match="client_id"):
        find_field("clientid")
