"""Takes whole connections at once: their first requests prove that they speak Kafka, and all that follows is calls.

A connection in which anything is odd is refused, and goes the careful way. What is taken here would be taken there:
the first bytes of the client are one request whose header and body leave nothing to chance (`calls/evidence.py`).
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kafkasniff.calls.authentication import ANONYMOUS
from kafkasniff.calls.call import ConnectionReport
from kafkasniff.calls.columns.calls import CallColumns, Numbers
from kafkasniff.calls.columns.frames import Frames, cut
from kafkasniff.calls.columns.messages import (
    CLIENT_ID_AT,
    CLIENT_ID_LENGTH_AT,
    Messages,
    have_one_client_id,
    in_order,
    read_messages,
)
from kafkasniff.calls.columns.streams import Streams
from kafkasniff.calls.conversation import SHOWN_START, evidence_of
from kafkasniff.calls.facts import CallFacts
from kafkasniff.calls.frames import LARGE, SIZE_PREFIX
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.long_names import short_name
from kafkasniff.calls.pairing import PRODUCE
from kafkasniff.calls.streams import CallOptions
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.headers import API_VERSIONS
from kafkasniff.tcp.columns import Marks
from kafkasniff.tcp.events import Endpoint
from kafkasniff.tcp.lives import Lives

LARGEST_OPENING = 1024
"""Bytes of a first request that is judged here."""
_LAYOUT = 4
"""Bytes of API key and version, which a request begins with."""
_ERROR_CODE = 2

Software = tuple[str | None, str | None]


class LifeFacts:
    """Of each connection two runs: its ApiVersions call, if it begins with one, and its other calls."""

    def __init__(self, lives: Lives, software: Sequence[Software], options: CallOptions) -> None:
        """Make them when they are asked for: there are many."""
        self._clients, self._servers = lives.names()
        self._software = software
        self._options = options

    def __len__(self) -> int:
        """Give the number of runs."""
        return 2 * len(self._clients)

    def __getitem__(self, run: int) -> CallFacts:
        """Give what is the same for the calls of a run."""
        row, options = run >> 1, self._options
        return CallFacts(
            self._clients[row],
            self._servers[row],
            "PLAINTEXT",
            # Only an answer to something else than ApiVersions shows that nobody has to log in.
            ANONYMOUS if run & 1 else None,
            *self._software[row],
            options.show_secrets,
            options.context,
        )

    def ends(self, run: int) -> tuple[str, str]:
        """Give client and server of a run."""
        return self._clients[run >> 1], self._servers[run >> 1]


class TakenLives:
    """Connections that speak Kafka, whose requests were all answered."""

    def __init__(self, lives: Lives, facts: LifeFacts, columns: CallColumns, calls: Numbers) -> None:
        """Know of each connection how many calls it made."""
        self._lives = lives
        self._facts = facts
        self.columns = columns
        self._calls = calls

    def __len__(self) -> int:
        """Give how many there are."""
        return len(self._lives)

    def servers(self) -> list[tuple[Endpoint, int]]:
        """Give the servers in the order in which they were proven to speak Kafka, and when, in ns since 1970."""
        lives, times = self._lives, self.columns.batch.times
        first: dict[str, tuple[int, int]] = {}
        begun = lives.segment_packets[lives.segment_bounds[:-1:2]]
        for row in np.argsort(begun).tolist():
            first.setdefault(self._facts.ends(2 * row)[1], (row, times[begun.item(row)]))
        return [(lives.connection(row).endpoints[1], time) for row, time in first.values()]

    def reports(self) -> list[tuple[int, list[ConnectionReport]]]:
        """Say what each connection was, with the place where it ended, as `Reassembler.places` does."""
        lives, arrival = self._lives, self.columns.batch.arrival
        found = []
        for row, (end, calls) in enumerate(zip(lives.ends.tolist(), self._calls.tolist(), strict=True)):
            client, server = self._facts.ends(2 * row)
            report = ConnectionReport(
                lives.connection(row),
                client,
                server,
                "kafka",
                evidence_of(0, client),
                calls,
                arrival(end),
                lives.segment(row, 1, 0).data[:SHOWN_START],
            )
            found.append((2 * end + 1, [report]))
        return found


def take_lives(lives: Lives, options: CallOptions, limits: CallLimits) -> tuple[TakenLives | None, Lives]:
    """Take connections; give those that are taken, and those that are refused."""
    if options.keep_packets:
        return None, lives
    streams = _streams(lives, min(LARGE, limits.kept_message_bytes, limits.largest_message_bytes))
    frames = cut(streams)
    requests, responses = read_messages(frames, begun=True)
    refused = (frames.odd | (frames.rest != streams.sizes())).reshape(-1, 2).any(axis=1)
    request_starts = np.searchsorted(requests.run, np.arange(len(lives) + 1))
    calls = np.diff(request_starts)
    refused |= (calls == 0) | (calls != np.bincount(responses.run, minlength=len(lives)))
    for messages in (requests, responses):
        refused[messages.run[messages.odd]] = True
    refused |= calls > limits.pending_calls
    refused |= np.bincount(requests.run, requests.end - requests.start, len(lives)) > limits.pending_bytes
    response_starts = np.searchsorted(responses.run, np.arange(len(lives)))
    asked = (request_starts[:-1] - response_starts)[responses.run] + np.arange(len(responses.run))
    asked = np.minimum(asked, len(requests.run) - 1)
    if len(asked) and len(requests.run):
        refused[responses.run[_are_no_answers(frames, requests, responses, asked)]] = True
    software = _judge(lives, frames, requests, request_starts[:-1], refused, limits)
    if refused.all():
        return None, lives
    taken = lives.where(~refused)
    rows = in_order(responses, np.flatnonzero(~refused[responses.run]))
    facts = LifeFacts(taken, software, options)
    columns = _columns(taken, frames, requests, responses, rows, asked[rows], refused, facts)
    columns.client_ids += _client_ids(frames, requests, request_starts[:-1], ~refused)
    return TakenLives(taken, facts, columns, calls[~refused]), lives.where(refused)


def _streams(lives: Lives, largest: int) -> Streams:
    return Streams(
        lives.batch.data,
        lives.segment_bounds,
        lives.segment_places,
        lives.segment_lengths,
        lives.segment_packets,
        [],
        np.full(2 * len(lives), largest),
    )


def _are_no_answers(frames: Frames, requests: Messages, responses: Messages, asked: Numbers) -> Marks:
    """Tell which responses do not answer the requests that they should, or change what follows."""
    odd: Marks = requests.correlation_id[asked] != responses.correlation_id
    odd |= requests.last_packet[asked] >= responses.last_packet
    # The answer to a version that the broker does not know is laid out as in version 0 (KIP-511).
    error_at = responses.start + SIZE_PREFIX
    refuses = (error_at + _ERROR_CODE > responses.end) | (frames.buffer.numbers("h", error_at) != 0)
    odd |= (requests.api_key[asked] == API_VERSIONS) & refuses
    return odd


def _judge(
    lives: Lives, frames: Frames, requests: Messages, first: Numbers, refused: Marks, limits: CallLimits
) -> list[Software]:
    """Refuse connections whose first bytes prove nothing by themselves; of the others give the client's software."""
    rows = np.flatnonzero(~refused)
    first = first[rows]
    start, end = requests.start[first], requests.end[first]
    bounds = lives.segment_bounds
    # One segment brings the request alone, before the server says anything.
    proven = end == (lives.segment_places + lives.segment_lengths)[bounds[2 * rows]]
    proven &= lives.segment_packets[bounds[2 * rows]] < lives.segment_packets[bounds[2 * rows + 1]]
    proven &= end - start <= min(LARGEST_OPENING, limits.search_bytes - SIZE_PREFIX)
    # Of Produce, small numbers follow each other, as they do elsewhere too.
    proven &= (requests.api_key[first] != PRODUCE) & (frames.buffer.numbers("h", start + CLIENT_ID_LENGTH_AT) >= -1)
    refused[rows[~proven]] = True
    rows, first, data = rows[proven], first[proven], frames.buffer.data
    found: list[Software] = []
    for row, at, client_id_end, body, stop in zip(
        rows.tolist(),
        requests.start[first].tolist(),
        requests.client_id_end[first].tolist(),
        requests.body[first].tolist(),
        requests.end[first].tolist(),
        strict=True,
    ):
        software = _software(data[at : at + _LAYOUT], data[body:stop])
        if software is None or not data[at + CLIENT_ID_AT : client_id_end].isascii():
            refused[row] = True
        else:
            found.append(software)
    return found


