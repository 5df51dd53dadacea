"""Pieces into packet batches: merged by time as `read` merges files, with their bytes fetched where they lie."""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import reason_of
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.pieces import Numbers, Piece
from kafkasniff.pipeline.inputs.files import CHANGED, HEAD_BYTES
from kafkasniff.pipeline.inputs.places import open_at_random

BATCH_PACKETS = 16_384
BATCH_BYTES = 6 << 20
"""Packets, and bytes of them, from which on a batch is given."""

_NEAR = 4_096
"""Bytes between two packets of interest that are read rather than jumped over."""

_MOST_OPEN = 64


class PacketFiles:
    """Files whose packets are read again, by the index of their pieces' parts."""

    def __init__(self, paths: Sequence[str], heads: Sequence[bytes]) -> None:
        """Expect each file to begin as it did when it was listed."""
        self._paths = paths
        self._heads = heads
        self._open: OrderedDict[int, pa.NativeFile] = OrderedDict()

    def read(self, part: int, offsets: Numbers, lengths: Numbers) -> tuple[bytes, Numbers]:
        """Give the bytes of packets at rising `offsets`, and where in them each packet begins.

        Raises PipelineError where the file is not what it was.
        """
        ends = offsets + lengths
        breaks = np.flatnonzero(offsets[1:] - ends[:-1] > _NEAR) + 1
        first, last = np.append(0, breaks), np.append(breaks, len(offsets)) - 1
        starts, sizes = offsets[first], ends[last] - offsets[first]
        places = np.cumsum(sizes) - sizes
        parts = [self._pread(part, start, size) for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)]
        return b"".join(parts), offsets - np.repeat(starts - places, last - first + 1)

    def close(self) -> None:
        """Close all; raise PipelineError where one is not what it was."""
        try:
            for part, file in self._open.items():
                self._check(part, file)
        finally:
            for file in self._open.values():
                file.close()
            self._open.clear()

    def _pread(self, part: int, start: int, size: int) -> bytes:
        data = self._bytes(part, self._file(part), start, size)
        if len(data) < size:
            raise self._changed(part)
        return data

    def _bytes(self, part: int, file: pa.NativeFile, start: int, size: int) -> bytes:
        try:
            data: bytes = file.read_at(size, start)
        except OSError as error:
            raise _lost(part, f"{self._paths[part]}: byte {start}: cannot be read: {reason_of(error)}") from None
        return data

    def _file(self, part: int) -> pa.NativeFile:
        if part in self._open:
            self._open.move_to_end(part)
            return self._open[part]
        path = self._paths[part]
        try:
            file = self._open[part] = open_at_random(path)
        except (OSError, CaptureError) as error:
            raise _lost(part, f"{path}: cannot be opened again: {reason_of(error)}") from None
        self._check(part, file)
        if len(self._open) > _MOST_OPEN:
            oldest, other = self._open.popitem(last=False)
            self._check(oldest, other)
            other.close()
        return file

    def _check(self, part: int, file: pa.NativeFile) -> None:
        """Look whether the ring's writer has put other packets into the file (tcpdump -W)."""
        if self._bytes(part, file, 0, HEAD_BYTES)[: len(self._heads[part])] != self._heads[part]:
            raise self._changed(part)

    def _changed(self, part: int) -> PipelineError:
        return _lost(part, f"{self._paths[part]}: {CHANGED}")


def _lost(part: int, reason: str) -> PipelineError:
    return PipelineError(reason, {part: reason})


class Merger:
    """Takes the pieces of one capture in the order of their first packets; gives batches in the order of packets."""

    def __init__(self, files: PacketFiles, interfaces: Callable[[int], list[Interface]]) -> None:
        """Read packets from `files`; `interfaces` gives those of a part by its index."""
        self._files = files
        self._interfaces_of = interfaces
        self._interfaces: list[Interface] = []
        self._first_interface: dict[int, int] = {}
        self._pieces: list[Piece] = []
        self._packets = self._bytes = 0

    def add(self, piece: Piece) -> PacketBatch | None:
        """Take the next piece; give what comes before it once that is enough for a batch."""
        batch = None
        if self._packets >= BATCH_PACKETS or self._bytes >= BATCH_BYTES:
            batch = self.cut(int(piece.keys[0]))
        self._pieces.append(piece)
        self._packets += len(piece.keys)
        self._bytes += int(piece.captured.sum())
        return batch

    def flush(self) -> PacketBatch | None:
        """Give the rest."""
        return self.cut(None)

    def left(self, most: int) -> list[tuple[Piece, list[Interface]]] | None:
        """Give the packets that wait, with their bytes beside them and the interfaces of their part.

        None where they have more than `most` bytes.
        """
        if self._bytes > most:
            return None
        found = []
        for piece in self._pieces:
            content, places = self._content(piece)
            data = b"".join(
                content[start : start + length]
                for start, length in zip(places.tolist(), piece.captured.tolist(), strict=True)
            )
            alone = piece._replace(offsets=np.cumsum(piece.captured) - piece.captured, payload=data)
            found.append((alone, self._interfaces_of(piece.part)))
        return found

    def cut(self, bound: int | None) -> PacketBatch | None:
        """Give the packets with keys below `bound`; None: all."""
        ready, left = [], []
        for piece in self._pieces:
            count = len(piece.keys) if bound is None else int(np.searchsorted(piece.keys, bound))
            if count:
                ready.append(piece.take(slice(0, count)))
            if count < len(piece.keys):
                left.append(piece.take(slice(count, None)))
        self._pieces = left
        self._packets = sum(len(piece.keys) for piece in left)
        self._bytes = sum(int(piece.captured.sum()) for piece in left)
        return self._batch(ready) if ready else None

    def _batch(self, pieces: list[Piece]) -> PacketBatch:
        """Make one batch of pieces."""
        data: list[bytes] = []
        offsets, interfaces, size = [], [], 0
        for piece in pieces:
            content, places = self._content(piece)
            data.append(content)
            offsets.append(places + size)
            interfaces.append(piece.interfaces + self._place_of(piece.part))
            size += len(content)
        keys, times, numbers, captured, original = (
            np.concatenate([piece[field] for piece in pieces]) for field in (1, 2, 3, 5, 6)
        )
        parts = np.repeat([piece.part for piece in pieces], [len(piece.keys) for piece in pieces])
        order = np.lexsort((numbers, parts, keys))
        columns = (np.concatenate(offsets), captured, original, times, np.concatenate(interfaces), numbers)
        at, held, on_wire, when, where, number = (
            array("q", column[order].astype(np.int64).tobytes()) for column in columns
        )
        return PacketBatch(b"".join(data), 0, at, held, on_wire, when, where, self._interfaces, number)

    def _content(self, piece: Piece) -> tuple[bytes, Numbers]:
        """Give the bytes of a piece's packets, and where in them each begins."""
        if piece.payload is not None:
            return piece.payload, piece.offsets
        return self._files.read(piece.part, piece.offsets, piece.captured)

    def _place_of(self, part: int) -> int:
        place = self._first_interface.get(part)
        if place is None:
            place = self._first_interface[part] = len(self._interfaces)
            self._interfaces += self._interfaces_of(part)
        return place
