# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""How strongly bytes speak for a request of Kafka's beginning at a place of a stream.

Evidence is counted in points. A lucky size and a lucky header give fewer than `PROOF`; what lifts a place to it is
what chance does not give: a body that decodes to its last byte, a frame behind it that begins where this one ends,
an answer with the same correlation id in the other direction, the client id that the connection uses already.
"""

import re
import struct
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.resync.agreement import LARGEST_COMPLETED, LEFT_BEHIND, agreement_of_cut
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.protocol.api_keys import API_VERSIONS, CONTROLLED_SHUTDOWN, PRODUCE, SASL_HANDSHAKE
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import is_known, read_request_header

if not cython.compiled:
    from kafkasniff.octets import signed32

PROOF = 5
ANY = 1 << 30
"""Points without a limit."""
ANSWER = 2
"""Points for an answer with the same correlation id, which may come later than the request."""
LARGEST_PLAUSIBLE = 1 << 30
"""Bytes; a broker takes requests of up to 100 MiB by default (socket.request.max.bytes)."""
HARDLY_PLAUSIBLE = 16 << 20
"""Bytes of a message from which on its size, of any four bytes at random, says nothing."""
SMALLEST_REQUEST = 8
HEADER_BYTES = 10
CLIENT_ID_LIMIT = 1024
"""Bytes of a client id that is looked at as a whole."""
LONGEST_CLIENT_ID = (1 << 15) - 1
"""Bytes; its length is an INT16 in all versions of the header."""
BEGINNING_OF_ID = 16
"""Bytes of a longer one that are looked at: text, as its length alone says little."""
TELLING_CLIENT_ID = 4
"""Characters from which on printable text of the stated length is hardly chance."""
ID_STEP = 16
"""How far the correlation ids of consecutive answers lie apart at most: requests with acks=0 leave some out."""
FIRST_BYTES = 4 << 10
"""Bytes of a message that are worth a look before it is whole."""
CHAIN = 4
"""Frames that are followed from a place on."""
OLD_API_VERSIONS_BODY = bytes(4)
"""Of ApiVersions v0 as older librdkafka sends it: an empty array of API keys, which no release of Kafka reads."""
_UNKNOWN_HEADER = struct.Struct(">ihhih")
"""Size, API key, version, correlation id, and length of the client id."""
LEGAL_TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""Kafka takes no other name (org.apache.kafka.common.internals.Topic)."""


class Score(NamedTuple):
    """What the bytes at a place say."""

    points: int
    """Negative: no frame can begin here."""
    more_at: int
    """The stream position up to which more bytes may add evidence."""


IMPOSSIBLE = Score(-1, 0)


