"""Which broker id answers at which address, learnt from the answers that pass by."""

from typing import Any

from kafkasniff.calls.call import Call

TELLING_APIS = frozenset((3, 10, 60))
"""Metadata, FindCoordinator and DescribeCluster, whose answers tell of brokers."""

BROKER_FIELDS = frozenset(("brokers", "topics", "coordinators", "nodeId", "brokerId", "host", "port"))
"""Names of the fields to scan an answer for: those of brokers, and what its gist needs, so that one scan does."""

_MOST_BROKERS = 10_000
"""More addresses than this are not remembered, so that a hostile capture cannot fill memory."""


class BrokerIds:
    """Broker ids by `ip:port`. A broker that advertises a host name instead of an address stays unknown."""

    def __init__(self) -> None:
        """Begin with no broker known."""
        self._ids: dict[str, int] = {}
        self.changes = 0
        """How often anything new was learnt."""

    def learn(self, call: Call) -> None:
        """Take in what the answer of one of `TELLING_APIS` says of brokers."""
        if call.api_key not in TELLING_APIS:
            return
        response = _response(call)
        if response is None:
            return
        for broker in _brokers(response):
            broker_id = broker["nodeId"] if "nodeId" in broker else broker["brokerId"]
            if broker_id >= 0 and broker["host"]:
                self._remember(broker["host"], broker["port"], broker_id)

    def _remember(self, host: str, port: int, broker_id: int) -> None:
        addresses = ("127.0.0.1", "[::1]") if host == "localhost" else (f"[{host}]" if ":" in host else host,)
        for address in addresses:
            key = f"{address}:{port}"
            if self._ids.get(key) != broker_id and (key in self._ids or len(self._ids) < _MOST_BROKERS):
                self._ids[key] = broker_id
                self.changes += 1

    def get(self, server: str) -> int | None:
        """Give the id of the broker at `server` (`ip:port`), None where nothing told it."""
        return self._ids.get(server)


def _response(call: Call) -> dict[str, Any] | None:
    scan = call.scan_response(BROKER_FIELDS)
    if scan is not None:
        return scan.value
    body = call.response_body
    return body.value if body is not None else None


def _brokers(response: dict[str, Any]) -> list[dict[str, Any]]:
    for key in ("brokers", "coordinators"):
        if key in response:
            found: list[dict[str, Any]] = response[key]
            return found
    return [response] if "nodeId" in response else []
