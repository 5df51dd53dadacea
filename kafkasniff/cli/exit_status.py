"""The exit statuses of the command."""

from typing import Final


class ExitStatus:
    """What the command says to its caller when it ends."""

    OK: Final = 0
    FAILED: Final = 1
    """A capture could not be read, or not to its end; what was read is printed."""
    USAGE: Final = 2
    """The command line is wrong."""
    FINDINGS: Final = 3
    """`diagnose --fail-on` found something so bad."""
    INTERRUPTED: Final = 130
    """Ctrl-C (128 + SIGINT)."""
    BROKEN_PIPE: Final = 141
    """Whoever read the output has gone (128 + SIGPIPE)."""
