"""How the rules over a large cluster are shared out among tasks: by clients where their states are, else by rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.facts.facts import TELLING
from kafkasniff.diagnose.rule import Rule
from kafkasniff.pipeline.findings.event_spans import TAKEN, by_vantage, spans
from kafkasniff.pipeline.findings.events import ACROSS, SLOTS
from kafkasniff.pipeline.indexes.pieces import Numbers

EVENTS_A_TASK = 20_000
"""Events of a cluster from which on it is worth to let more than one task look at them: half a second's work."""
MOST_EVENTS = 200_000
"""Events from which on there are more tasks than run at once, so that none has to remember more."""
_ACROSS_COST = 0.75
"""What an event costs rules that look across clients, of what it costs the others (`benchmarks.shares`)."""
_LONGEST = 1.5
"""How much longer one task may be than the mean: more tasks would end no sooner."""

MINE, OTHERS, TOLD = 1, 2, 4
"""Why a task wants an event: for the rules of its clients, for those across clients, for what it tells of brokers."""


class Share(NamedTuple):
    """What one task looks at."""

    cluster: int
    slots: tuple[int, ...] | None = None
    """Those of its clients, of `SLOTS`; None: all rules look at all clients together."""
    across: bool = False
    """Whether it has the rules that look across clients too."""

    @property
    def rules(self) -> tuple[type[Rule[Any]], ...]:
        """Give the rules that look at its clients."""
        return RULES if self.slots is None else tuple(rule for rule in RULES if not rule.looks_across_clients)

    @property
    def rules_across(self) -> tuple[type[Rule[Any]], ...]:
        """Give those that it lets look at what all clients do."""
        return tuple(rule for rule in RULES if rule.looks_across_clients) if self.across else ()

    def wants(self, events: pa.RecordBatch) -> Numbers:
        """Tell why each event is wanted; 0: it is not."""
        if self.slots is None:
            return np.full(events.num_rows, MINE)
        mine = np.isin(events.column("client").to_numpy() % SLOTS, self.slots)
        told = ~mine & np.isin(events.column("api").to_numpy(), [*TELLING])
        across = self.across & events.column("across").to_numpy(zero_copy_only=False)
        found: Numbers = MINE * mine + OTHERS * across + TOLD * told
        return found


class Deal(NamedTuple):
    """Which of the tasks over one cluster; as `Share`."""

    slots: tuple[int, ...] | None = None
    across: bool = False


def deals_of(loads: Mapping[int, int], parallel: int) -> tuple[Deal, ...]:
    """Give the tasks for a cluster with events as `EventPacker.loads` has them; `parallel` tasks run at once."""
    events = sum(count for slot, count in loads.items() if slot != ACROSS)
    across = loads.get(ACROSS, 0) * _ACROSS_COST
    useful = min(parallel, -(-events // EVENTS_A_TASK), int(_LONGEST * (events + across) / max(across, 1)))
    parts = max(useful, -(-events // MOST_EVENTS))
    if parts < 2 or parallel < 2:
        return (Deal(),)
    filled, slots = [across, *([0.0] * (parts - 1))], [list[int]() for _ in range(parts)]
    # The largest first, each to the task that has least.
    for slot in sorted(range(SLOTS), key=lambda slot: -loads.get(slot, 0)):
        least = filled.index(min(filled))
        filled[least] += loads.get(slot, 0)
        slots[least].append(slot)
    return tuple(Deal(tuple(each), number == 0) for number, each in enumerate(slots) if each or not number)


def dealt(events: pa.RecordBatch, clusters: Mapping[str, int], shares: Sequence[Share]) -> Iterator[pa.RecordBatch]:
    """Give rows of `SPANS` with what each task wants of sorted events; `clusters` has that of each vantage."""
    of_cluster = by_vantage(events, clusters)
    present = set(np.unique(of_cluster).tolist())
    for task, share in enumerate(shares):
        if share.cluster not in present:
            continue
        wanted = share.wants(events) * (of_cluster == share.cluster)
        if wanted.any():
            taken = [events.column(name) for name in TAKEN.names[:-1]]
            of_task = pa.RecordBatch.from_arrays([*taken, pa.array(wanted.astype(np.int8))], schema=TAKEN)
            yield spans(task, of_task.filter(pa.array(wanted > 0)))
