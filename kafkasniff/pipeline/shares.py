"""How the rules over a large cluster are shared out among tasks: by clients where their states are, else by rules."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.facts import NAMING_GROUPS, TELLING
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.tables import EVENTS

EVENTS_A_TASK = 200_000
"""Events of a cluster from which on more than one task looks at them: ten seconds' work."""

TRANSACTIONS = frozenset({"hanging-transaction"})
"""Rules that look across clients at what costs most to read: all Fetch and Produce calls."""
ACROSS_CLIENTS = TRANSACTIONS | {
    "rebalance-storm",
    "rebalance-stuck",
    "coordinator-flapping",
    "static-member-fenced",
    "session-timeout",
    "producer-fenced",
    "mismatched-correlation",
    "dead-broker-connect-loop",
    "advertised-listener-unreachable",
    "tls-to-plaintext-port",
    "plaintext-to-tls-port",
    "http-to-kafka-port",
    "other-protocol-to-kafka-port",
}
"""Rules that look at what several clients do; a state of all others is of one client."""

EVENTS_OF_TASKS = pa.schema(
    [*EVENTS.schema, pa.field("told", pa.bool_()), pa.field("task", pa.int32())],
)
"""Events with the task that takes them; `told`: only what they tell of brokers and topics is wanted."""

Mask = np.typing.NDArray[np.bool_]


class Share(NamedTuple):
    """What one task looks at."""

    cluster: int
    rules: tuple[type[Rule[Any]], ...] = RULES
    clients: tuple[int, int] | None = None
    """Those of the first, when all are dealt out to so many as the second says; None: all."""
    apis: frozenset[int] | None = None
    """The APIs whose plain calls are wanted; None: all."""

    def wants(self, events: pa.RecordBatch) -> tuple[Mask, Mask]:
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
        of_clients = tuple(rule for rule in RULES if rule.id not in ACROSS_CLIENTS)
        shares += [Share(number, of_clients, (part, parts)) for part in range(parts)]
        for ids in (TRANSACTIONS, ACROSS_CLIENTS - TRANSACTIONS):
            rules = tuple(rule for rule in RULES if rule.id in ids)
            shares.append(
                Share(number, rules, apis=frozenset().union(TELLING, NAMING_GROUPS, *(r.apis for r in rules)))
            )
    return shares


def dealt(
    events: pa.RecordBatch, clusters: np.typing.NDArray[np.int32], shares: Sequence[Share]
) -> list[pa.RecordBatch]:
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
