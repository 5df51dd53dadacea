"""The compiled engine and the same sources as plain Python print the same."""

import os
import subprocess
import sys

import pytest

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
