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


def test_a_suggestion() -> None:
    assert did_you_mean("Fetsh", NAMES) == "; did you mean Fetch or FetchSnapshot?"
    assert did_you_mean("zzz", NAMES) == ""
