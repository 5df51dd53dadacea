"""A TLS key log on disk, which clients and servers may still be writing."""

from collections.abc import Iterator

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.regular_file import open_regular

LARGEST = 256 << 20
"""Bytes; some 250,000 connections of TLS 1.3. What is larger was hardly meant."""

PIECE_BYTES = 1 << 20
"""Bytes read at a time."""


class KeyLogFile:
    """Gives the text of a key log, and what is added later."""

    def __init__(self, path: str) -> None:
        """Open the file at `path`; raises CaptureError when it cannot be, or is no regular file."""
        self.path = path
        self._offset = 0
        self._stream = open_regular(path, "copy what it gives into a file first")

    def read_new(self) -> Iterator[bytes]:
        """Give the new text in pieces of whole lines; an unfinished line now and again when it has grown.

        Raises CaptureError when the file cannot be read or is larger than any key log.
        """
        more = True
        while more:
            try:
                self._stream.seek(self._offset)
                piece = self._stream.read(PIECE_BYTES)
            except OSError as error:
                raise CaptureError(f"{self.path}: cannot be read: {error.strerror}") from None
            if self._offset + len(piece) > LARGEST:
                raise CaptureError(
                    f"{self.path}: expected a key log of at most {LARGEST} bytes, found more;"
                    " give the lines of the capture's connections only"
                )
            more = len(piece) == PIECE_BYTES
            whole = piece.rfind(b"\n") + 1
            if more:
                # What has no line end in so much text is no line of a key log.
                piece = piece[:whole] if whole else piece
                whole = len(piece)
            self._offset += whole
            if piece:
                yield piece

    def close(self) -> None:
        """Read no more."""
        self._stream.close()
