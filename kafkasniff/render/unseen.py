"""What of a capture could not be judged, and what to do about it: nobody should take silence for health."""

from collections import Counter
from typing import NamedTuple

from kafkasniff.reading import Summary
from kafkasniff.render.words import count_text

_PORTS_SHOWN = 4
_PROTOCOLS_SHOWN = 5
_NAMES = {
    "empty": "without data",
    "unknown": "not recognised",
    "http2": "HTTP/2",
    "zookeeper": "ZooKeeper",
    "redis": "Redis",
    "postgresql": "PostgreSQL",
    "mysql": "MySQL",
    "bittorrent": "BitTorrent",
}
"""What is not named so is named in capitals."""


class Unseen(NamedTuple):
    """A part of the traffic that nothing can be said of."""

    what: str
    """In a few words."""
    sentence: str = ""
    """With how it can be seen; empty where that is said elsewhere."""


def unseen(summary: Summary) -> list[Unseen]:
    """Give what of a capture could not be read or judged, the most first."""
    counts = summary.counts
    parts = [*_left_out(summary), *_no_connections(summary), *_tls(summary), *_no_kafka(summary)]
    if counts.kafka_connections and not counts.calls:
        whose = count_text(counts.kafka_connections, "Kafka connection")
        parts.append(Unseen(f"{whose} without a whole message", f"no call could be read in {whose}"))
    if partial := counts.calls_in_part:
        calls = f"{partial:,} of {count_text(counts.calls, 'call')}"
        why = f"the capture lacks bytes of {'its' if counts.calls == 1 else 'their'} messages"
        if summary.cut_packets:
            why = _cut(summary)
        parts.append(Unseen(f"{count_text(partial, 'call')} in part", f"{calls} can be read in part only: {why}"))
    if one_way := counts.one_way_connections:
        connections = f"{one_way:,} of {count_text(counts.kafka_connections, 'Kafka connection')}"
        text = f"of {connections} the capture has one direction only: no errors or latencies of them can be seen"
        parts.append(Unseen(count_text(one_way, "one-way connection"), f"{text}; capture both directions"))
    if summary.dropped_packets:
        parts.append(Unseen(f"{count_text(summary.dropped_packets, 'packet')} that the kernel dropped"))
    if summary.damages:
        parts.append(Unseen(f"{count_text(len(summary.damages), 'capture')} not read to the end"))
    return parts


def _left_out(summary: Summary) -> list[Unseen]:
    """Say how many calls a filter left out, and why all of them."""
    calls = summary.counts.calls
    if summary.matched is None or summary.matched >= calls:
        return []
    why = "" if summary.matched else f"0 of {count_text(calls, 'call')} match{summary.values_seen}"
    return [Unseen(f"{count_text(calls - summary.matched, 'call')} that the filter left out", why)]


def _no_connections(summary: Summary) -> list[Unseen]:
    if summary.counts.connections:
        return []
    if not summary.packets:
        return [Unseen("no packets", "there are no packets")]
    packets = count_text(summary.packets, "packet")
    return [Unseen(f"{packets} without TCP", f"none of the {packets} belongs to a TCP connection")]


def _tls(summary: Summary) -> list[Unseen]:
    counts = summary.counts
    ports = {port: count for (protocol, port), count in counts.others.items() if protocol == "tls"}
    if not (total := sum(ports.values())):
        return []
    text = f"{total:,} of {count_text(counts.connections, 'connection')} {_are(total)} TLS{_ports(ports)}"
    # What was wrong with a key log that was given stands in notes of its own.
    advice = "and could not be decrypted" if summary.not_decrypted else "; --keylog FILE decrypts them: docs/tls.md"
    return [Unseen(count_text(total, "TLS connection"), f"{text}{'' if advice[0] == ';' else ' '}{advice}")]


def _no_kafka(summary: Summary) -> list[Unseen]:
    """Say what there was where no connection is Kafka; TLS has been said."""
    counts = summary.counts
    if counts.kafka_connections:
        return []
    by_protocol: dict[str, dict[int, int]] = {}
    for (protocol, port), count in counts.others.items():
        if protocol != "tls":
            by_protocol.setdefault(protocol, {})[port] = count
    if not by_protocol:
        return []
    parts = []
    ordered = sorted(by_protocol.items(), key=lambda item: -sum(item[1].values()))
    for protocol, ports in ordered[:_PROTOCOLS_SHOWN]:
        total = sum(ports.values())
        name = _NAMES.get(protocol, protocol.upper())
        parts.append(f"{total:,} {_are(total)} {name}{_ports(ports)}")
    if more := ordered[_PROTOCOLS_SHOWN:]:
        parts.append(f"{sum(sum(ports.values()) for _, ports in more):,} of other protocols")
    which = count_text(sum(sum(ports.values()) for ports in by_protocol.values()), "connection")
    others = "other " if "tls" in {protocol for protocol, _ in counts.others} else ""
    text = f"no Kafka in the {others}{which}: {', '.join(parts)}"
    if summary.cut_packets and "unknown" in by_protocol:
        text += f"; {_cut(summary)}"
    return [Unseen(f"{which} without Kafka", text)]


def _cut(summary: Summary) -> str:
    packets = f"{summary.cut_packets:,} of {count_text(summary.packets, 'packet')}"
    return f"{packets} were cut as they were captured; tcpdump -s 0 captures whole ones"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _ports(counts: dict[int, int]) -> str:
    """Give the ports most in use in brackets."""
    shown = [str(port) for port, _ in Counter(counts).most_common(_PORTS_SHOWN) if port]
    more = len(counts) > _PORTS_SHOWN or 0 in counts
    if not shown:
        return ""
    return f" (port{'s' if len(counts) > 1 else ''} {', '.join(shown)}{' and others' if more else ''})"
