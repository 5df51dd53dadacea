"""The generator and the oracle on cases small enough to count by hand, and against tshark's account of TCP."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.robustness.conversations import Conversation, Message, SentCall, compose
from tests.robustness.damage import fragmented
from tests.robustness.oracle import expect
from tests.robustness.packets import Packet, pcap, transmit


def _message(side: str, size: int) -> Message:
    """Give a frame of `size` bytes whose header ends after 12 of them."""
    frame = (size - 4).to_bytes(4, "big") + bytes(size - 4)
    return Message("request" if side == "request" else "response", frame, 12, 3, 0, 0, None, {})


@pytest.fixture
def conversation() -> Conversation:
    """Three requests of 30 bytes, in one write each, with responses of 20."""
    calls = [SentCall(_message("request", 30), _message("response", 20)) for _ in range(3)]
    return Conversation(("10.0.0.1", 50_001), ("10.0.0.2", 9_092), calls, "idle", 1_790_000_000_000_000_000)


@pytest.fixture
def packets(conversation: Conversation) -> list[Packet]:
    """The conversation in segments of 10 bytes."""
    return transmit([conversation], Random(1), segment_size=10)


def _without(packets: list[Packet], direction: int, *offsets: int) -> list[Packet]:
    return [one for one in packets if not (one.payload and one.direction == direction and one.offset in offsets)]


def _requests(conversation: Conversation, packets: list[Packet]) -> list[tuple[str, bool]]:
    messages = expect([conversation], packets).messages
    return [(one.presence, one.followable) for one in messages if one.message.side == "request"]


def test_everything_is_there(conversation: Conversation, packets: list[Packet]) -> None:
    assert _requests(conversation, packets) == [("whole", True)] * 3
    assert expect([conversation], packets).gaps == {}


def test_after_a_lost_size_prefix_all_must_be_searched(conversation: Conversation, packets: list[Packet]) -> None:
    damaged = _without(packets, 0, 30)
    assert _requests(conversation, damaged) == [("whole", True), ("none", True), ("whole", False)]
    assert expect([conversation], damaged).gaps == {(0, 0): [10]}


def test_a_loss_inside_a_body_can_be_followed(conversation: Conversation, packets: list[Packet]) -> None:
    damaged = _without(packets, 0, 50)
    assert _requests(conversation, damaged) == [("whole", True), ("header", True), ("whole", True)]


def test_neighbouring_losses_are_one_gap(conversation: Conversation, packets: list[Packet]) -> None:
    assert expect([conversation], _without(packets, 0, 10, 20, 60)).gaps == {(0, 0): [20, 10]}


def test_a_lost_end_is_known_from_fin_and_acknowledgements(conversation: Conversation, packets: list[Packet]) -> None:
    damaged = _without(packets, 1, 50)
    assert expect([conversation], damaged).gaps == {(0, 1): [10]}
    unheard = [one for one in damaged if one.direction == 1 and not (not one.payload and one.offset)]
    assert expect([conversation], unheard).gaps == {}


def test_without_syn_nothing_can_be_followed(conversation: Conversation, packets: list[Packet]) -> None:
    assert _requests(conversation, packets[3:]) == [("whole", False)] * 3


def test_cut_packets_are_no_gaps(conversation: Conversation, packets: list[Packet]) -> None:
    damaged = [replace(one, snap_length=66 + 5) for one in packets]
    assert _requests(conversation, damaged) == [("none", True)] * 3
    assert expect([conversation], damaged).gaps == {}


def test_false_bytes_count_as_nothing(conversation: Conversation, packets: list[Packet]) -> None:
    damaged = [replace(one, true=False) if one.payload and one.direction == 0 else one for one in packets]
    assert {presence for presence, _ in _requests(conversation, damaged)} == {"none"}


def test_a_packet_is_there_when_all_its_fragments_are() -> None:
    rng = Random(2)
    conversations = compose(rng, connections=1, calls=4, large_every=2)
    damaged = fragmented(transmit(conversations, rng), rng)
    assert {one.presence for one in expect(conversations, damaged).messages} == {"whole"}
    last = max(number for number, one in enumerate(damaged) if one.fragment)
    assert {one.presence for one in expect(conversations, damaged[:last] + damaged[last + 1 :]).messages} != {"whole"}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("ipv6", [False, True])
def test_tshark_finds_nothing_wrong_with_healthy_packets(tmp_path: Path, ipv6: bool) -> None:
    rng = Random(3)
    packets = transmit(compose(rng, connections=4, calls=20, large_every=5, ipv6=ipv6), rng)
    path = tmp_path / "healthy.pcap"
    path.write_bytes(pcap(packets))
    command = ["tshark", "-n", "-r", str(path), "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    complaints = "tcp.analysis.flags || tcp.checksum.status == 0 || ip.checksum.status == 0 || !tcp"
    found = subprocess.run([*command, "-Y", complaints], capture_output=True, text=True, check=True)
    assert found.stdout == ""
    every = subprocess.run([*command, "-T", "fields", "-e", "tcp.len"], capture_output=True, text=True, check=True)
    assert [int(line) for line in every.stdout.split()] == [len(one.payload) for one in packets]
