# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Keys of one direction of a 4-tuple."""

from functools import lru_cache

FlowKey = bytes | tuple[tuple[str, ...], bytes]
"""One direction of a 4-tuple: source, destination, source port, destination port; with the virtual networks, if any."""


def reverse(key: FlowKey) -> FlowKey:
    """Give the key of the other direction."""
    if isinstance(key, tuple):
        tunnel, ends = key
        return tunnel, _reverse_ends(ends)
    return _reverse_ends(key)


def split(key: FlowKey) -> tuple[tuple[str, int], tuple[str, int]]:
    """Give address and port of the source and of the destination."""
    ends = key[1] if isinstance(key, tuple) else key
    width = (len(ends) - 4) // 2
    source, destination = address_text(ends[:width]), address_text(ends[width:-4])
    return (source, int.from_bytes(ends[-4:-2], "big")), (destination, int.from_bytes(ends[-2:], "big"))


@lru_cache(maxsize=4_096)
def address_text(packed: bytes) -> str:
    """Give an address from its bytes."""
    if len(packed) == 4:
        return ".".join(map(str, packed))
    # Most captures have no IPv6, and should not wait for it.
    from socket import AF_INET6, inet_ntop

    return inet_ntop(AF_INET6, packed)


def _reverse_ends(ends: bytes) -> bytes:
    width = (len(ends) - 4) // 2
    return ends[width:-4] + ends[:width] + ends[-2:] + ends[-4:-2]
