"""Runs of many Kafka connections at once: cut into frames, read and paired by columns, while nothing in them is odd.

What is odd is not guessed at: such a run is refused as a whole before anything of it was taken, and goes frame by
frame (`runs`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.call import Frame
from kafkasniff.calls.call_columns import CallColumns, Numbers
from kafkasniff.calls.frames import SIZE_PREFIX
from kafkasniff.calls.pairing import WaitingRequest
from kafkasniff.calls.streams import PRODUCE
from kafkasniff.calls.talks import Talk
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.headers import API_VERSIONS, CONTROLLED_SHUTDOWN, request_header_version
from kafkasniff.protocol.primitives import java_text

_SIZE = Struct(">i")
_FEW = 8
"""Streams of which each is cut by plain code, as columns cost more."""
_SMALLEST_REQUEST = 10
"""Bytes of a request header with a null client id."""
_CLIENT_ID_LENGTH_AT = 8
_CLIENT_ID_LENGTH = 2
_CLIENT_ID_AT = 10
_SPECIAL = frozenset({17, API_VERSIONS, 36})
"""APIs that tell who the client is, or change what follows on the connection: never taken by columns."""
_NO_ACKS_SINCE = 3
"""Produce has a transactional id before its acks from this version on, and a compact one …"""
_FLEXIBLE_PRODUCE = 9
"""… from this one on."""


def take_talks(talks: Sequence[Talk]) -> tuple[CallColumns | None, list[Talk]]:
    """Take runs of one batch; give the calls that they end, and the runs that were refused."""
    streams = _join(talks)
    frames = _cut(streams)
    requests, responses = _read(streams, frames)
    pairs = _pair(talks, streams, requests, responses)
    taken = ~pairs.refused
    columns = None
    if taken.any():
        client_ids = _client_ids(streams, requests, pairs)
        columns = _columns(talks, streams, requests, responses, pairs, client_ids)
        _commit(talks, streams, requests, responses, pairs, frames.rest, client_ids)
    return columns, [talk for talk, refused in zip(talks, pairs.refused.tolist(), strict=True) if refused]


class _Streams(NamedTuple):
    """The bytes of all runs in one buffer: of each run those of the client, then those of the server."""

    data: bytes
    """With the requests behind them that wait for their answers from earlier on."""
    starts: Numbers
    """Where each stream begins: twice as many as runs."""
    ends: Numbers
    segment_ends: Numbers
    """Where each segment ends, in the order of the streams."""
    segment_packets: Numbers
    """Index in the batch of the packet that brought it."""
    waiting: list[list[WaitingRequest]]
    """For each run: requests that wait for answers from earlier on."""
    limits: Numbers
    """For each stream: the size up to which a message needs no check before it is whole."""

    def int32(self, places: Numbers) -> Numbers:
        """Read the numbers at these positions."""
        return np.ndarray(len(self.data) - 3, ">i4", self.data, 0, (1,))[places].astype(np.int64)

    def int16(self, places: Numbers) -> Numbers:
        """Read the numbers at these positions; what lies behind the buffer is read as its end."""
        return np.ndarray(len(self.data) - 1, ">i2", self.data, 0, (1,))[np.minimum(places, len(self.data) - 2)].astype(
            np.int64
        )

    def bytes_at(self, places: Numbers) -> Numbers:
        """Read single bytes, as `int16` does."""
        return np.frombuffer(self.data, np.uint8)[np.minimum(places, len(self.data) - 1)].astype(np.int64)


def _join(talks: Sequence[Talk]) -> _Streams:
    parts: list[bytes] = []
    starts: list[int] = []
    ends_of: list[Numbers] = []
    packets: list[Numbers] = []
    limits: list[int] = []
    waiting = []
    at = 0
    for talk in talks:
        kafka = talk.kafka
        data = talk.run.batch.data
        for direction in (kafka.client, 1 - kafka.client):
            side, start = talk.run.sides[direction], talk.starts[direction]
            first = bisect_right(side.ends, start)
            rest = side.ends[first:]
            begins = [start, *rest[:-1]] if rest else []
            parts += [
                data[begin + shift : end + shift]
                for begin, end, shift in zip(begins, rest, side.shifts[first:], strict=True)
            ]
            ends = np.array(rest, np.int64) + (at - start)
            starts.append(at)
            at = int(ends[-1]) if len(ends) else at
            ends_of.append(ends)
            packets.append(np.array(side.packets[first:], np.int64))
            limits.append(kafka.cutter(direction).whole_limit)
        waiting.append(kafka.waiting)
    parts += [request.frame.data for requests in waiting for request in requests]
    # So that numbers at the very end can be read where there is nothing else.
    parts.append(bytes(8))
    begins_of = np.array(starts, np.int64)
    return _Streams(
        b"".join(parts),
        begins_of,
        np.append(begins_of[1:], at),
        np.concatenate(ends_of),
        np.concatenate(packets),
        waiting,
        np.array(limits, np.int64),
    )


class _Frames(NamedTuple):
    """The whole frames of all streams, in the order of the streams."""

    stream: Numbers
    """Index of the stream."""
    start: Numbers
    """Position of the content, behind the size prefix."""
    end: Numbers
    rest: Numbers
    """For each stream: where its last whole frame ends."""
    odd: NDArray[np.bool_]
    """For each stream: whether it has a size that is none, or one that needs a check."""


def _cut(streams: _Streams) -> _Frames:
    """Walk through all streams at once, from size prefix to size prefix."""
    rest, odd = streams.ends.copy(), np.zeros(len(streams.starts), np.bool_)
    index, at, ends = np.arange(len(streams.starts)), streams.starts, streams.ends
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    while len(index) > _FEW:
        whole = ends - at >= SIZE_PREFIX
        if not whole.all():
            rest[index[~whole]] = at[~whole]
            index, at, ends = index[whole], at[whole], ends[whole]
        size = streams.int32(at)
        begin = at + SIZE_PREFIX
        end = begin + size
        believed = (size >= 0) & (size <= streams.limits[index])
        whole = believed & (end <= ends)
        if not whole.all():
            odd[index[~believed]] = True
            rest[index[~whole]] = at[~whole]
            index, begin, end, ends = index[whole], begin[whole], end[whole], ends[whole]
        found.append((index, begin, end))
        at = end
    found += [
        _cut_one(streams, each, place, stop, rest, odd)
        for each, place, stop in zip(index.tolist(), at.tolist(), ends.tolist(), strict=True)
    ]
    nothing = np.zeros(0, np.int64)
    stream, start, end = (np.concatenate(column) for column in zip((nothing,) * 3, *found, strict=True))
    order = np.argsort(start, kind="stable")
    return _Frames(stream[order], start[order], end[order], rest, odd)


def _cut_one(
    streams: _Streams, stream: int, at: int, end: int, rest: Numbers, odd: NDArray[np.bool_]
) -> tuple[Numbers, Numbers, Numbers]:
    data, limit, unpack = streams.data, streams.limits.item(stream), _SIZE.unpack_from
    starts, ends = [], []
    while at + SIZE_PREFIX <= end:
        (size,) = unpack(data, at)
        if not 0 <= size <= limit:
            odd[stream] = True
            break
        stop = at + SIZE_PREFIX + size
        if stop > end:
            break
        starts.append(at + SIZE_PREFIX)
        ends.append(stop)
        at = stop
    rest[stream] = at
    return np.full(len(starts), stream), np.array(starts, np.int64), np.array(ends, np.int64)


class _Messages(NamedTuple):
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


def _read(streams: _Streams, frames: _Frames) -> tuple[_Messages, _Messages]:
    of_server = frames.stream & 1 != 0
    first = streams.segment_packets[np.searchsorted(streams.segment_ends, frames.start - SIZE_PREFIX, side="right")]
    last = streams.segment_packets[np.searchsorted(streams.segment_ends, frames.end - 1, side="right")]
    run, odd = frames.stream >> 1, frames.odd[frames.stream]
    mine = ~of_server
    requests = _read_requests(
        streams, run[mine], frames.start[mine], frames.end[mine], first[mine], last[mine], odd[mine]
    )
    start, end = frames.start[of_server], frames.end[of_server]
    nothing = np.zeros(0, np.int64)
    responses = _Messages(
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
    streams: _Streams,
    run: Numbers,
    start: Numbers,
    end: Numbers,
    first: Numbers,
    last: Numbers,
    odd: NDArray[np.bool_],
) -> _Messages:
    odd |= end - start < _SMALLEST_REQUEST
    key, version = streams.int16(start), streams.int16(start + 2)
    length = streams.int16(start + _CLIENT_ID_LENGTH_AT)
    client_id_end = start + _CLIENT_ID_AT + np.maximum(length, 0)
    layout, inverse = np.unique((key << 16) | (version & 0xFFFF), return_inverse=True)
    known = [_layout(each >> 16, each & 0xFFFF) for each in layout.tolist()]
    flexible = np.array([each.flexible for each in known], np.bool_)[inverse]
    odd |= ~np.array([each.usual for each in known], np.bool_)[inverse]
    odd |= (client_id_end + flexible > end) | (flexible & (streams.bytes_at(client_id_end) != 0))
    produce = np.flatnonzero((key == PRODUCE) & ~odd)
    if len(produce):
        odd[produce] = ~_is_answered(
            streams, version[produce], client_id_end[produce] + flexible[produce], end[produce]
        )
    return _Messages(
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
    flexible: bool
    """Whether tagged fields end the request's header."""


