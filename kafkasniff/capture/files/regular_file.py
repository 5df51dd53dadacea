"""Opening files by name: only regular ones, as pipes and devices may keep whoever opens or reads them waiting."""

import os
import stat
from io import FileIO

from kafkasniff.capture.errors import CaptureError

_DO_NOT_WAIT = getattr(os, "O_NONBLOCK", 0)
"""To open a pipe that nothing writes to waits otherwise (fifo(7)); Windows has none."""


def open_regular(path: str, instead: str) -> FileIO:
    """Open a regular file to read from, unbuffered.

    Raises CaptureError when it cannot be opened, and, with what to do `instead`, when it is a pipe or a device.
    """
    try:
        # To open a device or a pipe and close it again may have effects, so that it is looked at before.
        if stat.S_ISREG(mode := os.stat(path).st_mode) or stat.S_ISDIR(mode):
            stream = FileIO(path, opener=lambda name, flags: os.open(name, flags | _DO_NOT_WAIT))
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return stream
            stream.close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CaptureError(f"{path}: cannot be opened: {reason}") from error
    raise CaptureError(f"{path}: is no regular file; {instead}")
