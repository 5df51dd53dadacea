# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Whether what there is of a message agrees with the layout of its API, where its end is not there."""

from functools import lru_cache

from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.protocol.api_keys import FETCH
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import read_request_header, read_response_header, response_header_version
from kafkasniff.protocol.primitives import PARTIAL_SHARE
from kafkasniff.protocol.records.layout import batch_size

LEFT_BEHIND = 16
"""Bytes behind a body that real clients leave (librdkafka: up to 4)."""
SAMPLE = 1 << 10
"""Bytes of a message that are held against its layout."""
MOST_ELEMENTS = SAMPLE * PARTIAL_SHARE
"""So many that as many as a sample has bytes are interpreted: the zeros behind it read as any number of them."""
HEADER_PADDING = 16 << 10
"""Zeros behind a sample that may belong to its header: they read as a tagged field each two."""
MUCH = 48
"""Bytes of a body from which on it agrees with a layout by more than chance, unless most of them are zeros, as those of
small integers are, or of a text whose end is not there."""
LEAST_TO_BATCH = 49
"""Bytes of a Fetch response up to the magic byte of its first batch: of version 0, where the topic has no name."""
LARGEST_COMPLETED = 1 << 20
"""Bytes of a message that is held against its layout although its end is not there."""


def agreement_of_cut(held: HeldStream, start: int, size: int, side: Kind, api_key: int, api_version: int) -> int:
    """Weigh what there is of a message: negative when it contradicts its API's layout.

    Only where a gap or the stream's end cuts it off can that speak for it too; of others more bytes may come. Zeros
    stand in for those that are not there, so that lengths are held against the size of the whole message; what goes
    wrong in them does not count.
    """
    cut = held.read_to_gap(start, size)
    there = cut if cut is not None else held.read(start, min(held.end - start, SAMPLE))
    if there is None or size > LARGEST_COMPLETED:
        return 0
    there = there[:SAMPLE]
    key = (start, api_key, api_version)
    seen, points = held.agreements.get(key, (0, 0))
    if seen < len(there):
        # Of any correlation id; clients send the same beginnings again and again.
        points = _agreement(_without_id(there, 4 if side == "request" else 0), size, side, api_key, api_version)
        held.agreements[key] = (len(there), points)
    return points if cut is not None or held.ended else min(points, 0)


def is_fetched(held: HeldStream, start: int, size: int) -> bool:
    """Tell whether what there is of a message is a Fetch response up to its first record batch, which fits its place.

    Fields of its head lead to the batch, and the batch is not longer than the records that it is among.
    """
    cut = held.read_to_gap(start, size)
    if cut is None or len(cut) < LEAST_TO_BATCH or size > LARGEST_COMPLETED:
        return False
    cut = cut[:SAMPLE]
    padded = cut + bytes(size - len(cut))
    fetch = APIS[FETCH]
    return any(_leads_to_batch(cut, padded, version) for version in range(fetch.first_version, fetch.last_version + 1))


def _leads_to_batch(cut: bytes, padded: bytes, version: int) -> bool:
    """Tell whether a record batch lies where a version of Fetch has it; only `cut` is there of what is `padded`."""
    try:
        header = read_response_header(padded[: len(cut) + HEADER_PADDING], response_header_version(FETCH, version))
        body = decode_body(FETCH, version, "response", padded, header[1], MOST_ELEMENTS, values=False)
        if not body.records or any(offset is not None and offset < len(cut) for offset, _, _ in body.problems):
            return False
        _, start, end = body.records[0]
        size = batch_size(cut, start, len(cut))
    except ProtocolError:
        return False
    return size is not None and size <= end - start


def _without_id(message: bytes, place: int) -> bytes:
    """Give a message with zeros for its correlation id, of as many bytes."""
    return (message[:place] + bytes(4) + message[place + 4 :])[: len(message)]


@lru_cache(maxsize=1_024)
def _agreement(cut: bytes, size: int, side: Kind, api_key: int, api_version: int) -> int:
    padded = cut + bytes(size - len(cut))
    header = padded[: len(cut) + HEADER_PADDING]
    try:
        if side == "request":
            body = read_request_header(header).end
        else:
            body = read_response_header(header, response_header_version(api_key, api_version))[1]
    except ProtocolError as error:
        return -1 if error.offset < len(cut) else 0
    decoded = decode_body(api_key, api_version, side, padded, body, MOST_ELEMENTS, values=False)
    # Text that is no UTF-8 is a problem too, and may be that because of the cut; decoding stopped at the last one.
    stopped = max((offset for offset, _, _ in decoded.problems if offset is not None), default=len(cut))
    if decoded.value is None and stopped < len(cut):
        return -1
    left = LEFT_BEHIND if side == "request" else 0
    if decoded.value is not None and decoded.end <= len(cut) and size - decoded.end > left:
        # What there is of it is a whole body, so its size is known.
        return -1
    seen = len(cut) - body
    if seen >= MUCH and _agrees_much(cut, body, side, api_key, api_version):
        return 3
    return 2 if seen >= 16 else 1 if seen >= 6 else 0


def _agrees_much(cut: bytes, body: int, side: Kind, api_key: int, api_version: int) -> bool:
    """Tell whether what there is of a body has much in it that chance does not make.

    A field that runs beyond the end, as one of random bytes may, says nothing; nor does what follows in its place.
    """
    decoded = decode_body(api_key, api_version, side, cut, body, MOST_ELEMENTS, values=False)
    end = max((offset for offset, _, _ in decoded.problems if offset is not None), default=len(cut))
    return end - body >= MUCH and 2 * cut.count(0, body, end) < end - body
