import pytest

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.grammar import LONGEST, parse
from tests.render.made_calls import heartbeat_call, metadata_call


@pytest.mark.parametrize(
    ("expression", "message", "marked"),
    [
        ("toppic == x", "no field is called 'toppic'; did you mean topic?", "toppic"),
        ("api == fech", "no API has the name or key 'fech'; did you mean Fetch", "fech"),
        ("api in (fetch, 'produse')", "no API has the name or key 'produse'; did you mean Produce", "'produse'"),
        ("error == NOT_LEADER", "did you mean NOT_LEADER_", "NOT_LEADER"),
        ("error == none", "write `not error`", "none"),
        ("api == z* or error", "no API has a name like 'z*'", "z*"),
        ("outcome == unanswerd", "no outcome is called 'unanswerd'; did you mean unanswered", "unanswerd"),
        ("security == TSL", "no security is called 'TSL'; there are PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", "TSL"),
        ("latency > 100", "'100' has no unit: 100s or 100ms?", "100"),
        ("size > big", "'big' is no size such as 512, 64kB or 1MB", "big"),
        ("version == x", "'x' is no number", "x"),
        ("time > lunch", "'lunch' is no time such as", "lunch"),
        ("host == foo", "'foo' is no address such as", "foo"),
        ("connection == foo", "'foo' is no connection such as", "foo"),
        ("size ~ 5", "size is a number: compare it with ==, !=, <, <=, >, >= or in", "~"),
        ("topic > a", "topic is no number: compare it with ==, !=, ~, !~ or in", ">"),
        ("topic ~ '(a'", "'(a' is no regular expression: missing )", "'(a'"),
        ("request.ack == 1", "no request has a field 'ack'; did you mean acks", "ack"),
        ("error and response.topics[].eror == 1", "no response.topics has a field 'eror'", "eror"),
        ("request.acks.x == 1", "request.acks has no fields", "request.acks"),
        ("request.topics == 1", "request.topics holds other fields: name one of them", "request.topics"),
        ("request == 1", "request is a body: name a field in it, such as request.acks", "request"),
        ("request.allowAutoTopicCreation == 1", "is true or false, not '1'", "1"),
        ("response.errorCode == NOPE", "no error has the code or name 'NOPE'", "NOPE"),
        ("", "expected a field such as api or (; it ends here", ""),
        ("api ==", "expected a value; it ends here", ""),
        ("api fetch", "expected an operator such as ==, and, or or the end; found 'fetch'", "fetch"),
        ("api == fetch topic", "expected and, or or the end; found 'topic'", "topic"),
        ("(api == fetch", "expected ); it ends here", ""),
        ("api == fetch)", "expected the end; found ')'", ")"),
        ("api in (fetch", "expected a comma or ); it ends here", ""),
        ("api in ()", "expected a value; found ')'", ")"),
        ('api == "fetch', "a quote that is not closed", '"'),
        ("api == fetch & error", "'&' is no operator: write == != < <= > >= ~ and or", "&"),
    ],
)
def test_says_what_is_wrong_and_shows_where(expression: str, message: str, marked: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(expression)
    said, shown, marks = str(caught.value).split("\n")
    assert message in said
    assert shown == f"  {expression}"
    place = len(marks) - len(marks.lstrip()) - 2
    assert marks.strip() == "^" * max(len(marked), 1)
    assert expression[place : place + len(marked)] == marked


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a" * (LONGEST + 1), "an expression of 20,001 characters; 20,000 are read at most"),
        ("not " * 200 + "error", "and, or and not within each other; 100 levels are read at most"),
        ("(error and topic or " * 200 + "group" + ")" * 200, "within each other; 100 levels are read at most"),
        ("topic == " + "a" * 1500 + "*", "a pattern of 1,501 characters"),
    ],
    ids=["long", "nots", "nested", "pattern"],
)
def test_huge_expressions_are_refused(expression: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(expression)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 5000


def test_long_expressions_that_are_none_too_deep_are_read() -> None:
    assert parse("(" * 5000 + "api == metadata" + ")" * 5000).holds(metadata_call())
    assert parse(" or ".join(["api == 900"] * 1400 + ["api == 3"])).holds(metadata_call())


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        # `and` binds closer than `or`, `not` closer than both.
        ("api == heartbeat or api == metadata and error", True),
        ("(api == heartbeat or api == metadata) and error", False),
        ("not error and group", True),
        ("not (error and group)", True),
        ("not not group", True),
        ("! group || group", True),
        ("NOT group Or API == fetch", False),
        ("group == 'bill\\*ng'", False),
        ('group == "bill" or group == "b*g"', True),
        ("group in (shop, billing)", True),
        ("group not in (shop, billing)", False),
        ("group!=billing", False),
        ("group !~ ^bill", False),
        ("group=='billing'and not error", True),
    ],
)
def test_operators(expression: str, holds: bool) -> None:
    if "API" in expression:
        with pytest.raises(FilterError, match="no field is called 'API'; did you mean api"):
            parse(expression)
    else:
        assert parse(expression).holds(heartbeat_call()) is holds


def test_a_hostile_expression_is_shown_safely() -> None:
    with pytest.raises(FilterError) as caught:
        parse("topic == a and \x1b[31mevil == 1")
    assert "\x1b" not in str(caught.value).split("\n", 1)[1]
