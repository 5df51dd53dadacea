"""The third task: the events of one cluster into findings, by the very rules that `diagnose` has."""

from typing import Any

import pyarrow as pa

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.engine import Diagnosis, failures_text
from kafkasniff.diagnose.finding import Finding
from kafkasniff.pipeline.findings.clusters import Copies
from kafkasniff.pipeline.findings.event_reader import EventReader
from kafkasniff.pipeline.findings.shares import MINE, OTHERS, TOLD, Share

_COLUMNS = ("vantage", "bucket", "item", "wanted")


class ClusterDiagnosis:
    """The rules of one task over what the vantages of one cluster saw."""

    def __init__(self, share: Share) -> None:
        """Begin with nothing seen."""
        self.diagnosis = Diagnosis(share.rules)
        self.across = Diagnosis(share.rules_across)
        """Of what all clients do; without rules where the task does not have them, or the other has all."""
        self.copies = Copies()
        self.reader = EventReader({})

    @property
    def both(self) -> tuple[Diagnosis, Diagnosis]:
        """Give the rules of its clients, and those across clients."""
        return self.diagnosis, self.across

    def remembered(self) -> dict[str, Any]:
        """Give what is known of what was seen, for a snapshot."""
        return {"both": [each.remembered() for each in self.both], "copies": self.copies, "reader": self.reader}

    @classmethod
    def recalled(cls, remembered: dict[str, Any], share: Share) -> "ClusterDiagnosis":
        """Give the rules that know that. Raises ValueError, KeyError where it is something else."""
        self = cls(share)
        for each, of_rules in zip(self.both, remembered["both"], strict=True):
            each.recall(of_rules)
        self.copies, self.reader = remembered["copies"], remembered["reader"]
        return self

    def feed(self, events: pa.RecordBatch) -> None:
        """Take events in their order."""
        columns = (events.column(name).to_pylist() for name in _COLUMNS)
        for vantage, bucket, item, wanted in zip(*columns, strict=True):
            if wanted == TOLD:
                self.diagnosis.facts.learn(self.reader.call_alone(item))
                continue
            event = self.reader.item(vantage, bucket, item)
            if wanted & TOLD and isinstance(event, Call):
                self.diagnosis.facts.learn(event)
            if self.copies.takes(vantage, event):
                if wanted & MINE:
                    self.diagnosis.feed(event)
                if wanted & OTHERS:
                    self.across.feed(event)

    def found(self) -> dict[str, list[Finding]]:
        """Give the findings so far by rule, as yet without what explains them."""
        return self.diagnosis.found() | self.across.found()

    def forget(self) -> None:
        """Let what is known go at once: a rule and its states hold each other, and to find that out takes long."""
        for each in self.both:
            for rule in each.rules:
                rule.states.evicted = None

    def given_up(self) -> dict[str, int]:
        """Give how many states rules had to give up, by rule, where they had to."""
        return self.diagnosis.given_up() | self.across.given_up()

    def failures(self) -> list[str]:
        """Say which rules failed."""
        return [text for each in self.both for text in failures_text(each.failures())]
