"""Takes calls as rows of the table `calls`, and adds them up by several keys."""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.items import Item
from kafkasniff.metrics.breakdown import SUMS, Breakdown, Key, Row, between
from kafkasniff.metrics.histogram import bucket_of
from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.blocks.columns import Column
from kafkasniff.tables.calls.call_tables import CallTables
from kafkasniff.tables.declared import CALLS

MOST_NAMES = 200
"""Client ids, topics and groups that have rows of their own, each."""
MOST_PAIRS = 500
"""Pairs of an API and a broker, and of an error and an API."""
FORGET_SECONDS = 3600.0
"""After so long without a call a name loses its row, where others want one."""

API_BROKER = ("api_name", "server")
CLIENT = ("client_id",)
TOPIC = ("topic",)
GROUP = ("group",)
ERROR_API = ("error", "api_name")

_AT = {column.name: at for at, column in enumerate(CALLS.columns)}
_WANTED = frozenset(
    {
        "api_name",
        "client_id",
        "error_names",
        "groups",
        "outcome",
        "request_size_bytes",
        "response_size_bytes",
        "server",
        "throttle_time_ms",
        "topics",
        "total_time_ms",
    }
)
_LISTS = {TOPIC: "topics", GROUP: "groups"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All totals at one moment."""

    time_ns: int
    """Since 1970 UTC."""
    rows: Mapping[Key, Mapping[Key, Row]]
    """By the labels of a breakdown, and by key."""

    def since(self, before: "Snapshot") -> "Snapshot":
        """Give what came after `before`."""
        return Snapshot(
            self.time_ns, {labels: between(rows, before.rows[labels]) for labels, rows in self.rows.items()}
        )


class Totals:
    """What was seen of calls so far. `take` and `snapshot` may be called by different threads."""

    def __init__(self, most_names: int = MOST_NAMES) -> None:
        """Begin without calls; `most_names` client ids, topics and groups each are told apart."""
        limits = {
            API_BROKER: MOST_PAIRS,
            CLIENT: most_names,
            TOPIC: most_names,
            GROUP: most_names,
            ERROR_API: MOST_PAIRS,
        }
        self.breakdowns = {labels: Breakdown(labels, limit) for labels, limit in limits.items()}
        self._tables = CallTables({CALLS.name: _WANTED}, self._add)
        self._lock = threading.Lock()

    def take(self, items: Sequence[Item]) -> None:
        """Take the calls among what an engine gave."""
        rest = [*reversed(items)]
        with self._lock:
            while rest:
                self._tables.take(rest)

    def snapshot(self) -> Snapshot:
        """Give all totals as they are now."""
        with self._lock:
            self._tables.flush()
            before = time.monotonic() - FORGET_SECONDS
            for breakdown in self.breakdowns.values():
                breakdown.forget(before)
            return Snapshot(time.time_ns(), {labels: each.rows() for labels, each in self.breakdowns.items()})

    def _add(self, _: str, block: Block) -> None:
        """Add a block of calls."""
        size, now = len(block), time.monotonic()

        def column(name: str) -> Column:
            found: Column = block.columns[_AT[name]]
            return found

        outcome = _Texts(column("outcome"), size)
        answered = outcome.are("answered")
        times = np.where(answered, _numbers(column("total_time_ms"), size), 0.0)
        throttle = np.maximum(_numbers(column("throttle_time_ms"), size), 0.0)
        errors = _ends(column("error_names"), size)
        measures = {
            "calls": np.ones(size),
            "failed": np.diff(errors) > 0,
            "unanswered": outcome.are("unanswered"),
            "request_bytes": _numbers(column("request_size_bytes"), size),
            "response_bytes": _numbers(column("response_size_bytes"), size),
            "throttled": throttle > 0,
            "throttle_ms": throttle,
            "answered": answered,
            "latency_ms": times,
        }
        sums = np.stack([measures[name].astype(np.float64) for name in SUMS])
        buckets = np.where(answered, bucket_of(times / 1000), -1)
        apis = _Texts(column("api_name"), size)
        self._add_pairs(API_BROKER, apis, _Texts(column("server"), size), sums, buckets, now)
        clients = _Texts(column("client_id"), size)
        number = self.breakdowns[CLIENT].number
        numbers = np.array([number((text,)) for text in clients.texts], np.int64)
        self.breakdowns[CLIENT].add(numbers[clients.places], sums, buckets, now)
        for labels, name in _LISTS.items():
            names = column(name)
            if names.elements:
                rows = np.repeat(np.arange(size), np.diff(_ends(names, size)))
                elements = _elements(names, self.breakdowns[labels])
                self.breakdowns[labels].add(elements, sums[:, rows], buckets[rows], now)
        if codes := column("error_names").elements:
            rows = np.repeat(np.arange(size), np.diff(errors))
            self._add_pairs(ERROR_API, _Texts.of(codes), apis.taken(rows), sums[:, rows], buckets[rows], now)

    def _add_pairs(
        self,
        labels: Key,
        first: "_Texts",
        second: "_Texts",
        sums: NDArray[np.float64],
        buckets: NDArray[np.int64],
        now: float,
    ) -> None:
        """Add calls by pairs of two texts."""
        breakdown, width = self.breakdowns[labels], len(second.texts)
        pairs, places = np.unique(first.places * width + second.places, return_inverse=True)
        keys = [(first.texts[pair // width], second.texts[pair % width]) for pair in pairs.tolist()]
        breakdown.add(np.array([*map(breakdown.number, keys)], np.int64)[places], sums, buckets, now)


class _Texts:
    """Texts of rows, each once, and the place of each row's among them."""

    def __init__(self, column: Column, size: int) -> None:
        """Take a column of texts; null is the empty text."""
        self.texts = [*(column.as_arrow().texts or ())]
        self.places = np.frombuffer(column.values, np.int32)[:size].astype(np.int64)
        if column.nulls:
            self.places = np.where(_valid(column, size), self.places, len(self.texts))
            self.texts.append("")

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> "_Texts":
        """Take texts."""
        made = cls.__new__(cls)
        found: dict[bytes, int] = {}
        made.places = np.array([found.setdefault(text, len(found)) for text in texts], np.int64)
        made.texts = [text.decode(errors="replace") for text in found]
        return made

    def taken(self, rows: NDArray[np.int64]) -> "_Texts":
        """Give the texts of some rows."""
        made = _Texts.__new__(_Texts)
        made.texts, made.places = self.texts, self.places[rows]
        return made

    def are(self, text: str) -> NDArray[np.bool_]:
        """Tell which rows have a text."""
        found: NDArray[np.bool_] = self.places == (self.texts.index(text) if text in self.texts else -1)
        return found


def _elements(column: Column, breakdown: Breakdown) -> NDArray[np.int64]:
    """Give the number of the row of each element of a column of lists."""
    numbers: dict[bytes, int] = {}
    for text in set(column.elements):
        numbers[text] = breakdown.number((text.decode(errors="replace"),))
    return np.array([numbers[text] for text in column.elements], np.int64)


def _ends(column: Column, size: int) -> NDArray[np.int32]:
    """Give where the lists of rows begin among the elements, and the end of the last."""
    return np.frombuffer(column.values, np.int32)[: size + 1]


def _valid(column: Column, size: int) -> NDArray[np.bool_]:
    """Tell which rows are not null."""
    return np.unpackbits(np.frombuffer(column.valid, np.uint8), bitorder="little")[:size].astype(np.bool_)


def _numbers(column: Column, size: int) -> NDArray[np.float64]:
    """Give the numbers of rows, 0 where there is none."""
    values = np.frombuffer(column.values, column.values.typecode)[:size].astype(np.float64)
    return np.where(_valid(column, size), values, 0.0) if column.nulls else values
