"""What the calls of a connection have in common as long as nothing new is learnt of it."""

from typing import NamedTuple

from kafkasniff.calls.call import Call, Frame
from kafkasniff.calls.context import Context
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.tcp.events import Connection


class CallFacts(NamedTuple):
    """What a call says beside its messages; see the fields of `Call`."""

    connection: Connection
    client: str
    server: str
    security_protocol: str
    principal: str | None
    software_name: str | None
    software_version: str | None
    show_secrets: bool
    context: Context

    def answered(self, request: Frame, response: Frame, header: RequestHeader) -> Call:
        """Make an answered call of two whole messages."""
        return Call(
            self.connection,
            self.client,
            self.server,
            request,
            response,
            header,
            "answered",
            response.last,
            None,
            self.security_protocol,
            self.principal,
            self.software_name,
            self.software_version,
            self.show_secrets,
            [],
            self.context,
        )
