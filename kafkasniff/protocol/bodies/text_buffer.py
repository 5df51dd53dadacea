# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Text that grows: what compiled writers of JSON and of lines write into."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

_FIRST_ROOM = 1024
_ESCAPES: dict[int, bytes] = {
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
_LONGEST_NUMBER = cython.declare(cython.Py_ssize_t, 20)
"""Characters of the longest number of 64 bits, as many as may be overwritten when any is written."""
_AT_ONCE = cython.declare(cython.Py_ssize_t, 64)
"""Numbers of an array that are written at once."""
_STRING_AT_ONCE = cython.declare(cython.Py_ssize_t, 4096)
_LONGEST_ESCAPE = cython.declare(cython.Py_ssize_t, 6)
"""Bytes of a string that are written at once, and characters of each at most."""
_BASE64: bytes = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_URL_SAFE: bytes = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@cython.final
@cython.cclass
class TextBuffer:
    """Bytes of text, of which more is written behind the last."""

    def __init__(self) -> None:
        """Begin with no text."""
        self.store = bytearray(_FIRST_ROOM)
        self.buffer = self.store
        self.room = _FIRST_ROOM
        self.size = 0
        self.is_unsafe = False

    def grow(self, more: cython.Py_ssize_t) -> cython.int:
        """Make room for as many more bytes."""
        room: cython.Py_ssize_t = self.room
        while room < self.size + more:
            room *= 2
        # A bytearray that is viewed cannot grow in its place.
        store = bytearray(room)
        store[: self.size] = memoryview(self.store)[: self.size]
        self.store = store
        self.buffer = store
        self.room = room
        return 0

    def reserve(self, more: cython.Py_ssize_t) -> Any:
        """Make room for as many more bytes, and give where they are to be written; no bytes where not compiled."""
        if not cython.compiled:
            return b""
        if more > self.room - self.size:
            self.grow(more)
        return cython.address(self.buffer[self.size])

    def byte(self, value: cython.int) -> cython.int:
        """Write one byte."""
        if self.size >= self.room:
            self.grow(1)
        self.buffer[self.size] = value
        self.size += 1
        return 0

    def add(self, text: bytes) -> cython.int:
        """Write bytes."""
        length: cython.Py_ssize_t = len(text)
        if length == 0:
            return 0
        if length > self.room - self.size:
            self.grow(length)
        if cython.compiled:
            kafkasniff_copy(cython.address(self.buffer[self.size]), cython.cast(cython.p_char, text), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = text
        self.size += length
        return 0

    def copy(self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write bytes of `source`; raises IndexError where it has not as many."""
        if length <= 0:
            return 0
        if at < 0 or length > len(source) - at:
            _check_part(source, at, length)
        if length > self.room - self.size:
            self.grow(length)
        if cython.compiled:
            view = source
            kafkasniff_copy(cython.address(self.buffer[self.size]), cython.address(view[at]), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = source[at : at + length]
        self.size += length
        return 0

    def append(self, other: "TextBuffer") -> cython.int:
        """Write all that another buffer has."""
        length: cython.Py_ssize_t = other.size
        if length == 0:
            return 0
        if length > self.room - self.size:
            self.grow(length)
        if cython.compiled:
            kafkasniff_copy(cython.address(self.buffer[self.size]), cython.address(other.buffer[0]), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = other.buffer[:length]
        self.size += length
        return 0

    def key(self, key: bytes) -> cython.int:
        """Write what stands before a value in JSON: `key`, of which the comma is left out behind an opening bracket."""
        length: cython.Py_ssize_t = len(key)
        if length >= self.room - self.size:
            self.grow(length + 1)
        if not cython.compiled:
            return self.add(key[1:] if self.size and self.store[self.size - 1] in b"{[" else key)
        to = cython.address(self.buffer[self.size])
        text = cython.cast(cython.p_char, key)
        if self.size > 0 and (to[-1] == 0x7B or to[-1] == 0x5B):
            text += 1
            length -= 1
        if length == 1:
            to[0] = text[0]
        else:
            kafkasniff_copy(to, text, length)  # type: ignore[name-defined]  # noqa: F821
        self.size += length
        return 0

    def open(self, key: bytes, bracket: cython.int) -> cython.int:
        """Write the beginning of an object or array with its key, behind which there is room."""
        self.key(key)
        self.buffer[self.size] = bracket
        self.size += 1
        return 0

    def integers(
        self,
        source: bytes,
        at: cython.Py_ssize_t,
        count: cython.Py_ssize_t,
        size: cython.int,
        is_signed: cython.bint,
    ) -> cython.int:
        """Write numbers of `size` bytes each as an array; raises IndexError where `source` has not as many."""
        taken: cython.Py_ssize_t
        if at < 0 or count * size > len(source) - at:
            _check_part(source, at, count * size)
        if not cython.compiled:
            places = range(at, at + count * size, size)
            numbers = [int.from_bytes(source[place : place + size], "big", signed=is_signed) for place in places]
            return self.add(b"[%s]" % b",".join([b"%d" % number for number in numbers]))
        view = source
        bracket: cython.int = 0x5B
        while True:
            taken = min(count, _AT_ONCE)
            if taken * (_LONGEST_NUMBER + 1) + 2 > self.room - self.size:
                self.grow(taken * (_LONGEST_NUMBER + 1) + 2)
            to = start = cython.address(self.buffer[self.size])
            to[0] = bracket
            to = kafkasniff_integers(to + 1, view + at, taken, size, is_signed)  # type: ignore[name-defined]  # noqa: F821
            count -= taken
            if count <= 0:
                to[0] = 0x5D
                self.size += to + 1 - start
                return 0
            self.size += to - start
            at += taken * size
            bracket = 0x2C

    def member(self, key: bytes, value: cython.longlong) -> cython.int:
        """Write a number with its key."""
        self.key(key)
        return self.number(value)

    def number(self, value: cython.longlong) -> cython.int:
        """Write a number."""
        if not cython.compiled:
            return self.add(b"%d" % value)
        if self.room - self.size < _LONGEST_NUMBER:
            self.grow(_LONGEST_NUMBER)
        to = cython.address(self.buffer[self.size])
        self.size += kafkasniff_number(to, value) - to  # type: ignore[name-defined]  # noqa: F821
        return 0

    def number_behind(self, byte: cython.int, value: cython.longlong) -> cython.int:
        """Write a byte, and a number behind it."""
        if not cython.compiled:
            return self.add(b"%c%d" % (byte, value))
        if self.room - self.size < _LONGEST_NUMBER + 1:
            self.grow(_LONGEST_NUMBER + 1)
        to = cython.address(self.buffer[self.size])
        to[0] = byte
        self.size += kafkasniff_number(to + 1, value) - to  # type: ignore[name-defined]  # noqa: F821
        return 0

    def padded(self, value: cython.longlong, digits: cython.int) -> cython.int:
        """Write the last digits of a number that is not negative, zeros before it."""
        if digits <= 0:
            return 0
        if not cython.compiled:
            return self.add((b"%0*d" % (digits, value))[-digits:])
        if self.room - self.size < digits + _LONGEST_NUMBER:
            self.grow(digits + _LONGEST_NUMBER)
        kafkasniff_padded(cython.address(self.buffer[self.size]), value, digits)  # type: ignore[name-defined]  # noqa: F821
        self.size += digits
        return 0

    def json_string(self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write UTF-8 bytes of `source` as a JSON string; raises UnicodeDecodeError, IndexError."""
        if self.write_string(source, at, length, False):
            source[at : at + length].decode()
        return 0

    def shown_string(self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.bint:
        """Write bytes of `source` as a JSON string; give False, and write nothing, for what is no text to be shown.

        That is what is not UTF-8, or has control characters other than tab and line ends. Raises IndexError.
        """
        start: cython.Py_ssize_t = self.size
        is_unsafe: cython.bint = self.is_unsafe
        i: cython.Py_ssize_t
        found: cython.int = self.write_string(source, at, length, True)
        if found == 1:
            view = source
            # Of C1, the control characters beyond ASCII, UTF-8 has the second byte 80 to 9f behind c2.
            for i in range(at, at + length - 1):
                if view[i] == 0xC2 and view[i + 1] < 0xA0:
                    found = -2
                    break
            try:
                source[at : at + length].decode()
            except UnicodeDecodeError:
                found = -2
        if found == -2:
            self.size = start
            self.is_unsafe = is_unsafe
        return found != -2

    def write_string(
        self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t, stops: cython.bint
    ) -> cython.int:
        """Write a JSON string of bytes that the caller checks where 1 is given, which are not all ASCII.

        If it `stops`, at control characters other than tab and line ends, it gives -2.
        """
        i: cython.Py_ssize_t = at
        end: cython.Py_ssize_t = at + length
        taken: cython.Py_ssize_t
        is_wide: cython.int = 0
        if at < 0 or length < 0 or length > len(source) - at:
            _check_part(source, at, length)
        if not cython.compiled:
            return self.write_string_by_bytes(source[at:end], stops)
        view = source
        if length > self.room - self.size - 2:
            self.grow(length + 2)
        self.buffer[self.size] = 0x22
        to = cython.address(self.buffer[self.size]) + 1
        taken = kafkasniff_copy_plain(to, view + at, length)  # type: ignore[name-defined]  # noqa: F821
        self.size += taken + 1
        i += taken
        while i < end:
            taken = min(end - i, _STRING_AT_ONCE)
            if _LONGEST_ESCAPE * taken + 8 > self.room - self.size:
                self.grow(_LONGEST_ESCAPE * taken + 8)
            to = cython.address(self.buffer[self.size])
            behind = kafkasniff_escaped(to, view + i, taken, stops, cython.address(is_wide))  # type: ignore[name-defined]  # noqa: F821
            if not behind:
                return -2
            self.size += behind - to
            i += taken
        self.byte(0x22)
        if is_wide:
            self.is_unsafe = True
        return is_wide

    def write_string_by_bytes(self, text: bytes, stops: cython.bint) -> cython.int:
        """Do the same where nothing is compiled."""
        is_wide = False
        self.byte(0x22)
        for c in text:
            if c >= 0x7F:
                is_wide = True
            if stops and (c == 0x7F or (c < 0x20 and c not in (9, 10, 13))):
                return -2
            if c in _ESCAPES:
                self.add(_ESCAPES[c])
            elif c < 0x20:
                self.add(b"\\u%04x" % c)
            else:
                self.byte(c)
        self.byte(0x22)
        if is_wide:
            self.is_unsafe = True
        return is_wide

    def base64(
        self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t, url_safe: cython.bint
    ) -> cython.int:
        """Write bytes of `source` as base64: with padding, or if `url_safe` the other alphabet and no padding."""
        bits: cython.int
        end: cython.Py_ssize_t = at + length
        _check_part(source, at, length)
        view = source
        alphabet: bytes = _URL_SAFE if url_safe else _BASE64
        letters = alphabet
        most: cython.Py_ssize_t = length // 3 * 4 + 6
        if most > self.room - self.size:
            self.grow(most)
        to: cython.Py_ssize_t = self.size
        self.buffer[to] = 0x22
        to += 1
        while end - at >= 3:
            bits = view[at] << 16 | view[at + 1] << 8 | view[at + 2]
            self.buffer[to] = letters[bits >> 18]
            self.buffer[to + 1] = letters[bits >> 12 & 63]
            self.buffer[to + 2] = letters[bits >> 6 & 63]
            self.buffer[to + 3] = letters[bits & 63]
            to += 4
            at += 3
        if at < end:
            bits = view[at] << 16
            if end - at > 1:
                bits |= view[at + 1] << 8
            self.buffer[to] = letters[bits >> 18]
            self.buffer[to + 1] = letters[bits >> 12 & 63]
            to += 2
            if end - at > 1:
                self.buffer[to] = letters[bits >> 6 & 63]
                to += 1
            elif not url_safe:
                self.buffer[to] = 0x3D
                to += 1
            if not url_safe:
                self.buffer[to] = 0x3D
                to += 1
        self.buffer[to] = 0x22
        self.size = to + 1
        return 0

    def replace(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, text: bytes) -> cython.int:
        """Put `text` where the bytes from `start` to `end` are."""
        behind: bytes = self.taken(end)
        self.cut(start)
        self.add(text)
        return self.add(behind)

    def last(self) -> cython.int:
        """Give the last byte; 0 where there is none."""
        return self.buffer[self.size - 1] if self.size else 0

    def cut(self, size: cython.Py_ssize_t) -> cython.int:
        """Keep only the first `size` bytes."""
        self.size = max(0, min(size, self.size))
        return 0

    def taken(self, start: cython.Py_ssize_t) -> bytes:
        """Give the text from `start` on."""
        if not 0 <= start < self.size:
            return b""
        if cython.compiled:
            taken: bytes = cython.cast(cython.p_char, cython.address(self.buffer[start]))[: self.size - start]
            return taken
        return bytes(self.store[start : self.size])

    def view(self) -> memoryview:
        """Give the text without a copy of it: it stands until more is written."""
        return memoryview(self.store)[: self.size]


def _check_part(source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
    if at < 0 or length < 0 or length > len(source) - at:
        raise IndexError(f"expected {length} bytes at {at}, found {len(source)} altogether")
    return 0


def json_string(text: str) -> str:
    """Give a text as a JSON string; raises UnicodeEncodeError for what is none."""
    data = text.encode()
    buffer = TextBuffer()
    buffer.json_string(data, 0, len(data))
    return buffer.taken(0).decode()
