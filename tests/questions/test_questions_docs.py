"""The page of questions shows what the commands really print."""

import re
import shlex

import pytest

from kafkasniff.cli.app import run
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "questions.md").read_text()
SHOWN = re.findall(r"```console\n\$ kafkasniff ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_the_page_shows_real_output(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, command: str, shown: str
) -> None:
    monkeypatch.chdir(ROOT)
    run(shlex.split(command))
    assert capsysbinary.readouterr().out.decode() == shown
