"""The checksums of record batches."""

import zlib
from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Final

from kafkasniff.protocol.records.layout import CRC_AT, MAGIC_AT

MAGIC_2_CRC_FROM: Final = CRC_AT[2] + 4
"""Where in a batch of magic 2 the bytes begin that its checksum covers, up to its end."""

COPIED_BYTES: Final = 4096
"""Up to here copying takes less time than a view does."""


def stated_crc(data: bytes | bytearray, start: int) -> int:
    """Give the checksum that the batch at `start` states, unsigned."""
    at = start + CRC_AT[data[start + MAGIC_AT]]
    return int.from_bytes(data[at : at + 4], "big")


def computed_crc(data: bytes | bytearray, start: int, end: int) -> int:
    """Compute the checksum of the batch in `data[start:end]`, unsigned.

    Magic 2 has CRC-32C from the attributes on (KIP-98), the older messages CRC-32 from the magic byte on.
    """
    magic = data[start + MAGIC_AT]
    begin = start + CRC_AT[magic] + 4
    covered = data[begin:end] if end - begin <= COPIED_BYTES else memoryview(data)[begin:end]
    return zlib.crc32(covered) if magic < 2 else checksum_of_magic_2()(covered)


@cache
def checksum_of_magic_2() -> Callable[[bytes | bytearray | memoryview], int]:
    """Give the function for CRC-32C."""
    # The package itself asks for its own version as it is imported, which takes a hundred times as long as its
    # extension module does.
    package = find_spec("crc32c")
    places = package.submodule_search_locations if package is not None else None
    extension = PathFinder.find_spec("crc32c._crc32c", places)
    if extension is None or extension.loader is None:
        from crc32c import crc32c

        return crc32c
    module = module_from_spec(extension)
    extension.loader.exec_module(module)
    checksum: Callable[[bytes | bytearray | memoryview], int] = module.crc32c
    return checksum
