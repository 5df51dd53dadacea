import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkasniff.cli.app import COMMANDS
from tests.conftest import ROOT

SHARE = ROOT / "share"
BASH = SHARE / "bash-completion/completions/kafkasniff"


def test_the_man_page_has_a_section_for_every_command_and_no_stray_macro() -> None:
    lines = (SHARE / "man/man1/kafkasniff.1").read_text().splitlines()
    assert [line for line in lines if line.startswith(".SH KAFKASNIFF ")] == [
        f".SH KAFKASNIFF {name.upper()}" for name in COMMANDS
    ]
    macros = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert macros == {'.\\"', ".TH", ".SH", ".B", ".I", ".TP", ".nf", ".fi"}
    assert r" \-\-errors" in "\n".join(lines)


COMPLETE = """
source "$1"
COMP_WORDS=(kafkasniff "$2") COMP_CWORD=1
_kafkasniff_completion kafkasniff
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(("typed", "wanted"), [("dia", ["diagnose"]), ("rea", ["read"])])
def test_bash_completes_commands(tmp_path: Path, typed: str, wanted: list[str]) -> None:
    # As installed, which a tree that only has its requirements is not.
    program = tmp_path / "kafkasniff"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkasniff "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    command = ["bash", "-c", COMPLETE, "bash", str(BASH), typed]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == wanted


def test_zsh_and_fish_have_their_completions() -> None:
    zsh = (SHARE / "zsh/site-functions/_kafkasniff").read_text()
    assert zsh.startswith("#compdef kafkasniff\n")
    assert zsh.endswith('_kafkasniff_completion "$@"\n')
    assert "complete --command kafkasniff" in (SHARE / "fish/vendor_completions.d/kafkasniff.fish").read_text()
