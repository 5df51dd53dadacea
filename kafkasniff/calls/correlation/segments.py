# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What is remembered of the sizes of segments."""


class LargestSegments:
    """The largest segments that were seen."""

    __slots__ = ("_run", "count", "row", "size")

    def __init__(self, size: int = 0, count: int = 0, row: int = 0) -> None:
        """Begin with `count` segments of `size` bytes, of which at most `row` followed each other."""
        self.size = size
        """Bytes of each …"""
        self.count = count
        """… and how many there are, …"""
        self.row = row
        """… and how many of them came in a row at most."""
        self._run = 0
        """How many came in a row last."""

    def note(self, size: int) -> None:
        """Take a segment of `size` bytes."""
        if size < self.size:
            self._run = 0
            return
        if size > self.size:
            self.size, self.count, self.row, self._run = size, 0, 0, 0
        self.count += 1
        self._run += 1
        self.row = max(self.row, self._run)

    def join(self, other: "LargestSegments") -> None:
        """Take those of another stream too."""
        if other.size > self.size:
            self.size, self.count, self.row, self._run = other.size, 0, 0, 0
        if other.size == self.size:
            self.count += other.count
            self.row = max(self.row, other.row)
