# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Who clients are to rules: a client id at a host, or a connection without client id."""

from typing import NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import short_name


class Client(NamedTuple):
    """Whom calls of the same program have in common: its client id and host, or a connection without client id."""

    client_id: str | None
    host: str
    """IP address; `ip:port` where there is no client id."""

    @property
    def name(self) -> str:
        """Give the client as people call it."""
        return self.client_id if self.client_id else self.host


def at_host(client: Client) -> Client:
    """Give for a client without client id all of those on its host, as for one that makes ever new connections."""
    return client if client.client_id else Client(None, host_of(client.host))


def host_of(endpoint: str) -> str:
    """Give the address of an `ip:port`."""
    return endpoint.rpartition(":")[0]


def client_id_of(call: Call) -> str | None:
    """Give the client id of a call as it is remembered."""
    client_id = call.client_id
    return short_name(client_id) if client_id else client_id


def client_of(call: Call) -> Client:
    """Give the program behind a call."""
    client_id = client_id_of(call)
    return Client(client_id, host_of(call.client)) if client_id else Client(None, call.client)
