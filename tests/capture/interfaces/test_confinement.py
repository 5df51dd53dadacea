import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CONFINED = """
import os, socket, subprocess, sys
from kafkasniff.capture.interfaces.confinement import confine
from kafkasniff.capture.interfaces.privileges import give_up_privileges
folder, port = sys.argv[1], int(sys.argv[2])
kept = open(f"{folder}/kept", "w")
give_up_privileges(None)
if not confine():
    print("no Landlock")
    raise SystemExit
def tried(action):
    try:
        action()
    except OSError as error:
        return error.strerror
print(tried(lambda: kept.write("more") and kept.flush()))
print(tried(lambda: open(f"{folder}/there").read()))
print(tried(lambda: open(os.devnull, "w").write("x")))
print(tried(lambda: open(f"{folder}/new", "w")))
print(tried(lambda: open(f"{folder}/there", "a")))
print(tried(lambda: os.truncate(f"{folder}/there", 0)))
print(tried(lambda: os.remove(f"{folder}/there")))
print(tried(lambda: os.mkdir(f"{folder}/folder")))
print(tried(lambda: subprocess.run([sys.executable, "-c", "pass"])))
print(tried(lambda: socket.create_connection(("127.0.0.1", port))))
"""


def test_nothing_new_is_written_connected_or_started(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("there")
    command = [sys.executable, "-c", CONFINED, str(tmp_path), "9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    lines = done.stdout.splitlines()
    if lines == ["no Landlock"]:
        pytest.skip("this kernel has no Landlock")
    assert lines == ["None"] * 3 + ["Permission denied"] * 7
    assert (tmp_path / "kept").read_text() == "more"
    assert (tmp_path / "there").read_text() == "there"
