"""A micro-batch of a follower: some files more, from the index to the commit."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.pipeline.clusters import clusters_of
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.event_spans import SPANS
from kafkasniff.pipeline.follow_findings import Cluster, EventFile, FindTask, Found, ReadEventsTask
from kafkasniff.pipeline.follow_state import HeldEvents, LatestFile, Ledger, Ring, State
from kafkasniff.pipeline.follow_tasks import Followed, FollowTask
from kafkasniff.pipeline.indexing import FileReport
from kafkasniff.pipeline.inputs import Input, leave_out
from kafkasniff.pipeline.job import MOST_ROUNDS, Index, reason_of
from kafkasniff.pipeline.naming import NameTask, NamingWork, Renamed
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import TableWriter, Written
from kafkasniff.pipeline.pieces import REPORT, as_batch
from kafkasniff.pipeline.reassembly import Known, add_up
from kafkasniff.pipeline.reports import joined, row_of_file
from kafkasniff.pipeline.tasks import RESULT
from kafkasniff.pipeline.vantages import OVERLAP_NS, overlap
from kafkasniff.pipeline.watching import Read
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS
from kafkasniff.tables.rings import without_compression
from kafkasniff.tables.rows import Placed
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.key_log import KeyLog
from kafkasniff.typed_json import from_json, to_json

SLOWEST_NS = 3_600_000_000_000
"""How far a vantage may lie behind the others of its cluster before rules go on without it."""

_FOREVER = 1 << 62
"""A time behind all others (ns)."""
_MOST_UNREAD = 100
"""Reasons that are kept for the summary."""
_MOST_KNOWN = 100_000
"""Names of topics and secrets of TLS sessions that are kept."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a micro-batch reads."""

    number: int
    """Which one it is, from 1."""
    inputs: Sequence[Input]
    gone: Sequence[str] = ()
    """Names of files that are not there any more."""
    last: bool = False
    """Whether all that is open ends with it."""


_TASKS = pa.schema([("place", pa.int32()), ("task", pa.binary())])


def run_micro_batch(session: SparkSession, ledger: Ledger, state: State, plan: Plan, options: Options) -> State:
    """Read files, add their rows to the tables, and give the state behind them.

    Raises PipelineError, after which nothing was added.
    """
    inputs = plan.inputs
    try:
        while True:
            try:
                new = _MicroBatch(session, ledger, state.next(), inputs, options, plan.last).run()
            except PipelineError as error:
                if not error.lost:
                    raise
                # What other tasks wrote may hold calls of the lost files.
                inputs = leave_out(inputs, error.lost)
            else:
                for name in plan.gone:
                    new.files.pop(name, None)
                ledger.commit(new)
                return new
    except PySparkException as error:
        raise PipelineError(reason_of(error)) from error


