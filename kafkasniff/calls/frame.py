# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""A frame: a size-prefixed unit of a stream."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader


@cython.final
@cython.no_gc
@cython.freelist(4096)
@cython.cclass
class Frame:
    """A size-prefixed unit of a stream, or what there is of it."""

    __slots__ = (
        "_problems",
        "data",
        "first",
        "header",
        "last",
        "limited",
        "packets",
        "responses_lost",
        "size",
        "stream_offset",
    )

    def __init__(
        self,
        size: int,
        data: bytes,
        first: Arrival,
        last: Arrival,
        stream_offset: int,
        problems: list[Problem] | None = None,
        packets: tuple[Arrival, ...] = (),
        limited: bool = False,
    ) -> None:
        """Take what there is of a frame."""
        self.size = size
        """The size prefix's value in bytes."""
        self.data = data
        """The content without the size prefix; shorter than `size` when bytes lack or were not kept."""
        self.first = first
        """The packet with its first byte."""
        self.last = last
        """The packet whose arrival completed it."""
        self.stream_offset = stream_offset
        """Position of the size prefix in its direction's stream, counted from the first byte seen."""
        self._problems = problems
        self.packets = packets
        """All packets that carried bytes of it; empty unless asked for."""
        self.limited = limited
        """Whether a limit, and not the capture, took its last bytes; a problem says so."""
        self.header: RequestHeader = None  # type: ignore[assignment]
        """Of a request, from when it was read on."""
        self.responses_lost = 0
        """Of a request: how often bytes of the response stream had been found lost when it came."""

    @property
    def problems(self) -> list[Problem]:
        """Give what is wrong with it, as a list that may be added to."""
        if self._problems is None:
            self._problems = []
        return self._problems

    @property
    def whole(self) -> bool:
        """Tell whether every byte was seen and kept."""
        return len(self.data) == self.size


def new_frame(
    size: int, data: bytes, first: Arrival, last: Arrival, stream_offset: int, packets: tuple[Arrival, ...]
) -> Frame:
    """Make a frame without problems, sooner than by calling the class."""
    frame = Frame.__new__(Frame)
    frame.size = size
    frame.data = data
    frame.first = first
    frame.last = last
    frame.stream_offset = stream_offset
    frame._problems = None
    frame.packets = packets
    frame.limited = False
    frame.header = None  # type: ignore[assignment]
    frame.responses_lost = 0
    return frame
