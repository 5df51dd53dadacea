"""TLS handshakes in clear, with other names: what tells versions, ciphers and dates of certificates stays."""

from kafkasniff.scrubbing.names import Names

_HEADER = 5
"""Bytes of a TLS record's header: type, version, length (RFC 8446, 5.1)."""
_HANDSHAKE = 0x16
_TYPES = range(0x14, 0x18)
_CLIENT_HELLO, _SERVER_HELLO, _TICKET, _CERTIFICATE, _KEY_EXCHANGE, _ASKS, _DONE = 1, 2, 4, 11, 12, 13, 14
_PROVES, _CLIENT_KEY, _STATUS = 15, 16, 22
_RETRY_REQUEST = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
"""What a HelloRetryRequest has for a random (RFC 8446, 4.1.3)."""
_SERVER_NAME, _PRE_SHARED_KEY, _KEY_SHARE = 0, 41, 51
_TELLING = frozenset((1, 5, 10, 11, 13, 16, 17, 18, 22, 23, 27, 28, 43, 45, 49, 50, _PRE_SHARED_KEY, _KEY_SHARE, 65281))
"""Extensions of which the body names nobody, but for what is blanked of keys."""
_PRIMITIVE_TEXTS = frozenset((12, 18, 19, 20, 22, 26, 27, 28, 30))
_KEPT = frozenset((1, 5, 6, 10, 23, 24))
"""Tags of ASN.1: booleans, nulls, object identifiers, enumerations and times."""
_MOST_DEPTH = 24


