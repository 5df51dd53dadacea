"""The prompt of `sql` in a terminal: answers, errors that do not end it, completion."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

from tests.conftest import CAPTURES

pytest.importorskip("readline")
COMMAND = [sys.executable, "-m", "kafkasniff", "sql", str(CAPTURES / "java-4.3.1-basic.pcap")]


def read_until(terminal: int, wanted: str) -> str:
    """Give what comes up to a text; at most for a minute."""
    found, end = b"", time.monotonic() + 60
    while wanted.encode() not in found:
        left = end - time.monotonic()
        assert left > 0, found
        if select.select([terminal], [], [], left)[0]:
            found += os.read(terminal, 4096)
    return found.decode()


def test_a_prompt_answers_completes_and_goes_on_after_errors(environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    environment = environment | {"TERM": "dumb"}
    with subprocess.Popen(
        COMMAND, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
    ) as process:
        os.close(theirs)
        read_until(ours, "kafkasniff> ")
        os.write(ours, b"SELECT nothing FROM calls;\n")
        assert "Binder Error" in read_until(ours, "kafkasniff> ")
        # A tab completes the name of a column.
        os.write(ours, b"SELECT count(correlation_\t) + 1000000 AS n FROM calls;\n")
        assert "1,000,108" in read_until(ours, "1,000,108")
        os.write(ours, b"exit\n")
        read_until(ours, "108 calls")
        assert process.wait(timeout=60) == 0
    os.close(ours)
