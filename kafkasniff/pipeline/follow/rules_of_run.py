"""The rules over what a micro-batch brought: which events they look at, in which order, and what they find."""

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import joined, limits_text
from kafkasniff.diagnose.finding import Finding
from kafkasniff.pipeline.errors import outdated
from kafkasniff.pipeline.findings.clocks import fewest, shifts_of
from kafkasniff.pipeline.findings.clusters import clusters_of, settled
from kafkasniff.pipeline.findings.event_spans import SPANS
from kafkasniff.pipeline.findings.shares import Share, deals_of
from kafkasniff.pipeline.follow.carry import load
from kafkasniff.pipeline.follow.findings import Cluster, EventFile, FindTask, Found, ReadEventsTask
from kafkasniff.pipeline.follow.intervals import intervals_of
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.plan import Plan
from kafkasniff.pipeline.follow.state import HeldEvents, State
from kafkasniff.pipeline.follow.tasks import Followed
from kafkasniff.pipeline.inputs.capture_points import OVERLAP_NS
from kafkasniff.pipeline.rows.output import TableWriter
from kafkasniff.pipeline.spreading import collected, spread
from kafkasniff.pipeline.tasks import RESULT
from kafkasniff.render.diagnosis.rows import finding_rows
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS

SLOWEST_NS = 3_600_000_000_000
"""How far a vantage may lie behind the others of its cluster before rules go on without it."""

_NEAR_NS = 10_000_000
"""What an estimate of clocks may change by as more calls are seen."""


