"""Suggests names near to one that nobody knows: of APIs, errors, rules, fields, topics and options' values."""

from collections.abc import Iterable

_LONGEST = 100
"""Characters of a name that are compared; what is longer was hardly meant as one."""
_LEAST_PART = 4
"""Characters from which on a part of a name is taken for the name."""
_LEAST_LIKENESS = 0.7
_LEAST_OF_SHORT = 0.8
"""Of names so short that one letter of another kind in them makes another word: NOPE and NONE."""
_OF_A_PART = 0.8


def plain(name: str) -> str:
    """Give a name without what its spellings differ in: case, and all but letters and digits."""
    return "".join(filter(str.isalnum, name)).lower()


def near_names(text: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Give the names that are spelt most like `text`, or begin as it does, the nearest first."""
    from difflib import SequenceMatcher  # a suggestion is rare, and it takes as long to import as all of this

    wanted = plain(text[:_LONGEST])
    if not wanted:
        return []
    matcher = SequenceMatcher(b=wanted)
    likeness: dict[str, float] = {}
    for name in names:
        if wanted in name.lower().split("_"):
            likeness[name] = _OF_A_PART
        bare = plain(name)
        # People also know no more than how a name begins, and leave out a letter.
        of_begin = 0.95 if len(wanted) >= _LEAST_PART else 0.0
        begins = ((bare[: len(wanted) + more], of_begin) for more in (0, 1))
        for part, weight in ((bare, 1.0), *begins):
            matcher.set_seq1(part)
            likeness[name] = max(likeness.get(name, 0.0), weight * matcher.ratio())
        if len(wanted) >= _LEAST_PART and wanted in bare:
            likeness[name] = max(likeness[name], _OF_A_PART)
    least = _LEAST_LIKENESS if len(wanted) > _LEAST_PART else _LEAST_OF_SHORT
    near = [name for name, ratio in likeness.items() if ratio >= least]
    return sorted(near, key=lambda name: (-likeness[name], not plain(name).startswith(wanted), name))[:most]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Give `; did you mean a or b?` with the names nearest to `text`, or nothing where none is near."""
    near = near_names(text, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""
