# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The parts of lines that many calls share: made once, and remembered."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.json_tables import json_table
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.headers import RequestHeader, api_name
from kafkasniff.render.json.found import client_text, plain_text
from kafkasniff.render.json.safe import safe_line

_MOST_PARTS = 4096
"""Clients, client ids and the like that are remembered; more, and all are forgotten."""
_KEYS = cython.declare(cython.int, 128)
_VERSIONS = cython.declare(cython.int, 32)
"""API keys, and versions, of which layouts are remembered; Kafka has no more."""


@cython.final
@cython.cclass
class Layout:
    """What the calls of an API in a version share.

    - `text`: what stands before the correlation id in a header.
    - `request`, `response`: the tables of the bodies; None where the layout is not known, or may hold other messages.
    - `is_flexible`: whether tagged fields stand in the response's header.
    - `may_be_refused`: whether a response may be in version 0 instead.
    """

    def __init__(self, key: int, version: int, show_secrets: bool) -> None:
        """Make them."""
        text = f'"requestApiKey":{key},"requestApiKeyName":"{api_name(key)}",'
        text += f'"requestApiVersion":{version},"correlationId":'
        self.text = safe_line(text.encode())
        self.request: FieldTable | None = None
        self.response: FieldTable | None = None
        self.is_flexible = False
        self.may_be_refused = key == API_VERSIONS
        api = APIS.get(key)
        if api is not None and key not in HOLDING_APIS and api.first_version <= version <= api.last_version:
            self.request = json_table(key, version, "request", show_secrets)
            self.response = json_table(key, version, "response", show_secrets)
            self.is_flexible = self.response.is_flexible and not self.may_be_refused


@cython.final
@cython.cclass
class Ends:
    """What the calls of a client's connection to a server share.

    - `server`, `text`: its address; what stands behind the time, up to the request's header.
    - `client_id`, `client_id_text`: of the last call; what stands behind its correlation id, up to the request.
    """

    def __init__(self, client: str, server: str) -> None:
        """Make them."""
        self.server = server
        text = f'Z","connection":"{client}-{server}","client":"{client}","server":"{server}","requestHeader":{{'
        self.text = safe_line(text.encode())
        self.client_id: str | None = None
        self.client_id_text = b""


@cython.final
@cython.cclass
class SharedParts:
    """Remembers the parts of lines."""

    def __init__(self) -> None:
        """Begin with none."""
        self.shows_secrets = False
        self.layouts: list[Layout | None] = [None] * (_KEYS * _VERSIONS)
        self.ends: dict[str, Ends] = {}
        self.client_ids: dict[str | None, bytes] = {}
        self.client: tuple[str, str | None, str | None, str | None] | None = None
        self.client_text = b""
        self.clients: dict[tuple[str, str | None, str | None, str | None], bytes] = {}

    def layout_of(self, header: RequestHeader, show_secrets: cython.bint) -> Layout:
        """Give what the calls of an API in a version share, with secrets replaced or not."""
        key: cython.int = header.api_key
        version: cython.int = header.api_version
        if show_secrets != self.shows_secrets:
            self.shows_secrets = show_secrets
            self.layouts = [None] * (_KEYS * _VERSIONS)
        if key < 0 or key >= _KEYS or version < 0 or version >= _VERSIONS:
            return Layout(key, version, show_secrets)
        place: cython.Py_ssize_t = key * _VERSIONS + version
        found: Layout | None = self.layouts[place]
        if found is None:
            found = self.layouts[place] = Layout(key, version, show_secrets)
        return found

    def ends_of(self, call: Call) -> Ends:
        """Give what the calls of a client's connection to a server share."""
        found: Ends | None = self.ends.get(call.client)
        if found is None or (found.server is not call.server and found.server != call.server):
            if len(self.ends) >= _MOST_PARTS:
                self.ends.clear()
            found = self.ends[call.client] = Ends(call.client, call.server)
        return found

    def client_id_text(self, ends: Ends, client_id: str | None) -> bytes:
        """Give what stands behind the correlation id in a header."""
        if ends.client_id_text and client_id is ends.client_id:
            return ends.client_id_text
        text: bytes | None = self.client_ids.get(client_id)
        if text is None:
            if len(self.client_ids) >= _MOST_PARTS:
                self.client_ids.clear()
            text = safe_line(f',"clientId":{plain_text(client_id)}}},"request":'.encode())
            self.client_ids[client_id] = text
        ends.client_id, ends.client_id_text = client_id, text
        return text

    def client_of(self, call: Call) -> bytes:
        """Give what says who the client is, and ends the line."""
        last: tuple | None = self.client  # type: ignore[type-arg]
        if (
            last is not None
            and last[0] is call.security_protocol
            and last[1] is call.principal
            and last[2] is call.software_name
            and last[3] is call.software_version
        ):
            return self.client_text
        key = (call.security_protocol, call.principal, call.software_name, call.software_version)
        text: bytes | None = self.clients.get(key)
        if text is None:
            if len(self.clients) >= _MOST_PARTS:
                self.clients.clear()
            text = self.clients[key] = safe_line(f"{client_text(*key)}}}\n".encode())
        self.client, self.client_text = key, text
        return text
