"""Rules and thresholds from options and kafkasniff.toml, and what is said of that file."""

from pathlib import Path

import pytest
from typer import BadParameter

from kafkasniff.cli.options.settings import choose_rules

SOURCE = '[diagnose]\nignore = ["acks-one", "acks-zero"]\n[diagnose.commit-storm]\nper_second = 50\n'


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file is read from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "kafkasniff.toml"


def test_settings_from_a_file(file: Path) -> None:
    file.write_text(SOURCE)
    choice = choose_rules([], [], [])
    assert choice.settings == {"commit-storm": {"per_second": 50}}
    assert {"acks-one", "acks-zero"}.isdisjoint(rule.id for rule in choice.rules)
    assert choose_rules([], [], ["commit-storm.per_second=9"]).settings == {"commit-storm": {"per_second": 9}}
    assert [rule.id for rule in choose_rules(["acks-one"], [], []).rules] == ["acks-one"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (([], [], []), "leaves out acks-one, acks-zero and sets commit-storm.per_second=50"),
        (([], ["acks-one"], []), "leaves out acks-zero and sets commit-storm.per_second=50"),
        (([], [], ["commit-storm.per_second=9"]), "leaves out acks-one, acks-zero"),
        (([], ["commit-storm"], []), "leaves out acks-one, acks-zero"),
        ((["commit-storm"], [], []), "sets commit-storm.per_second=50"),
        ((["acks-one"], [], []), "changes nothing"),
    ],
)
def test_what_the_file_changes_is_said(
    options: tuple[list[str], list[str], list[str]], said: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SOURCE)
    choose_rules(*options)
    assert capsys.readouterr().err == f"kafkasniff: {file} {said}\n"


def test_without_a_file_nothing_is_said(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not file.exists()
    assert choose_rules([], [], []).settings == {}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[diagnose]\nignore = 3", "`ignore` is no list of rules"),
        ("[diagnose]\nignore = [[1]]", "`ignore` is no list of rules"),
        ('[diagnose]\nignore = ["x"]', "no rule has the id 'x'"),
        ("[diagnose]\nacks-one = 3", "`diagnose.acks-one` is no table"),
        ("[diagnose.x]\ny = 3", "no rule has the id 'x'"),
        ("[diagnose.commit-storm]\nper_second = 0x" + "f" * 60_000, "per_second: expected a number"),
        ("[diagnose.commit-storm]\nper_second = [1]", "per_second: expected a number"),
        ('[diagnose.commit-storm]\nper_second = "many"', "'many' is no number"),
        ('[diagnose.commit-storm]\n"\\u001b[31m" = 1', "has no threshold '\\\\x1b[31m'"),
    ],
)
def test_what_is_no_setting_is_refused(text: str, said: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(BadParameter) as refused:
        choose_rules([], [], [])
    assert said in refused.value.message
    assert len(refused.value.message) < 200
