"""Whether bytes may be a response of any API at all, where nothing tells which request they answer."""

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import fits
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import read_response_header, response_header_version

Layout = tuple[int, int]
"""API key and version."""

TELLING_BODY = 16
"""Bytes above which a body rarely fits a layout by chance: shorter ones may be a few integers in any protocol."""
TELLING_BYTES = 8
"""Bytes of it at least that are not zero."""
_LAYOUTS = tuple(
    (key, version) for key, api in APIS.items() for version in range(api.last_version, api.first_version - 1, -1)
)


class Fitting:
    """Holds response frames against the layouts of all APIs, those first that fitted before."""

    __slots__ = ("_usual",)

    def __init__(self) -> None:
        """Know of no layout that is likelier than others."""
        self._usual: list[Layout] = []

    def tells(self, frame: bytes) -> bool | None:
        """Tell whether a frame without its size is a response by more than chance; None when no layout fits it."""
        for layout in (*self._usual, *_LAYOUTS):
            if _fits(frame, *layout):
                if layout in self._usual:
                    self._usual.remove(layout)
                self._usual.insert(0, layout)
                body = len(frame) - 4
                return body > TELLING_BODY and body - frame.count(0, 4) >= TELLING_BYTES
        return None


def _fits(frame: bytes, api_key: int, api_version: int) -> bool:
    """Tell whether a response's header and body decode to the last byte without a problem."""
    try:
        body = read_response_header(frame, response_header_version(api_key, api_version))[1]
    except ProtocolError:
        return False
    return fits(api_key, api_version, "response", frame, body)
