"""Other users of this machine, and an interpreter that they may use too."""

import os
import pwd
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.conftest import ROOT

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
NOBODY = pwd.getpwnam("nobody")
AS_NOBODY: dict[str, Any] = {"user": NOBODY.pw_uid, "group": NOBODY.pw_gid, "extra_groups": []}
"""How `subprocess` starts a process of that user."""


@cache
def python_for_all() -> tuple[str, str]:
    """Give an interpreter that every user may run, and a PYTHONPATH with all of this one's; skips where there is none.

    Root's own often lies in a folder that is closed to others, while that of the system does not.
    """
    path = os.pathsep.join([str(ROOT), *(each for each in sys.path if each.endswith("site-packages"))])
    check = f"import sys, kafkasniff, numpy, orjson, scapy; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [python, "-c", check], env={"PYTHONPATH": path}, cwd=ROOT, check=False, capture_output=True, **AS_NOBODY
            )
        except OSError:
            continue
        if done.returncode == 0:
            return python, path
    pytest.skip("no interpreter of this version, with what it needs, may be used by all users")