class _MicroBatch:
    """One that was not committed yet."""

    def __init__(
        self,
        session: SparkSession,
        ledger: Ledger,
        state: State,
        inputs: Sequence[Input],
        options: Options,
        last: bool,
    ) -> None:
        self._session = session
        self._ledger = ledger
        self._state = state
        self._inputs = inputs
        self._options = replace(options, buckets=state.buckets)
        self._last = last

    def run(self) -> State:
        """Do all but the commit."""
        state = self._state
        index = Index(self._session, self._inputs, self._options)
        if not self._inputs:
            # Spark runs no task over nothing, but what is carried is to end.
            index.frame = self._nothing()
        try:
            vantages = index.vantages = self._vantages(index.reports)
            followed = self._follow(index, vantages)
        finally:
            index.close()
        self._take_names(followed)
        self._take_events(followed)
        self._take_files(vantages, index.reports)
        for each in followed:
            self._keep(file for file in each.files if file.table != EVENTS.name)
        alive = frozenset().union(
            *(each.parts for each in state.carried.values()), *(held.parts for held in state.events)
        )
        state.parts = {number: part for number, part in state.parts.items() if number in alive}
        state.finished = self._last
        return state

    def _nothing(self) -> DataFrame:
        """Give an index without packets."""
        rows = as_batch((bucket, -1, 0, 0, 0, REPORT, b"", None) for bucket in range(self._state.buckets))
        frame = self._session.createDataFrame(pa.Table.from_batches([rows]))
        return frame.repartitionById(self._state.buckets, "bucket")

    def _vantages(self, reports: Sequence[FileReport]) -> list[str]:
        """Give the vantage of each file, and note how far their rings and vantages have come."""
        state = self._state
        first = min((each.first_time for each in reports if each.first_time is not None), default=0)
        state.first_time = state.first_time or first
        of_rings: dict[str, list[FileReport]] = {}
        for each, report in zip(self._inputs, reports, strict=True):
            of_rings.setdefault(each.ring, []).append(report)
        for name, of_ring in of_rings.items():
            if name not in state.rings:
                state.rings[name] = Ring(apart=overlap(of_ring))
        vantages = []
        for each, report in zip(self._inputs, reports, strict=True):
            ring, name = state.rings[each.ring], without_compression(each.path)
            late = report.first_time is not None and report.first_time < ring.latest - OVERLAP_NS
            its_own = each.path if ring.apart or late else each.ring
            vantage = state.files[name].vantage if each.skipped else its_own
            ring.latest = max(ring.latest, report.last_time or 0)
            state.ends[vantage] = max(state.ends.get(vantage, 0), report.last_time or 0)
            vantages.append(vantage)
        return vantages

    def _follow(self, index: Index, vantages: Sequence[str]) -> list[Followed]:
        """Run the packets through the engines."""
        state, options = self._state, self._options
        parts = index.parts()
        first_part = state.next_part
        state.next_part += len(parts)
        state.parts |= dict(enumerate(parts, first_part))
        new_secrets = b"\n".join(report.secrets for report in index.reports if report.secrets not in state.secrets)
        state.secrets = b"\n".join(filter(None, (state.secrets, new_secrets)))
        key_log = b"\n".join((options.key_log, state.secrets))
        bounds: dict[str, int | None] = {vantage: state.ends[vantage] - OVERLAP_NS for vantage in vantages}
        if self._last:
            bounds = dict.fromkeys([*bounds, *(vantage for _, vantage in state.carried)])
        known = Known(
            parts,
            key_log,
            topics=state.topics,
            tls_sessions=state.tls_sessions,
            records=options.records,
            ends=dict(state.ends),
        )
        task = FollowTask(known, first_part, bounds, state.carried, self._ledger.work, options)
        if key_log.strip():
            task = self._with_sessions(index, task)
        followed: list[Followed] = index.map(task, Followed)
        for each in followed:
            for vantage, carried in each.carried.items():
                state.carried[each.bucket, vantage] = carried
        assert not self._last or all(carried.path is None for carried in state.carried.values())
        return followed

    def _with_sessions(self, index: Index, task: FollowTask) -> FollowTask:
        """Let all buckets know the TLS sessions that connections in others began."""
        for _ in range(MOST_ROUNDS):
            learned: list[Followed] = index.map(replace(task, only_learn=True), Followed)
            sessions = {**self._state.tls_sessions}
            for each in learned:
                sessions |= each.learned.tls_sessions
            done = sessions.keys() == task.known.tls_sessions.keys()
            self._state.tls_sessions = _latest(sessions)
            task = replace(task, known=replace(task.known, tls_sessions=self._state.tls_sessions))
            if done:
                break
        return task

    def _take_names(self, followed: Sequence[Followed]) -> None:
        """Give rows that lack names of topics those that are known by now."""
        state = self._state
        before = len(state.topics)
        for each in followed:
            state.topics |= each.learned.topics
        learned = len(state.topics) > before
        state.topics = _latest(state.topics)
        work = []
        for each in followed:
            paths = [path for path in (state.unnamed.get(each.bucket), each.unnamed) if path is not None]
            if paths and (learned or self._last or each.unnamed is not None):
                work.append(NamingWork(each.bucket, paths, self._last))
        if not work:
            return
        task = NameTask(state.topics, self._ledger.work)
        results: list[Renamed] = self._run(
            self._spread(work, NamingWork).mapInArrow(task, from_arrow_schema(RESULT)), Renamed
        )
        for result in results:
            self._keep(result.complete)
            self._replace(f"unnamed {result.bucket}", result.incomplete)
            state.unnamed.pop(result.bucket, None)
            if result.path is not None:
                state.unnamed[result.bucket] = result.path
            state.given_up += result.given_up

    def _take_events(self, followed: Sequence[Followed]) -> None:
        """Let the rules look at the events whose turn has come."""
        state = self._state
        for each in followed:
            for vantage, names in each.cluster_names.items():
                state.names[vantage] = state.names.get(vantage, set()) | names
        _join_clusters(state)
        turn = self._turns()
        new = [
            HeldEvents(file.path, each.latest_events, frozenset(state.parts))
            for each in followed
            for file in each.files
            if file.table == EVENTS.name
        ]
        held = [*state.events, *new]
        fresh = {each.path for each in new}
        sources = [EventFile(each.path, each.path in fresh) for each in held]
        clusters = [
            cluster
            for cluster in state.clusters
            if len(cluster.paths) > 1 or any(set(each.latest) & set(cluster.vantages) for each in held)
        ]
        if sources and clusters:
            numbers = {vantage: place for place, cluster in enumerate(clusters) for vantage in cluster.vantages}
            read = ReadEventsTask(numbers, state.fed, turn, self._ledger.work)
            events = self._spread(sources, EventFile).mapInArrow(read, from_arrow_schema(SPANS))
            spread = events.repartitionById(len(clusters), "task").sortWithinPartitions(*EVENT_ORDER)
            task = FindTask(clusters, state.parts, self._ledger.work)
            rows = spread.mapInArrow(task, from_arrow_schema(RESULT))
            found: list[Found] = self._run(rows, Found)
            after = {each.cluster.number: each.cluster for each in found}
            state.clusters = [after.get(each.number, each) for each in state.clusters]
            for each_found in found:
                self._replace(f"findings {each_found.cluster.number}", each_found.files)
        state.fed |= turn
        state.events = [
            each for each in held if any(latest >= state.fed[vantage] for vantage, latest in each.latest.items())
        ]

    def _turns(self) -> dict[str, int]:
        """Give by vantage up to where in time the rules may look: to where all of its cluster have come."""
        state = self._state
        turn: dict[str, int] = {}
        for cluster in state.clusters:
            bounds = [state.ends[vantage] - OVERLAP_NS for vantage in cluster.vantages]
            until = _FOREVER if self._last else max(min(bounds), max(bounds) - SLOWEST_NS)
            turn |= {vantage: max(until, state.fed.get(vantage, 0)) for vantage in cluster.vantages}
        return turn

    def _take_files(self, vantages: Sequence[str], reports: Sequence[FileReport]) -> None:
        """Write the rows of the files; that of a ring's last one stands until the next comes, for it may go on."""
        state = self._state
        name = f"files-{state.batch:08d}-{os.urandom(6).hex()}"
        settled, open_files = TableWriter(self._ledger.work, name), TableWriter(self._ledger.work, f"latest-{name}")
        for each, vantage, read in zip(self._inputs, vantages, reports, strict=True):
            earlier = state.latest_files.pop(vantage, None)
            report = read
            if earlier is not None and each.skipped and earlier.source.path == each.path:
                report = replace(joined(earlier.report, read), reason=read.reason)
            elif earlier is not None:
                settled.add([self._settled(vantage, earlier)])
            state.latest_files[vantage] = LatestFile(each, report)
            state.packets += read.packets
            state.files_read += not each.skipped
            self._note_read(each, vantage, read)
        if self._last:
            settled.add([self._settled(vantage, each) for vantage, each in state.latest_files.items()])
            state.latest_files.clear()
        open_files.add(self._file(vantage, each) for vantage, each in state.latest_files.items())
        self._keep(settled.close())
        self._replace("files", open_files.close())

    def _settled(self, vantage: str, file: LatestFile) -> Placed:
        """Give the row of a file that does not go on, and note what was wrong with it."""
        state, reason = self._state, file.report.reason
        if reason is not None and len(state.unread) < _MOST_UNREAD:
            state.unread.append(reason)
        elif reason is not None:
            state.more_unread += 1
        return self._file(vantage, file)

    def _file(self, vantage: str, file: LatestFile) -> Placed:
        time = file.report.first_time
        return "files", self._state.first_time if time is None else time, row_of_file(vantage, file.source, file.report)

    def _note_read(self, source: Input, vantage: str, report: FileReport) -> None:
        if source.lost:
            return
        self._state.files[without_compression(source.path)] = Read(
            source.path,
            source.size,
            source.modified_ns,
            source.head,
            source.ring,
            source.first_time,
            source.skipped + report.packets,
            vantage,
        )

    def _keep(self, written: Iterable[Written]) -> None:
        """Add rows that stay."""
        for each in written:
            self._state.moves.append(each)
            self._state.rows[each.table] += each.rows

    def _replace(self, what: str, written: list[Written]) -> None:
        """Put rows in the place of others."""
        state = self._state
        state.removals += [each.path for each in state.provisional.pop(what, [])]
        state.moves += written
        if written:
            state.provisional[what] = written

    def _spread(self, work: Sequence[object], kind: Any) -> DataFrame:
        """Give a frame with one thing to do, `kind`, in each partition."""
        places = pa.array(range(len(work)), pa.int32())
        table = pa.table([places, pa.array([to_json(each, kind) for each in work], pa.binary())], schema=_TASKS)
        return self._session.createDataFrame(table).repartitionById(max(len(work), 1), "place")

    def _run(self, frame: DataFrame, kind: Any) -> list[Any]:
        return [from_json(row.result, kind) for row in frame.collect()]


