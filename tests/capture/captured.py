"""Frames to send, and what a live capture makes of them."""

import time

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.capture.packets import PacketBatch


def frames(count: int = 3, size: int = 100) -> list[bytes]:
    """Ethernet frames that tell themselves apart."""
    return [
        bytes(Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / IP() / TCP(seq=n) / bytes(size))
        for n in range(count)
    ]


def contents(batches: list[PacketBatch]) -> list[bytes]:
    """The packets' bytes."""
    return [
        batch.data[at : at + length]
        for batch in batches
        for at, length in zip(batch.offsets, batch.captured, strict=True)
    ]


def packets_of(capture: LiveCapture, count: int) -> list[PacketBatch]:
    """What is captured until `count` packets have come, or five seconds have passed."""
    found: list[PacketBatch] = []
    deadline = time.monotonic() + 5
    for batch in capture.batches():
        found += [batch] if len(batch) else []
        if sum(map(len, found)) >= count or time.monotonic() > deadline:
            capture.stop()
    return found
