# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""How strongly bytes speak for a frame of Kafka's beginning at a place of a stream.

Evidence is counted in points. A lucky size and a lucky header give fewer than `PROOF`; what lifts a place to it is
what chance does not give: a body that decodes to its last byte, a frame behind it that begins where this one ends,
an answer with the same correlation id in the other direction, the client id that the connection uses already.
"""

import re
import struct
from collections.abc import Callable, Collection
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.resync.agreement import LARGEST_COMPLETED, LEFT_BEHIND, agreement_of_cut, is_fetched
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.fields import NamedTuple
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import (
    is_known,
    read_request_header,
    read_response_header,
    response_header_version,
)

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
SMALLEST_RESPONSE = 4
PRODUCE = 0
API_VERSIONS = 18
SASL_HANDSHAKE = 17
CONTROLLED_SHUTDOWN = 7
HEADER_BYTES = 10
CLIENT_ID_LIMIT = 1024
TELLING_CLIENT_ID = 4
"""Characters from which on printable text of the stated length is hardly chance."""
ID_STEP = 16
"""How far the correlation ids of consecutive answers lie apart at most: requests with acks=0 leave some out."""
FIRST_BYTES = 4 << 10
"""Bytes of a message that are worth a look before it is whole."""
TOLD_BODY = 16
"""Bytes of a body from which on it may contradict its layout, and is more than an array of some integers."""
SMALLEST_API_VERSIONS = 58
"""Bytes of a list of eight APIs with their versions, correlation id and error code before it, in version 0."""
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
    """Whether the capture lacks the end of the client id."""


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
        if length < -1 or length > min(size - HEADER_BYTES, CLIENT_ID_LIMIT):
            return None
        text = prefix[14 : 14 + max(length, 0)]
        cut = len(text) < length
        try:
            client_id = text.decode() if length >= 0 else None
        except UnicodeDecodeError as error:
            # A cut may fall between the bytes of one character.
            if not (cut and error.end == len(text)):
                return None
            client_id = text[: error.start].decode()
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
        client_id = int.from_bytes(start[12:14], "big", signed=True)
        if not 0 <= client_id <= CLIENT_ID_LIMIT:
            client_id = 0
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


def _is_not_told(correlation_id: int) -> None:
    """Tell nothing of requests that the capture lacks."""


def score_response(
    held: HeldStream,
    offset: int,
    pending: dict[int, tuple[int, int]],
    lost: Callable[[int], bool | None] = _is_not_told,
    previous_id: int | None = None,
    chain: int = CHAIN,
) -> Score:
    """Weigh a response frame at the stream position `offset`.

    `pending` has API key and version of the unanswered requests by correlation id; `lost` tells whether a request
    that the capture lacks may have had a correlation id (None: a later one may have it); `previous_id` is that of the
    frame before this one.
    """
    prefix = held.read(offset, 8)
    if prefix is None:
        return Score(0, held.end + 1)
    size = signed32(prefix, 0)
    if not SMALLEST_RESPONSE <= size <= LARGEST_PLAUSIBLE:
        return IMPOSSIBLE
    correlation_id = signed32(prefix, 4)
    end = offset + 4 + size
    asked = pending.get(correlation_id)
    following_id = _id_at(held, end)
    if not correlation_id and held.read(offset + 4, size) is None and following_id not in (None, 1):
        # The size of the record batches that end a response leads to the next one, and their offset begins with zeros.
        return IMPOSSIBLE
    counts_up = following_id == correlation_id + 1 and (asked is not None or held.begins_segment(offset))
    if chain == CHAIN and not counts_up and not held.begins_write(offset) and held.is_among_small_integers(offset):
        return IMPOSSIBLE
    points = segment_points(held, offset)
    frame = held.read(offset + 4, size)
    step = None if previous_id is None else correlation_id - previous_id
    if asked is not None:
        points += 2 + (step is not None and 0 < step <= ID_STEP)
        if not is_known(*asked):
            # Nothing but its id can be held against what was asked.
            pass
        elif frame is not None:
            header_end = read_response_header_end(frame, *asked)
            if header_end is None:
                return IMPOSSIBLE
            body = decode_body(*asked, "response", frame, header_end, values=False)
            if body.value is None or body.end < len(frame):
                return IMPOSSIBLE
            points += (2 if size >= 16 else 1) if not body.problems else 0
        else:
            agreement = agreement_of_cut(held, offset + 4, size, "response", *asked)
            if agreement < 0:
                return IMPOSSIBLE
            points += agreement
            told = held.read(offset, 8 + min(size - 4, TOLD_BODY)) is not None
            if not held.begins_write(offset) and not (told and (agreement or held.begins_segment(offset))):
                # Any two small integers may be size and id, as long as hardly anything of a body is there.
                points = min(points, PROOF - 1)
    elif frame is not None and looks_like_api_versions(frame):
        points += 4
    elif (unseen := lost(correlation_id)) is False:
        return IMPOSSIBLE
    elif unseen and (step is not None or chain == CHAIN):
        points += lone_points(held, offset, end, correlation_id, step, chain == CHAIN)
        # Where there is proof without it, it changes nothing, and takes long.
        if frame is None and points < PROOF + size_doubts(held, size, end) and is_fetched(held, offset + 4, size):
            points += 2
        if frame is None and chain == CHAIN and not is_all_there(held, offset, end):
            # What comes behind it may still contradict it.
            return Score(min(points, PROOF - 1), next_look(held, offset, end))
    elif chain < CHAIN and step is not None and not 0 < step <= ID_STEP:
        return IMPOSSIBLE
    points = max(points - size_doubts(held, size, end), 0)
    if end == held.end and held.run_at(end - 1) is not None:
        return Score(points + 1, end + SMALLEST_RESPONSE)
    if chain <= 1:
        return Score(points, next_look(held, offset, end))
    following = score_response(held, end, pending, lost, correlation_id, chain - 1)
    if following.points < 0:
        return IMPOSSIBLE
    if asked is None and following_id is not None and not 0 < following_id - correlation_id <= ID_STEP:
        # The length of a field that ends its message leads to the next one too.
        return IMPOSSIBLE
    if not following.points and not held.begins_segment(offset) and following_id is not None:
        # What stands behind it says nothing, and small integers in a body look like a frame.
        points = min(points, PROOF - 1)
    return Score(points + following.points, max(end, following.more_at))


def _id_at(held: HeldStream, place: int) -> int | None:
    """Give the correlation id of the response that begins at a stream position, if it is there."""
    number = held.read(place + 4, 4)
    return None if number is None else signed32(number, 0)


def lone_points(held: HeldStream, offset: int, end: int, correlation_id: int, step: int | None, first: bool) -> int:
    """Weigh a response whose request is lost: `step` is how far its correlation id is beyond the one before it.

    Nothing but its id speaks for it, so inside a segment chance must have few places, and the ids must count up. Where
    there is none before it (None), it is one of those just below the first request's. Short responses read as an array
    of small integers, in which hardly any is followed by the next higher id where it, as a size, leads to. So do zero,
    the commonest of all, and those behind a gap in such an array, unless their size leads to more that is there.
    """
    counts_up = step is None or step == 1 or (first and 0 < step <= ID_STEP)
    may_be_integers = held.begins_array(offset) or (
        held.run_at(end - 1) is None
        and (not correlation_id or (held.may_continue_array(offset) and not held.begins_write(offset)))
    )
    if may_be_integers and not (held.begins_segment(offset) and _id_at(held, end) == correlation_id + 1):
        return 0
    if step is not None and step > 1 and held.follows_gap(offset):
        # Where a gap ends, a segment begins, but not always a write.
        return 2 if counts_up else 0
    return 3 if counts_up and (held.begins_segment(offset) or held.is_short(offset)) else 0


def next_look(held: HeldStream, offset: int, end: int) -> int:
    """Give the stream position from which on there may be more evidence of a frame from `offset` to `end`.

    That is its end, but the first bytes are worth a look as soon as a gap shows that they are all that there is.
    """
    return held.end + 1 if held.end < end and held.end - offset < FIRST_BYTES else end


def size_doubts(held: HeldStream, size: int, end: int) -> int:
    """Weigh what speaks against a size: any four bytes at random, or beyond the end of its stream."""
    return (size >= HARDLY_PLAUSIBLE) + (held.ended and end > held.end)


def is_all_there(held: HeldStream, offset: int, end: int) -> bool:
    """Tell whether all that will ever be there of a frame's first bytes is there."""
    seen = min(end - offset, FIRST_BYTES)
    return held.ended or held.read(offset, seen) is not None or held.read_to_gap(offset, seen) is not None