@cache
def _layout(api_key: int, version: int) -> _Layout:
    api = APIS.get(api_key)
    usual = (
        api is not None
        and api.first_version <= version <= api.last_version
        and api_key not in _SPECIAL
        and api_key != CONTROLLED_SHUTDOWN
    )
    return _Layout(usual, usual and request_header_version(api_key, version) == 2)


def _is_answered(streams: _Streams, version: Numbers, body: Numbers, end: Numbers) -> NDArray[np.bool_]:
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


class _Pairs(NamedTuple):
    """Which request each response answers."""

    place: Numbers
    """For each response: the index among the requests, or of those that waited before (-1 - index)."""
    refused: NDArray[np.bool_]
    """For each run: whether anything is odd."""
    request_starts: Numbers
    """For each run and one more: index of its first request."""
    response_starts: Numbers


def _pair(talks: Sequence[Talk], streams: _Streams, requests: _Messages, responses: _Messages) -> _Pairs:
    """Let each response answer the first request that waits, if all the correlation ids say so."""
    runs = np.arange(len(talks) + 1)
    request_starts, response_starts = np.searchsorted(requests.run, runs), np.searchsorted(responses.run, runs)
    carried = np.array([len(waiting) for waiting in streams.waiting], np.int64)
    carried_starts = np.append(0, np.cumsum(carried))
    carried_ids = np.array(
        [request.header.correlation_id for waiting in streams.waiting for request in waiting], np.int64
    )
    of = responses.run
    nth = np.arange(len(of)) - response_starts[of]
    place = np.where(nth < carried[of], -1 - (carried_starts[of] + nth), request_starts[of] + nth - carried[of])
    refused = np.zeros(len(talks), np.bool_)
    for messages in (requests, responses):
        refused[messages.run[messages.odd]] = True
    odd = np.zeros(len(of), np.bool_)
    within = place < request_starts[of + 1]
    odd |= ~within
    own = np.flatnonzero((place >= 0) & within)
    asked = place[own]
    odd[own] = (requests.correlation_id[asked] != responses.correlation_id[own]) | (
        requests.last_packet[asked] >= responses.last_packet[own]
    )
    earlier = np.flatnonzero(place < 0)
    if len(earlier):
        odd[earlier] = carried_ids[-1 - place[earlier]] != responses.correlation_id[earlier]
    refused[of[odd]] = True
    count = np.diff(request_starts) + carried
    size = np.add.reduceat(np.append(requests.end - requests.start, 0), request_starts[:-1])
    size[np.diff(request_starts) == 0] = 0
    for run, talk in enumerate(talks):
        if not talk.kafka.has_room(count.item(run), size.item(run)):
            refused[run] = True
    return _Pairs(place, refused, request_starts, response_starts)


