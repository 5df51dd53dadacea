"""What can still be had from a damaged capture, from the bytes that are really in it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.robustness.conversations import Conversation, Message, SentCall
from tests.robustness.packets import SYN, Packet, kept

Presence = Literal["whole", "header", "none"]


@dataclass(slots=True, eq=False)
class ExpectedMessage:
    """What is there of one message."""

    message: Message
    conversation: int
    call: SentCall
    presence: Presence
    """`whole`: every byte; `header`: size prefix and header, the body cut; `none`: less."""
    followable: bool
    """True when its place is known from sizes alone since the connection's first byte; else it must be searched for."""


@dataclass(slots=True)
class Expected:
    """What can be had from a capture."""

    messages: list[ExpectedMessage] = field(default_factory=list)
    gaps: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """Lengths of the runs of bytes that lack between bytes that are there, by conversation and direction."""


def _fragments_whole(packets: Sequence[Packet]) -> dict[int, int]:
    """Give the fragmented packets of which all fragments are there: identification → position of the last to arrive."""
    seen: dict[int, set[tuple[int, int]]] = defaultdict(set)
    whole = {}
    for position, packet in enumerate(packets):
        if packet.fragment is None:
            continue
        identification, begin, end = packet.fragment
        seen[identification].add((begin, end))
        total = 32 + len(packet.payload)
        if sum(end - begin for begin, end in seen[identification]) == total:
            whole.setdefault(identification, position)
    return whole


def _coverage(packets: Sequence[Packet], conversations: Sequence[Conversation]) -> dict[tuple[int, int], bytearray]:
    """Give a byte for each byte of each direction's stream: 1 where the capture has it."""
    masks = {
        (number, direction): bytearray(sum(len(message.frame) for message in conversation.messages(direction)))
        for number, conversation in enumerate(conversations)
        for direction in (0, 1)
    }
    whole = _fragments_whole(packets)
    for position, packet in enumerate(packets):
        if not packet.payload or not packet.true:
            continue
        if packet.fragment is not None and whole.get(packet.fragment[0]) != position:
            continue
        size = kept(packet)
        masks[packet.conversation, packet.direction][packet.offset : packet.offset + size] = b"\1" * size
    return masks


def _messages(
    number: int, conversation: Conversation, direction: int, mask: bytearray, known: bool
) -> list[ExpectedMessage]:
    """Follow the messages of a direction; `known` tells whether its first byte's place is known."""
    calls = conversation.calls if direction == 0 else [call for call in conversation.calls if call.response]
    found = []
    start = 0
    for call, message in zip(calls, conversation.messages(direction), strict=True):
        end = start + len(message.frame)
        presence: Presence = "none"
        if mask.find(0, start, end) < 0:
            presence = "whole"
        elif mask.find(0, start, start + message.header_end) < 0:
            presence = "header"
        found.append(ExpectedMessage(message, number, call, presence, known))
        # Without its size prefix nobody knows where the next message begins.
        known = known and mask.find(0, start, start + 4) < 0
        start = end
    return found


def _gaps(mask: bytearray, start_known: bool) -> list[int]:
    """Give the lengths of the runs of missing bytes in front of the last byte that is there."""
    last = mask.rfind(1)
    position = 0 if start_known else mask.find(1)
    lengths = []
    while 0 <= position <= last:
        begin = mask.find(0, position, last)
        if begin < 0:
            break
        position = mask.find(1, begin)
        lengths.append(position - begin)
    return lengths


def expect(conversations: Sequence[Conversation], packets: Sequence[Packet]) -> Expected:
    """Tell what can be had from the packets, which are those of the conversations or what damage left of them."""
    opened = {(packet.conversation, packet.direction) for packet in packets if packet.flags & SYN}
    expected = Expected()
    for (number, direction), mask in _coverage(packets, conversations).items():
        known = (number, direction) in opened
        expected.messages += _messages(number, conversations[number], direction, mask, known)
        gaps = _gaps(mask, known)
        if gaps:
            expected.gaps[number, direction] = gaps
    return expected
