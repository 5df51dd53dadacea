"""What a micro-batch reads, and of which captures its files are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kafkasniff.pipeline.errors import outdated
from kafkasniff.pipeline.follow.state import Ring, State
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.capture_points import OVERLAP_NS, overlap
from kafkasniff.pipeline.inputs.files import Input, shown
from kafkasniff.tables.rings import without_compression


@dataclass(frozen=True, slots=True)
class Plan:
    """What a micro-batch reads."""

    number: int
    """Which one it is, from 1."""
    inputs: Sequence[Input]
    gone: Sequence[str] = ()
    """Names of files that are not there any more."""
    run: bool = False
    """Whether it is of a run over all that is there, whose tables are those of one over all the same files."""
    pauses: bool = False
    """Whether all that is open is to stand in the tables as if it ended with it."""


class Vantages(NamedTuple):
    """The vantages of a micro-batch's files."""

    of_files: list[str]
    """In the order of the files."""
    closing: frozenset[str]
    """Those that end with it: of late files, each of which is a capture by itself."""


def vantages_of(state: State, plan: Plan, inputs: Sequence[Input], reports: Sequence[FileReport]) -> Vantages:
    """Give the vantages of files, and note in `state` how far their rings and vantages have come.

    Raises PipelineError where all is to be read again.
    """
    first = min((each.first_time for each in reports if each.first_time is not None), default=0)
    state.first_time = state.first_time or first
    _note_rings(state, plan, inputs, reports)
    vantages, closing = list[str](), set[str]()
    for each, report in zip(inputs, reports, strict=True):
        ring, name = state.rings[each.ring], without_compression(each.path)
        late = report.first_time is not None and report.first_time < ring.latest - OVERLAP_NS
        if late and plan.run and not ring.apart:
            # Read in the order of time they are late again only where they were captured at the same time.
            raise outdated(f"{each.path} begins before what was read of {each.ring}", each.ring, state.renewed)
        its_own = shown(each.path) if ring.apart or late else each.ring
        vantage = state.files[name].vantage if each.skipped else its_own
        if late and not ring.apart and not plan.pauses:
            # Its ring has a newer one, so that it is whole.
            closing.add(vantage)
        ring.latest = max(ring.latest, report.last_time or 0)
        state.ends[vantage] = max(state.ends.get(vantage, 0), report.last_time or 0)
        if report.first_time is not None:
            state.begins[vantage] = min(state.begins.get(vantage, report.first_time), report.first_time)
        vantages.append(vantage)
    return Vantages(vantages, frozenset(closing))


def _note_rings(state: State, plan: Plan, inputs: Sequence[Input], reports: Sequence[FileReport]) -> None:
    """Note which rings there are, and whether their files were captured at the same time."""
    of_rings: dict[str, list[FileReport]] = {}
    for each, report in zip(inputs, reports, strict=True):
        if not each.skipped:
            of_rings.setdefault(each.ring, []).append(report)
    for name, of_ring in of_rings.items():
        if name not in state.rings:
            state.rings[name] = Ring(apart=overlap(of_ring))
        elif plan.run and not state.rings[name].apart and overlap(of_ring):
            raise outdated(f"files of {name} were captured at the same time", name, True)
