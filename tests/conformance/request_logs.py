"""The brokers' JSON request logs (KIP-673), and how a printed call is held against a line of them."""

import gzip
import ipaddress
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONNECTION = re.compile(r"(?P<server>.+?:\d+)-(?P<client>.+?:\d+)(?:-\d+)*")


@dataclass(frozen=True)
class LoggedCall:
    """A line of a request log."""

    client: str
    server: str
    api_key: int
    api_name: str
    api_version: int
    correlation_id: int
    client_id: str | None
    request: dict[str, Any]
    response: dict[str, Any] | None
    """None where the broker sent no answer (`acks=0`)."""
    forwarded: bool
    """Whether the request came inside an ENVELOPE."""
    security_protocol: str
    software: dict[str, str | None]
    """The client's software as its connection's ApiVersions request told it (KIP-511); null where it told none."""
    broker_ms: float
    """Time from where the broker had read the request to where it had an answer to send."""

    def __str__(self) -> str:
        return f"{self.api_name} v{self.api_version} {self.correlation_id} of {self.client} to {self.server}"


def endpoint(text: str) -> str:
    """Give Java's `address:port` as it is printed: IPv6 compressed and in brackets."""
    address, port = text.rsplit(":", 1)
    ip = ipaddress.ip_address(address)
    return f"[{ip}]:{port}" if ip.version == 6 else f"{ip}:{port}"


def split_connection(text: str) -> tuple[str, str]:
    """Give client and server of the log's connection id: `server-client`, and behind them the broker's own counters."""
    match = _CONNECTION.fullmatch(text)
    assert match, text
    return endpoint(match["client"]), endpoint(match["server"])


def read_log(path: Path) -> list[LoggedCall]:
    """Read a request log."""
    calls = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            header = entry["requestHeader"]
            client, server = split_connection(entry["connection"])
            calls.append(
                LoggedCall(
                    client,
                    server,
                    header["requestApiKey"],
                    header["requestApiKeyName"],
                    header["requestApiVersion"],
                    header["correlationId"],
                    header["clientId"],
                    entry["request"],
                    # An empty string stands for an answer that is not sent.
                    entry["response"] or None,
                    entry["isForwarded"],
                    entry["securityProtocol"],
                    {key: None if text == "unknown" else text for key, text in entry["clientInformation"].items()},
                    entry["totalTimeMs"] - entry["sendTimeMs"],
                )
            )
    return calls


@dataclass(frozen=True)
class Difference:
    """A place where a printed body is not what the log has."""

    path: str
    logged: Any
    printed: Any

    def __str__(self) -> str:
        return f"{self.path}: logged {_short(self.logged)}, printed {_short(self.printed)}"


def differences(logged: Any, printed: Any, renamed: Mapping[str, str], path: str = "") -> Iterator[Difference]:
    """Give the places where two bodies differ in value or in order.

    `renamed` gives, by the path of an older release's field, the name of that field today.
    """
    if isinstance(logged, dict) and isinstance(printed, dict):
        names = [renamed.get(f"{path}.{name}", name) for name in logged]
        if names != list(printed):
            yield Difference(f"{path}.*", names, list(printed))
            return
        for name, value, printed_value in zip(logged, logged.values(), printed.values(), strict=True):
            yield from differences(value, printed_value, renamed, f"{path}.{name}")
    elif isinstance(logged, list) and isinstance(printed, list):
        if len(logged) != len(printed):
            yield Difference(f"{path}[]", f"{len(logged)} elements", f"{len(printed)} elements")
            return
        for value, printed_value in zip(logged, printed, strict=True):
            yield from differences(value, printed_value, renamed, f"{path}[]")
    elif type(logged) is not type(printed) or logged != printed:
        yield Difference(path, logged, printed)


def is_beginning(partial: Any, logged: Any) -> bool:
    """Tell whether a partial body holds nothing but what the whole one has, and that in its order."""
    if isinstance(partial, dict) and isinstance(logged, dict):
        names = iter(logged)
        # Tagged fields stand at the end on the wire, so that a partial body may lack some in between.
        return all(name in names and is_beginning(value, logged[name]) for name, value in partial.items())
    if isinstance(partial, list) and isinstance(logged, list):
        return len(partial) <= len(logged) and all(map(is_beginning, partial, logged))
    return type(partial) is type(logged) and partial == logged


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"


def first_of(found: Iterable[object], count: int = 20) -> str:
    """Lay out the first findings for an assertion's message, and say how many there are."""
    texts = [str(one) for one in found]
    return "\n".join([f"{len(texts)} in all", *texts[:count]])
