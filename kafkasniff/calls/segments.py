"""What is remembered of the sizes of segments."""

from dataclasses import dataclass


@dataclass(slots=True)
class LargestSegments:
    """The largest segments that were seen."""

    size: int = 0
    """Bytes of each …"""
    count: int = 0
    """… and how many there are."""

    def note(self, size: int, count: int = 1) -> None:
        """Take so many segments of `size` bytes."""
        if size > self.size:
            self.size, self.count = size, count
        elif size == self.size:
            self.count += count
