# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What reads as an array of small integers: in it any two look like the size and the id of a response."""

INTEGER = 4
"""Bytes of one."""
ARRAY_BYTES = 32
"""Bytes around a place that are looked at."""
ARRAY_WORDS = 10
ARRAY_WORDS_OF_CUT = 6
"""Small integers in a row that are an array; fewer where a gap or a snap length of 96 leaves no room for more."""


def begins_array(run: bytearray, place: int, end: int) -> bool:
    """Tell whether from `place` on integers below 65,536 stand in a row, of which few are zero."""
    stop, last = place, min(end, len(run)) - 4
    while stop <= last and not (run[stop] or run[stop + 1]):
        stop += 4
    return stop - place >= 4 * ARRAY_WORDS_OF_CUT and are_integers(run, place, stop)


def are_integers(run: bytes | bytearray, place: int, end: int) -> bool:
    """Tell whether there are but integers below 65,536, of which few are zero."""
    zeros = sum(not any(run[word : word + 4]) for word in range(place, end, 4))
    return zeros * 16 <= end - place and not any(run[place:end:4]) and not any(run[place + 1 : end : 4])


def goes_on_at(run: bytearray, place: int, zeros: bool) -> bool:
    """Tell whether size and id at `place` may be integers of the array before it; `zeros`: zeros alone are one too.

    Lower bytes stand in one line: where those before have another distance from `place`, modulo 4, an array ends there.
    """
    before, own = run[max(place - ARRAY_BYTES, place % 4) : place], run[place : place + 8]
    if not any(before):
        return zeros or not before
    return any(any(before[each::4]) and any(own[each::4]) for each in range(4))
