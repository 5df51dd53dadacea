"""What the lines say that are not those of calls."""

from typing import Final

from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.render.words import count_text, escape, show, size_text

_WIDEST_PRINCIPAL: Final = 60


def gap_text(gap: Gap) -> str:
    """Say what the capture lacks."""
    lost = "an unknown number of bytes" if gap.length is None else count_text(gap.length, "byte")
    of = f" of the {gap.direction}s" if gap.direction else ""
    return f"gap: {lost}{of} not in the capture"


def token_text(item: RawToken) -> str:
    """Say what a raw SASL token is."""
    token = item.token
    text = f"SASL token of the {'client' if item.direction == 'request' else 'server'}: {escape(token.kind)}"
    if token.principal is not None:
        text += f" of {show(token.principal, _WIDEST_PRINCIPAL)}"
    return f"{text}, {size_text(item.size)}"


def connection_text(report: ConnectionReport) -> str:
    """Say what a connection was."""
    counters = report.connection.counters
    packets = sum(side.packets for side in counters)
    size = sum(side.data_bytes for side in counters)
    return (
        f"connection: {escape(report.protocol)}, {count_text(report.calls, 'call')}, "
        f"{count_text(packets, 'packet')}, {size_text(size)}, {escape(report.evidence)}"
    )
