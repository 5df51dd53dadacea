"""Where the secrets of TLS connections come from: a key log file, and blocks inside captures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.tcp.tls.key_log import KeyLog

if TYPE_CHECKING:  # most readings have no such file
    from kafkasniff.capture.files.key_log_file import KeyLogFile


class SecretSources:
    """Fills a key log with what has come since the last time."""

    def __init__(self, readers: Sequence[CaptureReader], path: str | None) -> None:
        """Take secrets from captures, and from the key log file at `path` unless that is None.

        Raises CaptureError when the file cannot be read, or has lines and none of them is of a key log.
        """
        self.key_log = KeyLog()
        self._with_secrets = [*readers]
        for reader in readers:
            reader.with_secrets = self._with_secrets
        self._file = None if path is None else _file(path)
        valid, has_others = self._read_file()
        if has_others and not valid:
            raise CaptureError(f"{path}: not a TLS key log: expected lines of LABEL CLIENT-RANDOM SECRET, found none")

    def refresh(self) -> None:
        """Take in what has come; raises CaptureError when the file cannot be read any more."""
        # There may be thousands of captures, and most have none.
        while self._with_secrets:
            for text in self._with_secrets.pop(0).take_secrets():
                self.key_log.add(text)
        self._read_file()

    def _read_file(self) -> tuple[int, bool]:
        """Take in what the file got; give how many lines were valid, and whether there were others than comments."""
        valid, has_others = 0, False
        for text in self._file.read_new() if self._file is not None else ():
            found = self.key_log.add(text)
            valid += found
            if not valid and not has_others:
                has_others = any(line.strip() and not line.startswith(b"#") for line in text.splitlines())
        return valid, has_others


def _file(path: str) -> "KeyLogFile":
    from kafkasniff.capture.files.key_log_file import KeyLogFile

    return KeyLogFile(path)
