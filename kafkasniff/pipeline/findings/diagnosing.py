"""The third task: the events of one cluster into findings, by the very rules that `diagnose` has."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.findings.clusters import Copies
from kafkasniff.pipeline.findings.event_reader import EventReader

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
    def recalled(cls, remembered: dict[str, Any], rules: Iterable[type[Rule[Any]]] = RULES) -> "ClusterDiagnosis":
        """Give the rules that know that. Raises ValueError, KeyError where it is something else."""
        self = cls(rules)
        self.diagnosis.recall(remembered["diagnosis"])
        self.copies, self.reader = remembered["copies"], remembered["reader"]
        return self

    def feed(self, events: pa.RecordBatch) -> None:
        """Take events in their order."""
        columns = (events.column(name).to_pylist() for name in _COLUMNS)
        for vantage, bucket, item, told in zip(*columns, strict=True):
            if told:
                self.diagnosis.facts.learn(self.reader.call_alone(item))
                continue
            event = self.reader.item(vantage, bucket, item)
            if self.copies.takes(vantage, event):
                self.diagnosis.feed(event)
