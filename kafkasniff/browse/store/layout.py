"""How calls lie in temporary files: who reads captures writes them, who shows calls reads them, at the same time.

Three files, which only grow and have no name, so that they end with the processes that have them open:

- `calls`: for each call a head (`HEAD`), the numbers of the packets that carried its messages, the contents of both
  messages, and as JSON what few calls have.
- `places`: for each call where it begins in `calls`, 8 bytes, in the order of calls' numbers.
- `facts`: what calls share, each written once, as JSON behind its length; calls name them by their place. The first
  byte belongs to none, so that 0 is no place.

A call is there once its place is: that is written last.
"""

import os
import struct
from tempfile import TemporaryFile
from typing import Final, get_args

from kafkasniff.calls.call import Outcome

HEAD: Final = struct.Struct("<3Q2B3qq" + "qIqqqqqI" * 2 + "I")
"""Places of origin, context and interface; outcome; flags; time and packet of the end; the call that this one repeats,
or 0; nanoseconds that it waited, or -1; of request and response each: size, bytes kept, time and packet of the first
and of the last byte, position in the stream, packets; length of the JSON."""

PLACE: Final = struct.Struct("<Q")
LENGTH: Final = struct.Struct("<I")

HAS_REQUEST, HAS_RESPONSE, HAS_HEADER, REQUEST_LIMITED, RESPONSE_LIMITED, HAS_MORE = (1 << bit for bit in range(6))
"""Flags. `HAS_HEADER`: the request's header is as its bytes say."""

NO_FRAME: Final = (0,) * 8

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
OUTCOME_NUMBERS: Final = {outcome: number for number, outcome in enumerate(OUTCOMES)}


class CallFiles:
    """The three files, open in all processes that were made from the one that opened them."""

    def __init__(self) -> None:
        """Make new files for the user alone in the folder for temporary ones (TMPDIR). Raises OSError."""
        self._files = [TemporaryFile(prefix="kafkasniff-", buffering=0) for _ in range(3)]  # noqa: SIM115 (closed below)
        self.calls, self.places, self.facts = (file.fileno() for file in self._files)
        os.write(self.facts, b"\0")

    def count(self) -> int:
        """Give how many calls are there."""
        return os.fstat(self.places).st_size // PLACE.size

    def close(self) -> None:
        """Close them in this process."""
        for file in self._files:
            file.close()
