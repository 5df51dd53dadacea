"""Runs that may go by columns, and whether they may."""

from typing import NamedTuple

from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.tcp.events import StreamRun

LARGEST_SEGMENT = 512
"""Bytes that the segments of a run have on average at most: larger messages gain nothing by being copied at once."""


class Talk(NamedTuple):
    """A run, or what is left of it, with the conversation that it belongs to."""

    run: StreamRun
    conversation: Conversation
    starts: tuple[int, int]
    """By direction: bytes of the run that were taken already, up to a frame boundary."""
    pushed: tuple[int, int]
    """By direction: segments of the run whose sizes the cutters know."""

    @property
    def kafka(self) -> KafkaStreams:
        """Give the streams of the conversation, which is known to be Kafka."""
        assert self.conversation.kafka is not None
        return self.conversation.kafka


def begin_talk(run: StreamRun, conversation: Conversation | EncryptedConversation) -> Talk | None:
    """Give a run that may go by columns as a whole; None where frames have to be taken one by one."""
    if not (run.times_rise and is_small(run) and run.in_order and isinstance(conversation, Conversation)):
        return None
    return Talk(run, conversation, (0, 0), (0, 0)) if is_plain(conversation) else None


def is_small(run: StreamRun) -> bool:
    """Tell whether a run's messages are small enough to gain by columns."""
    first, second = run.sides[0].ends, run.sides[1].ends
    size = (first[-1] if first else 0) + (second[-1] if second else 0)
    return size <= LARGEST_SEGMENT * (len(first) + len(second))


def is_plain(conversation: Conversation) -> bool:
    """Tell whether all that segments in order bring to a conversation is whole frames, and these calls."""
    cutters = conversation.cutters_for_run
    if cutters is None or cutters[0].missing != 0 or cutters[1].missing != 0:
        return False
    return conversation.kafka is not None and conversation.kafka.is_plain
