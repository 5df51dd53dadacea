"""Reads the headers of the messages in many runs."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.frames import Frames
from kafkasniff.calls.columns.streams import Streams
from kafkasniff.calls.frames import SIZE_PREFIX
from kafkasniff.calls.streams import PRODUCE
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.headers import API_VERSIONS, CONTROLLED_SHUTDOWN, request_header_version

_SMALLEST_REQUEST = 10
"""Bytes of a request header with a null client id."""
CLIENT_ID_LENGTH_AT = 8
CLIENT_ID_LENGTH = 2
CLIENT_ID_AT = 10
_SPECIAL = frozenset({17, API_VERSIONS, 36})
"""APIs that tell who the client is, or change what follows on the connection: not taken by columns in its middle."""
_NO_ACKS_SINCE = 3
"""Produce has a transactional id before its acks from this version on, and a compact one …"""
_FLEXIBLE_PRODUCE = 9
"""… from this one on."""


class Messages(NamedTuple):
    """The messages of one side of all runs."""

    run: Numbers
    start: Numbers
    end: Numbers
    first_packet: Numbers
    """Index in the batch."""
    last_packet: Numbers
    correlation_id: Numbers
    api_key: Numbers
    api_version: Numbers
    client_id_end: Numbers
    body: Numbers
    odd: NDArray[np.bool_]
    """Whether a message needs more than columns."""


def read_messages(streams: Streams, frames: Frames, begun: bool = False) -> tuple[Messages, Messages]:
    """Read the headers of all requests and of all responses; `begun`: the runs begin where their connections do."""
    of_server = frames.stream & 1 != 0
    first = streams.segment_packets[np.searchsorted(streams.segment_ends, frames.start - SIZE_PREFIX, side="right")]
    last = streams.segment_packets[np.searchsorted(streams.segment_ends, frames.end - 1, side="right")]
    run, odd = frames.stream >> 1, frames.odd[frames.stream]
    mine = ~of_server
    requests = _read_requests(
        streams, run[mine], frames.start[mine], frames.end[mine], first[mine], last[mine], odd[mine], begun
    )
    start, end = frames.start[of_server], frames.end[of_server]
    nothing = np.zeros(0, np.int64)
    responses = Messages(
        run[of_server],
        start,
        end,
        first[of_server],
        last[of_server],
        streams.int32(start),
        nothing,
        nothing,
        nothing,
        nothing,
        odd[of_server] | (end - start < SIZE_PREFIX),
    )
    return requests, responses


def _read_requests(
    streams: Streams,
    run: Numbers,
    start: Numbers,
    end: Numbers,
    first: Numbers,
    last: Numbers,
    odd: NDArray[np.bool_],
    begun: bool,
) -> Messages:
    odd |= end - start < _SMALLEST_REQUEST
    key, version = streams.int16(start), streams.int16(start + 2)
    length = streams.int16(start + CLIENT_ID_LENGTH_AT)
    client_id_end = start + CLIENT_ID_AT + np.maximum(length, 0)
    layout, inverse = np.unique((key << 16) | (version & 0xFFFF), return_inverse=True)
    known = [_layout(each >> 16, each & 0xFFFF) for each in layout.tolist()]
    flexible = np.array([each.flexible for each in known], np.bool_)[inverse]
    usual = np.array([each.usual for each in known], np.bool_)[inverse]
    if begun:
        usual |= np.array([each.opens for each in known], np.bool_)[inverse] & (np.diff(run, prepend=-1) != 0)
    odd |= ~usual
    odd |= (client_id_end + flexible > end) | (flexible & (streams.bytes_at(client_id_end) != 0))
    produce = np.flatnonzero((key == PRODUCE) & ~odd)
    if len(produce):
        odd[produce] = ~_is_answered(
            streams, version[produce], client_id_end[produce] + flexible[produce], end[produce]
        )
    return Messages(
        run,
        start,
        end,
        first,
        last,
        streams.int32(start + 4),
        key,
        version,
        client_id_end,
        client_id_end + flexible,
        odd,
    )


class _Layout(NamedTuple):
    usual: bool
    """Whether columns may read it."""
    opens: bool
    """Whether columns may read it where it is the first of its connection."""
    flexible: bool
    """Whether tagged fields end the request's header."""


@cache
def _layout(api_key: int, version: int) -> _Layout:
    api = APIS.get(api_key)
    known = api is not None and api.first_version <= version <= api.last_version
    usual = known and api_key not in _SPECIAL and api_key != CONTROLLED_SHUTDOWN
    opens = known and api_key == API_VERSIONS
    return _Layout(usual, opens, (usual or opens) and request_header_version(api_key, version) == 2)


def _is_answered(streams: Streams, version: Numbers, body: Numbers, end: Numbers) -> NDArray[np.bool_]:
    """Tell of Produce requests whether columns show that they ask for acknowledgement, and so for an answer."""
    compact = version >= _FLEXIBLE_PRODUCE
    length = streams.bytes_at(body)
    long = compact & (length > 127)
    acks_at = np.where(
        compact,
        body + np.maximum(length, 1),
        np.where(version >= _NO_ACKS_SINCE, body + 2 + np.maximum(streams.int16(body), 0), body),
    )
    answered: NDArray[np.bool_] = ~long & (acks_at + 2 <= end) & (streams.int16(acks_at) != 0)
    return answered