class RulesOfRun:
    """The rules of all clusters, in the middle of a micro-batch."""

    def __init__(
        self,
        session: SparkSession,
        ledger: Ledger,
        state: State,
        plan: Plan,
        closing: frozenset[str],
    ) -> None:
        """Go on in `state` with what `plan` reads; vantages `closing` end."""
        self._session = session
        self._ledger = ledger
        self._state = state
        self._plan = plan
        self._closing = closing

    def take(self, followed: Sequence[Followed], ending: set[str]) -> None:
        """Let the rules look at the events whose turn has come, and at those of captures that seem to end."""
        state = self._state
        for each in followed:
            for vantage, names in each.cluster_names.items():
                state.names[vantage] = state.names.get(vantage, set()) | names
            for vantage, calls in each.calls.items():
                state.calls[vantage] = fewest(state.calls.get(vantage, {}) | calls)
        parts = intervals_of(state.parts)
        new = [
            HeldEvents(file.path, each.latest_events, parts)
            for each in followed
            for file in each.files
            if file.table == EVENTS.name
        ]
        if self._plan.run and not self._plan.pauses:
            # Rules look at all of a run at once, so that vantages may be read in any order.
            state.fresh += [each.path for each in new]
            state.events += new
            return
        _join_clusters(state)
        self._compare_clocks()
        self._check_order()
        turn = self._turns()
        held = [*state.events, *new]
        fresh = {*state.fresh, *(each.path for each in new)}
        state.fresh.clear()
        clusters = [
            cluster
            for cluster in state.clusters
            if cluster.merged
            or ending.intersection(cluster.vantages)
            or any(set(each.latest) & set(cluster.vantages) for each in held)
        ]
        self._find(clusters, held, fresh, turn)
        state.fed |= turn
        state.events = [
            each
            for each in held
            if any(latest - state.ahead(vantage) >= state.fed[vantage] for vantage, latest in each.latest.items())
        ]

    def _find(
        self, clusters: list[Cluster], held: Sequence[HeldEvents], fresh: set[str], turn: Mapping[str, int]
    ) -> None:
        """Let the rules over `clusters` look at events, and write what they find."""
        state = self._state
        parallel = self._session.sparkContext.defaultParallelism if self._plan.run else 1
        for place, cluster in enumerate(clusters):
            if not cluster.deals:
                loads: Counter[int] = Counter()
                for (_, vantage), each in state.carried.items():
                    if vantage in cluster.vantages:
                        loads.update(each.loads)
                clusters[place] = replace(cluster, deals=deals_of(loads, parallel))
        numbers = {vantage: place for place, cluster in enumerate(clusters) for vantage in cluster.vantages}
        sources = [EventFile(each.path, each.path in fresh) for each in held]
        if self._plan.pauses:
            of_clusters = [each for each in state.endings.values() if not numbers.keys().isdisjoint(each.vantages)]
            sources += [EventFile(path, True) for each in of_clusters for path in each.events]
        if not sources or not clusters:
            return
        ahead = {vantage: shift.ahead_ns for vantage, shift in state.shifts.items()}
        tasks = [(cluster, number) for cluster in clusters for number in range(len(cluster.deals))]
        shares = [Share(place, *deal) for place, cluster in enumerate(clusters) for deal in cluster.deals]
        read = ReadEventsTask(numbers, shares, state.fed, turn, self._plan.pauses, ahead, self._ledger.work)
        events_of = spread(self._session, sources, EventFile).mapInArrow(read, from_arrow_schema(SPANS))
        dealt_out = events_of.repartitionById(len(tasks), "task").sortWithinPartitions(*EVENT_ORDER)
        task = FindTask(tasks, state.parts, turn, ahead, self._ledger.work)
        found: list[Found] = collected(dealt_out.mapInArrow(task, from_arrow_schema(RESULT)), Found)
        for cluster in clusters:
            if of_cluster := [each for each in found if each.cluster == cluster.number]:
                self._take_found(cluster, of_cluster)

    def _take_found(self, cluster: Cluster, found: Sequence[Found]) -> None:
        """Write what the tasks over a cluster found, what others explain under these."""
        state = self._state
        writer = TableWriter(self._ledger.work, f"cluster-{cluster.number:05d}-{os.urandom(6).hex()}")
        findings: dict[tuple[str, ...], defaultdict[str, list[Finding]]] = {}
        given_up: Counter[str] = Counter()
        for each in found:
            given_up.update(each.given_up)
            for vantages, saved in each.findings:
                of_vantages = findings.setdefault(vantages, defaultdict(list))
                for rule, of_rule in load(self._ledger.work, saved).items():
                    of_vantages[rule] += of_rule
        for vantages, of_vantages in findings.items():
            writer.add(finding_rows([*vantages], joined(of_vantages[rule.id] for rule in RULES)))
        rules = tuple((each.task, each.saved) for each in found)
        failures = [text for each in found for text in each.failures]
        after = replace(cluster, saved=rules, merged=False, limits=tuple(limits_text(given_up) + failures))
        state.clusters = [after if each.number == cluster.number else each for each in state.clusters]
        state.replace(f"findings {cluster.number}", writer.close())

    def _compare_clocks(self) -> None:
        """Estimate how far the clocks of each cluster's vantages are apart."""
        state = self._state
        for cluster in state.clusters:
            # That of which the rules know most stays as it is.
            fed = sorted(cluster.vantages, key=lambda vantage: (-state.fed.get(vantage, 0), vantage))
            before = [vantage for vantage in fed if vantage not in state.shifts]
            found = shifts_of([*before, *(vantage for vantage in fed if vantage in state.shifts)], state.calls)
            for vantage in cluster.vantages if self._plan.run and not state.renewed else ():
                shift = found.get(vantage)
                if state.fed.get(vantage) and abs((shift.ahead_ns if shift else 0) - state.ahead(vantage)) > _NEAR_NS:
                    raise outdated(f"the clock of {vantage} is apart from others otherwise than it seemed")
            state.shifts |= {vantage: shift for vantage, shift in found.items() if not state.fed.get(vantage)}

    def _check_order(self) -> None:
        """Raise PipelineError where the rules would have to look at what comes before what they know."""
        state = self._state
        if not self._plan.run or state.renewed:
            return
        for cluster in state.clusters:
            if cluster.merged:
                raise outdated(f"{', '.join(cluster.vantages)} turned out to see one cluster")
            known = max((state.fed.get(vantage, 0) for vantage in cluster.vantages), default=0)
            for vantage in cluster.vantages:
                if state.begins.get(vantage, known) - state.ahead(vantage) < known:
                    raise outdated(f"{vantage} begins before what was read of its cluster")

    def _turns(self) -> dict[str, int]:
        """Give by vantage up to where in time the rules may look: to where all of its cluster have come."""
        state = self._state
        turn: dict[str, int] = {}
        for cluster in state.clusters:
            waited_for = [each for each in cluster.vantages if each not in self._closing] or cluster.vantages
            bounds = [state.ends[vantage] - OVERLAP_NS - state.ahead(vantage) for vantage in waited_for]
            until = max(min(bounds), max(bounds) - SLOWEST_NS)
            turn |= {vantage: max(until, state.fed.get(vantage, 0)) for vantage in cluster.vantages}
            # Of what ends nothing waits.
            turn |= {each: state.ends[each] + 1 for each in self._closing.intersection(cluster.vantages)}
        return turn


def _join_clusters(state: State) -> None:
    """Note which vantages see the same cluster, as far as is known by now."""
    clusters: list[Cluster] = []
    next_number = max((each.number for each in state.clusters), default=-1) + 1
    state.names = {vantage: settled(names) for vantage, names in state.names.items()}
    for vantages in clusters_of(state.names):
        before = [each for each in state.clusters if not set(vantages).isdisjoint(each.vantages)]
        if not before:
            before = [Cluster(next_number, ())]
            next_number += 1
        known = [each for each in before if each.saved]
        if len(known) > 1 and any(len(each.deals) > 1 for each in known):
            raise outdated(f"{', '.join(vantages)} turned out to see one cluster, and are shared out among tasks")
        first = replace((known or before)[0], number=before[0].number, merged=len(known) > 1)
        saved = tuple(one for each in before for one in each.saved)
        clusters.append(replace(first, vantages=tuple(vantages), saved=saved))
        for absorbed in before[1:]:
            state.replace(f"findings {absorbed.number}", [])
    state.clusters = clusters
