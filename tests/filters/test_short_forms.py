import pytest

from kafkasniff.filters.filter import Filter
from kafkasniff.filters.short_forms import short_form, slower_than
from tests.render.made_calls import metadata_call


@pytest.mark.parametrize(
    ("field", "values", "wanted"),
    [
        ("api", ["metadata", "12"], True), ("api", ["12"], False), ("api", ["heartbeat,Metadata"], True),
        ("api", ["!heartbeat"], True), ("api", ["!meta*"], False), ("api", ["*", "!heartbeat"], True),
        ("client_id", ["shop"], True), ("client_id", ["sho"], False), ("client_id", ["sh*"], True),
        ("client_id", ["other", "sho?"], True), ("client_id", ["!sh*"], False), ("client_id", ["s*,!shop"], False),
        ("host", ["10.0.0.2"], True), ("host", ["10.0.0.2:9092"], True), ("host", ["10.0.0.2:9093"], False),
        ("host", ["!10.0.0.2"], False), ("host", ["10.0.0.0/30,1.1.1.1"], True),
        ("port", ["51234"], True), ("port", ["9093,9094"], False), ("port", ["!9092"], False),
        ("connection", ["10.0.0.1:51234-10.0.0.2:9092"], True), ("connection", ["*-*:9092"], True),
        ("topic", ["orders"], True), ("topic", ["order"], False), ("topic", ["order*,x"], True),
        ("topic", ["!orders"], False), ("group", ["billing"], False), ("group", ["!billing"], True),
        ("error", ["*"], True), ("error", ["6"], True), ("error", ["5"], False), ("error", ["!*"], False),
        ("error", ["NotLeaderForPartition"], True), ("error", ["*LEADER*,!6"], False),
    ],
)  # fmt: skip
def test_short_forms(field: str, values: list[str], wanted: bool) -> None:
    assert Filter(predicates=[short_form(field, values)]).wants(metadata_call(error_code=6)) is wanted


def test_commas_and_marks_within_values() -> None:
    call = metadata_call(client_id="!a,b")
    assert Filter(predicates=[short_form("client_id", [r"\!a\,b"])]).wants(call)
    assert not Filter(predicates=[short_form("client_id", ["!a,b"])]).wants(call)


def test_slower_than_takes_a_bare_number_for_milliseconds() -> None:
    call = metadata_call()
    assert Filter(predicates=[slower_than("1233999ns")]).wants(call)
    assert not Filter(predicates=[slower_than("1234us")]).wants(call)
    assert Filter(predicates=[slower_than("1.2")]).wants(call)
