import pytest

from kafkasniff.calls.enrichment.long_names import short_name, with_short_names

LONG = "g" * 32_000
SHORT = "g" * 238 + "…1e2817d67928d278"
"""With the SHA-256 of 32,000 times `g`, as sha256sum gives it."""


@pytest.mark.parametrize("name", ["", "orders", "é" * 255, "t" * 249])
def test_a_name_as_long_as_kafka_allows_stays(name: str) -> None:
    assert short_name(name) is name


def test_a_long_name_is_cut_and_stays_apart_from_others() -> None:
    cut = short_name(LONG)
    assert cut == SHORT
    assert short_name("".join(["g"] * 32_000)) == cut
    assert len({short_name(LONG + str(number)) for number in range(100)} | {cut}) == 101
    assert short_name(cut) is cut
    assert len(short_name(LONG, 1_000)) == 1_000


def test_text_that_is_no_unicode_is_cut_too() -> None:
    assert len(short_name("\udcff" * 300)) == 255


def test_names_anywhere_in_a_body() -> None:
    body = {"groupId": LONG, "generationId": 3, "members": [{"memberId": LONG, "tags": []}, {"memberId": "m"}]}
    cut = short_name(LONG)
    members = [{"memberId": cut, "tags": []}, {"memberId": "m"}]
    assert with_short_names(body) == {"groupId": cut, "generationId": 3, "members": members}
    assert body["groupId"] == LONG
    assert with_short_names({"topics": [["a", LONG]]}) == {"topics": [["a", cut]]}
    assert with_short_names({"cursor": {"topic": LONG}}) == {"cursor": {"topic": cut}}


def test_a_body_without_long_names_is_the_same_object() -> None:
    body = {"topics": [{"name": "t", "partitions": [1, 2]}], "rackId": None}
    assert with_short_names(body) is body
