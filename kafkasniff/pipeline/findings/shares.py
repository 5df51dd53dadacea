"""How the rules over a large cluster are shared out among tasks: by clients where their states are, else by rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.facts import NAMING_GROUPS, TELLING
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.findings.event_spans import TAKEN, spans
from kafkasniff.pipeline.indexes.pieces import Marks

EVENTS_A_TASK = 200_000
"""Events of a cluster from which on more than one task looks at them: ten seconds' work."""


class Share(NamedTuple):
    """What one task looks at."""

    cluster: int
    rules: tuple[type[Rule[Any]], ...] = RULES
    clients: tuple[int, int] | None = None
    """Those of the first, when all are dealt out to so many as the second says; None: all."""
    apis: frozenset[int] | None = None
    """The APIs whose plain calls are wanted; None: all."""

    def wants(self, events: pa.RecordBatch) -> tuple[Marks, Marks]:
        """Tell which events are looked at, and of which others only what they tell is wanted."""
        count = events.num_rows
        if self.clients is not None:
            number, of = self.clients
            mine = events.column("client").to_numpy() % of == number
            return mine, ~mine & np.isin(events.column("api").to_numpy(), [*TELLING])
        mine = np.ones(count, np.bool_)
        if self.apis is not None:
            plain = events.column("plain").to_numpy(zero_copy_only=False)
            mine = ~plain | np.isin(events.column("api").to_numpy(), [*self.apis])
        return mine, np.zeros(count, np.bool_)


class Deal(NamedTuple):
    """Which of the tasks over one cluster."""

    number: int = 0
    """Those from 0 on have clients; the last has the rules that look across clients."""
    of: int = 0
    """How many have clients; 0: one task has all."""


def deals_of(events: int, parallel: int) -> tuple[Deal, ...]:
    """Give the tasks for a cluster with so many events; `parallel` tasks run at once."""
    # However many run at once, so that none has to remember more of a larger cluster.
    parts = -(-events // EVENTS_A_TASK)
    return (Deal(),) if parts < 2 or parallel < 2 else tuple(Deal(number, parts) for number in range(parts + 1))


def share_of(cluster: int, deal: Deal) -> Share:
    """Give what a task over a cluster looks at."""
    if not deal.of:
        return Share(cluster)
    if deal.number < deal.of:
        return Share(cluster, tuple(rule for rule in RULES if not rule.looks_across_clients), (deal.number, deal.of))
    across = tuple(rule for rule in RULES if rule.looks_across_clients)
    apis = frozenset().union(TELLING, NAMING_GROUPS, *(rule.apis | rule.sampled for rule in across))
    return Share(cluster, across, apis=apis)


def shares_of(clusters: Sequence[Sequence[str]], events: Mapping[str, int], parallel: int) -> list[Share]:
    """Give the tasks for clusters, each given by its vantages; `events` has their number by vantage."""
    counts = [sum(events[vantage] for vantage in vantages) for vantages in clusters]
    return [share_of(number, deal) for number, count in enumerate(counts) for deal in deals_of(count, parallel)]


def dealt(events: pa.RecordBatch, clusters: Mapping[str, int], shares: Sequence[Share]) -> Iterator[pa.RecordBatch]:
    """Give rows of `SPANS` with what each task wants of sorted events; `clusters` has that of each vantage."""
    of_cluster = np.array([clusters[vantage] for vantage in events.column("vantage").to_pylist()], np.int32)
    present = set(np.unique(of_cluster).tolist())
    for task, share in enumerate(shares):
        if share.cluster not in present:
            continue
        mine, told = (marks & (of_cluster == share.cluster) for marks in share.wants(events))
        wanted = mine | told
        if wanted.any():
            taken = [events.column(name) for name in TAKEN.names[:-1]]
            of_task = pa.RecordBatch.from_arrays([*taken, pa.array(told)], schema=TAKEN)
            yield spans(task, of_task.filter(pa.array(wanted)))