def segment_points(held: HeldStream, offset: int) -> int:
    """Weigh that a segment begins at the stream position `offset`, as a sender's writes do."""
    if not held.begins_segment(offset):
        return 0
    return 1 + (held.follows_gap(offset) or held.begins_write(offset))


def read_response_header_end(frame: bytes, api_key: int, api_version: int) -> int | None:
    """Give where the body of a response begins, or None when the header does not decode."""
    try:
        return read_response_header(frame, response_header_version(api_key, api_version))[1]
    except ProtocolError:
        return None


def looks_like_api_versions(frame: bytes) -> bool:
    """Tell whether a response frame is a list of API versions, which no other protocol sends by chance."""
    for version in (3, 0, 1) if len(frame) >= SMALLEST_API_VERSIONS else ():
        body = decode_body(API_VERSIONS, version, "response", frame, 4)
        if body.value is not None and not body.problems:
            keys = body.value["apiKeys"]
            known = sum(1 for entry in keys if entry["apiKey"] in APIS)
            return len(keys) >= 8 and known * 2 > len(keys)
    return False


def may_be_response(held: HeldStream, offset: int) -> bool:
    """Tell whether what reads as a request at `offset` may be a response just as well.

    The correlation id of a response, as long as it is small, stands where a request has the API key 0 (Produce) and its
    version. A whole request proves itself by what its body names, or its client id; of others, ids that count up from
    frame to frame are no versions.
    """
    prefix = read_prefix(held, offset)
    if prefix is None or prefix[4:6] != b"\0\0":
        return False
    size, correlation_id = int.from_bytes(prefix[:4], "big"), int.from_bytes(prefix[4:8], "big")
    frame = held.read(offset + 4, size)
    header = request_header(prefix)
    if frame is not None and header is not None:
        body = decode_body(header.api_key, header.api_version, "request", frame, read_request_header(frame).end)
        return not header.client_id and (body.value is None or not produces(header, body.value))
    following = held.read(offset + 4 + size, 8)
    return following is None or 0 < int.from_bytes(following[4:], "big", signed=True) - correlation_id <= ID_STEP
