"""The third task: the events of one cluster into findings, by the very rules that `diagnose` has."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import pyarrow as pa

from kafkasniff.capture.packets import Interface
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.clusters import Copies
from kafkasniff.pipeline.event_reader import EventReader
from kafkasniff.pipeline.event_spans import in_order
from kafkasniff.pipeline.reassembly import Part
from kafkasniff.pipeline.shares import Share
from kafkasniff.render.findings import finding_object
from kafkasniff.tables.rows import Placed
from kafkasniff.wording import file_name

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


def finding_rows(vantages: list[str], findings: Iterable[Finding]) -> Iterator[Placed]:
    """Give the rows of findings on what `vantages` saw."""
    for finding in findings:
        shown = finding_object(finding)
        texts = {name: orjson.dumps(shown[name]).decode() for name in ("subject", "evidence", "consequences")}
        yield (
            "findings",
            finding.first_time,
            (
                [file_name(vantage) for vantage in vantages],
                finding.rule,
                finding.severity,
                finding.first_time // 1000,
                finding.last_time // 1000,
                finding.count,
                texts["subject"],
                shown["summary"],
                shown["cause"],
                shown["fix"],
                texts["evidence"],
                texts["consequences"],
            ),
        )
