"""A TLS key log on disk, which clients and servers may still be writing."""

from kafkasniff.capture.errors import CaptureError

LARGEST = 256 << 20
"""Bytes; some 250,000 connections of TLS 1.3. What is larger was hardly meant."""


class KeyLogFile:
    """Gives the text of a key log, and what is added later."""

    def __init__(self, path: str) -> None:
        """Open the file at `path`; raises CaptureError when it cannot be."""
        self.path = path
        self._offset = 0
        try:
            self._stream = open(path, "rb")  # noqa: SIM115 - stays open for what is added
        except OSError as error:
            raise self._error(error) from None

    def read_new(self) -> bytes:
        """Give the text since the last time, an unfinished line now and again when it has grown.

        Raises CaptureError when the file cannot be read or is larger than any key log.
        """
        try:
            self._stream.seek(self._offset)
            text = self._stream.read(LARGEST - self._offset + 1)
        except OSError as error:
            raise self._error(error) from None
        if self._offset + len(text) > LARGEST:
            raise CaptureError(f"{self.path}: expected a key log of at most {LARGEST} bytes, found more")
        self._offset += text.rfind(b"\n") + 1
        return text

    def close(self) -> None:
        """Read no more."""
        self._stream.close()

    def _error(self, error: OSError) -> CaptureError:
        return CaptureError(f"{self.path}: cannot be read: {error.strerror}")
