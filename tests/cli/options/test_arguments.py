from pathlib import Path

import pytest
import typer

from kafkasniff.cli.options.arguments import with_optional_values


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], []),
        (["read", "a.pcap"], ["read", "a.pcap"]),
        (["read", "a.pcap", "--errors"], ["read", "a.pcap", "--errors=*"]),
        (["read", "--errors", "a.pcap"], ["read", "--errors=*", "a.pcap"]),
        (["read", "--errors", "6", "a.pcap"], ["read", "--errors=6", "a.pcap"]),
        (["read", "--errors", "-1", "a.pcap"], ["read", "--errors=-1", "a.pcap"]),
        (["read", "--errors", "not_coordinator"], ["read", "--errors=not_coordinator"]),
        (["read", "--errors", "--json"], ["read", "--errors=*", "--json"]),
        (["read", "--errors=16"], ["read", "--errors=16"]),
        (["read", "--", "--errors"], ["read", "--", "--errors"]),
        (["read", "--errors", "NOT_LEADER", "a"], ["read", "--errors=NOT_LEADER", "a"]),
        (["read", "--errors", "NotLeaderForPartition,!6"], ["read", "--errors=NotLeaderForPartition,!6"]),
        (["read", "--errors", "*COORDINATOR*"], ["read", "--errors=*COORDINATOR*"]),
        (["read", "--errors", "there"], ["read", "--errors=*", "there"]),
        (["read", "--errors", "./6"], ["read", "--errors=*", "./6"]),
        (["live", "--errors", "lo"], ["live", "--errors=*", "lo"]),
        (["live", "--errors", "any"], ["live", "--errors=*", "any"]),
    ],
)
def test_with_optional_values(
    arguments: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").touch()
    (tmp_path / "7").touch()
    assert with_optional_values(arguments) == expected


def test_what_is_an_error_and_a_file_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "7").touch()
    with pytest.raises(typer.BadParameter, match=r"7 is both an error and a file here: write --errors=7, or"):
        with_optional_values(["read", "--errors", "7"])
