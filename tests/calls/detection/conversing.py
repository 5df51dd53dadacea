"""Conversations message by message."""

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import Gap
from kafkasniff.tcp.events import Connection, StreamData, StreamGap
from tests.calls.hand_made import (
    BUDGET,
    arrival,
)

Event = StreamData | StreamGap


def converse(
    of: Connection, events: list[Event], limits: CallLimits | None = None
) -> tuple[list[Call | Gap], Conversation]:
    conversation = Conversation(of, limits or CallLimits(), CallOptions(), BUDGET)
    items = [item for event in events for item in conversation.take(event)]
    of.ended_by = "fin"
    items += conversation.end(arrival(1_000))
    return items, conversation
