import socket
import time

import pytest
from scapy.arch.linux import L2ListenSocket

from kafkasniff.capture.interfaces.ring import BLOCK_BYTES, PacketRing
from tests.networks import NEAR, own_pair


def test_a_ring_goes_round_without_losing_packets() -> None:
    with own_pair() as sender:
        listen_socket = L2ListenSocket(iface=NEAR)
        ring = PacketRing(listen_socket.ins, 2 * BLOCK_BYTES)
        sent = taken = 0
        payloads: list[bytes] = []
        while sent < 3_000:
            for _ in range(200):
                sender.send(b"\x02" * 12 + b"\x08\x00" + sent.to_bytes(4, "big") + bytes(1_000))
                sent += 1
            while (columns := take_soon(ring)) is not None:
                data, offsets, captured, original, _, _ = columns
                payloads += [data[at + 14 : at + 18] for at in offsets]
                assert set(captured) == set(original) == {1_018}
                taken += len(offsets)
        assert payloads == [number.to_bytes(4, "big") for number in range(3_000)]
        assert ring.statistics() == (3_000, 0)
        assert ring.statistics() == (0, 0)
        ring.close()
        listen_socket.close()


def take_soon(ring: PacketRing):  # type: ignore[no-untyped-def]
    """A block, waiting for one that the kernel is still filling."""
    deadline = time.monotonic() + 0.2
    while (columns := ring.take()) is None and time.monotonic() < deadline:
        time.sleep(0.005)
    return columns


def test_a_socket_without_rings_is_an_error() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, pytest.raises(OSError, match="not"):
        PacketRing(udp, 2 * BLOCK_BYTES)