def _columns(
    talks: Sequence[Talk],
    streams: _Streams,
    requests: _Messages,
    responses: _Messages,
    pairs: _Pairs,
    client_ids: list[set[bytes]],
) -> CallColumns:
    batch = talks[0].run.batch
    rows = np.flatnonzero(~pairs.refused[responses.run])
    rows = rows[np.argsort(responses.last_packet[rows], kind="stable")]
    asked = pairs.place[rows]
    times = np.frombuffer(batch.times, np.int64)
    run = responses.run[rows]
    own = np.maximum(asked, 0)
    nothing = np.zeros(len(rows), np.int64)
    if len(requests.run):
        start, end = requests.start[own], requests.end[own]
        key, version = requests.api_key[own], requests.api_version[own]
        client_id_end, body = requests.client_id_end[own], requests.body[own]
        packets = np.stack((requests.first_packet[own], requests.last_packet[own]), axis=1)
        request_time = times[packets[:, 0]]
    else:
        start, end, key, version, client_id_end, body, request_time = (nothing.copy() for _ in range(7))
        packets = np.zeros((len(rows), 2), np.int64)
    carried = {}
    earlier = np.flatnonzero(asked < 0)
    if len(earlier):
        waited = [request for waiting in streams.waiting for request in waiting]
        ends = int(streams.ends[-1]) + np.cumsum([len(request.frame.data) for request in waited])
        for row in earlier.tolist():
            index = -1 - asked.item(row)
            frame, header = waited[index].frame, waited[index].header
            carried[row] = frame
            end[row] = ends.item(index)
            start[row] = ends.item(index) - len(frame.data)
            key[row], version[row] = header.api_key, header.api_version
            client_id_end[row] = start.item(row) + _client_id_end(waited[index])
            body[row] = start.item(row) + header.end
            request_time[row] = frame.first.time
    offsets = [
        talk.kafka.cutter(direction).offset
        for talk in talks
        for direction in (talk.kafka.client, 1 - talk.kafka.client)
    ]
    shift = np.array(offsets, np.int64) - streams.starts - SIZE_PREFIX
    return CallColumns(
        streams.data,
        batch,
        [talk.kafka.facts() for talk in talks],
        [next(iter(ids))[_CLIENT_ID_LENGTH:] if len(ids) == 1 else None for ids in client_ids],
        run,
        key,
        version,
        responses.correlation_id[rows],
        client_id_end,
        body,
        start,
        end,
        responses.start[rows],
        responses.end[rows],
        request_time,
        times[responses.last_packet[rows]],
        packets,
        np.stack((responses.first_packet[rows], responses.last_packet[rows]), axis=1),
        start + shift[2 * run],
        responses.start[rows] + shift[2 * run + 1],
        carried,
        {},
    )


