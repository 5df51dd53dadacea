"""Where the secrets of TLS connections come from: a key log file, and blocks inside captures."""

from collections.abc import Sequence

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.key_log_file import KeyLogFile
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.tcp.tls.key_log import KeyLog


class SecretSources:
    """Fills a key log with what has come since the last time."""

    def __init__(self, readers: Sequence[CaptureReader], path: str | None) -> None:
        """Take secrets from captures, and from the key log file at `path` unless that is None.

        Raises CaptureError when the file cannot be read, or has lines and none of them is of a key log.
        """
        self.key_log = KeyLog()
        self._readers = readers
        self._taken = [0] * len(readers)
        self.first_lines = b""
        """What the key log file had from the beginning."""
        self._file = None if path is None else KeyLogFile(path)
        if self._file is not None:
            text = self._file.read_new()
            self.first_lines = text[: text.rfind(b"\n") + 1]
            valid = self.key_log.add(text)
            if not valid and any(line.strip() and not line.startswith(b"#") for line in text.splitlines()):
                raise CaptureError(
                    f"{path}: not a TLS key log: expected lines of LABEL CLIENT-RANDOM SECRET, found none"
                )

    def refresh(self) -> bytes:
        """Take in what has come; give the whole lines that the key log file got.

        Raises CaptureError when the file cannot be read any more.
        """
        for index, reader in enumerate(self._readers):
            for text in reader.secrets[self._taken[index] :]:
                self.key_log.add(text)
            self._taken[index] = len(reader.secrets)
        if self._file is None:
            return b""
        text = self._file.read_new()
        self.key_log.add(text)
        return text[: text.rfind(b"\n") + 1]
