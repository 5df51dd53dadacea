# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Request and response headers in all versions."""

import struct
from functools import lru_cache

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.api_keys import API_VERSIONS, CONTROLLED_SHUTDOWN
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_ELEMENTS, java_text, read_unsigned_varint, skip_tagged_field

if not cython.compiled:
    from kafkasniff.octets import big32, is_at, part

_FIXED = struct.Struct(">hhi")
_INT16 = struct.Struct(">h")
_FIXED_BYTES = 8
_LARGEST_INT16 = 0x7FFF
_LARGEST_INT32 = 0x7FFFFFFF
_TWO_32 = 1 << 32

_TABLE_KEYS = 256
_TABLE_VERSIONS = 32
_LAYOUTS = bytearray(_TABLE_KEYS * _TABLE_VERSIONS)
"""By API key and version, once asked for: 1 + version of the request's header, and `_KNOWN`; 0 before."""
_KNOWN = 8
_SLOTS = 8192
_LONGEST_KNOWN = 256
_ID_BYTES: list[bytes] = [b""] * _SLOTS
_ID_TEXTS: list[str] = [""] * _SLOTS
"""Client ids seen last, and their bytes, by a hash of these: all calls of a client share one."""
_INT32 = struct.Struct(">i")


@cython.final
@cython.no_gc
@cython.freelist(2048)
@cython.cclass
class RequestHeader:
    """The header of a request."""

    __slots__ = ("api_key", "api_version", "client_id", "correlation_id", "end", "header_version")

    def __init__(
        self, api_key: int, api_version: int, correlation_id: int, client_id: str | None, header_version: int, end: int
    ) -> None:
        """Take the fields.

        `client_id` is None when the wire says null, and in header v0, which has none; `end` is the offset of the
        body's first byte.
        """
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.header_version = header_version
        self.end = end

    @property
    def layout(self) -> tuple[int, int]:
        """Give API key and version, by which the layout of the bodies is known."""
        return self.api_key, self.api_version

    def fields(self) -> tuple[int, int, int, str | None, int, int]:
        """Give all, in the order in which they are made of."""
        return self.api_key, self.api_version, self.correlation_id, self.client_id, self.header_version, self.end

    def __eq__(self, other: object) -> bool:
        """Tell whether all fields are the same."""
        return isinstance(other, RequestHeader) and self.fields() == other.fields()

    def __hash__(self) -> int:
        """Hash all fields."""
        return hash(self.fields())

    def __repr__(self) -> str:
        """Show all fields."""
        return f"RequestHeader{self.fields()!r}"


def api_name(api_key: int) -> str:
    """Give Kafka's name of an API, e.g. `LIST_OFFSETS`."""
    return APIS[api_key].name if api_key in APIS else f"UNKNOWN({api_key})"


def request_header_version(api_key: int, api_version: int) -> int:
    """Give the version of a request's header; that of the newest known version for what is newer than known.

    An unknown API is newer than all known ones, and those are flexible from their first version on.
    """
    if api_key == CONTROLLED_SHUTDOWN and api_version == 0:
        # The Scala controller wrote it without a client id, and it stayed so (ApiKeys.requestHeaderVersion).
        return 0
    api = APIS.get(api_key)
    if api is None:
        return 2
    return 2 if api.request_flexible is not None and api_version >= api.request_flexible else 1


@lru_cache(maxsize=1024)
def response_header_version(api_key: int, api_version: int) -> int:
    """Give the version of a response's header, by the version of the request; newer than known as above."""
    if api_key == API_VERSIONS:
        # Always 0, so that a client can read the answer of a broker that does not know its version (KIP-511).
        return 0
    api = APIS.get(api_key)
    if api is None:
        return 1
    return 1 if api.response_flexible is not None and api_version >= api.response_flexible else 0


def read_request_header(data: bytes, offset: int = 0) -> RequestHeader:
    """Read the request header that begins at `offset`; raises ProtocolError."""
    size = len(data)
    if offset < 0 or size - offset < _FIXED_BYTES:
        raise ProtocolError(f"expected 8 bytes of header, found {size - offset}", offset)
    view = data
    versioned = big32(view, offset)
    api_key = versioned >> 16
    if api_key > _LARGEST_INT16:
        raise ProtocolError(f"expected an API key, found {api_key - 0x10000}", offset, "requestApiKey")
    api_version = versioned & 0xFFFF
    if api_version > _LARGEST_INT16:
        raise ProtocolError(f"expected an API version, found {api_version - 0x10000}", offset + 2, "requestApiVersion")
    correlation_id = big32(view, offset + 4)
    if correlation_id > _LARGEST_INT32:
        correlation_id -= _TWO_32
    header_version = (_layout(api_key, api_version) & ~_KNOWN) - 1
    end = offset + _FIXED_BYTES
    client_id = None
    if header_version >= 1:
        if size - end < 2:
            raise ProtocolError(f"expected a client id, found {size - end} bytes", end, "clientId")
        length = view[end] << 8 | view[end + 1]
        end += 2
        if length <= _LARGEST_INT16:
            if length > size - end:
                raise ProtocolError(
                    f"expected a client id of {length} bytes, found {size - end} left", end - 2, "clientId"
                )
            client_id = _client_id(data, end, length)
            end += length
    if header_version == 2:
        if end < size and not view[end]:
            end += 1
        else:
            end = _skip_header_tags(data, end)
    header = RequestHeader.__new__(RequestHeader)
    header.api_key = api_key
    header.api_version = api_version
    header.correlation_id = correlation_id
    header.client_id = client_id
    header.header_version = header_version
    header.end = end
    return header


