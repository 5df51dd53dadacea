# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Correlation ids of requests that the capture lacks: clients count them up, so the requests around a gap tell."""

STEP = 16
"""Requests that are thought lost at most before the first one seen, and behind the last one."""
REMEMBERED = 1_024
"""Ids between two requests that are remembered."""
_HIGHEST = (1 << 31) - 1
"""Java logs in anew with ids just below it (SaslClientAuthenticator)."""


NO_ID = -1 << 40
"""Stands for no correlation id; those have 32 bits."""


class LostIds:
    """What the ids of the requests that were seen say of those that were not."""

    __slots__ = ("_first", "_last", "_losing", "_lost")

    def __init__(self, from_the_beginning: bool) -> None:
        """Begin a stream of requests whose beginning is in the capture, or (False) is not."""
        self._losing = not from_the_beginning
        self._first: int | None = None
        self._last = NO_ID
        self._lost: dict[int, None] = {}

    def lose(self) -> None:
        """Note that bytes of requests are lost."""
        self._losing = True

    def add(self, correlation_id: int) -> None:
        """Take the next request that was seen."""
        if self._losing:
            self._losing = False
            if self._last == NO_ID:
                self._first = correlation_id
            else:
                lost = range(self._last + 1, correlation_id)[-REMEMBERED:]
                self._lost.update(dict.fromkeys(lost))
                while len(self._lost) > REMEMBERED:
                    del self._lost[next(iter(self._lost))]
        self._last = correlation_id

    def may_have(self, correlation_id: int) -> bool | None:
        """Tell whether a lost request may have had this id; None when it may be that of a request still to come."""
        if self._last == NO_ID:
            return None
        if correlation_id > self._last:
            return True if self._losing and correlation_id - self._last <= STEP else None
        if correlation_id in self._lost:
            return True
        if self._first is None or (correlation_id < 0 <= self._first):
            # Clients count from zero.
            return False
        return 0 < self._first - correlation_id <= STEP

    def near(self, correlation_id: int | None) -> list[int]:
        """Give the lost ids that may come next behind an answer's."""
        if correlation_id is None:
            return []
        last = min(correlation_id + STEP, _HIGHEST)
        return [each for each in range(correlation_id + 1, last + 1) if self.may_have(each)]
