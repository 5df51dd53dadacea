"""Shows what Kafka clients and brokers really say to each other."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkasniff.api import Findings as Findings
    from kafkasniff.api import diagnose as diagnose
    from kafkasniff.api import live as live
    from kafkasniff.api import to_dict as to_dict
    from kafkasniff.calls.call import Call as Call
    from kafkasniff.calls.call import FieldError as FieldError
    from kafkasniff.calls.enrichment.authentication import RawToken as RawToken
    from kafkasniff.calls.frame import Frame as Frame
    from kafkasniff.calls.items import Item as Item
    from kafkasniff.calls.reports import ConnectionReport as ConnectionReport
    from kafkasniff.calls.reports import Gap as Gap
    from kafkasniff.capture.errors import CaptureError as CaptureError
    from kafkasniff.capture.packets import Arrival as Arrival
    from kafkasniff.diagnose.finding import Evidence as Evidence
    from kafkasniff.diagnose.finding import Finding as Finding
    from kafkasniff.filters.errors import FilterError as FilterError
    from kafkasniff.filters.filter import Filter as Filter
    from kafkasniff.protocol.definitions.loading import load_definitions as load_definitions
    from kafkasniff.protocol.definitions.merging import DefinitionError as DefinitionError
    from kafkasniff.reading import Reading as Reading
    from kafkasniff.reading import Summary as Summary
    from kafkasniff.reading import read as read

__version__ = "0.1.0"

if os.environ.get("KAFKASNIFF_PURE"):
    from kafkasniff.compiled import prefer_sources

    prefer_sources()

_HOMES = {
    "kafkasniff.api": ("Findings", "diagnose", "live", "to_dict"),
    "kafkasniff.calls.call": ("Call", "FieldError"),
    "kafkasniff.calls.enrichment.authentication": ("RawToken",),
    "kafkasniff.calls.frame": ("Frame",),
    "kafkasniff.calls.items": ("Item",),
    "kafkasniff.calls.reports": ("ConnectionReport", "Gap"),
    "kafkasniff.capture.errors": ("CaptureError",),
    "kafkasniff.capture.packets": ("Arrival",),
    "kafkasniff.diagnose.finding": ("Evidence", "Finding"),
    "kafkasniff.protocol.definitions.loading": ("load_definitions",),
    "kafkasniff.protocol.definitions.merging": ("DefinitionError",),
    "kafkasniff.filters.errors": ("FilterError",),
    "kafkasniff.filters.filter": ("Filter",),
    "kafkasniff.reading": ("Reading", "Summary", "read"),
}

__all__ = [  # noqa: PLE0604
    *(name for names in _HOMES.values() for name in names)
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `kafkasniff errors 6` need not load the engine."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(home), name)
            return found
    raise AttributeError(f"module 'kafkasniff' has no attribute {name!r}")
