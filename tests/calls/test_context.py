"""What calls are opened with."""

from kafkasniff.calls.context import NO_CONTEXT, Context, GroupProtocol


def test_a_context_with_other_values_leaves_the_first_as_it_was() -> None:
    first = Context(records=True, limit_value=7, records_limit=9, metrics=False)
    protocol = GroupProtocol("consumer", "range")
    second = first.having(group_protocol=protocol, records=False)
    assert (second.records, second.limit_value, second.records_limit, second.metrics) == (False, 7, 9, False)
    assert (first.records, first.group_protocol) == (True, (None, None))
    assert second.group_protocol == protocol
    # What all calls share is the same.
    assert second.topics is first.topics
    assert second.spending is first.spending
    assert second.limits is first.limits
    assert second.having().group_protocol == protocol


def test_contexts_of_two_readings_share_nothing() -> None:
    first, second = Context(), Context()
    assert first.topics is not second.topics
    assert first.spending is not second.spending


def test_without_wishes_nothing_is_shown_that_costs() -> None:
    assert (NO_CONTEXT.records, NO_CONTEXT.limit_value, NO_CONTEXT.tokens) == (False, None, ())
