"""Checks of what surrounds a run: full and closed streams, and files that it leaves."""

import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tools.hostile.run import ROOT
from tools.hostile.wire import conversation, heartbeat, write_pcap

TLS_CAPTURE = ROOT / "captures" / "tls12-aes256-gcm-embedded.pcapng"
"""Holds the secrets of its own connections."""


class Check(NamedTuple):
    """A check."""

    name: str
    faults: Callable[[Path], list[str]]
    """Gives what is wrong, with an empty folder to work in."""
    what: str
    """What it looks at, in words."""


def _kafkasniff(words: str, folder: Path, redirected: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a folder by a shell, which any user may read what it writes; streams may be redirected."""
    script = f'umask 0; exec "$0" -m kafkasniff {words} {redirected}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        ["/bin/sh", "-c", script, sys.executable],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def full_device(folder: Path) -> list[str]:
    """Standard output, standard error and the file of `--write` on a full disk: one sentence, exit status 1"""
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    faults = []
    for words in ("--help", "--version", "read good.pcap", "read good.pcap --json", "apis", "errors"):
        done = _kafkasniff(words, folder, "> /dev/full")
        if done.returncode != 1 or "standard output cannot be written" not in done.stderr or "Trace" in done.stderr:
            faults.append(f"{words}: exit {done.returncode}, {done.stderr[-80:]!r}")
        if done.stderr.count("\n") > 2:
            faults.append(f"{words}: said in {done.stderr.count(chr(10))} lines")
    done = _kafkasniff("read good.pcap", folder, "2> /dev/full")
    if done.returncode != 1 or done.stdout.count("\n") != 2:
        faults.append(f"standard error: exit {done.returncode}, {done.stdout!r}")
    (folder / "full.pcapng").symlink_to("/dev/full")
    done = _kafkasniff("read good.pcap --write full.pcapng", folder)
    if done.returncode != 1 or "Trace" in done.stderr:
        faults.append(f"--write: exit {done.returncode}, {done.stderr[-80:]!r}")
    return faults


def closed_streams(folder: Path) -> list[str]:
    """Standard input, output and error closed by the caller: no traceback"""
    write_pcap(folder / "good.pcap", conversation(heartbeat(2)))
    faults = []
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        for words in ("--help", "read good.pcap", "diagnose good.pcap"):
            done = _kafkasniff(words, folder, closed)
            if done.returncode or "Trace" in done.stdout + done.stderr:
                faults.append(f"{words} {closed}: exit {done.returncode}")
    return faults


def written_secrets(folder: Path) -> list[str]:
    """TLS secrets in the capture of `--write`: only with `--write-secrets`, and then for the owner alone"""
    faults = []
    for options, expected in (("", False), ("--write-secrets", True)):
        path = folder / f"new{len(options)}.pcapng"
        done = _kafkasniff(f"read '{TLS_CAPTURE}' --write {path.name} {options}", folder)
        if done.returncode:
            return [f"exit {done.returncode}: {done.stderr[-80:]!r}"]
        if (b"CLIENT_RANDOM" in path.read_bytes()) != expected:
            faults.append(f"{options or 'without'}: secrets {'lack' if expected else 'written'}")
        if expected and path.stat().st_mode & 0o077:
            faults.append(f"mode {path.stat().st_mode & 0o777:o}")
    return faults


def foreign_folder(folder: Path) -> list[str]:
    """A folder that another user made where a run of `pipeline` would keep its own: not taken over"""
    from kafkasniff.pipeline.errors import PipelineError
    from kafkasniff.pipeline.inputs.own_folders import check_own

    faults = []
    planted = {"link": folder / "link", "open": folder / "open"}
    (folder / "target").mkdir(mode=0o700)
    planted["link"].symlink_to(folder / "target")
    planted["open"].mkdir()
    planted["open"].chmod(0o777)
    if os.geteuid() == 0:
        planted["foreign"] = folder / "foreign"
        planted["foreign"].mkdir(mode=0o700)
        os.chown(planted["foreign"], pwd.getpwnam("nobody").pw_uid, -1)
    for name, path in planted.items():
        try:
            check_own(str(path))
        except PipelineError:
            continue
        faults.append(f"{name} taken over")
    return faults


CHECKS: dict[str, Check] = {
    check.__name__.replace("_", "-"): Check(check.__name__.replace("_", "-"), check, (check.__doc__ or "").strip())
    for check in (full_device, closed_streams, written_secrets, foreign_folder)
}
