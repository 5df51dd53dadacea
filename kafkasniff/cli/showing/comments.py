"""Comments of packets in written captures, which Wireshark shows: the calls that they completed."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.packets import Arrival, PacketBatch
from kafkasniff.render.colours import PLAIN
from kafkasniff.render.text.lines import CallLines
from kafkasniff.wording import failure_text

MOST_BYTES = 16_384
"""Of the comment of a call; what is behind them is cut. One of a packet may have 65,535 (pcapng)."""
_HEAD = 16
"""Bytes of a comment's head in the temporary file: where the packet's comment before it stands, and its length."""


class CallTexts:
    """Says of calls what stands in comments: the line that `read` prints, with `detail` the decoded messages too."""

    def __init__(self, detail: int, with_secrets: bool) -> None:
        """Begin with nothing known of other calls; only `with_secrets` something is said of what TLS encrypts."""
        self._with_secrets = with_secrets
        self._lines = CallLines(None, "absolute", detail, PLAIN, "response", None)

    def learn(self, call: Call) -> None:
        """Take in what a call tells of others."""
        self._lines.learn(call)

    def text(self, call: Call) -> bytes:
        """Give the comment of a call, in UTF-8; empty for none."""
        if call.security_protocol.endswith("SSL") and not self._with_secrets:
            return b""
        self._lines.forget_day()
        try:
            text = bytes(self._lines.line(call)).rstrip(b"\n")
        except Exception as error:
            text = f"a call that {failure_text(error)}".encode()
        return text if len(text) <= MOST_BYTES else text[:MOST_BYTES].decode(errors="ignore").encode()

    def of_batch(self, batch: PacketBatch, items: Sequence[Item]) -> dict[int, bytes]:
        """Give the comments of a batch's packets by their indices; `items` is what the batch brought."""
        found: dict[int, bytes] = {}
        for item in items:
            if isinstance(item, Call):
                self.learn(item)
                index = commented(item).packet - batch.first_packet
                if 0 <= index < len(batch) and (text := self.text(item)):
                    found[index] = found[index] + b"\n" + text if index in found else text
        return found


def commented(call: Call) -> Arrival:
    """Give the packet that has the comment of a call: the one that completed its response, else its request."""
    frame = call.response or call.request
    assert frame is not None
    return frame.last


class PacketComments:
    """Holds comments in a temporary file until the packets are written."""

    def __init__(self, detail: int, with_secrets: bool) -> None:
        """Begin without comments; what they say: see `CallTexts`."""
        self._texts = CallTexts(detail, with_secrets)
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._size = 0
        self._latest: dict[tuple[str, int], int] = {}
        """Where a packet's latest comment stands, by file and number."""

    def learn(self, call: Call) -> None:
        """Take in what a call tells of others."""
        self._texts.learn(call)

    def add(self, call: Call) -> None:
        """Note the comment of a call; raises CaptureError."""
        arrival, text = commented(call), self._texts.text(call)
        if not text:
            return
        key = arrival.interface.file, arrival.packet
        before = self._latest.get(key, -1)
        self._latest[key] = self._size
        head = before.to_bytes(8, "little", signed=True) + len(text).to_bytes(8, "little")
        with _writing():
            self._file.write(head + text)
        self._size += _HEAD + len(text)

    def of(self, arrival: Arrival) -> bytes:
        """Give the comment of a packet, empty where it has none; raises CaptureError."""
        at = self._latest.get((arrival.interface.file, arrival.packet), -1)
        found: list[bytes] = []
        while at >= 0:
            with _writing():
                # To go to a place writes what waits in the buffer.
                self._file.seek(at)
            head = self._file.read(_HEAD)
            found.append(self._file.read(int.from_bytes(head[8:], "little")))
            at = int.from_bytes(head[:8], "little", signed=True)
        return b"\n".join(reversed(found))

    def close(self) -> None:
        """Forget all."""
        with suppress(OSError):
            # What could not be written is not needed any more.
            self._file.close()


@contextmanager
def _writing() -> Iterator[None]:
    """Raise CaptureError where the temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        raise CaptureError(f"{tempfile.gettempdir()}: cannot be written: {error.strerror}") from None
