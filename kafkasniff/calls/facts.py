"""What the calls of a connection have in common as long as nothing new is learnt of it."""

from typing import NamedTuple

from kafkasniff.calls.call import Call, Frame, Outcome
from kafkasniff.calls.context import Context
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.tcp.events import Connection


class CallFacts(NamedTuple):
    """What a call says beside its messages; see the fields of `Call`."""

    client: str
    server: str
    security_protocol: str
    principal: str | None
    software_name: str | None
    software_version: str | None
    show_secrets: bool
    context: Context

    def call(
        self,
        connection: Connection,
        request: Frame | None,
        response: Frame | None,
        header: RequestHeader | None,
        outcome: Outcome,
        ended: Arrival,
        pending_ns: int | None,
        problems: list[Problem],
    ) -> Call:
        """Make a call of what it was made up of."""
        return Call(
            connection,
            self.client,
            self.server,
            request,
            response,
            header,
            outcome,
            ended,
            pending_ns,
            self.security_protocol,
            self.principal,
            self.software_name,
            self.software_version,
            self.show_secrets,
            problems,
            self.context,
        )
