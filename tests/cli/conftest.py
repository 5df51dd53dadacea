import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.conftest import ROOT

NEEDED = {"KAFKASNIFF_KAFKA_JARS": "test_live_broker.py", "KAFKASNIFF_OTELCOL": "test_otelcol.py"}
"""What tests with a real broker and a real collector need; docs/development.md says how to have it."""
collect_ignore = [file for variable, file in NEEDED.items() if not os.environ.get(variable)]

Run = Callable[..., subprocess.CompletedProcess[str]]

COMMAND = [sys.executable, "-m", "kafkasniff"]


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment without what would change output."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    return {**kept, "PYTHONPATH": str(ROOT), "TZ": "UTC", "TERM": "xterm-256color", "PAGER": "cat"}


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Runs the real command in the folder of captures."""

    def call(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=stdin,
            capture_output=True,
            cwd=ROOT / "captures",
            env=environment,
            timeout=120,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
