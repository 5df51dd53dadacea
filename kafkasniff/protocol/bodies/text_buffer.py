# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Text that grows: what compiled writers of JSON and of lines write into."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

_FIRST_ROOM = 1024
_LEAST = cython.declare(cython.longlong, -(1 << 63))
_ESCAPES: dict[int, bytes] = {
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
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
            memcpy(cython.address(self.buffer[self.size]), cython.cast(cython.p_char, text), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = text
        self.size += length
        return 0

    def copy(self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write bytes of `source`; raises IndexError where it has not as many."""
        if length <= 0:
            return 0
        _check_part(source, at, length)
        if length > self.room - self.size:
            self.grow(length)
        if cython.compiled:
            view = source
            memcpy(cython.address(self.buffer[self.size]), cython.address(view[at]), length)  # type: ignore[name-defined]  # noqa: F821
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
            memcpy(cython.address(self.buffer[self.size]), cython.address(other.buffer[0]), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = other.buffer[:length]
        self.size += length
        return 0

    def key(self, key: bytes) -> cython.int:
        """Write what stands before a value in JSON: a comma, unless it is the first, and `key`."""
        length: cython.Py_ssize_t = len(key)
        if length >= self.room - self.size:
            self.grow(length + 1)
        if self.size and self.buffer[self.size - 1] not in (0x7B, 0x5B):
            self.buffer[self.size] = 0x2C
            self.size += 1
        if length == 0:
            return 0
        if cython.compiled:
            memcpy(cython.address(self.buffer[self.size]), cython.cast(cython.p_char, key), length)  # type: ignore[name-defined]  # noqa: F821
        else:
            self.buffer[self.size : self.size + length] = key
        self.size += length
        return 0

    def member(self, key: bytes, value: cython.longlong) -> cython.int:
        """Write a number with its key."""
        self.key(key)
        return self.number(value)

    def number(self, value: cython.longlong) -> cython.int:
        """Write a number."""
        if self.room - self.size < 20:
            self.grow(20)
        if value < 0:
            self.buffer[self.size] = 0x2D
            self.size += 1
            if value == _LEAST:
                # It has no positive counterpart.
                return self.add(b"9223372036854775808")
            value = -value
        if value < 10:
            self.buffer[self.size] = 0x30 + value
            self.size += 1
            return 0
        # Unsigned numbers are divided faster.
        rest: cython.ulonglong = value
        bound: cython.ulonglong = 100
        digits: cython.int = 2
        while digits < 19 and rest >= bound:
            bound *= 10
            digits += 1
        at: cython.Py_ssize_t = self.size + digits
        self.size = at
        while digits > 0:
            at -= 1
            self.buffer[at] = 0x30 + cython.cast(cython.int, rest % 10)
            rest = rest // 10
            digits -= 1
        return 0

    def padded(self, value: cython.longlong, digits: cython.int) -> cython.int:
        """Write the last digits of a number that is not negative, zeros before it."""
        if digits > self.room - self.size:
            self.grow(digits)
        at: cython.Py_ssize_t = self.size + digits
        self.size = at
        while digits > 0:
            at -= 1
            self.buffer[at] = 0x30 + value % 10
            value = value // 10
            digits -= 1
        return 0

    def spaces(self, count: cython.Py_ssize_t) -> cython.int:
        """Write spaces."""
        if count > self.room - self.size:
            self.grow(count)
        while count > 0:
            self.buffer[self.size] = 0x20
            self.size += 1
            count -= 1
        return 0

    def json_string(self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
        """Write UTF-8 bytes of `source` as a JSON string; raises UnicodeDecodeError, IndexError."""
        i: cython.Py_ssize_t
        c: cython.int
        is_wide: cython.bint = False
        is_escaped: cython.bint = False
        _check_part(source, at, length)
        view = source
        for i in range(at, at + length):
            c = view[i]
            if c >= 0x7F:
                is_wide = True
            elif c < 0x20 or c in (0x22, 0x5C):
                is_escaped = True
        if is_wide:
            self.is_unsafe = True
            source[at : at + length].decode()
        self.byte(0x22)
        if not is_escaped:
            self.copy(source, at, length)
            return self.byte(0x22)
        for i in range(at, at + length):
            c = view[i]
            if c >= 0x20 and c not in (0x22, 0x5C):
                self.byte(c)
            else:
                self.add(_ESCAPES.get(c) or b"\\u%04x" % c)
        return self.byte(0x22)

    def base64(
        self, source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t, url_safe: cython.bint
    ) -> cython.int:
        """Write bytes of `source` as base64: with padding, or if `url_safe` the other alphabet and no padding."""
        alphabet: bytes = _URL_SAFE if url_safe else _BASE64
        bits: cython.int
        there: cython.Py_ssize_t
        end: cython.Py_ssize_t = at + length
        _check_part(source, at, length)
        view = source
        self.byte(0x22)
        while at < end:
            there = min(end - at, 3)
            bits = view[at] << 16
            if there > 1:
                bits |= view[at + 1] << 8
            if there > 2:
                bits |= view[at + 2]
            self.byte(alphabet[bits >> 18])
            self.byte(alphabet[bits >> 12 & 63])
            if there > 1:
                self.byte(alphabet[bits >> 6 & 63])
            elif not url_safe:
                self.byte(0x3D)
            if there > 2:
                self.byte(alphabet[bits & 63])
            elif not url_safe:
                self.byte(0x3D)
            at += 3
        return self.byte(0x22)

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


def _check_part(source: bytes, at: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.int:
    if at < 0 or length < 0 or length > len(source) - at:
        raise IndexError(f"expected {length} bytes at {at}, found {len(source)} altogether")
    return 0
