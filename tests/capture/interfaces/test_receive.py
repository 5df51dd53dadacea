import json
import subprocess
import sys
from typing import Any

from scapy.arch.linux import L2ListenSocket

from kafkasniff.capture.interfaces.receive import PacketReceiver
from tests.conftest import ROOT
from tests.networks import FAR, NEAR, own_pair

FRAME = b"\x02" * 12 + b"\x08\x00" + bytes(range(100))

AS_ON_MACOS = f"""
import json, socket, sys, time
from types import SimpleNamespace
from kafkasniff.capture.interfaces import live
live.sys = SimpleNamespace(platform="darwin")
capture = live.LiveCapture(["{NEAR}"], file="out.pcapng")
sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.bind(("{FAR}", 0))
def send(count, size):
    for number in range(count):
        sender.send(bytes.fromhex("{FRAME.hex()}") + bytes([number % 256]) + bytes(size))
"""
"""In a process of its own, as scapy is switched to libpcap as a whole."""

THE_SAME_PACKETS = """
send(3, 0)
found, deadline, began = [], time.monotonic() + 5, time.time_ns()
for batch in capture.batches():
    rows = zip(batch.offsets, batch.captured, batch.original, batch.times)
    for at, length, size, moment in rows:
        found.append([batch.data[at:at + length].hex(), size, abs(moment - began) < 10**10])
    if len(found) >= 3 or time.monotonic() > deadline:
        capture.stop()
interfaces = [(each.name, each.link_type, each.file, each.time_digits) for each in capture.interfaces]
counts = [[received, dropped] for _, received, dropped in capture.statistics()]
print(json.dumps([found, interfaces, counts]))
"""

DROPS = """
send(40_000, 1_000)
taken = 0
for batch in capture.batches():
    taken += len(batch)
    if not len(batch):
        capture.stop()
print(json.dumps([taken, capture.count()]))
"""

LOST = f"""
import subprocess
send(3, 0)
time.sleep(0.3)  # until libpcap's own block is handed over
subprocess.run(["ip", "link", "delete", "{FAR}"], check=True)
taken = sum(len(batch) for batch in capture.batches())
print(json.dumps([taken, [str(each) for each in capture.failures]]))
"""


def as_on_macos(script: str) -> Any:
    with own_pair():
        done = subprocess.run(
            [sys.executable, "-c", AS_ON_MACOS + script],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_nothing_there_is_none() -> None:
    with own_pair() as sender:
        listen_socket = L2ListenSocket(iface=NEAR)
        receiver = PacketReceiver(listen_socket)
        assert receiver.take() is None
        sender.send(FRAME)
        taken = receiver.take()
        assert taken is not None
        assert (taken.data, list(taken.offsets), list(taken.captured)) == (FRAME, [0], [len(FRAME)])
        assert receiver.take() is None
        assert receiver.statistics() == (1, 0)
        listen_socket.close()


def test_libpcap_gives_the_same_packets() -> None:
    found, interfaces, counts = as_on_macos(THE_SAME_PACKETS)
    assert found == [[(FRAME + bytes([number])).hex(), len(FRAME) + 1, True] for number in range(3)]
    assert interfaces == [[NEAR, 1, "out.pcapng", 6]]
    assert counts == [[3, 0]]


def test_what_libpcap_drops_is_counted() -> None:
    taken, dropped = as_on_macos(DROPS)
    assert dropped > 0
    assert taken + dropped == 40_000


def test_libpcap_tells_when_an_interface_is_lost() -> None:
    lost = f"{NEAR}: the interface went down or was removed; start again when it is up"
    assert as_on_macos(LOST) == [3, [lost]]
