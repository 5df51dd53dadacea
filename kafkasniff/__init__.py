"""Shows what Kafka clients and brokers really say to each other."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkasniff.calls.call import Call, ConnectionReport, Gap
    from kafkasniff.calls.enrichment.authentication import RawToken
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.reading import Reading, Summary, read

if os.environ.get("KAFKASNIFF_PURE"):
    from kafkasniff.compiled import prefer_sources

    prefer_sources()

__all__ = ["Call", "CaptureError", "ConnectionReport", "Gap", "RawToken", "Reading", "Summary", "read"]

_HOMES = {
    "Call": "kafkasniff.calls.call",
    "CaptureError": "kafkasniff.capture.errors",
    "ConnectionReport": "kafkasniff.calls.call",
    "Gap": "kafkasniff.calls.call",
    "RawToken": "kafkasniff.calls.enrichment.authentication",
    "Reading": "kafkasniff.reading",
    "Summary": "kafkasniff.reading",
    "read": "kafkasniff.reading",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `kafkasniff errors 6` need not load the engine."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kafkasniff' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
