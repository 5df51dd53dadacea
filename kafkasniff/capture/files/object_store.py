"""Captures in object stores, named by URIs such as `s3://bucket/trace.pcap`: pyarrow reads them, by ranges.

Credentials, endpoint and region come from where the store's own tools have them (`AWS_ACCESS_KEY_ID`,
`AWS_ENDPOINT_URL`, `~/.aws`, the machine's role), never from the URI: it is in messages and tables.
"""

import io
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from kafkasniff.capture.errors import CaptureError

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from pyarrow.fs import FileInfo, FileSystem

SCHEMES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "hdfs")
"""What pyarrow reads; `s3a` is Hadoop's name for `s3`."""

_URI = re.compile(rf"({'|'.join(SCHEMES)})://")
_CREDENTIALS = re.compile(r"(?!abfss?:)[^/]*://[^/]*@|[^/]*://[^/]*:[^/]*@")
"""Before the `@` a URI of Azure names the container, others the user."""
_AHEAD_BYTES = 4 << 20
"""Bytes asked for at once: a store takes some 20 ms for each answer."""


def is_object(path: str) -> bool:
    """Tell whether a path is the URI of something in an object store."""
    return _URI.match(path) is not None


@lru_cache(maxsize=64)
def _file_system(store: str) -> "FileSystem":
    """Give what reads a store, which is named by a URI without a path. Raises CaptureError."""
    try:
        from pyarrow.fs import FileSystem
    except ModuleNotFoundError:
        raise CaptureError(f"{store}: needs pyarrow: pip install pyarrow") from None
    try:
        if store.startswith("hdfs:"):
            from kafkasniff.capture.files.hdfs import connect

            return connect(store)
        return FileSystem.from_uri(store)[0]
    except ModuleNotFoundError as error:
        raise CaptureError(f"{store}: needs {error.name}: pip install hdfs-native fsspec") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise CaptureError(f"{store}: cannot be opened: {reason_of(error)}") from None


def same_name(path: str) -> str:
    """Give the one name of what has two: `s3a` is `s3`."""
    return f"s3{path[3:]}" if path.startswith("s3a://") else path


def placed(uri: str) -> "tuple[FileSystem, str]":
    """Give what reads the store of a URI, and the path there. Raises CaptureError."""
    if _CREDENTIALS.match(uri):
        raise CaptureError(
            f"{uri.partition('://')[0]}://***: expected a URI without credentials; set them as the store's own tools"
            " want them, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    scheme, separator, rest = same_name(uri).partition("://")
    store, _, path = rest.partition("/")
    system = _file_system(f"{scheme}{separator}{store}/")
    # Of HDFS the store is a host, of Azure's a container and an account; of others the bucket, which begins the path.
    if scheme == "hdfs":
        return system, f"/{path}"
    return system, f"{store.partition('@')[0]}/{path}".rstrip("/")


def reason_of(error: Exception) -> str:
    """Give what pyarrow says of a failure, in one line and not too long."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return (str(error) or type(error).__name__).partition("\n")[0][:300]


def open_object(uri: str) -> "NativeFile":
    """Open an object, to be read anywhere in it. Raises CaptureError."""
    system, path = placed(uri)
    try:
        return system.open_input_file(path)
    except (OSError, ValueError) as error:
        reason = "Is a folder; name the captures in it" if is_folder(uri) else reason_of(error)
        raise CaptureError(f"{uri}: cannot be opened: {reason}") from None


def info_of(uri: str) -> "FileInfo":
    """Give type, size and time of what a URI names. Raises CaptureError."""
    system, path = placed(uri)
    try:
        return system.get_file_info(path)
    except (OSError, ValueError) as error:
        raise CaptureError(f"{uri}: cannot be looked at: {reason_of(error)}") from None


def is_folder(path: str) -> bool:
    """Tell whether a path is a folder. Raises CaptureError for one in a store that cannot be looked at."""
    if not is_object(path):
        return os.path.isdir(path)
    from pyarrow.fs import FileType

    return bool(info_of(path).type == FileType.Directory)


class ObjectStream(io.RawIOBase):
    """The bytes of an object in order, more of them fetched at once than are asked for."""

    def __init__(self, uri: str) -> None:
        """Open it. Raises CaptureError."""
        super().__init__()
        self.name = uri
        self._file = open_object(uri)
        self._ahead = memoryview(b"")

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Give up to `size` bytes. Raises OSError."""
        if not self._ahead:
            self._ahead = memoryview(self._file.read(_AHEAD_BYTES))
        data, self._ahead = bytes(self._ahead[:size]), self._ahead[size:]
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go on at a byte. Raises OSError."""
        self._ahead = memoryview(b"")
        return int(self._file.seek(offset, whence))

    def close(self) -> None:
        """Close the object."""
        self._file.close()
        super().close()