class PlausibleHeader(NamedTuple):
    """A request header without its tagged fields."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    cut: bool
    """Whether `client_id` is only the beginning: the capture lacks the end, or it is longer than what is looked at."""


def request_header(prefix: bytes) -> PlausibleHeader | None:
    """Read size and request header from the start of `prefix`, or give None when they are not plausible.

    Plausible is a known API in a version that was ever shipped, with a client id in UTF-8. A newer version
    passes for ApiVersions alone, with which clients ask before they know what the broker speaks (KIP-511).
    """
    size = int.from_bytes(prefix[0:4], "big", signed=True)
    if not SMALLEST_REQUEST <= size <= LARGEST_PLAUSIBLE:
        return None
    key = int.from_bytes(prefix[4:6], "big", signed=True)
    api = APIS.get(key)
    if api is None:
        return None
    version = int.from_bytes(prefix[6:8], "big", signed=True)
    if not api.first_version <= version <= api.last_version + (10 if key == API_VERSIONS else 0):
        return None
    correlation_id = int.from_bytes(prefix[8:12], "big", signed=True)
    client_id, cut = None, False
    if (key, version) != (CONTROLLED_SHUTDOWN, 0):
        length = int.from_bytes(prefix[12:14], "big", signed=True)
        if length < -1 or length > min(size - HEADER_BYTES, LONGEST_CLIENT_ID):
            return None
        is_long = length > CLIENT_ID_LIMIT
        text = prefix[14 : 14 + (BEGINNING_OF_ID if is_long else max(length, 0))]
        cut = len(text) < length
        try:
            client_id = text.decode() if length >= 0 else None
        except UnicodeDecodeError as error:
            # A cut may fall between the bytes of one character.
            if not (cut and error.end == len(text)):
                return None
            client_id = text[: error.start].decode()
        if is_long and (len(text) < BEGINNING_OF_ID or not str(client_id).isprintable()):
            return None
    return PlausibleHeader(key, version, correlation_id, client_id, cut)


def tells_client(client_id: str | None, client_ids: Collection[str | None]) -> bool:
    """Tell whether a client id speaks for the header that it stands in: it is a known one, or text of some length."""
    if not client_id:
        return False
    return client_id in client_ids or (
        len(client_id) >= TELLING_CLIENT_ID and client_id.isprintable() and "\ufffd" not in client_id
    )


def may_be_unknown_request(prefix: bytes, client_ids: Collection[str | None]) -> bool:
    """Tell whether size and header in `prefix` may be of an API or a version that is not known, by their client id."""
    size, key, version, _, length = _UNKNOWN_HEADER.unpack_from(prefix.ljust(_UNKNOWN_HEADER.size, b"\0"))
    if not HEADER_BYTES < size <= LARGEST_PLAUSIBLE or key < 0 or version < 0 or is_known(key, version):
        return False
    client_id = prefix[_UNKNOWN_HEADER.size : _UNKNOWN_HEADER.size + length] if length > 0 else b""
    return len(client_id) == length and tells_client(client_id.decode("utf-8", "replace"), client_ids)


def read_prefix(held: HeldStream, offset: int) -> bytes | None:
    """Give the first bytes of the frame at `offset`, enough for its header, or None when they are not held.

    Of a client id that a gap cuts off, they have what there is.
    """
    start = held.read_up_to(offset, 64)
    if len(start) < 12:
        return None
    size = signed32(start, 0)
    if size < SMALLEST_REQUEST:
        return start
    client_id = 0
    if size > 10:
        if len(start) < 14:
            return None
        client_id = max(int.from_bytes(start[12:14], "big", signed=True), 0)
        if client_id > CLIENT_ID_LIMIT:
            fits = client_id <= size - HEADER_BYTES and size <= LARGEST_PLAUSIBLE
            client_id = BEGINNING_OF_ID if fits and int.from_bytes(start[4:6], "big") in APIS else 0
    needed = min(4 + size, 14 + client_id)
    if needed <= len(start):
        return start[:needed]
    return held.read(offset, needed) or (held.read_to_gap(offset, needed) if size > 10 else None)


def score_request(
    held: HeldStream,
    offset: int,
    answers: Callable[[int], bool],
    client_ids: Collection[str | None] = (),
    previous_id: int | None = None,
    chain: int = CHAIN,
    first: bool = False,
) -> Score:
    """Weigh a request frame at the stream position `offset`.

    `answers` tells whether the other direction has an answer with a correlation id; `client_ids` are those that the
    connection is known to use; `previous_id` is the correlation id of the last request before this one. `first`: the
    connection began here, which is a boundary of whatever it speaks.
    """
    prefix = read_prefix(held, offset)
    if prefix is None:
        return Score(0, held.end + 1)
    header = request_header(prefix)
    if header is None:
        # Beside a request that is known, one of an API that is not, from the same client, is no contradiction.
        return Score(1, held.end + 1) if chain < CHAIN and may_be_unknown_request(prefix, client_ids) else IMPOSSIBLE
    # Zeros read as a Produce v0 with correlation id 0 and an empty client id, which chance sends more often.
    may_be_integers = not any(prefix[4:14]) or (
        chain == CHAIN and not held.begins_write(offset) and held.is_among_small_integers(offset)
    )
    if may_be_integers and chain == CHAIN and not first:
        return IMPOSSIBLE
    size = signed32(prefix, 0)
    points = 0
    known = _is_of_client(header, client_ids)
    if header.client_id and header.client_id.isprintable():
        points += 4 if known else 3 if len(header.client_id) >= TELLING_CLIENT_ID else 2
    elif header.client_id is None:
        points += 1
    end = offset + 4 + size
    points += segment_points(held, offset)
    answered = answers(header.correlation_id)
    if answered:
        points += ANSWER
    limit = ANY
    follows = previous_id is not None and 0 < header.correlation_id - previous_id <= ID_STEP
    points += follows
    frame = held.read(offset + 4, size)
    if frame is not None:
        try:
            body = decode_body(header.api_key, header.api_version, "request", frame, read_request_header(frame).end)
        except ProtocolError:
            return IMPOSSIBLE
        left = len(frame) - body.end
        is_old = header.api_key == API_VERSIONS and frame[body.end :] == OLD_API_VERSIONS_BODY
        if body.value is None:
            if header.api_key != API_VERSIONS:
                return IMPOSSIBLE
        elif left > (LEFT_BEHIND if header.client_id else 0) and not is_old:
            return IMPOSSIBLE
        elif not body.problems or is_old:
            points += 2
            if may_be_integers and not produces(header, body.value):
                if chain < CHAIN:
                    return IMPOSSIBLE
                # Where it stands is no more proof than its answer is.
                limit = PROOF - 2
        elif header.client_id not in client_ids:
            # A response may look like a request that leaves bytes: ListOffsets v1 of one topic like a Produce v1.
            limit = PROOF - 1
    else:
        named = known and follows and tells_client(header.client_id, ())
        agreement = 0
        if not (named and held.begins_segment(offset)):
            agreement = agreement_of_cut(held, offset + 4, size, "request", header.api_key, header.api_version)
        if agreement < 0:
            return IMPOSSIBLE
        # Small integers agree with some layout for long; they do not come with the next id too.
        points += agreement if follows else min(agreement, 2)
        of_connection = known or answered or follows
        if not held.begins_segment(offset):
            # A header alone, among bytes that may be anything, is not enough: its body must speak for it, and more; or
            # the client, by a name of some length and the id that comes next.
            speaks = named or (bool(agreement) and of_connection)
        else:
            # What is too large to be held against its layout must prove that it is of the connection.
            speaks = bool(agreement) or of_connection or (not client_ids and size <= LARGEST_COMPLETED)
        if not speaks:
            points = min(points, PROOF - 1)
        if may_be_integers:
            points = 0
    if header.correlation_id and not header.correlation_id & 0xFFFF and not (known or answered or follows):
        # Of small integers in a row, every other half reads as such an id; clients count up to one in 65,536.
        points -= 3
    points = max(points - size_doubts(held, size, end), 0)
    if end == held.end:
        return Score(min(points + 1, limit), end + HEADER_BYTES)
    if (header.api_key, header.api_version) == (SASL_HANDSHAKE, 0) or chain <= 1:
        return Score(min(points, limit), next_look(held, offset, end))
    following = score_request(held, end, answers, client_ids, header.correlation_id, chain - 1)
    if following.points < 0 or not (known or goes_on(held, header, end)):
        # A whole request may have garbage behind it, where a client sent a buffer beyond its size. Where it is not the
        # first thing sent, it must begin a segment and be answered.
        alone = frame is not None and limit == ANY and header.client_id and header.client_id.isprintable()
        if not (alone and (first or (chain == CHAIN and held.begins_segment(offset)))):
            return IMPOSSIBLE
        return Score(points if first or answered else min(points, PROOF - 1), held.end + 1)
    if following.points >= PROOF:
        limit = ANY
    return Score(min(points + following.points + (following.points > 1), limit), max(end, following.more_at))


def _is_of_client(header: PlausibleHeader, client_ids: Collection[str | None]) -> bool:
    """Tell whether a header names one of these client ids, as far as it is there."""
    if header.cut and header.client_id:
        return any(each and each.startswith(header.client_id) for each in client_ids)
    return header.client_id in client_ids


def produces(header: PlausibleHeader, body: dict[str, Any]) -> bool:
    """Tell whether the body of a request is a Produce that names a topic, which integers alone do not."""
    return header.api_key == PRODUCE and any(
        LEGAL_TOPIC.fullmatch(topic.get("name", "")) for topic in body["topicData"]
    )


def goes_on(held: HeldStream, header: PlausibleHeader, end: int) -> bool:
    """Tell whether the request at `end` may be the next one of the client that sent `header`; it need not be there.

    The length of a field that ends its message leads to the next one too, but not from one that names the same client
    or has an id just below.
    """
    prefix = read_prefix(held, end)
    following = None if prefix is None else request_header(prefix)
    if prefix is None or following is None or following.client_id == header.client_id:
        return True
    if following.cut and header.client_id and header.client_id.startswith(following.client_id or ""):
        return header.cut or int.from_bytes(prefix[12:14], "big") == len(header.client_id.encode())
    return 0 < following.correlation_id - header.correlation_id <= ID_STEP


def next_look(held: HeldStream, offset: int, end: int) -> int:
    """Give the stream position from which on there may be more evidence of a frame from `offset` to `end`.

    That is its end, but the first bytes are worth a look as soon as a gap shows that they are all that there is.
    """
    return held.end + 1 if held.end < end and held.end - offset < FIRST_BYTES else end


def size_doubts(held: HeldStream, size: int, end: int) -> int:
    """Weigh what speaks against a size: any four bytes at random, or beyond the end of its stream."""
    return (size >= HARDLY_PLAUSIBLE) + (held.ended and end > held.end)


def segment_points(held: HeldStream, offset: int) -> int:
    """Weigh that a segment begins at the stream position `offset`, as a sender's writes do."""
    if not held.begins_segment(offset):
        return 0
    return 1 + (held.follows_gap(offset) or held.begins_write(offset))
