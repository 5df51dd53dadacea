"""What HDFS' client raises in the middle of a file is told as a failure of any store is."""

import io

import pytest
from pyarrow.fs import FSSpecHandler, PyFileSystem

from kafkasniff.capture.files.hdfs import OsErrors


class LostBlocks(io.BytesIO):
    """A file whose second block no data node has."""

    def read(self, size=-1):
        if self.tell() >= 8:
            raise RuntimeError("DataTransferError: couldn't find a data node")
        return super().read(size)


class Client:
    """As much of a client as pyarrow asks to open a file; a name node in safe mode lets nothing be written."""

    protocol = "hdfs"

    def isfile(self, path):
        return True

    def open(self, path, mode):
        if mode == "wb":
            raise RuntimeError("RPCError: Name node is in safe mode")
        return LostBlocks(b"a" * 16)


def test_failures_are_os_errors():
    system = PyFileSystem(FSSpecHandler(OsErrors(Client())))
    with system.open_input_file("/a.pcap") as file:
        assert file.read(8) == b"a" * 8
        with pytest.raises(OSError, match="couldn't find a data node"):
            file.read(8)
    with pytest.raises(OSError, match="safe mode"):
        system.open_output_stream("/a.parquet")
