"""The one exception of the protocol layer, and the note of what is wrong with a message."""

from typing import NamedTuple


class ProtocolError(Exception):
    """Bytes that are not the message they should be."""

    def __init__(self, message: str, offset: int, path: str = "") -> None:
        """Say what was expected and found at `offset` (bytes from the message's start) in the field `path`."""
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.path = path

    def __str__(self) -> str:
        """Give path, offset and message."""
        return f"{self.path or 'message'} at byte {self.offset}: {self.message}"


class Problem(NamedTuple):
    """What is wrong with a message that is shown all the same."""

    where: str
    """`request` or `response`."""
    offset: int | None
    """Bytes from the start of the frame's content (the size prefix not counted); None where it has no place."""
    path: str
    """Field path as in `topics[0].partitions[2].errorCode`; empty for the whole message."""
    message: str
