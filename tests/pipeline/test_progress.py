"""The line that says how far a run is."""

import os
import subprocess
import sys
import threading

import pytest

from kafkasniff.cli.processes.spark_progress import SHARES, SparkProgress
from tests.conftest import ROOT, open_terminal


def test_bytes_and_time_left_come_of_the_steps_that_are_done(spark):
    progress = SparkProgress(spark)

    assert progress.text(0, 0, 1.0) == ""
    progress.begins(4_000_000)
    progress.step("index", 1_000_000)
    progress.step("calls", 1_000_000)
    # A fifth of the first of four micro-batches was for the index; half of the calls' half is done.
    assert progress.text(3, 6, 9.0) == " 11% of 4.0 MB, 50.0 kB/s, 1:11 left: calls, 3 of 6 tasks"
    progress.step("commit", 1_000_000)
    progress.done({})
    progress.begins(3_000_000)
    assert progress.text(0, 0, 10.0) == " 25% of 4.0 MB, 100.0 kB/s, 0:30 left"


def test_shares_are_of_a_whole():
    assert sum(SHARES.values()) == pytest.approx(1)


def test_the_line_is_drawn_on_a_terminal_and_taken_away(tmp_path):
    ours, theirs = open_terminal()
    shown = bytearray()

    def read():
        try:
            while data := os.read(ours, 4_096):
                shown.extend(data)
        except OSError:
            pass  # The other end is closed.

    reader = threading.Thread(target=read)
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "captures/rotate-size", tmp_path, "--master", "local[1]"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        reader.start()
    reader.join()
    os.close(ours)
    assert process.returncode == 0, shown
    text = shown.decode()
    assert "index, 0 of " in text
    assert text.endswith("\r\x1b[K")
