"""A row of bars that stands for numbers over time."""

from collections.abc import Sequence

_BARS = " ▁▂▃▄▅▆▇█"
_WIDEST = 40


def sparkline(values: Sequence[float]) -> str:
    """Give a bar for each value, or for each few of them where there are many; the highest is the largest value."""
    step = -(-len(values) // _WIDEST) or 1
    summed = [sum(values[begin : begin + step]) for begin in range(0, len(values), step)]
    most, top = max(summed, default=0), len(_BARS) - 1
    # What is above zero is seen, however small.
    return "".join(_BARS[int(-(-value * top // most))] if value else " " for value in summed)
