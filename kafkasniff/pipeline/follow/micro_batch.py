"""A micro-batch of a follower: some files more, from the index to the commit."""

import gc
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.pipeline.errors import PipelineError, outdated
from kafkasniff.pipeline.follow.intervals import intervals_of
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.plan import Plan, vantages_of
from kafkasniff.pipeline.follow.rules_of_run import RulesOfRun
from kafkasniff.pipeline.follow.state import ENDED, Ending, LatestFile, State
from kafkasniff.pipeline.follow.tasks import Carried, Followed, FollowTask, together
from kafkasniff.pipeline.indexes.index import MOST_ROUNDS, Index, reason_of
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.indexes.pieces import REPORT, PackedRow, as_batch
from kafkasniff.pipeline.indexes.reports import joined, row_of_file
from kafkasniff.pipeline.inputs.capture_points import OVERLAP_NS
from kafkasniff.pipeline.inputs.files import Input, leave_out
from kafkasniff.pipeline.inputs.read_files import Read
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.naming import NameTask, NamingWork, Renamed
from kafkasniff.pipeline.rows.output import TableWriter, Written
from kafkasniff.pipeline.rows.reassembly import Known, add_up
from kafkasniff.pipeline.rows.told import TOLD, told_once
from kafkasniff.pipeline.run_record import Observer, RunRecord
from kafkasniff.pipeline.spreading import collected, spread
from kafkasniff.pipeline.tasks import RESULT
from kafkasniff.tables.declared import EVENTS
from kafkasniff.tables.rows import Placed
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.key_log import KeyLog

LATE_SECRETS = "secrets of TLS connections came after their packets"
_ENDING = "ending "
_MOST_UNREAD = 100
"""Reasons that are kept for the summary."""
_MOST_KNOWN = 100_000
"""Names of topics and secrets of TLS sessions that are kept."""


