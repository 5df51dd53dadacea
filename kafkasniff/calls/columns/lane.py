"""Takes runs of many connections at once.

What is odd is not guessed at: such a run is refused as a whole before anything of it was taken, and goes frame by
frame (`calls/runs.py`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kafkasniff.calls.call import Frame
from kafkasniff.calls.columns.calls import CallColumns, ListedFacts, Numbers
from kafkasniff.calls.columns.frames import cut
from kafkasniff.calls.columns.messages import (
    CLIENT_ID_AT,
    CLIENT_ID_LENGTH,
    CLIENT_ID_LENGTH_AT,
    Messages,
    read_messages,
)
from kafkasniff.calls.columns.pairs import Pairs, pair
from kafkasniff.calls.columns.streams import Streams, join
from kafkasniff.calls.columns.talks import Talk
from kafkasniff.calls.frames import SIZE_PREFIX
from kafkasniff.calls.pairing import WaitingRequest
from kafkasniff.protocol.primitives import java_text


def take_talks(talks: Sequence[Talk]) -> tuple[CallColumns | None, list[Talk]]:
    """Take runs of one batch; give the calls that they end, and the runs that were refused."""
    streams = join(talks)
    frames = cut(streams)
    requests, responses = read_messages(streams, frames)
    pairs = pair(talks, streams, requests, responses)
    taken = ~pairs.refused
    columns = None
    if taken.any():
        client_ids = _client_ids(streams, requests, pairs)
        columns = _columns(talks, streams, requests, responses, pairs, client_ids)
        _commit(talks, streams, requests, responses, pairs, frames.rest, client_ids)
    return columns, [talk for talk, refused in zip(talks, pairs.refused.tolist(), strict=True) if refused]


def _columns(
    talks: Sequence[Talk],
    streams: Streams,
    requests: Messages,
    responses: Messages,
    pairs: Pairs,
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
        ListedFacts(talk.kafka.facts() for talk in talks),
        lambda run: talks[run].run.connection,
        [next(iter(ids))[CLIENT_ID_LENGTH:] if len(ids) == 1 else None for ids in client_ids],
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
    streams: Streams,
    requests: Messages,
    responses: Messages,
    pairs: Pairs,
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


def _client_ids(streams: Streams, requests: Messages, pairs: Pairs) -> list[set[bytes]]:
    """Give for each run the client ids of its requests and of those that waited, each with its length before it."""
    found = []
    begins, ends = requests.start + CLIENT_ID_LENGTH_AT, requests.client_id_end
    for run, (first, last) in enumerate(pairwise(pairs.request_starts.tolist())):
        ids = {request.frame.data[CLIENT_ID_LENGTH_AT : _client_id_end(request)] for request in streams.waiting[run]}
        if not pairs.refused[run]:
            ids |= _distinct(streams.data, begins[first:last], ends[first:last])
        found.append(ids)
    return found


def _client_id_end(request: WaitingRequest) -> int:
    length = int.from_bytes(request.frame.data[CLIENT_ID_LENGTH_AT:CLIENT_ID_AT], "big", signed=True)
    return CLIENT_ID_AT + max(length, 0)


def _distinct(data: bytes, begins: Numbers, ends: Numbers) -> set[bytes]:
    """Give the distinct contents of some parts of a buffer."""
    if len(begins) > 1 and (ends - begins == ends[0] - begins[0]).all():
        # As most connections have one client.
        every = np.frombuffer(data, np.uint8)[begins[:, None] + np.arange(ends[0] - begins[0])]
        if (every == every[0]).all():
            begins, ends = begins[:1], ends[:1]
    return {data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)}


def _client_id(raw: bytes) -> str | None:
    return None if raw[0] & 0x80 else java_text(raw[CLIENT_ID_LENGTH:])


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
