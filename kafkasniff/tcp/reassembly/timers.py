# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What is put off until a time of the capture."""

from heapq import heapify, heappop, heappush

from kafkasniff.tcp.reassembly.state import ConnectionState

NO_TIMER = (1 << 63) - 1
_SPARE_TIMERS = 1_024


class Timers:
    """Connections that wait for a time, the next one first."""

    __slots__ = ("_heap", "_number", "next")

    def __init__(self) -> None:
        """Start with none."""
        self.next = NO_TIMER
        """When the next one is due, in ns since 1970."""
        self._heap: list[tuple[int, int, ConnectionState]] = []
        self._number = 0

    def set(self, time: int, state: ConnectionState, connections: int) -> None:
        """Let a connection wait until `time`; so many `connections` are open."""
        if len(self._heap) > 2 * connections + _SPARE_TIMERS:
            # Where the clock stands still or steps back, timers of ended connections do not run out.
            self._heap = [timer for timer in self._heap if timer[2].connection.ended_by is None]
            heapify(self._heap)
        self._number += 1
        # A clock at the end of what it can say: 64 bits hold no later time.
        heappush(self._heap, (min(time, NO_TIMER), self._number, state))
        self.next = self._heap[0][0]

    def first(self) -> ConnectionState:
        """Give the connection that is due next; there must be one."""
        return self._heap[0][2]

    def take(self, now: int) -> ConnectionState | None:
        """Give a connection whose time has come and which is still open, and let it wait no longer; None: no more."""
        found = None
        while found is None and self._heap and self._heap[0][0] <= now:
            _, _, state = heappop(self._heap)
            if state.connection.ended_by is None:
                found = state
        self.next = self._heap[0][0] if self._heap else NO_TIMER
        return found