@lru_cache(maxsize=1024)
def _software(layout: bytes, body: bytes) -> Software | None:
    """Give the client's software, as far as a first request tells it; None for a body that leaves anything to chance.

    `layout` is the API key with the version.
    """
    key, version = int.from_bytes(layout[:2], "big"), int.from_bytes(layout[2:], "big")
    decoded = decode_body(key, version, "request", body, 0)
    if decoded.value is None or decoded.problems or decoded.end != len(body):
        return None
    if key != API_VERSIONS or version < 3:
        return None, None
    return short_name(decoded.value["clientSoftwareName"]), short_name(decoded.value["clientSoftwareVersion"])


def _columns(
    lives: Lives,
    frames: Frames,
    requests: Messages,
    responses: Messages,
    rows: Numbers,
    asked: Numbers,
    refused: Marks,
    facts: LifeFacts,
) -> CallColumns:
    batch = lives.batch
    times = np.frombuffer(batch.times, np.int64)
    life = responses.run[rows]
    key = requests.api_key[asked]
    start, end = requests.start[asked], responses.start[rows]
    first = requests.first_packet[asked]
    taken = np.cumsum(~refused) - 1
    return CallColumns(
        frames.buffer.data,
        batch,
        facts,
        lambda run: lives.connection(run >> 1),
        [],
        2 * taken[life] + (key != API_VERSIONS),
        key,
        requests.api_version[asked],
        responses.correlation_id[rows],
        requests.client_id_end[asked],
        requests.body[asked],
        start,
        requests.end[asked],
        end,
        responses.end[rows],
        times[first],
        times[responses.last_packet[rows]],
        np.stack((first, requests.last_packet[asked]), axis=1),
        np.stack((responses.first_packet[rows], responses.last_packet[rows]), axis=1),
        requests.offset[asked],
        responses.offset[rows],
        {},
        {},
    )


def _client_ids(frames: Frames, requests: Messages, first: Numbers, taken: Marks) -> list[bytes | None]:
    """Give of each connection, for both its runs, the client id of all its requests; None where they differ.

    `first` gives the index of each connection's first request.
    """
    data, one = frames.buffer.data, have_one_client_id(frames.buffer, requests, first)
    chosen = first[taken]
    begins, ends = requests.start[chosen] + CLIENT_ID_AT, requests.client_id_end[chosen]
    ids = zip(begins.tolist(), ends.tolist(), one[taken].tolist(), strict=True)
    return [client_id for begin, end, is_one in ids for client_id in (data[begin:end] if is_one else None,) * 2]
