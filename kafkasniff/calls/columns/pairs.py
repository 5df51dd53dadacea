"""Pairs the requests and responses of many runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.messages import Messages
from kafkasniff.calls.columns.streams import Streams
from kafkasniff.calls.columns.talks import Talk
from kafkasniff.tcp.columns import Marks


class Pairs(NamedTuple):
    """Which request each response answers."""

    place: Numbers
    """For each response: the index among the requests, or of those that waited before (-1 - index)."""
    refused: Marks
    """For each run: whether anything is odd."""
    request_starts: Numbers
    """For each run and one more: index of its first request."""
    response_starts: Numbers


def pair(talks: Sequence[Talk], streams: Streams, requests: Messages, responses: Messages) -> Pairs:
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
    return Pairs(place, refused, request_starts, response_starts)
