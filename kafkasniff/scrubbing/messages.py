"""Messages with other names: field by field, as long as they were."""

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache, lru_cache

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.offsets import trace
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.definitions.lookup import api_definition, message_definition
from kafkasniff.protocol.fields import Field, fields_of
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.scrubbing.batches import blank_batches
from kafkasniff.scrubbing.names import Names

KEPT_FIELDS = frozenset(
    {
        "assignmentConfigs",
        "clientSoftwareName",
        "clientSoftwareVersion",
        "configName",
        "feature",
        "mechanism",
        "mechanisms",
        "protocolName",
        "protocolType",
        "serverAssignor",
        "assignorName",
        "groupState",
        "groupType",
        "statesFilter",
        "typesFilter",
        "state",
    }
)
"""Strings that are words of the protocol or of its software, and name nobody."""

KEPT_TEXTS = frozenset(
    {
        *(b"consumer", b"connect", b"share", b"classic", b"streams"),
        *(b"__consumer_offsets", b"__transaction_state", b"__cluster_metadata", b"__share_group_state"),
        # What the Java client says as it leaves a group (KIP-800).
        b"consumer poll timeout has expired.",
    }
)
"""Texts that stay wherever they stand."""

KEPT_ENDS = ("protocols.name", "Features.name", "configs.name", "synonyms.name")
"""Names of what is Kafka's: assignors, features and settings."""
_EMBEDDED = {
    (11, "request", "protocols.metadata"): "ConsumerProtocolSubscription",
    (11, "response", "members.metadata"): "ConsumerProtocolSubscription",
    (14, "request", "assignments.assignment"): "ConsumerProtocolAssignment",
    (14, "response", "assignment"): "ConsumerProtocolAssignment",
}
_INDEX = re.compile(r"\[\d+\]")
_MOST_LACKING = 1 << 20
_MOST_PATHS = 65_536


class Messages:
    """Scrubs the messages of calls; counts what it had to blank."""

    def __init__(self, names: Names) -> None:
        """Replace by `names`."""
        self._names = names
        self.opaque_bytes = 0
        """Bytes that could not be understood, or may hold anything, and are blank."""

    def scrub(self, call: Call, side: Side) -> bytes:
        """Give a frame anew, with the size before it."""
        frame = call.request if side == "request" else call.response
        assert frame is not None
        return frame.size.to_bytes(4, "big", signed=True) + self._content(call, side, frame)

    def _content(self, call: Call, side: Side, frame: Frame) -> bytes:
        header = call.header
        data = bytearray(frame.data)
        if header is None:
            # Nobody knows its layout: the correlation id is all that is kept.
            return self._blank(data, 4)
        if side == "request":
            begin = header.end
            self._scrub_header(data, begin, header.client_id)
        else:
            begin = 4 + response_header_version(header.api_key, header.api_version)
        api = APIS.get(header.api_key)
        body = call.request_body if side == "request" else call.response_body
        if api is None or body is None or not api.first_version <= body.version <= api.last_version:
            return self._blank(data, begin)
        if not frame.whole:
            # As if the rest were zeros: so the lengths of what was cut stay.
            data += bytes(min(frame.size - len(data), _MOST_LACKING))
        end = self._scrub_fields(data, begin, (header.api_key, side), body.version)
        return self._blank(data[: len(frame.data)], end)

    def _blank(self, data: bytearray, begin: int) -> bytes:
        """Blank what stands from `begin` on."""
        begin = min(begin, len(data))
        self.opaque_bytes += len(data) - begin
        data[begin:] = bytes(len(data) - begin)
        return bytes(data)

    def _scrub_header(self, data: bytearray, end: int, client_id: str | None) -> None:
        """Replace the client id; tagged fields behind it are blanked."""
        if client_id:
            length = int.from_bytes(data[8:10], "big")
            self._replace(data, 10, length)

    def _replace(self, data: bytearray, at: int, length: int) -> None:
        raw = bytes(data[at : at + length])
        if raw not in KEPT_TEXTS:
            data[at : at + length] = self._names.text(raw)

    def _scrub_fields(self, data: bytearray, begin: int, of: tuple[int, Side] | str, version: int) -> int:
        """Scrub the fields of a message from `begin` on; give where they end.

        It is an API's, or one that stands within others.
        """
        table, kinds = _layout(of, version)
        end = begin
        for field in trace(table, bytes(data), begin):
            end = field.offset + field.length
            path = _without_indices(field.path)
            kind, value = kinds.get(path), field.value
            if isinstance(value, int):
                if kind == "records":
                    self.opaque_bytes += blank_batches(data, end - value, end)
            elif not isinstance(value, str):
                continue
            elif kind == "string":
                if path.rpartition(".")[2] not in KEPT_FIELDS and not path.endswith(KEPT_ENDS):
                    length = len(value.encode("utf-8", "surrogatepass"))
                    self._replace(data, end - length, length)
            elif path == "authBytes":
                length = len(b64decode(value))
                data[end - length : end] = self.token(bytes(data[end - length : end]))
            elif kind == "bytes" or path.endswith(".bytes"):
                inner = None if isinstance(of, str) else _EMBEDDED.get((*of, path))
                self._scrub_bytes(data, end, len(b64decode(value)), inner)
        return end

    def token(self, token: bytes) -> bytes:
        """Scrub what a login sends: of PLAIN the user has another name, of GSSAPI what tells the kind stays.

        RFC 2743, 3.1 has the first token's header, RFC 4121, 4.2.6.2 that of those with a signature.
        """
        parts = token.split(b"\0")
        if len(parts) == 3 and all(part.decode("ascii", "replace").isprintable() for part in parts):
            return b"\0".join([self._names.text(parts[0]), self._names.text(parts[1]), b"x" * len(parts[2])])
        kept = 0
        if token[:1] == b"\x60" and (at := token.find(b"\x06\x09", 1, 8)) > 0:
            kept = at + 13  # the identifier of Kerberos, and that of the token
        elif token[:2] == b"\x05\x04":
            kept = 2
        self.opaque_bytes += max(len(token) - kept, 0)
        # Zeros would be a request of version 0.
        return token[:kept] + b"\xff" * (len(token) - kept)

    def _scrub_bytes(self, data: bytearray, end: int, length: int, name: str | None) -> None:
        """Scrub the message `name` within bytes that end at `end`, or blank them."""
        begin = end - length
        if name is not None and length >= 2:
            version = int.from_bytes(data[begin : begin + 2], "big", signed=True)
            inner = bytearray(data[begin:end])
            if 0 <= version <= 3 and self._scrub_fields(inner, 2, name, version) == length:
                data[begin:end] = inner
                return
        self.opaque_bytes += length
        data[begin:end] = bytes(length)


@lru_cache(_MOST_PATHS)
def _without_indices(path: str) -> str:
    return _INDEX.sub("", path)


@cache
def _layout(of: tuple[int, Side] | str, version: int) -> tuple[FieldTable, dict[str, str]]:
    """Give the table of a message, and the types of all fields that are no structs, by path without indices."""
    definition = message_definition(of) if isinstance(of, str) else api_definition(*of)
    return make_table(definition, version), dict(_walk(definition.fields, version, ""))


def _walk(fields: tuple[Field, ...], version: int, prefix: str) -> Iterator[tuple[str, str]]:
    for field in fields_of(fields, version):
        if field.fields:
            yield from _walk(field.fields, version, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, field.element_type