def run_micro_batch(
    session: SparkSession, ledger: Ledger, state: State, plan: Plan, options: Options, observer: Observer
) -> State:
    """Read files, add their rows to the tables, and give the state behind them; `observer` is told of it.

    Raises PipelineError, after which nothing was added.
    """
    inputs = plan.inputs
    try:
        while True:
            try:
                record = RunRecord(session, ledger, plan.number, inputs, observer)
                new = _MicroBatch(session, ledger, state.next(), replace(plan, inputs=inputs), options, record).run()
            except PipelineError as error:
                if not error.lost:
                    raise
                # What other tasks wrote may hold calls of the lost files.
                inputs = leave_out(inputs, error.lost)
            else:
                for name in plan.gone:
                    new.files.pop(name, None)
                with record.step("commit"):
                    ledger.commit(new)
                record.write(state, new)
                # Frames of Spark are in cycles, and as long as they are there Java's objects of theirs are too.
                gc.collect()
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
        plan: Plan,
        options: Options,
        record: RunRecord,
    ) -> None:
        self._session = session
        self._ledger = ledger
        self._state = state
        self._plan = plan
        self._inputs = plan.inputs
        self._record = record
        self._options = replace(options, buckets=state.buckets)
        self._closing = frozenset[str]()
        """Vantages that end with it."""

    def run(self) -> State:
        """Do all but the commit."""
        state = self._state
        with self._record.step("index"):
            index = Index(self._session, self._inputs, self._options)
        if not self._inputs:
            # Spark runs no task over nothing, but what is carried is to end.
            index.frame = self._nothing()
        try:
            vantages, self._closing = vantages_of(state, self._plan, self._inputs, index.reports)
            index.vantages = vantages
            with self._record.step("calls"):
                followed = self._follow(index, vantages)
        finally:
            index.close()
        ending = self._take_ending(followed)
        with self._record.step("names of topics"):
            self._take_names(followed)
        with self._record.step("findings"):
            rules = RulesOfRun(self._session, self._ledger, state, self._plan, self._closing)
            rules.take(followed, ending)
        self._take_files(vantages, index.reports)
        state.forget(self._closing)
        for each in followed:
            self._keep(file for file in each.files if file.table not in _APART)
        self._take_told([file for each in followed for file in (*each.files, *each.ending) if file.table in TOLD])
        state.forget_parts()
        state.shown = self._plan.pauses or not self._plan.run
        if state.shown:
            state.begins.clear()
        state.renewed = state.renewed and not state.shown
        return state

    def _nothing(self) -> DataFrame:
        """Give an index without packets."""
        rows = as_batch(PackedRow(bucket, -1, 0, 0, 0, REPORT, b"") for bucket in range(self._state.buckets))
        frame = self._session.createDataFrame(pa.Table.from_batches([rows]))
        return frame.repartitionById(self._state.buckets, "bucket")

    def _follow(self, index: Index, vantages: Sequence[str]) -> list[Followed]:
        """Run the packets through the engines."""
        state, options = self._state, self._options
        parts = index.parts()
        first_part = state.next_part
        state.next_part += len(parts)
        state.parts |= {first_part + number: parts[number] for number in index.with_packets()}
        new_secrets = b"\n".join(report.secrets for report in index.reports if report.secrets not in state.secrets)
        self._check_secrets(new_secrets)
        state.secrets = b"\n".join(filter(None, (state.secrets, new_secrets)))
        key_log = b"\n".join((options.key_log, state.secrets))
        bounds = {vantage: state.ends[vantage] - OVERLAP_NS for vantage in vantages}
        self._reopen(bounds.keys() - self._closing)
        ending = frozenset(state.open if self._plan.pauses else ())
        known = Known(
            parts,
            key_log,
            topics=state.topics,
            tls_sessions=state.tls_sessions,
            records=options.records,
            ends=dict(state.ends),
        )
        task = FollowTask(known, first_part, bounds, ending, self._closing, state.carried, self._ledger.work, options)
        if key_log.strip():
            task = self._with_sessions(index, task)
        followed: list[Followed] = index.map(task, Followed)
        for each in followed:
            for vantage, carried in each.carried.items():
                if vantage in self._closing:
                    ended = state.carried.get((each.bucket, ENDED), Carried(None))
                    state.carried[each.bucket, ENDED] = together(ended, carried)
                else:
                    state.carried[each.bucket, vantage] = carried
        return followed

    def _check_secrets(self, secrets: bytes) -> None:
        """Let all be read again where these, or the key log, open TLS connections that were read.

        Raises PipelineError. A follower goes on where files are gone that it has read.
        """
        state, plan = self._state, self._plan
        again = plan.run or (state.is_there and not plan.gone)
        new = secrets if state.renewed else b"\n".join((secrets, self._options.key_log))
        if again and state.opened_by(new):
            raise outdated(LATE_SECRETS, secrets=secrets)

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

    def _reopen(self, vantages: Iterable[str]) -> None:
        """Let what is written for captures as if they ended no longer stand, where more of them comes."""
        state = self._state
        state.open.update(vantages)
        for number, each in [*state.endings.items()]:
            # What seemed to end together stands in the same files.
            if state.open.intersection(each.vantages):
                state.open.update(each.vantages)
                del state.endings[number]
                for what in (_ending(number), _ending_names(number)):
                    state.replace(what, [])
                    state.unnamed.pop(what, None)

    def _take_ending(self, followed: Sequence[Followed]) -> set[str]:
        """Let what is written for captures that seem to end stand in the tables; give their vantages."""
        state, number = self._state, self._state.batch
        ending = set(state.open if self._plan.pauses else ())
        if not ending:
            return ending
        state.open.clear()
        written = [file for each in followed for file in each.ending]
        events = tuple(file.path for file in written if file.table == EVENTS.name)
        state.endings[number] = Ending(tuple(sorted(ending)), events, intervals_of(state.parts))
        state.replace(_ending(number), [file for file in written if file.table not in _APART])
        if unnamed := [saved for each in followed for saved in each.ending_unnamed]:
            state.unnamed[_ending_names(number)] = unnamed
        return ending

    def _take_names(self, followed: Sequence[Followed]) -> None:
        """Give rows that lack names of topics those that are known by now."""
        state = self._state
        before = len(state.topics)
        for each in followed:
            state.topics |= each.learned.topics
        learned = len(state.topics) > before
        state.topics = _latest(state.topics)
        fresh = set[str]()
        for each in followed:
            if each.unnamed:
                what = f"unnamed {each.bucket}"
                state.unnamed[what] = [*state.unnamed.get(what, ()), *each.unnamed]
                fresh.add(what)
        work = [
            NamingWork(what, saved)
            for what, saved in state.unnamed.items()
            if learned or what in fresh or what not in state.provisional
        ]
        if not work:
            return
        task = NameTask(state.topics, self._ledger.work)
        results: list[Renamed] = collected(
            spread(self._session, work, NamingWork).mapInArrow(task, from_arrow_schema(RESULT)), Renamed
        )
        for result in results:
            if result.what.startswith(_ENDING):
                # Of rows that do not stay all wait, as long as these do.
                state.replace(result.what, [*result.complete, *result.incomplete])
                continue
            self._keep(result.complete)
            state.replace(result.what, result.incomplete)
            state.unnamed.pop(result.what, None)
            if result.saved is not None:
                state.unnamed[result.what] = [result.saved]
            state.given_up += result.given_up

    def _take_told(self, files: Sequence[Written]) -> None:
        """Write what brokers tell of themselves anew, with what the tasks wrote of it."""
        if not files:
            return
        state, ledger = self._state, self._ledger
        writer = TableWriter(ledger.work, f"told-{state.batch:08d}-{os.urandom(6).hex()}")
        for name, table in TOLD.items():
            paths = [
                ledger.now_at(each.path) for each in (*state.provisional.get("told", ()), *files) if each.table == name
            ]
            if paths:
                writer.add(told_once(table, paths))
        state.replace("told", writer.close())

    def _take_files(self, vantages: Sequence[str], reports: Sequence[FileReport]) -> None:
        """Write the rows of the files; that of a ring's last one stands until the next comes, for it may go on."""
        state = self._state
        name = f"files-{state.batch:08d}-{os.urandom(6).hex()}"
        settled, open_files = TableWriter(self._ledger.work, name), TableWriter(self._ledger.work, f"latest-{name}")
        for each, vantage, read in zip(self._inputs, vantages, reports, strict=True):
            earlier = state.latest_files.pop(vantage, None)
            report = read
            goes_on = earlier is not None and (each.skipped or not earlier.report.packets)
            if earlier is not None and goes_on and earlier.source.path == each.path:
                report = replace(joined(earlier.report, read), reason=read.reason)
            elif earlier is not None:
                settled.add([self._settled(vantage, earlier)])
            if vantage in self._closing:
                settled.add([self._settled(vantage, LatestFile(each, report))])
            else:
                state.latest_files[vantage] = LatestFile(each, report)
            state.packets += read.packets
            state.files_read += not each.skipped
            self._note_read(each, vantage, read)
        open_files.add(self._file(vantage, each) for vantage, each in state.latest_files.items())
        self._keep(settled.close())
        state.replace("files", open_files.close())

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
        self._state.files.add(
            Read(
                source.path,
                source.size,
                source.modified_ns,
                source.head,
                source.ring,
                source.first_time,
                source.skipped + report.packets,
                vantage,
            )
        )

    def _keep(self, written: Iterable[Written]) -> None:
        """Add rows that stay."""
        for each in written:
            self._state.moves.append(each)
            self._state.rows[each.table] += each.rows


_APART = {EVENTS.name, *TOLD}
"""What tasks write that does not go into the tables as it is."""


def _ending(number: int) -> str:
    """Name the provisional rows of captures that seem to end."""
    return f"{_ENDING}{number}"


def _ending_names(number: int) -> str:
    """Name those of them that lack names."""
    return f"{_ENDING}{number} names"


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
    clocks = [
        f"the clock of {vantage} is {abs(shift.ahead_ns) / 1e9:.3f} s {'ahead of' if shift.ahead_ns > 0 else 'behind'}"
        f" that of {shift.other} (by {shift.calls:,} calls and connections that both saw):"
        " findings have the times of the latter"
        for vantage, shift in state.shifts.items()
    ]
    of_rules = [note for cluster in state.clusters for note in cluster.limits]
    return [*(f"{text}: {count:,}" for text, count in counts.items()), *tls.notes(), *clocks, *of_rules]
