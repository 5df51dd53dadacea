"""The rules of a follower: they know what was before, and are fed the events whose turn has come."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.findings.diagnosing import ClusterDiagnosis
from kafkasniff.pipeline.findings.event_spans import by_vantage, in_order, put_back, read_events
from kafkasniff.pipeline.findings.shares import Deal, Share, dealt
from kafkasniff.pipeline.follow.carry import Saved, load, save
from kafkasniff.pipeline.rows.reassembly import Part, placed_interfaces
from kafkasniff.pipeline.tasks import result_batch, said, task_of_worker, work_in

_IN_NONE = -1
"""In place of a cluster, of a vantage that is in none."""


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file of events."""

    path: str
    """Below the working folder."""
    new: bool
    """Whether nothing of it was fed before."""


@dataclass(frozen=True, slots=True)
class ReadEventsTask:
    """Reads those events whose turn has come."""

    clusters: Mapping[str, int]
    """The place of each vantage's cluster."""
    shares: Sequence[Share]
    fed: Mapping[str, int]
    """By vantage, up to where in time the events in earlier files were fed."""
    turn: Mapping[str, int]
    """By vantage, up to where in time it is their turn."""
    ending: bool
    """Whether those behind it are read too, as all seems to end."""
    ahead: Mapping[str, int]
    """By vantage, how far its clock is ahead (ns)."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take `EventFile` as JSON; give rows of `SPANS`."""
        for source in work_in(batches, EventFile):
            yield from self._read(source)

    def _read(self, source: EventFile) -> Iterator[pa.RecordBatch]:
        for events in read_events(f"{self.work}/{source.path}"):
            if self.ahead:
                events = put_back(events, self.ahead)  # noqa: PLW2901
            times = events.column("time").to_numpy()
            wanted = by_vantage(events, self.clusters, _IN_NONE) != _IN_NONE
            if not self.ending:
                wanted &= times < by_vantage(events, self.turn)
            if not source.new:
                wanted &= times >= by_vantage(events, self.fed)
            if wanted.any():
                yield from dealt(events.filter(pa.array(wanted)), self.clusters, self.shares)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Vantages that see one Kafka cluster."""

    number: int
    vantages: tuple[str, ...]
    deals: tuple[Deal, ...] = ()
    """The tasks that look at it; none before the first did."""
    saved: tuple[tuple[int, Saved], ...] = ()
    """The rules of each task by its index, and those of others that turned out to be of it."""
    merged: bool = False
    """Whether there are such."""
    limits: tuple[str, ...] = ()
    """Which rules had more to remember than they may."""


@dataclass(slots=True)
class Rules:
    """The rules over one cluster between two micro-batches."""

    cluster: ClusterDiagnosis
    apart: list[tuple[tuple[str, ...], ClusterDiagnosis]] = field(default_factory=list)
    """Rules that looked at vantages apart before it showed that they are of one cluster."""

    def remembered(self, vantages: tuple[str, ...]) -> list[Any]:
        """Give what they know of these vantages, and of those apart, for a snapshot."""
        return [(names, each.remembered()) for names, each in ((vantages, self.cluster), *self.apart)]

    @classmethod
    def recalled(cls, remembered: list[Any], share: Share) -> tuple[tuple[str, ...], "Rules"]:
        """Give the vantages, and the rules of a share that know that."""
        found = [(names, ClusterDiagnosis.recalled(each, share)) for names, each in remembered]
        (vantages, cluster), *apart = found
        return vantages, cls(cluster, apart)


@dataclass(frozen=True, slots=True)
class Found:
    """What the rules of one task found so far."""

    cluster: int
    """Its number."""
    task: int
    """Index among those of the cluster."""
    saved: Saved
    findings: list[tuple[tuple[str, ...], Saved]]
    """Vantages, and the findings on these by rule, as yet without what explains them."""
    given_up: dict[str, int]
    """States that rules had to give up, by rule."""
    failures: list[str]
    """Which rules failed, in sentences."""


@dataclass(frozen=True, slots=True)
class FindTask:
    """Feeds the rules of a cluster, or some of them, and gives all findings so far."""

    clusters: Sequence[tuple[Cluster, int]]
    """Tasks are by index in it: a cluster, and which of its tasks it is."""
    parts: Mapping[int, Part]
    """All that events may tell of, by number in the run."""
    turn: Mapping[str, int]
    """By vantage, up to where in time the rules go on; what they make of events behind it is not carried."""
    ahead: Mapping[str, int]
    """By vantage, how far its clock is ahead (ns)."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take rows of `SPANS`; give a `Found`."""
        context = TaskContext.get()
        assert context is not None
        with task_of_worker():
            yield result_batch(said(partial(self._find, *self.clusters[context.partitionId()]), Found, batches))

    def _find(self, cluster: Cluster, task: int, batches: Iterator[pa.RecordBatch]) -> Found:
        rules = self._rules(cluster, task)
        reader = rules.cluster.reader
        reader.interfaces = {
            number: reader.interfaces.get(number) or placed_interfaces(part, number)
            for number, part in self.parts.items()
        }
        reader.ahead = self.ahead
        saved: list[Saved] = []
        for events in in_turn(batches, self.turn):
            if events is None:
                saved.append(save(self.work, rules.remembered(cluster.vantages)))
            else:
                rules.cluster.feed(events)
        findings: list[tuple[tuple[str, ...], Saved]] = []
        given_up: Counter[str] = Counter()
        failures: list[str] = []
        for vantages, diagnosed in ((cluster.vantages, rules.cluster), *rules.apart):
            findings.append((vantages, save(self.work, diagnosed.found())))
            given_up.update(diagnosed.given_up())
            failures += diagnosed.failures()
            diagnosed.forget()
        return Found(cluster.number, task, saved[0], findings, dict(given_up), failures)

    def _rules(self, cluster: Cluster, task: int) -> Rules:
        """Take up the rules of a task where they were left, or begin."""
        share = Share(0, *cluster.deals[task])
        places = [saved for number, saved in cluster.saved if number == task]
        if not places:
            return Rules(ClusterDiagnosis(share))
        try:
            saved = [Rules.recalled(load(self.work, each), share) for each in places]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PipelineError(f"{self.work}: the rules' state cannot be read: {error}", outdated=True) from None
        rules = saved[0][1]
        for vantages, other in saved[1:]:
            rules.cluster.reader.take_over(other.cluster.reader)
            rules.apart += [(vantages, other.cluster), *other.apart]
        return rules


def in_turn(batches: Iterable[pa.RecordBatch], turn: Mapping[str, int]) -> Iterator[pa.RecordBatch | None]:
    """Give events in order; None once before the first whose time has not come, or at the end."""
    passed = False
    for events in in_order(batches):
        if not passed:
            times = events.column("time").to_numpy()
            later = np.flatnonzero(times >= by_vantage(events, turn))
            if len(later):
                passed = True
                yield events.slice(0, int(later[0]))
                yield None
                events = events.slice(int(later[0]))  # noqa: PLW2901
        yield events
    if not passed:
        yield None
