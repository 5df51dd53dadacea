import pytest

from kafkasniff.near_names import did_you_mean, near_names

NAMES = ["Fetch", "FetchSnapshot", "JoinGroup", "LeaveGroup", "ListOffsets", "Metadata"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("fech", ["Fetch", "FetchSnapshot"]),
        ("join-grup", ["JoinGroup"]),
        ("METADATAS", ["Metadata"]),
        ("list", ["ListOffsets"]),
        ("snapshot", ["FetchSnapshot"]),
        ("zzz", []),
        ("", []),
        ("x" * 100_000, []),
    ],
)
def test_near_names(text: str, near: list[str]) -> None:
    assert near_names(text, NAMES) == near


def test_a_word_of_a_name_is_enough_however_short() -> None:
    assert near_names("api", ["api_name", "capital", "client_id", "api_key"]) == ["api_key", "api_name"]


def test_another_short_word_is_not_near() -> None:
    assert near_names("nope", ["NONE", "NON_EMPTY_GROUP", "NOT_ENOUGH_REPLICAS"]) == []


def test_a_suggestion() -> None:
    assert did_you_mean("Fetsh", NAMES) == "; did you mean Fetch or FetchSnapshot?"
    assert did_you_mean("zzz", NAMES) == ""
