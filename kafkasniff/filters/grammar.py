"""The grammar of expressions, and the parser that makes a predicate of one as it goes.

    either:  both ("or" both)*            also `||`
    both:    inverse ("and" inverse)*     also `&&`
    inverse: "not" inverse                also `!`
           | "(" either ")"
           | FIELD                        it has a value
           | FIELD OPERATOR value
           | FIELD ["not"] "in" "(" value ("," value)* ")"
    value:   WORD | STRING                in either quotes

Each function reads one of these from left to right and never goes back, so that no input takes long.
"""

import re
from typing import Final

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.predicates import DEEPEST, Predicate, all_of, any_of, negation, too_deep
from kafkasniff.filters.tests import make_test

LONGEST: Final = 20_000
"""Characters of an expression."""

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<OPERATOR>==?|!=|<=|>=|<|>|!?~)|(?P<SIGN>[(),]|!|&&|\|\|)"""
    r"""|(?P<STRING>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<WORD>[^\s()<>=!~,&|"']+)|(?P<END>$))""",
    re.DOTALL,
)
_SIGNS: Final = {"&&": "and", "||": "or", "!": "not"}
_KEYWORDS: Final = frozenset({"and", "or", "not", "in"})

_FIELD: Final = "a field such as api"
_VALUE: Final = "a value"
_AND_OR: Final = "and, or"
_END: Final = "the end"


class Token(str):
    """A word, an operator or a value, which knows where it stands."""

    __slots__ = ("end_pos", "kind", "start_pos")

    def __new__(cls, text: str, kind: str, start: int, end: int) -> "Token":
        """Make one of `kind`, a group of the pattern of tokens, that stands from `start` to `end`."""
        token = super().__new__(cls, text)
        token.kind, token.start_pos, token.end_pos = kind, start, end
        return token

    kind: str
    start_pos: int
    end_pos: int

    @property
    def keyword(self) -> str:
        """Give what a word or a sign stands for in the grammar; of anything else nothing."""
        if self.kind == "SIGN":
            return _SIGNS.get(self, self)
        return self.lower() if self.kind == "WORD" and self.lower() in _KEYWORDS else ""


def parse(expression: str) -> Predicate:
    """Give the predicate that an expression stands for; raises FilterError with the place of what is wrong."""
    if len(expression) > LONGEST:
        raise FilterError(f"an expression of {len(expression):,} characters; {LONGEST:,} are read at most")
    try:
        parser = _Parser(expression)
        found = parser.either()
        if parser.next.kind != "END":
            raise parser.unexpected(*parser.may_follow, _END)
    except FilterError as error:
        raise error.located(expression) from None
    return found


class _Parser:
    """Reads an expression; `next` is the token that was not yet taken."""

    def __init__(self, expression: str) -> None:
        """Stand before the first token."""
        self._expression = expression
        self._place = 0
        self._depth = 0
        self.may_follow: tuple[str, ...] = ()
        """What might stand where `next` does, beside the end or what closes a bracket."""
        self.next = self._read()

    def either(self) -> Predicate:
        """Read what `or` joins."""
        parts = [self._both()]
        while self._take("or"):
            parts.append(self._both())
        return any_of(parts)

    def unexpected(self, *expected: str) -> FilterError:
        """Say that something else was expected than `next`."""
        found = f"found {str(self.next)!r}" if self.next.kind != "END" else "it ends here"
        *others, last = expected
        return FilterError(f"expected {', '.join(others)}{' or ' if others else ''}{last}; {found}", self.next)

    def _both(self) -> Predicate:
        parts = [self._inverse()]
        while self._take("and"):
            parts.append(self._inverse())
        return all_of(parts)

    def _inverse(self) -> Predicate:
        self._depth += 1
        if self._depth > DEEPEST:
            raise too_deep()
        found = self._negated_or_plain()
        self._depth -= 1
        return found

    def _negated_or_plain(self) -> Predicate:
        if self._take("not"):
            return negation(self._inverse())
        if self._take("("):
            found = self.either()
            if not self._take(")"):
                raise self.unexpected(*self.may_follow, ")")
            self.may_follow = (_AND_OR,)
            return found
        if self.next.kind != "WORD":
            raise self.unexpected(_FIELD, "(")
        return self._test()

    def _test(self) -> Predicate:
        """Read a field, and what it is compared with."""
        name = self._advance()
        if self.next.kind == "OPERATOR":
            operator = self._advance()
            if operator == "=":
                operator = Token("==", operator.kind, operator.start_pos, operator.end_pos)
            test = make_test(name, operator, [self._value()])
        elif self.next.keyword in ("in", "not"):
            operator_text = "not in" if self._take("not") else "in"
            if not self._take("in"):
                raise self.unexpected("in")
            if not self._take("("):
                raise self.unexpected("(")
            test = make_test(name, operator_text, self._values())
        else:
            self.may_follow = ("an operator such as ==", _AND_OR)
            return make_test(name)
        self.may_follow = (_AND_OR,)
        return test

    def _values(self) -> list[str]:
        values: list[str] = [self._value()]
        while self._take(","):
            values.append(self._value())
        if not self._take(")"):
            raise self.unexpected("a comma", ")")
        return values

    def _value(self) -> Token:
        if self.next.kind not in ("WORD", "STRING"):
            raise self.unexpected(_VALUE)
        token = self._advance()
        if token.kind == "WORD":
            return token
        # Other escapes are those of patterns.
        quote = token[0]
        return Token(token[1:-1].replace(f"\\{quote}", quote), token.kind, token.start_pos, token.end_pos)

    def _take(self, keyword: str) -> bool:
        if self.next.keyword != keyword:
            return False
        self._advance()
        return True

    def _advance(self) -> Token:
        token, self.next = self.next, self._read()
        return token

    def _read(self) -> Token:
        found = _TOKEN.match(self._expression, self._place)
        if found is None:
            raise _unreadable(self._expression, self._place)
        kind = found.lastgroup or ""
        self._place = found.end()
        return Token(found[kind], kind, found.start(kind), found.end(kind))


def _unreadable(expression: str, place: int) -> FilterError:
    rest = expression[place:].lstrip()
    place = len(expression) - len(rest)
    found = rest[0]
    why = (
        "a quote that is not closed" if found in "\"'" else f"{found!r} is no operator: write == != < <= > >= ~ and or"
    )
    return FilterError(why, Token(found, "WORD", place, place + 1))
