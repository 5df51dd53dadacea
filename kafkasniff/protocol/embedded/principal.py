"""The principal that an Envelope carries (KIP-590), as DefaultKafkaPrincipalBuilder writes it."""

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.embedded.entries import Opened

NAME = "DefaultPrincipalData"
_VERSION_BYTES = 2


def open_principal(into: Opened, path: str, data: bytes) -> None:
    """Open the principal on whose behalf a request is forwarded."""
    if len(data) < _VERSION_BYTES:
        into.add_problem(path, f"expected {NAME} with its version, found {len(data)} bytes")
        return
    version = int.from_bytes(data[:_VERSION_BYTES], signed=True)
    into.add(path, NAME, version, decode_message(NAME, version, data, _VERSION_BYTES))
