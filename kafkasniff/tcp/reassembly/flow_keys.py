# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Keys of one direction of a 4-tuple."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.events import Endpoint

if not cython.compiled:
    from kafkasniff.octets import part

    def kafkasniff_pair(kind: type[Endpoint], address: str, port: int) -> Endpoint:
        """Make an endpoint."""
        return kind(address, port)


FlowKey = bytes | tuple[tuple[str, ...], bytes]
"""One direction of a 4-tuple: source, destination, source port, destination port; with the virtual networks, if any."""

_LONGEST = 36
"""Bytes of the key of two IPv6 addresses."""

_TEXTS: dict[bytes, str] = {}
"""Of the addresses seen last, by their bytes …"""
_MOST_TEXTS = 4_096
"""… and how many at most."""


def reverse(key: FlowKey) -> FlowKey:
    """Give the key of the other direction."""
    if isinstance(key, tuple):
        tunnel, ends = key
        return tunnel, _reverse_ends(ends)
    return _reverse_ends(key)


def canonical(key: FlowKey) -> FlowKey:
    """Give the smaller one of a key and that of the other direction: it names the 4-tuple."""
    return key if _is_canonical(key[1] if isinstance(key, tuple) else key) else reverse(key)


def endpoints(key: FlowKey) -> tuple[Endpoint, Endpoint]:
    """Give the source and the destination."""
    ends = key[1] if isinstance(key, tuple) else key
    width = (len(ends) - 4) // 2
    source, destination = address_text(part(ends, 0, width)), address_text(part(ends, width, 2 * width))
    ports = 2 * width
    return (
        kafkasniff_pair(Endpoint, source, ends[ports] << 8 | ends[ports + 1]),
        kafkasniff_pair(Endpoint, destination, ends[ports + 2] << 8 | ends[ports + 3]),
    )


def address_text(packed: bytes) -> str:
    """Give an address from its bytes."""
    text = _TEXTS.get(packed)
    if text is None:
        if len(packed) == 4:
            text = ".".join(map(str, packed))
        else:
            # Most captures have no IPv6, and should not wait for it.
            from socket import AF_INET6, inet_ntop

            text = inet_ntop(AF_INET6, packed)
        if len(_TEXTS) >= _MOST_TEXTS:
            _TEXTS.clear()
        _TEXTS[packed] = text
    return text


def _is_canonical(ends: bytes) -> bool:
    if len(ends) < 4:
        raise IndexError("a key has two ports")
    width = (len(ends) - 4) // 2
    view = ends
    for place in range(width):
        if view[place] != view[width + place]:
            return view[place] < view[width + place]
    return (view[2 * width] << 8 | view[2 * width + 1]) <= (view[2 * width + 2] << 8 | view[2 * width + 3])


def _reverse_ends(ends: bytes) -> bytes:
    width = (len(ends) - 4) // 2
    size = len(ends)
    if not 4 <= size <= _LONGEST:
        raise IndexError("a key has two addresses and two ports")
    if not cython.compiled:
        made = bytearray(size)
    view = ends
    for place in range(width):
        made[place] = view[width + place]
        made[width + place] = view[place]
    for place in range(2):
        made[size - 4 + place] = view[size - 2 + place]
        made[size - 2 + place] = view[size - 4 + place]
    if not cython.compiled:
        return bytes(made)
    # Compiled, a part of an array of characters is bytes.
    return made[:size]  # type: ignore[return-value]
