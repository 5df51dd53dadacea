"""The grammar of expressions, and the parser that makes a predicate of one."""

from functools import cache
from typing import Any, Final

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.predicates import Predicate, all_of, any_of, negation
from kafkasniff.filters.tests import make_test

LONGEST: Final = 20_000
"""Characters of an expression."""

GRAMMAR: Final = r"""
?start: either
?either: both (_OR both)*
?both: inverse (_AND inverse)*
?inverse: _NOT inverse -> inverse
    | "(" either ")" -> group
    | WORD -> presence
    | WORD OPERATOR value -> comparison
    | WORD _IN "(" value ("," value)* ")" -> among
    | WORD _NOT _IN "(" value ("," value)* ")" -> not_among
?value: WORD | STRING
_OR.2: /or(?![^\s()<>=!~,&|"'])|\|\|/i
_AND.2: /and(?![^\s()<>=!~,&|"'])|&&/i
_NOT.2: /not(?![^\s()<>=!~,&|"'])|!(?![=~])/i
_IN.2: /in(?![^\s()<>=!~,&|"'])/i
OPERATOR.3: /==?|!=|<=|>=|<|>|!?~/
STRING: /"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/s
WORD: /[^\s()<>=!~,&|"']+/
%ignore /\s+/
"""

_EXPECTED: Final = {
    "WORD": "a field such as api", "STRING": "a value", "OPERATOR": "an operator such as ==", "_OR": "and, or",
    "COMMA": "a comma", "LPAR": "(", "RPAR": ")", "$END": "the end",
}  # fmt: skip
"""What to say of the terminals that may come next."""


class _Maker(Transformer[Token, Predicate]):
    """Makes predicates as the parser finds the parts of an expression."""

    def either(self, parts: list[Any]) -> Any:
        return any_of(parts)

    def both(self, parts: list[Any]) -> Any:
        return all_of(parts)

    def inverse(self, parts: list[Any]) -> Any:
        return negation(parts[0])

    def group(self, parts: list[Any]) -> Any:
        return parts[0]

    def presence(self, parts: list[Any]) -> Any:
        return make_test(parts[0])

    def comparison(self, parts: list[Any]) -> Any:
        name, operator, value = parts
        return make_test(name, operator.update(value="==") if operator == "=" else operator, [value])

    def among(self, parts: list[Any]) -> Any:
        return make_test(parts[0], "in", parts[1:])

    def not_among(self, parts: list[Any]) -> Any:
        return make_test(parts[0], "not in", parts[1:])

    def STRING(self, token: Token) -> Token:  # noqa: N802 (named as the terminal is)
        """Take the quotes away; other escapes are those of patterns."""
        quote = token[0]
        return token.update(value=token[1:-1].replace(f"\\{quote}", quote))


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", transformer=_Maker())


def parse(expression: str) -> Predicate:
    """Give the predicate that an expression stands for; raises FilterError with the place of what is wrong."""
    if len(expression) > LONGEST:
        raise FilterError(f"an expression of {len(expression):,} characters; {LONGEST:,} are read at most")
    try:
        found: Any = _parser().parse(expression)
    except UnexpectedToken as error:
        raise _unexpected(expression, error).located(expression) from None
    except UnexpectedCharacters as error:
        raise _unreadable(expression, error.pos_in_stream or 0).located(expression) from None
    except FilterError as error:
        raise error.located(expression) from None
    assert isinstance(found, Predicate)
    return found


def _unexpected(expression: str, error: UnexpectedToken) -> FilterError:
    accepted = error.accepts or error.expected
    # Where a value may stand, so may a word, and that is no field.
    expected = [text for kind, text in _EXPECTED.items() if kind in accepted]
    if "STRING" in accepted:
        expected.remove(_EXPECTED["WORD"])
    found = f"found {str(error.token)!r}" if error.token.type != "$END" else "it ends here"
    last = expected.pop()
    culprit = error.token
    if culprit.type == "$END":
        culprit = Token("$END", "", start_pos=len(expression), end_pos=len(expression))
    return FilterError(f"expected {', '.join(expected)}{' or ' if expected else ''}{last}; {found}", culprit)


def _unreadable(expression: str, place: int) -> FilterError:
    found = expression[place]
    why = (
        "a quote that is not closed" if found in "\"'" else f"{found!r} is no operator: write == != < <= > >= ~ and or"
    )
    return FilterError(why, Token("WORD", found, start_pos=place, end_pos=place + 1))
