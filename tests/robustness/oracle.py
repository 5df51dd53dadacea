"""What can still be had from a damaged capture, from the bytes that are really in it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.robustness.conversations import Conversation, Message, SentCall
from tests.robustness.packets import ACK, FIN, RST, SYN, Packet, kept

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
    """Lengths of the runs of bytes of which no packet is there, by conversation and direction.

    Bytes that the snap length cut off are no gaps: their packets are there. What lies before the first packet of a
    direction without SYN is none either, nor is a direction of which no data is there.
    """


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


def _coverage(
    packets: Sequence[Packet], conversations: Sequence[Conversation], length: Callable[[Packet], int]
) -> dict[tuple[int, int], bytearray]:
    """Give a byte for each byte of each direction's stream: 1 where the capture has it.

    `length` tells how many bytes of a packet's payload count as there.
    """
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
        size = length(packet)
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


def _ends(packets: Sequence[Packet]) -> dict[tuple[int, int], int]:
    """Give up to where each direction's stream is known to reach: from its FIN or RST, and what the peer acknowledged.

    A FIN is acknowledged like a byte, which it is not.
    """
    bases = {
        (packet.conversation, packet.direction): packet.seq - packet.offset for packet in packets if packet.payload
    }
    ends: dict[tuple[int, int], int] = defaultdict(int)
    fins: dict[tuple[int, int], int] = {}
    for packet in packets:
        own, peer = (packet.conversation, packet.direction), (packet.conversation, 1 - packet.direction)
        if packet.flags & (FIN | RST):
            ends[own] = max(ends[own], packet.offset)
        if packet.flags & FIN:
            fins[own] = packet.offset
        if packet.flags & ACK and peer in bases:
            acknowledged = (packet.ack - bases[peer]) & 0xFFFFFFFF
            if acknowledged < 1 << 31:
                ends[peer] = max(ends[peer], acknowledged)
    return {name: min(end, fins.get(name, end)) for name, end in ends.items()}


def _gaps(mask: bytearray, start_known: bool, end: int) -> list[int]:
    """Give the lengths of the runs of missing bytes between what is there, and up to the stream's known end."""
    end = max(mask.rfind(1) + 1, min(end, len(mask)))
    position = 0 if start_known else mask.find(1)
    lengths = []
    while 0 <= position < end:
        begin = mask.find(0, position, end)
        if begin < 0:
            break
        position = mask.find(1, begin, end)
        lengths.append((position if position >= 0 else end) - begin)
    return lengths


def expect(conversations: Sequence[Conversation], packets: Sequence[Packet]) -> Expected:
    """Tell what can be had from the packets, which are those of the conversations or what damage left of them."""
    opened = {(packet.conversation, packet.direction) for packet in packets if packet.flags & SYN}
    expected = Expected()
    ends = _ends(packets)
    sent = _coverage(packets, conversations, lambda packet: len(packet.payload))
    for (number, direction), mask in _coverage(packets, conversations, kept).items():
        known = (number, direction) in opened
        expected.messages += _messages(number, conversations[number], direction, mask, known)
        gaps = _gaps(sent[number, direction], known, ends.get((number, direction), 0))
        if gaps:
            expected.gaps[number, direction] = gaps
    return expected
