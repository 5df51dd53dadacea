"""`deploy/kafkasniff-extcap`: tshark captures through it, and has calls as comments of packets."""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.cli.running import exchange
from tests.conftest import ROOT
from tests.networks import needs, own_network


def call_until(process: subprocess.Popen[str]) -> None:
    """Make calls until a process ends, for a minute at most."""
    deadline = time.monotonic() + 60
    while process.poll() is None:
        exchange(answer=True).close()
        time.sleep(0.2)
        if time.monotonic() > deadline:
            process.kill()


@needs("tshark", "unshare")
def test_tshark_shows_calls_as_comments(environment: dict[str, str], tmp_path: Path) -> None:
    told = subprocess.run(["tshark", "-G", "folders"], capture_output=True, text=True, check=True).stdout
    [folder] = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("Extcap path")]
    shutil.copy(ROOT / "deploy" / "kafkasniff-extcap", tmp_path)
    # Some versions of tshark have no folder for a user's own programs: here the system's one shows ours.
    capture = "exec tshark -i kafkasniff-lo -l -Y frame.comment -T fields -e frame.comment"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with own_network():
        process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", f'mount --bind "{tmp_path}" "{folder}" && {capture}'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | {"PATH": path}, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        # A call that comes before the capture begins is not in it.
        calling = threading.Thread(target=call_until, args=(process,))
        calling.start()
        shown = process.stdout.readline()
        process.terminate()
        said = process.communicate(timeout=30)[1]
        calling.join()
    assert "quiet-one" in shown, said
    assert "ApiVersions v0" in shown
    assert "Error by extcap" not in said
