"""Runs of segments in order: cut into frames without plain code for each segment, as long as nothing is odd."""

from collections.abc import Sequence

from kafkasniff.calls.columns.talks import Talk, is_plain, is_small
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.items import Item
from kafkasniff.calls.run_sides import NEVER, RunReader, SideCutter
from kafkasniff.tcp.events import StreamRun

FEWEST_SEGMENTS = 64
"""What must be left of a run to be worth columns."""


class RunTaker:
    """Hands a run to its conversation step by step: a frame where nothing is odd, else a segment."""

    __slots__ = ("_conversation", "_may_leave", "_reader", "_sides", "packet")

    def __init__(self, run: StreamRun, conversation: Conversation | EncryptedConversation) -> None:
        """Stand before the first segment."""
        self._conversation = conversation
        self._reader = RunReader(run)
        self._sides: tuple[SideCutter, SideCutter] | None = None
        self._may_leave = run.times_rise and is_small(run) and run.in_order
        self.packet = NEVER
        """The packet of the next step by its index in the batch; `NEVER` at the end."""
        self._look()

    def step(self) -> Sequence[Item]:
        """Take the next segment of a connection of which it is not known yet what it is; give what ended with it."""
        found = self._conversation.take(self._reader.read())
        self._look()
        return found

    def take(self, earliest: int, found: list[tuple[int, Sequence[Item]]]) -> Talk | None:
        """Take all that is left, up to what may go by columns, which is given; add what ended to `found`, with places.

        Nothing ends before the place `earliest`.
        """
        while self.packet != NEVER:
            if self._may_leave and (talk := self._rest()) is not None:
                return talk
            if self._sides is not None:
                self._take_frames(self._sides, earliest, found)
                continue
            # The packet that closes a hole with a gap also lets the run behind it begin.
            place = max(2 * self.packet + 1, earliest)
            if items := self.step():
                found.append((place, items))
        return None

    def _take_frames(
        self, sides: tuple[SideCutter, SideCutter], earliest: int, found: list[tuple[int, Sequence[Item]]]
    ) -> None:
        """Take whole frames, and then what the next packet brings, which is none.

        Of a run that may go by columns it is one frame.
        """
        kafka, (first, second) = self._conversation.kafka, sides
        assert kafka is not None
        taken = True
        while taken:
            side = first if first.packet < second.packet else second
            packet, stop = side.packet, side.stop
            taken = side.whole and kafka.take_frame(int(side is second), side.cut())
            if not taken:
                at_end = packet == NEVER
                packet = self._reader.last_packet if at_end else packet
                self._push(sides, side, packet, stop, at_end)
            if calls := kafka.take_calls():
                found.append((max(2 * packet + 1, earliest), calls))
            if taken and self._may_leave:
                self._look_at(sides)
                return

    def _push(
        self, sides: tuple[SideCutter, SideCutter], side: SideCutter, packet: int, stop: int, at_end: bool
    ) -> None:
        """Push what `packet` brings in a direction before `stop`, and in the other; `at_end`, all that is left."""
        kafka = self._conversation.kafka
        assert kafka is not None
        direction = int(side is sides[1])
        side.push_until(packet, stop)
        sides[1 - direction].push_until(packet)
        for each_direction in (direction, 1 - direction):
            kafka.drain(each_direction)
        if at_end or kafka.orderly_cutters is None:
            self._sides = None
        else:
            for each in sides:
                each.look()
        self._look()

    @property
    def is_decided(self) -> bool:
        """Tell whether it is known what the connection is."""
        conversation = self._conversation
        return conversation.kafka is not None or (
            isinstance(conversation, Conversation) and conversation.protocol is not None
        )

    def _rest(self) -> Talk | None:
        """Give what is left of the run if it may go by columns; if it does so, nothing more is to be taken here."""
        conversation, sides = self._conversation, self._sides
        if sides is None or not isinstance(conversation, Conversation):
            return None
        if sides[0].segments_left + sides[1].segments_left < FEWEST_SEGMENTS or not is_plain(conversation):
            return None
        first, second = sides
        return Talk(self._reader.run, conversation, (first.at, second.at), (first.pushed, second.pushed))

    def stay(self) -> None:
        """Never offer the rest again: columns refused it."""
        self._may_leave = False

    def _look(self) -> None:
        """Find the next step."""
        if self._sides is None:
            self.packet = self._reader.packet
            conversation = self._conversation
            if self.packet == NEVER or not self._reader.run.times_rise or not isinstance(conversation, Conversation):
                return
            if (cutters := conversation.cutters_for_run) is None:
                return
            for direction in (0, 1):
                if not conversation.has_start(direction) and (event := self._reader.peek(direction)) is not None:
                    conversation.note_start(event)
            self._sides = (SideCutter(self._reader, 0, cutters[0]), SideCutter(self._reader, 1, cutters[1]))
        self._look_at(self._sides)

    def _look_at(self, sides: tuple[SideCutter, SideCutter]) -> None:
        first, second = sides[0].packet, sides[1].packet
        packet = first if first < second else second
        self.packet = packet if packet != NEVER else self._reader.last_packet
