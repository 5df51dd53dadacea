"""The third task: the events of one cluster into findings, by the very rules that `diagnose` has."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from kafkasniff.capture.packets import Interface
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.clusters import Copies
from kafkasniff.pipeline.event_reader import EventReader
from kafkasniff.pipeline.event_spans import in_order
from kafkasniff.pipeline.reassembly import Part
from kafkasniff.pipeline.shares import Share

_COLUMNS = ("vantage", "bucket", "item", "told")


class ClusterDiagnosis:
    """The rules over what the vantages of one cluster saw."""

    def __init__(self, rules: Iterable[type[Rule[Any]]] = RULES) -> None:
        """Begin with nothing seen."""
        self.diagnosis = Diagnosis(rules)
        self.copies = Copies()
        self.reader = EventReader({})

    def remembered(self) -> dict[str, Any]:
        """Give what is known of what was seen, for a snapshot."""
        return {"diagnosis": self.diagnosis.remembered(), "copies": self.copies, "reader": self.reader}

    @classmethod
    def recalled(cls, remembered: dict[str, Any]) -> "ClusterDiagnosis":
        """Give the rules that know that. Raises ValueError, KeyError where it is something else."""
        self = cls()
        self.diagnosis.recall(remembered["diagnosis"])
        self.copies, self.reader = remembered["copies"], remembered["reader"]
        return self

    def feed(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Take rows of `SPANS`, sorted by `EVENT_ORDER`."""
        for events in in_order(batches):
            columns = (events.column(name).to_pylist() for name in _COLUMNS)
            for vantage, bucket, item, told in zip(*columns, strict=True):
                if told:
                    self.diagnosis.facts.learn(self.reader.call_alone(item))
                    continue
                event = self.reader.item(vantage, bucket, item)
                if self.copies.takes(vantage, event):
                    self.diagnosis.feed(event)


def diagnose(parts: Iterable[Part], batches: Iterable[pa.RecordBatch], share: Share) -> Diagnosis:
    """Run the rules of a share over rows of `SPANS`, sorted by `EVENT_ORDER`."""
    cluster = ClusterDiagnosis(share.rules)
    cluster.reader.interfaces = interfaces_of(parts)
    cluster.feed(batches)
    return cluster.diagnosis


def interfaces_of(parts: Iterable[Part]) -> dict[int, list[Interface]]:
    """Give the interfaces of parts by their number."""
    return {number: [Interface(part.path, *each) for each in part.interfaces] for number, part in enumerate(parts)}
