"""Interfaces of a run's files, which tell their place in it."""

from kafkasniff.capture.packets import Interface


class PlacedInterface(Interface):
    """An interface of one of the files of a run."""

    __slots__ = ("number", "part")

    def __init__(
        self,
        file: str,
        link_type: int,
        time_digits: int = 6,
        snap_length: int = 0,
        name: str = "",
        part: int = 0,
        number: int = 0,
    ) -> None:
        """Take what an interface is made of, and its place."""
        super().__init__(file, link_type, time_digits, snap_length, name)
        self.part = part
        """Number of the file, or of a range of it, in the run."""
        self.number = number
        """Index among the interfaces of that part."""
