# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The lists that a summary has, written as their elements come: topics with partitions, names, and other entries."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.topics import KnownNames, TopicNames
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.primitives import UUID_TEXTS, java_text
from kafkasniff.render.words import ELLIPSIS, show

MOST_NAMES = 3
"""Names, topics and the like of which a line shows more only as a count or an ellipsis."""
NAME_LENGTH = 48
MEMBER_LENGTH = 16

_MOST_NAMES = cython.declare(cython.int, MOST_NAMES)
_NAME_LENGTH = cython.declare(cython.int, NAME_LENGTH)
_MEMBER_LENGTH = cython.declare(cython.int, MEMBER_LENGTH)
_MOST_PARTITIONS = cython.declare(cython.int, 6)
_ELLIPSIS = cython.declare(bytes, ELLIPSIS.encode())

_TIMESTAMPS = cython.declare(
    dict, {-1: b"latest", -2: b"earliest", -3: b"max-timestamp", -4: b"earliest-local", -5: b"latest-tiered"}
)
"""Sentinels of ListOffsets (ListOffsetsRequest.java)."""


@cython.cclass
class SummaryLists(BodyReader):
    """Writes lists into `listed`, and lists of names alone into `named`."""

    def __init__(self) -> None:
        """Make a reader."""
        super().__init__()
        self.listed = TextBuffer()
        self.named = TextBuffer()
        self.topic_names: KnownNames = TopicNames()
        self.client_id: str | None = None
        self.begin_lists()

    def begin_lists(self) -> cython.int:
        """Begin with nothing in any list."""
        self.listed.size = 0
        self.named.size = 0
        self.topics = self.partitions = self.names = self.entries = 0
        self.is_muted = False
        return 0

    def list_topic(self, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Begin an entry with a topic's name, or with its id where `size` is -2."""
        if self.is_muted:
            return 0
        if self.topics and self.topics <= _MOST_NAMES and self.partitions > _MOST_PARTITIONS:
            self.listed.add(b" (")
            self.listed.number(self.partitions)
            self.listed.byte(41)
        self.topics += 1
        self.partitions = 0
        if self.topics > _MOST_NAMES:
            return 0
        if self.listed.size:
            self.listed.byte(32)
        self.name_topic(self.listed, at, size)
        return self.listed.byte(45)

    def list_partition(self, value: cython.longlong) -> cython.int:
        """Add a partition to the entry."""
        if self.is_muted:
            return 0
        self.partitions += 1
        if self.topics > _MOST_NAMES:
            return 0
        if self.partitions <= _MOST_PARTITIONS:
            return self.listed.number_behind(44, value) if self.partitions > 1 else self.listed.number(value)
        if self.partitions == _MOST_PARTITIONS + 1:
            self.listed.byte(44)
            self.listed.add(_ELLIPSIS)
        return 0

    def list_offset(self, value: cython.longlong, is_timestamp: cython.bint) -> cython.int:
        """Add what stands behind a partition."""
        if self.is_muted or self.topics > _MOST_NAMES or self.partitions > _MOST_PARTITIONS:
            return 0
        if is_timestamp and -5 <= value < 0:
            self.listed.byte(64)
            return self.listed.add(_TIMESTAMPS[value])
        return self.listed.number_behind(64, value)

    def end_list(self) -> cython.int:
        """End the list of topics; another may begin."""
        if self.is_muted:
            return 0
        if self.topics and self.topics <= _MOST_NAMES and self.partitions > _MOST_PARTITIONS:
            self.listed.add(b" (")
            self.listed.number(self.partitions)
            self.listed.byte(41)
        if self.topics > _MOST_NAMES:
            self.listed.byte(32)
            self.listed.add(_ELLIPSIS)
            self.listed.add(b" (")
            self.listed.number(self.topics)
            self.listed.add(b" topics)")
        self.topics = self.partitions = 0
        return 0

    def begin_name(self) -> cython.int:
        """Count a name; give whether it is to be written."""
        self.names += 1
        if self.names > _MOST_NAMES:
            if self.names == _MOST_NAMES + 1:
                self.named.add(b", ")
                self.named.add(_ELLIPSIS)
            return 0
        if self.names > 1:
            self.named.add(b", ")
        return 1

    def begin_entry(self, separator: bytes) -> cython.int:
        """Count an entry of a list of another kind; give whether it is to be written."""
        self.entries += 1
        if self.entries > _MOST_NAMES:
            return 0
        if self.entries > 1:
            self.listed.add(separator)
        return 1

    # Words

    def shown(
        self, out: TextBuffer, at: cython.Py_ssize_t, length: cython.Py_ssize_t, most: cython.Py_ssize_t
    ) -> cython.int:
        """Write text from the message as safe text of at most `most` characters."""
        size: cython.Py_ssize_t = min(length, most + 1)
        if at < 0 or at + size > self.end:
            raise IndexError("bytes behind the end")
        if cython.compiled:
            is_plain: cython.bint = kafkasniff_is_printable(self.view + at, size)  # type: ignore[name-defined]  # noqa: F821
        else:
            text: bytes = self.data[at : at + size]
            is_plain = text.isascii() and (not text or text.decode().isprintable())
        if not is_plain:
            return out.add(show(java_text(self.raw(at, length)), most).encode())
        if length <= most:
            return out.copy(self.data, at, length)
        out.copy(self.data, at, most - 1)
        return out.add(_ELLIPSIS)

    def name_topic(self, out: TextBuffer, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Write a topic's name; where `size` is -2 that of the id at a place, or the id where nothing told it."""
        if size > 0:
            return self.shown(out, at, size, _NAME_LENGTH)
        if size != -2:
            return out.byte(63)
        topic_id = UUID_TEXTS[self.raw(at, 16)]
        return out.add(show(self.topic_names.get(topic_id) or topic_id, _NAME_LENGTH).encode())

    def member(self, out: TextBuffer, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write a member id without the client id before it, which brokers put there and which has its own column."""
        size: cython.Py_ssize_t = self.client_id_size(at, length)
        if not size:
            return self.shown(out, at, length, _MEMBER_LENGTH)
        # The ellipsis is one of the characters.
        out.add(_ELLIPSIS)
        return self.shown(out, at + size, length - size, _MEMBER_LENGTH - 1)

    def client_id_size(self, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Give the bytes of the client id that some bytes of the message begin with; 0 where they do not."""
        if not self.client_id or at < 0 or at + length > self.end:
            return 0
        if cython.compiled and kafkasniff_has_prefix(self.view + at, length, self.client_id):  # type: ignore[name-defined]  # noqa: F821
            return len(self.client_id)
        if cython.compiled and self.client_id.isascii():
            return 0
        prefix: bytes = self.client_id.encode("utf-8", "surrogatepass")
        return len(prefix) if self.data[at : at + length].startswith(prefix) else 0
