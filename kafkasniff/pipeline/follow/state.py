"""What a run has done so far, and what it carries from one micro-batch to the next."""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from kafkasniff.pipeline.findings.clocks import Shift, Times
from kafkasniff.pipeline.follow.carry import Saved
from kafkasniff.pipeline.follow.findings import Cluster
from kafkasniff.pipeline.follow.intervals import Intervals, numbers_in
from kafkasniff.pipeline.follow.tasks import Carried
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.read_files import ReadFiles
from kafkasniff.pipeline.rows.output import Written
from kafkasniff.pipeline.rows.reassembly import Part
from kafkasniff.tcp.tls.key_log import KeyLog

ENDED = ""
"""In the place of a vantage: all that have ended, and of which nothing is carried."""


@dataclass(slots=True)
class Ring:
    """Files of one directory whose names differ by what rotation adds."""

    latest: int = 0
    """The time of the last packet (ns)."""
    apart: bool = False
    """Whether its files were captured at the same time, so that each is its own vantage."""


@dataclass(slots=True)
class LatestFile:
    """The last file of a vantage, which may go on."""

    source: Input
    report: FileReport


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """A file of events that wait for those of slower vantages."""

    path: str
    latest: dict[str, int]
    """By vantage, the time of the last of them (ns)."""
    parts: Intervals
    """What they may tell of."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Captures of which all stands in the tables as if they ended there, until more of them comes."""

    vantages: tuple[str, ...]
    events: tuple[str, ...]
    """Files of what ended with them."""
    parts: Intervals
    """What these tell of."""


