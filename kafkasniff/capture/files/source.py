"""The bytes of a file, of standard input or of an open stream, as they come."""

import os
import sys
from typing import BinaryIO, cast

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import ObjectStream, is_object
from kafkasniff.capture.files.regular_file import open_regular


class FileSource:
    """Bytes in order; reads give what is there and never wait for a full chunk."""

    content = ""
    """What byte offsets count in, for messages: nothing to add where it is the file itself."""

    def __init__(self, origin: str | BinaryIO) -> None:
        """Open a regular file by its path (`-` for standard input), or read an open stream on.

        Raises CaptureError when the path cannot be opened, or is that of a pipe or a device.
        """
        self.offset = 0
        """Bytes read so far."""
        self.regular = False
        """True for a file opened by its path, which never keeps a reader waiting and can be closed and opened again."""
        self._unread = b""
        self._identity: tuple[int, int] | None = None
        self._stream: BinaryIO | None
        if isinstance(origin, str):
            self.file = origin
            self._owned = origin != "-"
            self._stream = self._open() if self._owned else sys.stdin.buffer
        else:
            self._owned = False
            name = getattr(origin, "name", "-")
            self.file = name if isinstance(name, str) else "-"
            self._stream = origin

    def _open(self) -> BinaryIO:
        stream = cast(BinaryIO, ObjectStream(self.file)) if is_object(self.file) else self._open_file()
        self.regular = True
        if self.offset:
            stream.seek(self.offset)
        return stream

    def _open_file(self) -> BinaryIO:
        if os.path.isdir(self.file):
            inside = os.path.join(self.file, "*.pcap")
            raise CaptureError(f"{self.file}: cannot be opened: Is a directory; name the captures in it: {inside}")
        stream = open_regular(self.file, "for what a pipe or a device gives, name `-` and redirect standard input")
        status = os.fstat(stream.fileno())
        identity = (status.st_dev, status.st_ino)
        if self._identity and identity != self._identity:
            stream.close()
            raise CaptureError(f"{self.file}: another file took its place while it was read")
        self._identity = identity
        return stream

    @property
    def bytes_read(self) -> int:
        """Give how many bytes of the file were read."""
        return self.offset

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes, none at the end.

        Raises CaptureError when the system refuses the read.
        """
        if self._unread:
            data, self._unread = self._unread[:size], self._unread[size:]
            return data
        if self._stream is None:
            self._stream = self._open()
        try:
            # A buffered stream's read() waits for the full size, its read1() does not; a raw stream's read() neither.
            data = getattr(self._stream, "read1", self._stream.read)(size) or b""
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise CaptureError(f"{self.file}: byte {self.offset}: cannot be read: {reason}") from error
        self.offset += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Give the next `size` bytes (fewer at the end) without consuming them."""
        while len(self._unread) < size:
            unread, self._unread = self._unread, b""
            more = self.read(size - len(unread))
            self._unread = unread + more
            if not more:
                break
        return self._unread[:size]

    def step_back(self, size: int) -> bool:
        """Let the next read begin `size` bytes earlier again; False where that cannot be."""
        if not self.regular or self._unread:
            return False
        self.offset -= size
        if self._stream is not None:
            self._stream.seek(self.offset)
        return True

    def park(self) -> None:
        """Hold no file descriptor until the next read, where the file can be opened again."""
        if self.regular and self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        """Close a file that was opened here."""
        if self._owned and self._stream is not None:
            self._stream.close()