def _join_clusters(state: State) -> None:
    """Note which vantages see the same cluster, as far as is known by now."""
    clusters: list[Cluster] = []
    next_number = max((each.number for each in state.clusters), default=-1) + 1
    for vantages in clusters_of(state.names):
        before = [each for each in state.clusters if not set(vantages).isdisjoint(each.vantages)]
        if not before:
            before = [Cluster(next_number, ())]
            next_number += 1
        paths = tuple(path for each in before for path in each.paths)
        clusters.append(replace(before[0], vantages=tuple(vantages), paths=paths))
        for absorbed in before[1:]:
            state.removals += [each.path for each in state.provisional.pop(f"findings {absorbed.number}", [])]
    state.clusters = clusters


def _latest(known: dict[Any, Any]) -> dict[Any, Any]:
    """Keep what was learned last of too much."""
    return dict([*known.items()][-_MOST_KNOWN:])


def limits_of(state: State, key_log: bytes) -> list[str]:
    """Give the notes of all that was read so far, as one engine would give them."""
    counts: Counter[str] = Counter()
    tls = TlsContext(KeyLog())
    tls.key_log.add(b"\n".join((key_log, state.secrets)))
    for each in state.carried.values():
        add_up(tls.counters, each.tls_counters)
        for note in each.notes:
            text, _, count = note.rpartition(": ")
            counts[text] += int(count.replace(",", ""))
    if state.given_up:
        counts["rows without the names of their topics, as too many waited for these"] = state.given_up
    of_rules = [note for cluster in state.clusters for note in cluster.limits]
    return [*(f"{text}: {count:,}" for text, count in counts.items()), *tls.notes(), *of_rules]
