import socket
import time
from collections.abc import Iterator

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Dot1Q, Ether

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.capture.packets import PacketBatch
from tests.capture.captured import contents, frames, packets_of
from tests.conftest import CAPTURES
from tests.networks import FAR, NEAR, ip, own_network, own_pair

RING = 8 << 20
NO_RING = 0
LOST = f"{NEAR}: the interface went down or was removed; start again when it is up"


@pytest.fixture
def sender() -> Iterator[socket.socket]:
    with own_pair() as far:
        yield far


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
def test_packets_come_as_they_were_sent(sender: socket.socket, ring_bytes: int) -> None:
    capture = LiveCapture([NEAR], ring_bytes=ring_bytes)
    sent = [
        batch.data[at : at + length]
        for batch in CaptureReader(str(CAPTURES / "java-4.3.1-basic.pcap"))
        for at, length in zip(batch.offsets, batch.captured, strict=True)
    ]
    before = time.time_ns()
    for frame in sent:
        sender.send(frame)
    batches = packets_of(capture, len(sent))
    after = time.time_ns()
    capture.close()
    assert contents(batches) == sent
    numbers = [batch.first_packet + index for batch in batches for index in range(len(batch))]
    assert numbers == list(range(1, len(sent) + 1))
    times = [moment for batch in batches for moment in batch.times]
    assert times == sorted(times)
    # Without a ring the times pass through a float, which has no single nanoseconds.
    assert before - 1_000 <= times[0] <= times[-1] <= after + 1_000
    assert all(batch.original == batch.captured for batch in batches)
    assert [(each.name, each.link_type, each.file) for each in capture.interfaces] == [(NEAR, 1, NEAR)]
    assert not capture.notices


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
def test_vlan_tags_are_put_back(sender: socket.socket, ring_bytes: int) -> None:
    single = bytes(
        Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / Dot1Q(vlan=7, prio=3) / IP() / TCP() / b"one"
    )
    double = bytes(
        Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01", type=0x88A8)
        / Dot1Q(vlan=9)
        / Dot1Q(vlan=7)
        / IP()
        / TCP()
        / b"two"
    )
    untagged = frames(1)[0]
    capture = LiveCapture([NEAR], ring_bytes=ring_bytes)
    for frame in (single, untagged, double):
        sender.send(frame)
    batches = packets_of(capture, 3)
    capture.close()
    assert contents(batches) == [single, untagged, double]
    assert [length for batch in batches for length in batch.original] == [len(single), len(untagged), len(double)]


@pytest.mark.parametrize("ring_bytes", [2 << 20, NO_RING])
def test_what_the_kernel_drops_is_counted(sender: socket.socket, ring_bytes: int) -> None:
    capture = LiveCapture([NEAR], ring_bytes=ring_bytes)
    for frame in frames(1, 1_000) * 6_000:
        sender.send(frame)
    taken = 0
    for batch in capture.batches():
        taken += len(batch)
        if not len(batch):
            capture.stop()
    dropped = capture.count()
    assert dropped > 0
    assert taken + dropped == 6_000
    assert [(each.name, received, lost) for each, received, lost in capture.statistics()] == [(NEAR, 6_000, dropped)]
    capture.close()


def test_packets_on_the_loopback_interface_come_once() -> None:
    with own_network():
        capture = LiveCapture(["lo"])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            for number in range(5):
                udp.sendto(b"number %d" % number, ("127.0.0.1", 9))
        packets = [each for each in contents(packets_of(capture, 5)) if b"number" in each[42:50]]
        capture.close()
    assert [each[42:] for each in packets] == [b"number %d" % number for number in range(5)]


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
def test_any_hears_all_interfaces_also_new_ones(sender: socket.socket, ring_bytes: int) -> None:
    capture = LiveCapture(["any"], ring_bytes=ring_bytes)
    ip("link", "add", "later0", "type", "veth", "peer", "name", "later1")
    ip("link", "set", "later0", "up")
    ip("link", "set", "later1", "up")
    sender.send(frames(1)[0])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as later:
        later.bind(("later1", 0))
        later.send(frames(1, 50)[0])
    batches = packets_of(capture, 4)
    capture.close()
    seen: dict[str, set[bytes]] = {}
    for batch in batches:
        for index in range(len(batch)):
            at = batch.offsets[index]
            name = batch.interfaces[batch.interface_ids[index]].name
            seen.setdefault(name, set()).add(batch.data[at : at + batch.captured[index]])
    assert frames(1)[0] in seen[NEAR]
    assert frames(1, 50)[0] in seen["later0"]


