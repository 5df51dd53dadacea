"""Interfaces of a run's files, which tell their place in it."""

from dataclasses import dataclass

from kafkasniff.capture.packets import Interface


@dataclass(frozen=True, slots=True, eq=False)
class PlacedInterface(Interface):
    """An interface of one of the files of a run."""

    part: int = 0
    """Number of the file, or of a range of it, in the run."""
    number: int = 0
    """Index among the interfaces of that part."""
