"""Which broker id answers at which address, learnt from the answers that pass by."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_keys import DESCRIBE_CLUSTER, FIND_COORDINATOR, METADATA
from kafkasniff.protocol.bodies.decoding import body_table
from kafkasniff.protocol.bodies.walk import field_end
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.protocol.primitives import MAX_ELEMENTS

TELLING_APIS = frozenset((METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER))
"""APIs whose answers tell of brokers."""

BROKER_FIELDS = frozenset(("brokers", "coordinators", "nodeId", "brokerId", "host", "port"))
"""Names of the fields to scan an answer for."""

_MOST_TOLD = 1 << 20
"""Bytes of the longest list of brokers that is remembered."""

LONGEST_KNOWN = 200
"""Bytes of the longest other answer that is remembered."""
_MOST_KNOWN = 1024

_MOST_BROKERS = 10_000
"""More addresses than this are not remembered, so that a hostile capture cannot fill memory."""


class BrokerIds:
    """Broker ids by `ip:port`. A broker that advertises a host name instead of an address stays unknown."""

    def __init__(self) -> None:
        """Begin with no broker known."""
        self._ids: dict[str, int] = {}
        # By version of Metadata: how the last answer began up to behind its brokers, all of which are known.
        self.told: dict[int, bytes] = {}
        # Other answers, from behind the correlation id on, that tell nothing new, with their layout.
        self.known_answers: dict[bytes, int] = {}
        self.changes = 0
        """How often anything new was learnt."""

    def learn(self, call: Call) -> None:
        """Take in what the answer of one of `TELLING_APIS` says of brokers."""
        header, frame = call.header, call.response
        if header is None or frame is None or header.api_key not in TELLING_APIS:
            return
        is_metadata = header.api_key == METADATA
        if is_metadata:
            told = self.told.get(header.api_version)
            if told is not None and frame.data.startswith(told, 4):
                return
        response = _response(call)
        news = [] if response is None else self._news(response)
        if news:
            self._take(news)
        elif is_metadata and frame.whole and response is not None:
            start = 4 + response_header_version(METADATA, header.api_version)
            table = body_table(METADATA, header.api_version, "response")
            end = field_end(table, frame.data, start, "brokers", MAX_ELEMENTS)
            if start < end < _MOST_TOLD and (start == 4 or not frame.data[4]):
                self.told[header.api_version] = frame.data[4:end]
        elif len(frame.data) <= LONGEST_KNOWN:
            if len(self.known_answers) >= _MOST_KNOWN:
                self.known_answers.clear()
            self.known_answers[frame.data[4:]] = header.api_key << 16 | header.api_version

    def _news(self, response: dict[str, Any]) -> list[tuple[str, int]]:
        """Give the addresses of brokers in an answer, with their ids; nothing where all of them are known."""
        found: list[tuple[str, int]] = []
        for broker in _brokers(response):
            broker_id, host = broker["nodeId"] if "nodeId" in broker else broker["brokerId"], broker["host"]
            if broker_id >= 0 and host:
                addresses = ("127.0.0.1", "[::1]") if host == "localhost" else (f"[{host}]" if ":" in host else host,)
                found += [(f"{address}:{broker['port']}", broker_id) for address in addresses]
        return found if any(self._ids.get(address) != broker_id for address, broker_id in found) else []

    def _take(self, news: list[tuple[str, int]]) -> None:
        """Take in such addresses."""
        self.told.clear()
        self.known_answers.clear()
        for address, broker_id in news:
            if self._ids.get(address) != broker_id and (address in self._ids or len(self._ids) < _MOST_BROKERS):
                self._ids[address] = broker_id
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
