# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Texts that come again and again in messages, remembered as they lie there: none is made twice in a row."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.octets import is_at
from kafkasniff.protocol.bodies.reader import BodyReader
from kafkasniff.protocol.bodies.tables import FieldTable

_SLOTS = cython.declare(cython.Py_ssize_t, 1_024)
"""Texts that are remembered: the last one for each value of `_slot_of`."""


@cython.final
@cython.cclass
class _Text:
    """A text as it lies in messages, and as text."""

    def __init__(self, raw: bytes, text: str) -> None:
        """Keep what is given."""
        self.raw = raw
        self.text = text


@cython.final
@cython.cclass
class KnownTexts:
    """The texts that one reader has met."""

    def __init__(self) -> None:
        """Begin with none."""
        self._texts: list[_Text | None] = [None] * _SLOTS

    def text_at(self, reader: BodyReader, field: FieldTable, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> str:
        """Give the text of a field, as `BodyReader.take_string` gets it; raises ProtocolError for what is not UTF-8."""
        slot: cython.Py_ssize_t
        if length <= 0:
            return ""
        if at < 0 or length > reader.end - at:
            raise IndexError("bytes behind the end")
        slot = self._slot_of(reader, at, length)
        known: _Text | None = self._texts[slot]
        if known is None or not is_at(reader.data, at, known.raw, length):
            reader.check_text(field, at, length)
            known = self._texts[slot] = _Text(reader.raw(at, length), reader.text(at, length))
        text: str = known.text
        return text

    def _slot_of(self, reader: BodyReader, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Give the place of a text, from its length and a few of its bytes, which must be there."""
        last: cython.Py_ssize_t = at + length - 1
        ends: cython.Py_ssize_t = reader.view[at] * 5 + reader.view[at + length // 2] * 17 + reader.view[last] * 37
        return (length * 3 + ends + reader.view[max(last - 1, at)] * 101) % _SLOTS