def test_several_interfaces_are_one_capture(sender: socket.socket) -> None:
    capture = LiveCapture([NEAR, "lo"], file="out.pcapng")
    sender.send(frames(1)[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"over lo", ("127.0.0.1", 9))
    batches = packets_of(capture, 2)
    capture.close()
    assert {each.name for each in capture.interfaces} == {NEAR, "lo"}
    assert {each.file for each in capture.interfaces} == {"out.pcapng"}
    assert [batch.first_packet for batch in batches] == sorted({batch.first_packet for batch in batches})


def test_a_filter_is_the_kernels_work(sender: socket.socket) -> None:
    wanted = bytes(Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / IP() / TCP(dport=9092) / b"wanted")
    tagged = bytes(
        Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / Dot1Q(vlan=7) / IP() / TCP(dport=9092) / b"wanted"
    )
    capture = LiveCapture([NEAR], bpf_filter="tcp port 9092")
    for frame in (frames(1)[0], wanted, frames(1)[0], tagged):
        sender.send(frame)
    assert contents(packets_of(capture, 2)) == [wanted, tagged]
    assert capture.count() == 0
    capture.close()


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
@pytest.mark.parametrize("command", [("link", "delete", FAR), ("link", "set", NEAR, "down")])
def test_an_interface_that_goes_down_ends_the_capture(
    sender: socket.socket, command: tuple[str, ...], ring_bytes: int
) -> None:
    capture = LiveCapture([NEAR], ring_bytes=ring_bytes)
    for frame in frames(20):
        sender.send(frame)
    ip(*command)
    # What came before is not lost with it.
    assert contents(list(capture.batches())) == frames(20)
    assert [str(each) for each in capture.failures] == [LOST]
    assert [(each.name, received, lost) for each, received, lost in capture.statistics()] == [(NEAR, 20, 0)]
    capture.close()


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
def test_the_others_are_listened_to_when_one_goes_down(sender: socket.socket, ring_bytes: int) -> None:
    capture = LiveCapture([NEAR, "lo"], ring_bytes=ring_bytes)
    ip("link", "delete", FAR)
    found: list[PacketBatch] = []
    deadline = time.monotonic() + 5
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        for batch in capture.batches():
            found += [batch] if len(batch) else []
            if capture.failures and not found:
                udp.sendto(b"still here", ("127.0.0.1", 9))
            elif found or time.monotonic() > deadline:
                capture.stop()
    assert [str(each) for each in capture.failures] == [LOST]
    assert contents(found)[0][42:] == b"still here"
    capture.close()


@pytest.mark.parametrize("ring_bytes", [RING, NO_RING])
def test_any_goes_on_when_an_interface_goes(sender: socket.socket, ring_bytes: int) -> None:
    capture = LiveCapture(["any"], ring_bytes=ring_bytes)
    sender.send(frames(1)[0])
    ip("link", "delete", FAR)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"still here", ("127.0.0.1", 9))
    packets = contents(packets_of(capture, 2))
    assert packets[0] == frames(1)[0]
    assert b"still here" in [each[42:] for each in packets]
    assert capture.failures == []
    capture.close()


def test_what_cannot_be_listened_to_is_said_in_a_sentence() -> None:
    with own_network():
        with pytest.raises(CaptureError, match=r"^eth7: no such interface; there are lo, and `any` for all of them$"):
            LiveCapture(["lo", "eth7"])
        with pytest.raises(CaptureError, match=r"^--bpf: 'port kafka9' is no filter that libpcap understands"):
            LiveCapture(["lo"], bpf_filter="port kafka9")
