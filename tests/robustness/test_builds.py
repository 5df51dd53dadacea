"""The compiled engine and the same sources as plain Python print the same."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkasniff.compiled import is_compiled
from tests.conftest import CAPTURES, ROOT

FORMS = (["read"], ["read", "--json", "--records"], ["read", "-vv"], ["read", "--connections"], ["diagnose"])
NAMES = ("java-4.3.1-basic.pcap", "loss-reorder-client-side.pcap", "nanoseconds.pcap")


def run(*arguments: str, pure: bool) -> tuple[bytes, bytes]:
    environment = {**os.environ, "KAFKASNIFF_PURE": "1" if pure else ""}
    command = [sys.executable, "-m", "kafkasniff", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return done.stdout, done.stderr


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
@pytest.mark.parametrize("name", NAMES)
def test_both_builds_print_the_same(name: str, form: list[str]) -> None:
    arguments = (form[0], str(CAPTURES / name), *form[1:])
    compiled, pure = run(*arguments, pure=False), run(*arguments, pure=True)
    assert b"".join(compiled)
    assert compiled == pure


def test_the_version_tells_the_build() -> None:
    assert run("--version", pure=True)[0].rstrip().endswith(b"(not compiled)")


@pytest.mark.skipif(not is_compiled(), reason="nothing is compiled here")
def test_libraries_older_than_their_sources_are_told_in_one_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "kafkasniff", tmp_path / "kafkasniff")
    # The command uses what its library does not have yet.
    with (tmp_path / "kafkasniff" / "octets.py").open("a") as changed:
        changed.write("\nNEW = 1\n")
    with (tmp_path / "kafkasniff" / "reading.py").open("a") as user:
        user.write("\nfrom kafkasniff.octets import NEW\n")
    command = [sys.executable, "-m", "kafkasniff", "read", str(CAPTURES / NAMES[0])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: the compiled engine is older than its sources, kafkasniff/octets.py among")
    assert "python tools/compile_engine.py" in done.stderr
    assert done.stderr.count("\n") == 1
