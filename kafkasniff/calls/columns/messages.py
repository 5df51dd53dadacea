"""Reads the headers of the messages in many runs."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.frames import Frames
from kafkasniff.calls.columns.streams import ordered
from kafkasniff.calls.frames import SIZE_PREFIX
from kafkasniff.calls.pairing import FIRST_IN_TRANSACTIONS, FLEXIBLE_PRODUCE, PRODUCE
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.body_columns import Block, Buffer, Marks
from kafkasniff.protocol.headers import API_VERSIONS, CONTROLLED_SHUTDOWN, request_header_version

_SMALLEST_REQUEST = 10
"""Bytes of a request header with a null client id."""
CLIENT_ID_LENGTH_AT = 8
CLIENT_ID_LENGTH = 2
CLIENT_ID_AT = 10
_HEADER = np.dtype([("api_key", ">i2"), ("api_version", ">i2"), ("correlation_id", ">i4"), ("client_id_length", ">i2")])
_SPECIAL = frozenset({17, API_VERSIONS, 36})
"""APIs that tell who the client is, or change what follows on the connection: not taken by columns in its middle."""
_LONGEST_CLIENT_ID = 64
"""Bytes of a client id that is compared with others by columns."""


class Messages(NamedTuple):
    """The messages of one side of all runs."""

    run: Numbers
    start: Numbers
    end: Numbers
    offset: Numbers
    """Bytes of the stream before the size prefix."""
    first_packet: Numbers
    """Index in the batch."""
    last_packet: Numbers
    correlation_id: Numbers
    api_key: Numbers
    api_version: Numbers
    client_id_end: Numbers
    body: Numbers
    odd: Marks
    """Whether a message needs more than columns."""


def read_messages(frames: Frames, begun: bool = False) -> tuple[Messages, Messages]:
    """Read the headers of all requests and of all responses; `begun`: the runs begin where their connections do."""
    of_server = frames.stream & 1 != 0
    start, end = frames.start[of_server], frames.end[of_server]
    nothing = np.zeros(0, np.int64)
    responses = Messages(
        frames.stream[of_server] >> 1,
        start,
        end,
        frames.offset[of_server],
        frames.first_packet[of_server],
        frames.last_packet[of_server],
        _blocks(frames.buffer, start, frames.first_packet[of_server], 4).view(">i4").ravel().astype(np.int64),
        nothing,
        nothing,
        nothing,
        nothing,
        frames.odd[frames.stream[of_server]] | (end - start < SIZE_PREFIX),
    )
    return _read_requests(frames, np.flatnonzero(~of_server), begun), responses


def _read_requests(frames: Frames, mine: Numbers, begun: bool) -> Messages:
    buffer, stream, start, end = frames.buffer, frames.stream[mine], frames.start[mine], frames.end[mine]
    run = stream >> 1
    headers = _blocks(buffer, start, frames.first_packet[mine], CLIENT_ID_AT).view(_HEADER).ravel()
    key, version = headers["api_key"].astype(np.int64), headers["api_version"].astype(np.int64)
    client_id_end = start + CLIENT_ID_AT + np.maximum(headers["client_id_length"], 0)
    layouts = _layouts()[np.where((key | version) >> 8 == 0, key << 8 | version, -1)]
    usual, flexible = layouts & _USUAL != 0, (layouts & _FLEXIBLE != 0).astype(np.int64)
    if begun:
        usual |= (layouts & _OPENS != 0) & (np.diff(run, prepend=-1) != 0)
    body = client_id_end + flexible
    odd = ~usual | frames.odd[stream] | (end - start < _SMALLEST_REQUEST)
    odd |= (body > end) | ((flexible != 0) & (buffer.numbers("B", client_id_end) != 0))
    produce = np.flatnonzero((key == PRODUCE) & ~odd)
    if len(produce):
        odd[produce] = ~_is_answered(buffer, version[produce], body[produce], end[produce])
    return Messages(
        run,
        start,
        end,
        frames.offset[mine],
        frames.first_packet[mine],
        frames.last_packet[mine],
        headers["correlation_id"].astype(np.int64),
        key,
        version,
        client_id_end,
        body,
        odd,
    )


def _blocks(buffer: Buffer, places: Numbers, packets: Numbers, width: int) -> Block:
    """Copy as many bytes of messages from each place; `packets` brought them."""
    order = ordered(packets)
    found = np.empty((len(places), width), np.uint8)
    found[order] = buffer.block(places[order], width)
    return found


def in_order(messages: Messages, rows: Numbers) -> Numbers:
    """Give some messages, of which those of each run stand together, in the order in which they ended."""
    return rows[ordered(messages.last_packet[rows])]


def have_one_client_id(buffer: Buffer, requests: Messages, first: Numbers) -> Marks:
    """Tell for each run whether all its requests have one client id; `first` gives the index of its first request.

    Of client ids that are very long it is not told.
    """
    begin, run = requests.start + CLIENT_ID_LENGTH_AT, requests.run
    length = requests.client_id_end - begin
    same = (length == length[first[run]]) & (length <= _LONGEST_CLIENT_ID)
    width = int(length[same].max(initial=0))
    models, inside = np.zeros((2, len(first), width), np.uint8)
    begun = np.flatnonzero(np.diff(first, append=len(run)))
    models[begun] = buffer.block(begin[first[begun]], width)
    inside[begun] = np.where(np.arange(width) < length[first[begun]][:, None], 0xFF, 0)
    differs = _blocks(buffer, begin, requests.first_packet, width)
    differs ^= models[run]
    differs &= inside[run]
    if np.count_nonzero(differs):
        same &= ~differs.any(axis=1)
    found = np.ones(len(first), np.bool_)
    found[requests.run[~same]] = False
    return found


_USUAL, _OPENS, _FLEXIBLE = 1, 2, 4
"""Whether columns may read requests of a layout; those that are the first of their connection; and whether tagged
fields end the header."""


@cache
def _layouts() -> NDArray[np.uint8]:
    """Give what is known of each API key << 8 | version; nothing for the last one."""
    found = np.zeros(1 << 16, np.uint8)
    for key, api in APIS.items():
        for version in range(api.first_version, api.last_version + 1):
            usual, opens = key not in _SPECIAL and key != CONTROLLED_SHUTDOWN, key == API_VERSIONS
            if usual or opens:
                flexible = request_header_version(key, version) == 2
                found[key << 8 | version] = _USUAL * usual | _OPENS * opens | _FLEXIBLE * flexible
    return found


def _is_answered(buffer: Buffer, version: Numbers, body: Numbers, end: Numbers) -> Marks:
    """Tell of Produce requests whether columns show that they ask for acknowledgement, and so for an answer."""
    compact = version >= FLEXIBLE_PRODUCE
    length = buffer.numbers("B", body)
    long = compact & (length > 127)
    acks_at = np.where(
        compact,
        body + np.maximum(length, 1),
        np.where(version >= FIRST_IN_TRANSACTIONS, body + 2 + np.maximum(buffer.numbers("h", body), 0), body),
    )
    answered: Marks = ~long & (acks_at + 2 <= end) & (buffer.numbers("h", acks_at) != 0)
    return answered
