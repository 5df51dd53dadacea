"""Reading one capture: what it is, by content, and its packets in batches."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files import pcap
from kafkasniff.capture.files.compression import MAGIC_LENGTH, DecompressedSource, compression_of
from kafkasniff.capture.files.source import FileSource
from kafkasniff.capture.files.walk import PCAPNG_MAGIC
from kafkasniff.capture.files.windows import DecompressionBudget
from kafkasniff.capture.packets import Interface, PacketBatch

if TYPE_CHECKING:  # captures of the older format should not wait for it
    from kafkasniff.capture.files import pcapng

CHUNK_BYTES = 256 << 10
"""Bytes read at a time: what is made of them stays in the processor's cache."""

OPENING_BYTES = 4 << 10
"""Bytes read at a time up to the first packet: thousands of captures may stand open at once, waiting for their turn."""


class CaptureReader:
    """A pcap or pcapng file, compressed or not, as batches of packets in file order. It can be iterated once."""

    def __init__(
        self,
        path: str | BinaryIO,
        *,
        chunk_bytes: int = CHUNK_BYTES,
        budget: DecompressionBudget | None = None,
    ) -> None:
        """Open the capture at `path` (`-` for standard input), or on an open binary stream, and tell its format.

        About `chunk_bytes` are read at a time; from a pipe, packets are given as they come. Readers that are iterated
        at the same time share a `budget` for what is compressed.
        Raises CaptureError when it is no capture, or is cut within its header.
        """
        self.chunk_bytes = chunk_bytes
        self.damage: CaptureError | None = None
        """After iteration: why the capture ended before its end; all packets before the damage were given."""
        self._origin = path
        self._budget = budget or DecompressionBudget()
        self._ended = False
        self._head: PacketBatch | None = None
        self.with_secrets: list[CaptureReader] = []
        """Where it puts itself when it has secrets to take, as it has from the first."""
        self._begin()
        self._rest()

    @property
    def interfaces(self) -> list[Interface]:
        """Give the interfaces seen so far; the list grows while a pcapng capture is read."""
        return self._walker.interfaces

    def take_secrets(self) -> list[bytes]:
        """Give the TLS key logs of the decryption secrets blocks seen since the last time."""
        secrets = self._walker.secrets[:]
        self._walker.secrets.clear()
        return secrets

    @property
    def notes(self) -> list[str]:
        """Give the limits that were reached so far, in sentences."""
        return self._walker.notes

    @property
    def data_offset(self) -> int:
        """Give where the data of the batch given last begin, in bytes of the file's content (decompressed)."""
        return self._buffer_offset

    @property
    def bytes_read(self) -> int:
        """Give how many bytes of the file were read so far."""
        return 0 if self._resting else self._source.bytes_read

    def first_time(self) -> int | None:
        """Give the time of the first packet in ns since 1970, None where there is none; to be asked before iteration.

        Little is read, and of a regular file nothing is held afterwards.
        """
        head = self._head = self._head or self._read_batch()
        if head is None:
            return None
        self._rest()
        return head.times[0]

    def __iter__(self) -> Iterator[PacketBatch]:
        """Give the packets in file order, at most 65,536 and about `chunk_bytes` of data at a time."""
        while batch := self._head or self._read_batch():
            self._head = None
            yield batch

    def park(self) -> None:
        """Hold no file descriptor until the next read, where the capture can be opened again."""
        self._source.park()

    def close(self) -> None:
        """Read no more."""
        self._ended = True
        self._source.close()

    def _begin(self) -> None:
        """Open the capture and read its header. Raises CaptureError."""
        self._buffer = b""
        self._buffer_offset = 0
        self._position = 0
        self._next_packet = 1
        self._need = 0
        self._source = self._open_source()
        self.file = self._source.file
        """The path as given, for messages; `-` for a stream without a name."""
        self._resting = False
        try:
            self._walker = self._open_walker()
        except CaptureError:
            self._source.close()
            raise

    def _open_source(self) -> FileSource | DecompressedSource:
        source = FileSource(self._origin)
        try:
            found = compression_of(source.peek(MAGIC_LENGTH))
        except CaptureError:
            source.close()
            raise
        return DecompressedSource(source, found, self._budget) if found else source

    def _rest(self) -> None:
        """Hold neither file nor memory until reading goes on, from the start, where the capture can be opened again."""
        if self._source.regular:
            self._resting = True
            self._ended = False
            self.damage = None
            self._buffer = b""
            self._head = None
            self._walker.secrets.clear()
            self._source.close()

    def _open_walker(self) -> "pcap.PcapWalker | pcapng.PcapngWalker":
        self._fill(4)
        magic = self._buffer[:4]
        if magic in pcap.MAGICS:
            self._require(pcap.FILE_HEADER_LENGTH, "a pcap file header")
            pcap_walker = pcap.PcapWalker(self._buffer[: pcap.FILE_HEADER_LENGTH], self.file)
            self._require(pcap_walker.file_header_length, "a pcap file header")
            self._position = pcap_walker.file_header_length
            return pcap_walker
        if magic == PCAPNG_MAGIC:
            from kafkasniff.capture.files import pcapng

            what = "a pcapng section header block"
            self._require(pcapng.SECTION_PREFIX_LENGTH, what)
            pcapng_walker = pcapng.PcapngWalker(self.file)
            try:
                length = pcapng.section_length(self._buffer)
            except CaptureError as error:
                raise self._error(str(error)) from None
            self._require(length, what)
            walk = pcapng_walker.walk(self._buffer[:length], 0, 1)
            if walk.damage:
                raise self._error(walk.damage)
            self._position = length
            return pcapng_walker
        if not magic:
            raise self._error("empty: expected a pcap or pcapng magic number, found nothing")
        raise self._error(f"not a capture: expected a pcap or pcapng magic number, found {magic.hex(' ')}")

    def _require(self, length: int, what: str) -> None:
        if not self._fill(length):
            raise self._error(f"cut: expected {length} bytes of {what}, found {len(self._buffer)}")

    def _read_batch(self) -> PacketBatch | None:
        """Give the next packets, one or more; None at the end or at damage."""
        while not self._ended:
            try:
                if self._resting:
                    self._begin()
                if not self._fill(self._need):
                    self._end_of_content()
                    return None
            except CaptureError as error:
                self._end(error)
                return None
            walk = self._walker.walk(self._buffer, self._position, self._next_packet)
            self._position, self._need = walk.position, walk.need
            self._next_packet += len(walk.batch)
            if self._walker.secrets:
                self.with_secrets.append(self)
            if walk.damage:
                self._end(self._error(walk.damage))
            if walk.batch:
                return walk.batch
        return None

    def _fill(self, need: int) -> bool:
        """Read until `need` bytes stand behind the position; tell whether the content has as many.

        Raises CaptureError when the source does; what was read before stays in the buffer.
        """
        have = len(self._buffer) - self._position
        if have >= need:
            return True
        self._buffer_offset += self._position
        if self._source.step_back(have):
            # To read the bytes once more takes less than to join them with what follows.
            pieces, have = [], 0
        else:
            pieces = [self._buffer[self._position :]]
        self._buffer = b""
        self._position = 0
        size = self.chunk_bytes if self._next_packet > 1 else min(OPENING_BYTES, self.chunk_bytes)
        try:
            while have < need and (piece := self._source.read(size)):
                pieces.append(piece)
                have += len(piece)
        finally:
            self._buffer = b"".join(pieces)
        return have >= need

    def _end_of_content(self) -> None:
        rest = len(self._buffer) - self._position
        if rest:
            name = self._walker.record_name
            self._end(self._error(f"cut: expected {self._need} bytes of a {name}, found {rest}"))
        else:
            self._end(None)

    def _end(self, damage: CaptureError | None) -> None:
        self.damage = damage
        self._buffer = b""
        self.close()

    def _error(self, text: str) -> CaptureError:
        offset = self._buffer_offset + self._position
        packet = f"packet {self._next_packet}: " if self._next_packet > 1 else ""
        return CaptureError(f"{self.file}: byte {offset}{self._source.content}: {packet}{text}")
