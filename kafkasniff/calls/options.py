# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What a caller wants of calls."""

from kafkasniff.calls.context import Context
from kafkasniff.tcp.events import Endpoint


class CallOptions:
    """What a caller wants of calls beside their bytes; not to be changed."""

    __slots__ = ("context", "fetch_sessions", "kafka_servers", "keep_packets", "show_secrets")

    def __init__(
        self,
        show_secrets: bool = False,
        keep_packets: bool = False,
        context: Context | None = None,
        fetch_sessions: bool = True,
        kafka_servers: dict[Endpoint, int] | None = None,
    ) -> None:
        """Take what is wanted."""
        self.show_secrets = show_secrets
        self.keep_packets = keep_packets
        """Note every packet that carried bytes of a call (`Frame.packets`)."""
        self.context = Context() if context is None else context
        """What every call is given: whether to read records, and the names of topics that are known."""
        self.fetch_sessions = fetch_sessions
        """Note on incremental Fetch calls what their session covers (KIP-227)."""
        self.kafka_servers = {} if kafka_servers is None else kafka_servers
        """Endpoints that were proven to speak Kafka on some connection, and since when, in ns since 1970."""