class Handshakes:
    """Scrubs what a side sends until its bytes are encrypted."""

    def __init__(self, names: Names) -> None:
        """Replace by `names`."""
        self._names = names

    def scrub(self, stream: bytes) -> bytes:
        """Give the first bytes of a stream anew: records until the first that is encrypted, then their headers."""
        made = bytearray(stream)
        places: list[tuple[int, int]] = []
        at = 0
        is_clear = True
        while at + _HEADER <= len(made) and made[at] in _TYPES and made[at + 1] == 3:
            end = min(at + _HEADER + int.from_bytes(made[at + 3 : at + _HEADER], "big"), len(made))
            is_clear = is_clear and made[at] == _HANDSHAKE
            if is_clear:
                places.append((at + _HEADER, end))
            elif not (made[at] in (0x14, 0x15) and end - at <= _HEADER + 2):
                # A change of ciphers and an alert in clear are one and two bytes.
                made[at + _HEADER : end] = bytes(end - at - _HEADER)
            at = end
        made[at:] = bytes(len(made) - at)
        content = bytearray(b"".join(made[start:end] for start, end in places))
        self._messages(content)
        read = 0
        for start, end in places:
            made[start:end] = content[read : read + end - start]
            read += end - start
        return bytes(made)

    def _messages(self, data: bytearray) -> None:
        at = 0
        while at + 4 <= len(data):
            end = min(at + 4 + int.from_bytes(data[at + 1 : at + 4], "big"), len(data))
            try:
                self._message(data[at], data, at + 4, end)
            except IndexError:
                _blank(data, at + 4, end)
            at = end
        _blank(data, at, len(data))

    def _message(self, kind: int, data: bytearray, at: int, end: int) -> None:
        """Scrub the body of a message in place; raises IndexError where it is not what it should be."""
        if kind in (_CLIENT_HELLO, _SERVER_HELLO):
            self._hello(data, at, end, kind == _CLIENT_HELLO)
        elif kind == _CERTIFICATE:
            at += 3
            while at < end:
                behind = _vector(data, at, 3, end)
                self._der(data, at + 3, behind, 0)
                at = behind
        elif kind == _KEY_EXCHANGE:
            if data[at] == 3:  # a named curve (RFC 8422, 5.4)
                at = _blank_vector(data, at + 3, 1, end)
            else:
                for _ in range(3):
                    at = _blank_vector(data, at, 2, end)
            _blank_vector(data, at + 2, 2, end)
        elif kind == _ASKS:
            at = _vector(data, _vector(data, at, 1, end), 2, end) + 2
            while at < end:
                behind = _vector(data, at, 2, end)
                self._der(data, at + 2, behind, 0)
                at = behind
        elif kind == _PROVES:
            _blank_vector(data, at + 2, 2, end)
        elif kind == _CLIENT_KEY:
            _blank_vector(data, at, 1 if data[at] == end - at - 1 else 2, end)
        elif kind == _TICKET:
            _blank_vector(data, at + 4, 2, end)
        elif kind == _STATUS:
            self._der(data, at + 4, _vector(data, at + 1, 3, end), 0)
        elif kind != _DONE:
            _blank(data, at, end)

    def _hello(self, data: bytearray, at: int, end: int, is_client: bool) -> None:
        if data[at + 2 : at + 34] != _RETRY_REQUEST:
            data[at + 2 : at + 34] = self._names.opaque(bytes(data[at + 2 : at + 34]))
        at += 34
        behind = _vector(data, at, 1, end)
        data[at + 1 : behind] = self._names.opaque(bytes(data[at + 1 : behind]))
        at = behind
        at = _vector(data, _vector(data, at, 2, end), 1, end) if is_client else at + 3
        if at >= end:
            return
        end = _vector(data, at, 2, end)
        at += 2
        while at < end:
            kind = int.from_bytes(data[at : at + 2], "big")
            behind = _vector(data, at + 2, 2, end)
            self._extension(kind, data, at + 4, behind, is_client)
            at = behind

    def _extension(self, kind: int, data: bytearray, at: int, end: int, is_client: bool) -> None:
        if kind == _SERVER_NAME and at < end:
            at += 2
            while at < end:
                behind = _vector(data, at + 1, 2, end)
                data[at + 3 : behind] = self._names.text(bytes(data[at + 3 : behind]))
                at = behind
        elif kind == _KEY_SHARE and end - at > 2:
            at += 2 if is_client else 0
            while at < end:
                at = _blank_vector(data, at + 2, 2, end)
        elif kind == _PRE_SHARED_KEY and is_client:
            identities = _vector(data, at, 2, end)
            at += 2
            while at < identities:
                at = _blank_vector(data, at, 2, identities) + 4
            at += 2
            while at < end:
                at = _blank_vector(data, at, 1, end)
        elif kind not in _TELLING:
            _blank(data, at, end)

    def _der(self, data: bytearray, at: int, end: int, depth: int) -> None:
        """Scrub values in ASN.1's DER (X.690), such as certificates. Raises IndexError where they are none."""
        while at < end:
            tag = data[at]
            length, start = data[at + 1], at + 2
            if length & 0x80:
                start += length & 0x7F
                length = int.from_bytes(data[at + 2 : start], "big")
            at = start + length
            if at > end or tag & 31 == 31 or depth > _MOST_DEPTH:
                raise IndexError
            if tag & 0x20:
                self._der(data, start, at, depth + 1)
            elif tag in (3, 4):
                self._inner(data, start + (tag == 3), at, depth)
            elif tag in _PRIMITIVE_TEXTS or (tag & 0xC0 == 0x80 and not any(byte < 32 for byte in data[start:at])):
                data[start:at] = self._names.text(bytes(data[start:at]))
            elif tag not in _KEPT and not (tag == 2 and length <= 1):
                # A number of several bytes is a serial number or part of a key: a zero would be one too many.
                data[start:at] = bytes([1]) * length

    def _inner(self, data: bytearray, at: int, end: int, depth: int) -> None:
        """Scrub bytes that may hold DER: extensions and public keys do."""
        made = bytearray(data[at:end])
        try:
            if not made or made[0] not in (2, 3, 4, 0x30):
                raise IndexError
            self._der(made, 0, len(made), depth + 1)
        except IndexError:
            made[:] = bytes(len(made))
        data[at:end] = made


def _vector(data: bytes | bytearray, at: int, width: int, end: int) -> int:
    """Give where a vector ends whose length stands in `width` bytes. Raises IndexError where it is not whole."""
    behind = at + width + int.from_bytes(data[at : at + width], "big")
    if behind > end:
        raise IndexError
    return behind


def _blank_vector(data: bytearray, at: int, width: int, end: int) -> int:
    """Blank what is in a vector; give where it ends. Raises IndexError where it is not whole."""
    behind = _vector(data, at, width, end)
    _blank(data, at + width, behind)
    return behind


def _blank(data: bytearray, at: int, end: int) -> None:
    data[at:end] = bytes(end - at)
