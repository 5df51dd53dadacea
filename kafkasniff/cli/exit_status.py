"""The exit statuses of the command."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """What the command says to its caller when it ends."""

    OK = 0
    FAILED = 1
    """A capture could not be read, or not to its end; what was read is printed."""
    USAGE = 2
    """The command line is wrong."""
    FINDINGS = 3
    """`diagnose --fail-on` found something so bad."""
    INTERRUPTED = 130
    """Ctrl-C (128 + SIGINT)."""
    BROKEN_PIPE = 141
    """Whoever read the output has gone (128 + SIGPIPE)."""
    TERMINATED = 143
    """SIGTERM (128 + its number) came while a question was being answered; `live` and a follower end with `OK` then."""