def is_known(api_key: int, api_version: int) -> bool:
    """Tell whether the layout of an API in a version is known."""
    return _layout(api_key, api_version) & _KNOWN != 0


def _layout(api_key: int, api_version: int) -> int:
    """Give 1 + version of the request's header, and `_KNOWN` where the version of the API is; neither is negative."""
    if api_key >= _TABLE_KEYS or api_version >= _TABLE_VERSIONS:
        return _look_up(api_key, api_version)
    found = _LAYOUTS[api_key * _TABLE_VERSIONS + api_version]
    if not found:
        found = _look_up(api_key, api_version)
        _LAYOUTS[api_key * _TABLE_VERSIONS + api_version] = found
    return found


def _look_up(api_key: int, api_version: int) -> int:
    api = APIS.get(api_key)
    known = api is not None and api.first_version <= api_version <= api.last_version
    return 1 + request_header_version(api_key, api_version) + known * _KNOWN


def _client_id(data: bytes, start: int, length: int) -> str:
    """Give the text of `length` bytes, which are there."""
    if not length:
        return ""
    view = data
    slot = length
    if length >= 4:
        slot += 31 * (31 * big32(view, start) + big32(view, start + length - 4))
    # Multiplied by about the golden ratio of 2**16, numbers near each other come to lie far apart.
    slot = slot * 40_503 >> 13 & (_SLOTS - 1)
    known = _ID_BYTES[slot]
    if is_at(data, start, known, length):
        return _ID_TEXTS[slot]
    text = part(data, start, start + length)
    client_id = java_text(text)
    if length <= _LONGEST_KNOWN:
        _ID_BYTES[slot], _ID_TEXTS[slot] = text, client_id
    return client_id


def read_unknown_request_header(data: bytes) -> RequestHeader | None:
    """Read what can be told of a request header that is not laid out as `read_request_header` takes it to be.

    An API that is not known may be older than tagged fields, or have no client id; None where the bytes are no header.
    """
    if len(data) < _FIXED.size:
        return None
    api_key, api_version, correlation_id = _FIXED.unpack_from(data)
    if api_key < 0 or api_version < 0 or is_known(api_key, api_version):
        return None
    cut = read_cut_request_header(data)
    start = _FIXED.size + _INT16.size
    length = _INT16.unpack_from(data, _FIXED.size)[0] if cut is not None else len(data)
    if start + max(length, 0) > len(data):
        return RequestHeader(api_key, api_version, correlation_id, None, 0, _FIXED.size)
    assert cut is not None
    return RequestHeader(api_key, api_version, correlation_id, cut.client_id, 1, start + max(length, 0))


def read_cut_request_header(data: bytes) -> RequestHeader | None:
    """Read what there is of a request header that the capture cuts off inside or behind its client id.

    The client id is as much of it as there is, and the body begins where the bytes end. None when the cut comes
    earlier, or the bytes are no header.
    """
    if len(data) < _FIXED.size + _INT16.size:
        return None
    api_key, api_version, correlation_id = _FIXED.unpack_from(data)
    (length,) = _INT16.unpack_from(data, _FIXED.size)
    if api_key < 0 or api_version < 0:
        return None
    start = _FIXED.size + _INT16.size
    # A cut may fall between the bytes of one character.
    client_id = data[start : start + length].decode("utf-8", "ignore") if length >= 0 else None
    version = request_header_version(api_key, api_version)
    return RequestHeader(api_key, api_version, correlation_id, client_id, version, len(data))


def read_response_header(data: bytes, header_version: int, offset: int = 0) -> tuple[int, int]:
    """Read the response header that begins at `offset`; give correlation id and offset of the body.

    Raises ProtocolError.
    """
    try:
        (correlation_id,) = _INT32.unpack_from(data, offset)
    except struct.error:
        raise ProtocolError(f"expected a correlation id, found {len(data) - offset} bytes", offset) from None
    end = offset + 4
    return correlation_id, _skip_header_tags(data, end) if header_version >= 1 else end


def _skip_header_tags(data: bytes, offset: int) -> int:
    """Skip the tagged fields of a header, of which Kafka knows none."""
    try:
        count, end = read_unsigned_varint(data, offset)
        if count > MAX_ELEMENTS:
            raise ProtocolError(f"expected at most {MAX_ELEMENTS} tagged fields, found {count}", offset, "taggedFields")
        for _ in range(count):
            tag, end = read_unsigned_varint(data, end)
            size, end = read_unsigned_varint(data, end)
            end = skip_tagged_field(data, end, tag, size)
    except IndexError:
        raise ProtocolError("expected tagged fields, found the end", offset, "taggedFields") from None
    return end
