import os
import subprocess
from collections.abc import Callable

import pytest

from tests.cli.forks import COMMAND, SECONDS, Forks, shared_forks, usual_environment
from tests.conftest import ROOT

NEEDED = {"KAFKASNIFF_KAFKA_JARS": "test_live_broker.py", "KAFKASNIFF_OTELCOL": "test_otelcol.py"}
"""What tests with a real broker and a real collector need; docs/development.md says how to have it."""
collect_ignore = [file for variable, file in NEEDED.items() if not os.environ.get(variable)]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment() -> dict[str, str]:
    return usual_environment()


@pytest.fixture
def forks() -> Forks:
    return shared_forks()


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Runs the real command in the folder of captures; by a new interpreter where forks do not fit."""

    def call(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
        folder, forks = ROOT / "captures", shared_forks()
        if forks.fit(environment):
            done = forks.run(list(map(str, arguments)), folder, stdin)
        else:
            command = [*COMMAND, *arguments]
            done = subprocess.run(
                command, input=stdin, capture_output=True, cwd=folder, env=environment, timeout=SECONDS, check=False
            )
        assert b"Traceback" not in done.stderr
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
