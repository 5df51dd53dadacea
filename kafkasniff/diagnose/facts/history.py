# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What calls have told of each open connection."""

from collections import deque

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts.clients import client_id_of, client_of
from kafkasniff.diagnose.memory.rates import SECOND

_SECOND = SECOND


def is_sample(sampled: dict[int, int], api_key: int, now: int) -> bool:
    """Tell whether a call of an API at `now` (ns) is a sample, one second or more after the last in `sampled`."""
    last = sampled.get(api_key, 0)
    if now - last < _SECOND:
        return False
    sampled[api_key] = now
    return True


class ConnectionHistory:
    """What calls have told so far of an open connection on which a request was seen."""

    __slots__ = (
        *(
            "_used",
            "_used_too",
            "answered",
            "client",
            "client_id",
            "erred",
            "largest",
            "largest_answer",
            "latest_answer",
            "layout",
            "muted_until",
            "named",
        ),
        *("_sampled", "principal", "served"),
        "waits",
    )

    def __init__(self, call: Call) -> None:
        """Begin with a call of it."""
        self.client_id = client_id_of(call)
        self.client = client_of(call)
        self.answered = 0
        """When the latest answer came (ns); 0 for none."""
        self.largest = 0
        """Bytes of the largest request that was answered."""
        self.largest_answer = 0
        """Bytes of the largest answer after which the client went on."""
        self.latest_answer = 0
        """Bytes of the latest answer."""
        self._sampled: dict[int, int] = {}
        """By API, when a call was last looked at closely (ns)."""
        self.muted_until = 0
        """Until when the broker may leave requests unread, as the client is over a quota (ns; KIP-219)."""
        self._used = 0
        """A bit for each API below 64 that the connection was used for."""
        self._used_too = 0
        """The same for those from 64 on."""
        self.layout = -1
        """API and version of the latest request in one of the versions that fingerprints are made of."""
        self.principal: str | None = None
        """Who has logged in, as far as the client's profile says it."""
        self.named = False
        """Whether rules have been told of the client id."""
        self.served = False
        """Whether the client got further than ApiVersions, or began to log in."""
        self.erred: set[int] | None = None
        """APIs whose latest answer to the client had an error that no rule takes; shared by its connections."""
        self.waits: deque[list[int]] | None = None
        """The latest waits: when the client can know that it is to wait, until when (ns), and whether it was kept."""

    def is_due(self, api_key: int, now: int) -> bool:
        """Tell whether it is a second since a call of an API was looked at closely; then this one is (ns)."""
        return is_sample(self._sampled, api_key, now)

    def first_of(self, api_key: int) -> bool:
        """Note a call; tell whether it is the connection's first of its API."""
        if self.used(api_key):
            return False
        if api_key < 64:
            self._used |= 1 << api_key
        else:
            self._used_too |= 1 << (api_key - 64)
        return True

    def used(self, api_key: int) -> bool:
        """Tell whether the connection was used for an API; not for those that no release of Kafka has."""
        if api_key < 64:
            return bool(self._used >> api_key & 1)
        return api_key >= 128 or bool(self._used_too >> (api_key - 64) & 1)
