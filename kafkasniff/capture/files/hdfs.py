"""HDFS for pyarrow by hdfs-native, which needs neither Java nor Hadoop's native library."""

import contextlib
import socket
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from hdfs_native.fsspec import HdfsFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem

_WAIT_S = 10
"""Seconds in which a name node must take a connection, and answer: its client would wait for minutes or without end."""


def connect(store: str) -> PyFileSystem:
    """Give what reads the store. What fails there is an OSError, as of all stores.

    Raises OSError where a port is named, and no name node takes connections there, or it does not answer.
    """
    parts = urlsplit(store)
    client = OsErrors(HdfsFileSystem(host=parts.hostname, port=parts.port))
    system = PyFileSystem(FSSpecHandler(client))
    # Without a port it may be the name of several name nodes, which Hadoop's settings tell.
    if parts.port is not None:
        socket.create_connection((parts.hostname or "", parts.port), _WAIT_S).close()
        asking = Thread(target=_ask, args=(client,), daemon=True)
        asking.start()
        asking.join(_WAIT_S)
        if asking.is_alive():
            raise OSError(f"takes connections, but did not answer within {_WAIT_S} s")
    return system


class OsErrors:
    """A client of HDFS, or a file that it opened; its RuntimeErrors are raised as OSError."""

    def __init__(self, wrapped: Any) -> None:
        """Stand in the place of the client, or of a file."""
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        """Give an attribute; a method as one that raises OSError."""
        found = getattr(self._wrapped, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                result = found(*arguments, **named)
            except RuntimeError as error:
                raise OSError(str(error)) from None
            return OsErrors(result) if name == "open" else result

        return call


def _ask(client: OsErrors) -> None:
    """Wait for an answer, whatever it is."""
    with contextlib.suppress(OSError, ValueError):
        client.exists("/")
