"""A pager for long output on a terminal, as git has one: PAGER, or else less."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whose output is no terminal should not wait for it
    import subprocess

_LESS = {"LESS": "FRX", "LV": "-c"}
"""As git sets them: end where one screen holds all, let colours through, leave the screen as it is."""

_process: "subprocess.Popen[bytes] | None" = None
_is_forbidden = False


def forbid_pager() -> None:
    """Have no pager in this run."""
    global _is_forbidden  # noqa: PLW0603
    _is_forbidden = True


def page() -> None:
    """Send what is written from now on through a pager, where standard output is a terminal and one is to be had."""
    global _process  # noqa: PLW0603
    if _is_forbidden or _process is not None or not sys.stdout.isatty() or os.environ.get("TERM") in (None, "dumb"):
        return
    import shlex
    import shutil
    import subprocess

    try:
        command = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return
    if not command or command == ["cat"] or shutil.which(command[0]) is None:
        return
    columns = shutil.get_terminal_size().columns
    try:
        # Ctrl-C is ours to take: the pager shows what was read until then.
        _process = subprocess.Popen(command, stdin=subprocess.PIPE, env={**_LESS, **os.environ})
    except OSError:
        return
    from kafkasniff.render.terminal import use_pager

    streams = [stream for stream in (sys.stdout, sys.stderr) if stream.isatty()]
    use_pager(columns, streams)
    assert _process.stdin is not None
    # As git does: messages would else be written across what the pager shows.
    for stream in streams:
        stream.flush()
        os.dup2(_process.stdin.fileno(), stream.fileno())
    _process.stdin.close()


def end_pager() -> None:
    """Let the pager know that nothing more comes, and wait until its reader is done."""
    if _process is None:
        return
    import signal

    null = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(null, descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _process.wait()
