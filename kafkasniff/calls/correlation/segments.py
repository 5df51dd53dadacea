# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What is remembered of the sizes of segments."""


class LargestSegments:
    """The largest segments that were seen."""

    __slots__ = ("count", "size")

    def __init__(self, size: int = 0, count: int = 0) -> None:
        """Begin with `count` segments of `size` bytes."""
        self.size = size
        """Bytes of each …"""
        self.count = count
        """… and how many there are."""

    def note(self, size: int, count: int = 1) -> None:
        """Take so many segments of `size` bytes."""
        if size > self.size:
            self.size, self.count = size, count
        elif size == self.size:
            self.count += count
