"""Answered calls as columns: what NumPy found of many connections at once, in the order in which the calls ended."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.call import Call, Frame
from kafkasniff.calls.facts import CallFacts
from kafkasniff.calls.fetch_sessions import SessionStep
from kafkasniff.calls.learning import Learning, names_topic_ids
from kafkasniff.calls.topics import KnownNames
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.tcp.events import Connection

Numbers = NDArray[np.int64]
RowFields = tuple[int, int, int, int, int, int, int, int, int, int, int, int]
"""Run, API key and version, correlation id, request, end of the client id, body, end of the request, response and its
end (see `CallColumns`), time of the request and total time, both in ns."""


class RunFacts(Protocol):
    """What is the same for the calls of each run."""

    def __len__(self) -> int:
        """Give the number of runs."""

    def __getitem__(self, run: int, /) -> CallFacts:
        """Give that of a run."""

    def ends(self, run: int) -> tuple[str, str]:
        """Give client and server of a run."""


class ListedFacts(list[CallFacts]):
    """What was made already."""

    def ends(self, run: int) -> tuple[str, str]:
        """Give client and server of a run."""
        facts = self[run]
        return facts.client, facts.server


@dataclass(slots=True, eq=False)
class CallColumns:
    """One row for each call; all were answered, and of all messages every byte is there."""

    data: bytes
    """The buffer in which the messages lie."""
    batch: PacketBatch
    """The packets that brought them."""
    facts: RunFacts
    """What is the same for the calls of a run: one entry for each run."""
    connection: Callable[[int], Connection]
    """Gives the connection of a run."""
    client_ids: list[bytes | None]
    """For each run: the client id of all its requests, empty where it is null; None where they differ."""
    run: Numbers
    """Index into `facts`."""
    api_key: Numbers
    api_version: Numbers
    correlation_id: Numbers
    client_id_end: Numbers
    """Position in `data` behind the client id, which begins 10 bytes into the request, if it is not null."""
    body: Numbers
    """Position in `data` of the request's body."""
    request: Numbers
    """Position in `data` of the request, without its size prefix …"""
    request_end: Numbers
    """… and of its end."""
    response: Numbers
    response_end: Numbers
    request_time: Numbers
    """When the request's first byte came, in ns since 1970."""
    response_time: Numbers
    """When the response's last byte came."""
    request_packets: NDArray[np.int64]
    """First and last packet of the request by their index in the batch: shape (calls, 2); see `carried`."""
    response_packets: NDArray[np.int64]
    request_offset: Numbers
    """Position of the size prefix in its direction's stream."""
    response_offset: Numbers
    carried: dict[int, Frame]
    """By row: requests that earlier batches brought."""
    made: dict[int, Call]
    """By row: calls that were made already, as others could be learnt from them."""
    sessions: dict[int, SessionStep] = field(default_factory=dict)
    """By row: the steps of Fetch sessions, as far as the rows were taken by `CallRows.learn`."""
    known: list[tuple[int, KnownNames]] = field(default_factory=list)
    """From which row on which names of topic ids are known, as far as the rows were taken by `CallRows.learn`."""
    _telling: list[int] | None = None

    def places(self) -> Numbers:
        """Give where each call ended, as `Reassembler.places` does."""
        return 2 * self.response_packets[:, 1] + 1

    def telling(self, learning: Learning) -> list[int]:
        """Give the rows of the calls that `learning` should take, which is to be the same each time."""
        if self._telling is None:
            layouts = (self.api_key << 16) | self.api_version
            telling = [each for each in np.unique(layouts).tolist() if learning.may_tell(each >> 16, each & 0xFFFF)]
            self._telling = np.flatnonzero(np.isin(layouts, telling)).tolist() if telling else []
        return self._telling

    def fields(self, rows: Numbers | slice) -> Iterator[RowFields]:
        """Give of some rows the numbers that lines are made of."""
        begun = self.request_time[rows]
        return zip(
            self.run[rows].tolist(),
            self.api_key[rows].tolist(),
            self.api_version[rows].tolist(),
            self.correlation_id[rows].tolist(),
            self.request[rows].tolist(),
            self.client_id_end[rows].tolist(),
            self.body[rows].tolist(),
            self.request_end[rows].tolist(),
            self.response[rows].tolist(),
            self.response_end[rows].tolist(),
            begun.tolist(),
            (self.response_time[rows] - begun).tolist(),
            strict=True,
        )

    def call(self, row: int) -> Call:
        """Give the call of a row; each is made once at most if others were learnt from it."""
        made = self.made.get(row)
        if made is not None:
            return made
        run = self.run.item(row)
        request = self.carried.get(row)
        if request is None:
            request = self._frame(row, self.request, self.request_end, self.request_packets, self.request_offset)
        response = self._frame(row, self.response, self.response_end, self.response_packets, self.response_offset)
        header = read_request_header(request.data)
        connection = self.connection(run)
        call = self.facts[run].call(connection, request, response, header, "answered", response.last, None, [])
        if names_topic_ids(header.api_key, header.api_version):
            known = self.known[bisect_right(self.known, row, key=itemgetter(0)) - 1][1]
            call.context = replace(call.context, topics=known)
        call.fetch_session = self.sessions.get(row)
        return call

    def _frame(self, row: int, start: Numbers, end: Numbers, packets: Numbers, offset: Numbers) -> Frame:
        data, arrival = self.data[start.item(row) : end.item(row)], self.batch.arrival
        first, last = packets.item(row, 0), packets.item(row, 1)
        arrived = arrival(first)
        return Frame(len(data), data, arrived, arrived if last == first else arrival(last), offset.item(row))


class CallRows(NamedTuple):
    """Calls that ended one after the other: rows of `columns` from `start` to `stop`."""

    columns: CallColumns
    start: int
    stop: int

    def calls(self) -> Iterator[Call]:
        """Give them one by one."""
        for row in range(self.start, self.stop):
            yield self.columns.call(row)

    def fields(self) -> Iterator[RowFields]:
        """Give the numbers of each row that lines are made of."""
        return self.columns.fields(slice(self.start, self.stop))

    def learn(self, learning: Learning) -> None:
        """Let `learning` take the calls among them that may tell of others."""
        columns, known, data = self.columns, self.columns.known, self.columns.data
        telling = columns.telling(learning)
        known.append((self.start, learning.names.now))
        rows = np.array(telling[bisect_left(telling, self.start) : bisect_left(telling, self.stop)], np.int64)
        for row, fields in zip(rows.tolist(), columns.fields(rows), strict=True):
            run, key, version, _, request, _, body, request_end, response, response_end, _, _ = fields
            sessions = learning.sessions_of(key, version)
            if sessions is not None:
                asked, answered = data[request:request_end], data[response:response_end]
                step = sessions.follow(columns.facts[run].server, version, asked, body - request, answered)
            else:
                call = columns.made[row] = columns.call(row)
                learning.take(call)
                step = call.fetch_session
                if learning.names.now is not known[-1][1]:
                    known.append((row, learning.names.now))
                    learning.date(call)
            if step is not None:
                columns.sessions[row] = step
