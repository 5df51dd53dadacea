"""Predicates: what decides on a call, how much that costs, and what it has met."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkasniff.filters.errors import FilterError

if TYPE_CHECKING:  # it brings what few expressions need
    from kafkasniff.filters.values import Moment

HEADER: Final = 1
"""Cost of what is known of a call before its bodies are read."""
BODY: Final = 10
"""Cost of reading fields of bodies."""
RECORDS: Final = 20
"""Cost of reading the batches in them."""

_DEEPEST = 100
_MOST_KNOWN = 4096
_LONGEST_KNOWN = 250
"""Characters of a value that is remembered: a topic has 249 at most."""


class Values:
    """Tests values, and remembers of each what came out: most calls have the same few topics and clients."""

    def __init__(self, what: str, test: Callable[[Any], bool], show: Callable[[Any], str] = str) -> None:
        """Test values of `what`, a plural such as `topics`; `show` gives a value as people know it."""
        self.what = what
        self._test = test
        self._show = show
        self._known: dict[Hashable, bool] = {}
        self._others: set[str] = set()
        self._has_matched = False

    def fits(self, value: Any) -> bool:
        """Test a value."""
        known = self._known.get(value)
        if known is None:
            known = self._test(value)
            self._has_matched = self._has_matched or known
            if len(self._known) < _MOST_KNOWN and len(str(value)) <= _LONGEST_KNOWN:
                self._known[value] = known
        return known

    def of(self, read: Callable[[Any], Any]) -> Callable[[Any], bool]:
        """Give what tests the value that `read` gives of a call; None is none."""
        known, fits = self._known, self.fits

        def holds(item: Any) -> bool:
            value = read(item)
            if value is None:
                return False
            found = known.get(value)
            return fits(value) if found is None else found

        return holds

    def tally(self) -> tuple[bool, list[str]]:
        """Tell whether any value passed, and give those that were met."""
        return self._has_matched, sorted(self._others.union(map(self._show, self._known)))

    def add(self, has_matched: bool, values: Iterable[str]) -> None:
        """Take the tally of another process."""
        self._has_matched = self._has_matched or has_matched
        self._others.update(values)


class Predicate(NamedTuple):
    """Decides on a call, or on whatever has the fields that it looks at."""

    holds: Callable[[Any], bool]
    cost: int
    of_calls: bool
    """Whether it looks at what only calls have."""
    values: tuple[Values, ...] = ()
    moments: "tuple[Moment, ...]" = ()
    depth: int = 1
    """How many predicates are within each other."""


def all_of(predicates: Sequence[Predicate]) -> Predicate:
    """Give what holds where all hold; the cheapest is asked first."""
    return _joined(predicates, False)


def any_of(predicates: Sequence[Predicate]) -> Predicate:
    """Give what holds where any holds; the cheapest is asked first."""
    return _joined(predicates, True)


def negation(predicate: Predicate) -> Predicate:
    """Give what holds where another does not."""
    holds = predicate.holds
    return predicate._replace(holds=lambda item: not holds(item), values=(), depth=_deeper([predicate]))


def _joined(predicates: Sequence[Predicate], decisive: bool) -> Predicate:
    """Give what is `decisive` where any of `predicates` is, and the contrary where none is."""
    if len(predicates) == 1:
        return predicates[0]
    tests = tuple(each.holds for each in sorted(predicates, key=lambda each: each.cost))

    def holds(item: Any) -> bool:
        for test in tests:
            if test(item) is decisive:
                return decisive
        return not decisive

    return Predicate(
        holds,
        max((each.cost for each in predicates), default=0),
        any(each.of_calls for each in predicates),
        tuple(value for each in predicates for value in each.values),
        tuple(moment for each in predicates for moment in each.moments),
        _deeper(predicates),
    )


def _deeper(predicates: Sequence[Predicate]) -> int:
    """Give the depth of what has `predicates` within; raises FilterError where a call stack would have no end."""
    depth = 1 + max((each.depth for each in predicates), default=0)
    if depth > _DEEPEST:
        raise FilterError(f"and, or and not within each other; {_DEEPEST} levels are read at most")
    return depth
