"""How the rules over a large cluster are shared out among tasks: by clients where their states are, else by rules."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.facts import FETCH, NAMING_GROUPS, PRODUCE, TELLING
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.tables import EVENTS
from kafkasniff.tcp.columns import Marks

EVENTS_A_TASK = 200_000
"""Events of a cluster from which on more than one task looks at them: ten seconds' work."""

_OF_DATA = frozenset({PRODUCE, FETCH})

EVENTS_OF_TASKS = pa.schema(
    [*EVENTS.schema, pa.field("told", pa.bool_()), pa.field("task", pa.int32())],
)
"""Events with the task that takes them; `told`: only what they tell of brokers and topics is wanted."""


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


def shares_of(clusters: Sequence[Sequence[str]], events: Mapping[str, int], parallel: int) -> list[Share]:
    """Give the tasks for clusters, each given by its vantages.

    `events` has their number by vantage; `parallel` tasks run at once.
    """
    shares: list[Share] = []
    for number, vantages in enumerate(clusters):
        parts = min(-(-sum(events[vantage] for vantage in vantages) // EVENTS_A_TASK), parallel)
        if parts < 2:
            shares.append(Share(number))
            continue
        of_clients = tuple(rule for rule in RULES if not rule.looks_across_clients)
        shares += [Share(number, of_clients, (part, parts)) for part in range(parts)]
        for of_data in (True, False):
            # What carries records costs most to read.
            rules = tuple(rule for rule in RULES if rule.looks_across_clients and bool(rule.apis & _OF_DATA) == of_data)
            apis = frozenset().union(TELLING, NAMING_GROUPS, *(rule.apis for rule in rules))
            shares.append(Share(number, rules, apis=apis))
    return shares


def dealt(events: pa.RecordBatch, clusters: NDArray[np.int32], shares: Sequence[Share]) -> list[pa.RecordBatch]:
    """Give events in `EVENTS_OF_TASKS`, each for all tasks that want it; `clusters` has the cluster of each."""
    found = []
    present = set(np.unique(clusters).tolist())
    for task, share in enumerate(shares):
        if share.cluster not in present:
            continue
        of_cluster = clusters == share.cluster
        for told, mask in zip((False, True), share.wants(events), strict=True):
            wanted = mask & of_cluster
            if wanted.any():
                found.append(for_task(events if wanted.all() else events.filter(pa.array(wanted)), task, told))
    return found


def for_task(events: pa.RecordBatch, tasks: int | pa.Array, told: bool = False) -> pa.RecordBatch:
    """Give events in `EVENTS_OF_TASKS`."""
    count = events.num_rows
    numbers = pa.array(np.full(count, tasks, np.int32)) if isinstance(tasks, int) else tasks
    columns = [*events.columns, pa.array(np.full(count, told)), numbers]
    return pa.RecordBatch.from_arrays(columns, schema=EVENTS_OF_TASKS)
