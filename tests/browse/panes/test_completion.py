import pytest

from kafkasniff.browse.panes.completion import candidates, completed


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("ap", "api"),
        ("api == metad", "api == metadata"),
        ("api == fetch and lat", "api == fetch and latency"),
        ("not cl", "not client_id"),
        ("outcome != una", "outcome != unanswered"),
        ("error in (not_le", "error in (not_leader_or_follower"),
        ("api == fetch a", "api == fetch and"),
        ("api == Joi", "api == JoinGroup"),
        ("api == fetch", None),
        ("topic == ord", None),
        ("", None),
    ],
)
def test_completed(typed: str, whole: str | None) -> None:
    assert completed(typed) == whole


def test_candidates_are_values_behind_an_operator() -> None:
    assert candidates("security == ") == ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
    assert "topic" in candidates("(")
    assert candidates("version == 3 ") == ["and", "or", "not", "in"]
