"""Takes runs of many connections at once.

What is odd is not guessed at: such a run is refused as a whole before anything of it was taken, and goes frame by
frame (`calls/runs.py`).
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from kafkasniff.calls.call import Frame
from kafkasniff.calls.columns.calls import CallColumns, ListedFacts
from kafkasniff.calls.columns.frames import Frames, cut
from kafkasniff.calls.columns.messages import (
    CLIENT_ID_AT,
    CLIENT_ID_LENGTH,
    CLIENT_ID_LENGTH_AT,
    Messages,
    have_one_client_id,
    in_order,
    read_messages,
)
from kafkasniff.calls.columns.pairs import Pairs, pair
from kafkasniff.calls.columns.streams import Streams, find_streams
from kafkasniff.calls.columns.talks import Talk
from kafkasniff.calls.pairing import WaitingRequest
from kafkasniff.protocol.primitives import java_text


def take_talks(talks: Sequence[Talk]) -> tuple[CallColumns | None, list[Talk]]:
    """Take runs of one batch; give the calls that they end, and the runs that were refused."""
    streams = find_streams(talks)
    frames = cut(streams)
    requests, responses = read_messages(frames)
    pairs = pair(talks, streams, requests, responses)
    columns = None
    if not pairs.refused.all():
        client_ids = _client_ids(streams, frames, requests, pairs)
        columns = _columns(talks, streams, frames, requests, responses, pairs, client_ids)
        _commit(talks, frames, requests, responses, pairs, client_ids)
    return columns, [talk for talk, refused in zip(talks, pairs.refused.tolist(), strict=True) if refused]


def _columns(
    talks: Sequence[Talk],
    streams: Streams,
    frames: Frames,
    requests: Messages,
    responses: Messages,
    pairs: Pairs,
    client_ids: list[set[bytes]],
) -> CallColumns:
    batch = talks[0].run.batch
    rows = in_order(responses, np.flatnonzero(~pairs.refused[responses.run]))
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
        request_time, offset = times[packets[:, 0]], requests.offset[own]
    else:
        start, end, key, version, client_id_end, body, request_time, offset = (nothing.copy() for _ in range(8))
        packets = np.zeros((len(rows), 2), np.int64)
    carried = {}
    earlier = np.flatnonzero(asked < 0)
    if len(earlier):
        waited = [request for waiting in streams.waiting for request in waiting]
        ends = frames.waiting_at + np.cumsum([len(request.frame.data) for request in waited])
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
    before = np.array(offsets, np.int64)
    return CallColumns(
        frames.buffer.data,
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
        offset + before[2 * run],
        responses.offset[rows] + before[2 * run + 1],
        carried,
        {},
    )


def _commit(
    talks: Sequence[Talk],
    frames: Frames,
    requests: Messages,
    responses: Messages,
    pairs: Pairs,
    client_ids: list[set[bytes]],
) -> None:
    """Bring the state of each conversation to where its run ends."""
    request_starts, response_starts = pairs.request_starts.tolist(), pairs.response_starts.tolist()
    rest, refused = frames.rest.tolist(), pairs.refused.tolist()
    for run, talk in enumerate(talks):
        if refused[run]:
            continue
        kafka, batch = talk.kafka, talk.run.batch
        first, last = request_starts[run], request_starts[run + 1]
        answers = slice(response_starts[run], response_starts[run + 1])
        before = kafka.cutter(kafka.client).offset
        waited = min(len(kafka.waiting), answers.stop - answers.start)
        open_from = first + answers.stop - answers.start - waited
        kafka.take_pairs(
            {_client_id(raw) for raw in client_ids[run]},
            requests.correlation_id[first:last],
            responses.correlation_id[answers],
            [
                Frame(
                    requests.end.item(index) - requests.start.item(index),
                    frames.buffer.data[requests.start.item(index) : requests.end.item(index)],
                    batch.arrival(requests.first_packet.item(index)),
                    batch.arrival(requests.last_packet.item(index)),
                    requests.offset.item(index) + before,
                )
                for index in range(open_from, last)
            ],
        )
        _advance(talk, kafka.client, rest[2 * run])
        _advance(talk, 1 - kafka.client, rest[2 * run + 1])
        for direction in (0, 1):
            if talk.run.sides[direction].packets and not talk.conversation.has_start(direction):
                talk.conversation.note_start(talk.run.data(direction, 0))
            kafka.drain(direction)


def _client_ids(streams: Streams, frames: Frames, requests: Messages, pairs: Pairs) -> list[set[bytes]]:
    """Give for each run the client ids of its requests and of those that waited, each with its length before it."""
    found: list[set[bytes]] = []
    data, starts = frames.buffer.data, pairs.request_starts.tolist()
    one = have_one_client_id(frames.buffer, requests, pairs.request_starts[:-1]).tolist()
    begins, ends = (requests.start + CLIENT_ID_LENGTH_AT).data, requests.client_id_end.data
    for run, (refused, waiting) in enumerate(zip(pairs.refused.tolist(), streams.waiting, strict=True)):
        ids = {request.frame.data[CLIENT_ID_LENGTH_AT : _client_id_end(request)] for request in waiting}
        if not refused:
            first, last = starts[run], starts[run + 1]
            last = min(last, first + 1) if one[run] else last
            ids.update(data[begin:end] for begin, end in zip(begins[first:last], ends[first:last], strict=True))
        found.append(ids)
    return found


def _client_id_end(request: WaitingRequest) -> int:
    length = int.from_bytes(request.frame.data[CLIENT_ID_LENGTH_AT:CLIENT_ID_AT], "big", signed=True)
    return CLIENT_ID_AT + max(length, 0)


def _client_id(raw: bytes) -> str | None:
    return None if raw[0] & 0x80 else java_text(raw[CLIENT_ID_LENGTH:])


def _advance(talk: Talk, direction: int, taken: int) -> None:
    """Let a cutter pass `taken` bytes of a run, and push what follows: the beginning of a message."""
    cutter, side = talk.kafka.cutter(direction), talk.run.sides[direction]
    ends = side.ends
    cutter.offset += taken
    first = talk.pushed[direction]
    if first == len(ends):
        return
    at = talk.starts[direction] + taken
    for index in range(bisect_right(ends, at), len(ends)):
        event = talk.run.data(direction, index)
        cutter.add(event, max(at - ends[index] + len(event.data), 0))
    cutter.note_segments(*side.sizes(first, len(ends)))