def _commit(
    talks: Sequence[Talk],
    streams: _Streams,
    requests: _Messages,
    responses: _Messages,
    pairs: _Pairs,
    rest: Numbers,
    client_ids: list[set[bytes]],
) -> None:
    """Bring the state of each conversation to where its run ends."""
    for run, talk in enumerate(talks):
        if pairs.refused[run]:
            continue
        kafka, batch = talk.kafka, talk.run.batch
        first, last = pairs.request_starts.item(run), pairs.request_starts.item(run + 1)
        answers = range(pairs.response_starts.item(run), pairs.response_starts.item(run + 1))
        shift = kafka.cutter(kafka.client).offset - streams.starts.item(2 * run) - SIZE_PREFIX
        open_from = max(first + len(answers) - len(streams.waiting[run]), first)
        kafka.take_pairs(
            {_client_id(raw) for raw in client_ids[run]},
            requests.correlation_id[first:last],
            responses.correlation_id[answers.start : answers.stop],
            [
                Frame(
                    requests.end.item(index) - requests.start.item(index),
                    streams.data[requests.start.item(index) : requests.end.item(index)],
                    batch.arrival(requests.first_packet.item(index)),
                    batch.arrival(requests.last_packet.item(index)),
                    requests.start.item(index) + shift,
                )
                for index in range(open_from, last)
            ],
        )
        for stream, direction in ((2 * run, kafka.client), (2 * run + 1, 1 - kafka.client)):
            _advance(talk, direction, rest.item(stream) - streams.starts.item(stream))
        for direction in (0, 1):
            if talk.run.sides[direction].packets:
                talk.conversation.note_start(talk.run.data(direction, 0))
            kafka.drain(direction)


def _client_ids(streams: _Streams, requests: _Messages, pairs: _Pairs) -> list[set[bytes]]:
    """Give for each run the client ids of its requests and of those that waited, each with its length before it."""
    found = []
    begins, ends = requests.start + _CLIENT_ID_LENGTH_AT, requests.client_id_end
    for run, (first, last) in enumerate(pairwise(pairs.request_starts.tolist())):
        ids = {request.frame.data[_CLIENT_ID_LENGTH_AT : _client_id_end(request)] for request in streams.waiting[run]}
        if not pairs.refused[run]:
            ids |= _distinct(streams.data, begins[first:last], ends[first:last])
        found.append(ids)
    return found


def _client_id_end(request: WaitingRequest) -> int:
    length = int.from_bytes(request.frame.data[_CLIENT_ID_LENGTH_AT:_CLIENT_ID_AT], "big", signed=True)
    return _CLIENT_ID_AT + max(length, 0)


def _distinct(data: bytes, begins: Numbers, ends: Numbers) -> set[bytes]:
    """Give the distinct contents of some parts of a buffer."""
    if len(begins) > 1 and (ends - begins == ends[0] - begins[0]).all():
        # As most connections have one client.
        every = np.frombuffer(data, np.uint8)[begins[:, None] + np.arange(ends[0] - begins[0])]
        if (every == every[0]).all():
            begins, ends = begins[:1], ends[:1]
    return {data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)}


def _client_id(raw: bytes) -> str | None:
    return None if raw[0] & 0x80 else java_text(raw[_CLIENT_ID_LENGTH:])


def _advance(talk: Talk, direction: int, taken: int) -> None:
    """Let a cutter pass `taken` bytes of a run, and push what follows: the beginning of a message."""
    cutter, ends = talk.kafka.cutter(direction), talk.run.sides[direction].ends
    cutter.offset += taken
    first = talk.pushed[direction]
    if first == len(ends):
        return
    at = talk.starts[direction] + taken
    for index in range(bisect_right(ends, at), len(ends)):
        event = talk.run.data(direction, index)
        cutter.push(event, max(at - ends[index] + len(event.data), 0))
    sizes = np.diff(np.array(ends[first:]), prepend=ends[first - 1] if first else 0)
    cutter.note_segments(sizes.item(-1), int(sizes.max()))