@dataclass(slots=True)
class State:
    """All of it; paths are below the working folder."""

    buckets: int
    """Tasks that connections are shared among."""
    batch: int = 0
    """Micro-batches so far."""
    files: ReadFiles = field(default_factory=ReadFiles)
    latest_files: dict[str, LatestFile] = field(default_factory=dict)
    """By vantage."""
    rings: dict[str, Ring] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the last packet (ns)."""
    begins: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the first packet that was read since the rules looked (ns)."""
    fresh: list[str] = field(default_factory=list)
    """Files of events of which the rules saw nothing."""
    next_part: int = 0
    parts: dict[int, Part] = field(default_factory=dict)
    """Those that something carried tells of, by number."""
    carried: dict[tuple[int, str], Carried] = field(default_factory=dict)
    """By bucket and vantage."""
    open: set[str] = field(default_factory=set)
    """Vantages of which the tables lack what is at their end."""
    endings: dict[int, Ending] = field(default_factory=dict)
    """By number."""
    unnamed: dict[str, list[Saved]] = field(default_factory=dict)
    """Where rows are saved that lack names, by what has provisional rows in their place."""
    given_up: int = 0
    """Rows that no longer wait for names."""
    topics: dict[str, str] = field(default_factory=dict)
    tls_sessions: dict[bytes, bytes] = field(default_factory=dict)
    secrets: bytes = b""
    """The TLS key logs in captures."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    calls: dict[str, dict[int, Times]] = field(default_factory=dict)
    """By vantage, what `shifts_of` takes."""
    shifts: dict[str, Shift] = field(default_factory=dict)
    """By vantage, how far its clock is ahead of those of its cluster."""
    clusters: list[Cluster] = field(default_factory=list)
    fed: dict[str, int] = field(default_factory=dict)
    """By vantage, up to where in time the rules know its events."""
    events: list[HeldEvents] = field(default_factory=list)
    provisional: dict[str, list[Written]] = field(default_factory=dict)
    """Rows that later ones take the place of, by what they are."""
    rows: Counter[str] = field(default_factory=Counter)
    """By table, those that stay."""
    first_time: int = 0
    """The time of the first packet of all (ns)."""
    packets: int = 0
    files_read: int = 0
    unread: list[str] = field(default_factory=list)
    """Why files were not read, or not to their end: the first of them."""
    more_unread: int = 0
    """How many others there are."""
    moves: list[Written] = field(default_factory=list)
    """What the last micro-batch wrote; to be put in its place."""
    removals: list[str] = field(default_factory=list)
    """Files in the tables that it takes the place of."""
    shown: bool = True
    """Whether that is to be done now; False in the middle of a run."""
    renewed: bool = False
    """Whether all is read again in this run."""

    def ahead(self, vantage: str) -> int:
        """Give how far a vantage's clock is ahead of those of its cluster (ns)."""
        return self.shifts[vantage].ahead_ns if vantage in self.shifts else 0

    @property
    def is_there(self) -> bool:
        """Whether no file was gone, as far as is known, that was to be read."""
        return self.files_read == len(self.files)

    def opened_by(self, key_log: bytes) -> bool:
        """Tell whether these secrets open TLS connections that were read without them."""
        log = KeyLog()
        log.add(key_log)
        unopened = (name for each in self.carried.values() for name in each.unopened)
        return bool(log.changes) and any(map(log.lines_of, unopened))

    def reasons(self) -> list[str]:
        """Give why files were not read, or not to their end, as far as that is kept."""
        latest = [each.report.reason for each in self.latest_files.values()]
        return [*self.unread, *(reason for reason in latest if reason is not None)]

    def counts(self, tables: Sequence[str]) -> dict[str, int]:
        """Give the rows by table."""
        found = self.rows.copy()
        for each in (each for written in self.provisional.values() for each in written):
            found[each.table] += each.rows
        return {table: found[table] for table in tables}

    def next(self) -> "State":
        """Give a copy, for the next micro-batch."""
        state = copy.deepcopy(self)
        state.batch += 1
        if state.shown:
            state.moves, state.removals = [], []
        return state

    def renew(self, removals: list[str], apart: Iterable[str]) -> "State":
        """Give the state with nothing read, for a run that takes the place of all that stands in the tables.

        Files of the rings `apart` are each their own vantage. Secrets of TLS are known from the beginning on.
        """
        rings = {ring: Ring(apart=True) for ring in apart}
        begun = State(self.buckets, self.batch, rings=rings, removals=removals, shown=False, renewed=True)
        begun.secrets = self.secrets
        return begun

    def replace(self, what: str, written: Sequence[Written]) -> None:
        """Put rows in the place of others."""
        for each in self.provisional.pop(what, ()):
            if each in self.moves:
                self.moves.remove(each)
            else:
                self.removals.append(each.path)
        self.moves += written
        if written:
            self.provisional[what] = [*written]

    def forget(self, vantages: Set[str]) -> None:
        """Let captures have ended: what they left in the tables stays as it is."""
        for vantage in vantages:
            for known in (self.ends, self.begins, self.names, self.calls, self.shifts, self.fed):
                known.pop(vantage, None)
        clusters = []
        for each in self.clusters:
            left = tuple(vantage for vantage in each.vantages if vantage not in vantages)
            if left:
                clusters.append(replace(each, vantages=left))
                continue
            for written in self.provisional.pop(f"findings {each.number}", ()):
                self.rows[written.table] += written.rows
        self.clusters = clusters

    def forget_parts(self) -> None:
        """Keep the parts that something carried tells of."""
        sets = [each.parts for each in self.events] + [each.parts for each in self.endings.values()]
        alive = numbers_in(sets).union(*(each.parts for each in self.carried.values()))
        self.parts = {number: part for number, part in self.parts.items() if number in alive}

    def in_use(self) -> set[str]:
        """Give the files below the working folder that are needed."""
        saved = [each.saved for each in self.carried.values() if each.saved is not None]
        saved += [each for cluster in self.clusters for _, each in cluster.saved]
        saved += [each for of_rows in self.unnamed.values() for each in of_rows]
        used = {each.path for each in saved} | {each.path for each in self.events}
        used |= {path for ending in self.endings.values() for path in ending.events}
        return used if self.shown else used | {each.path for each in self.moves}
