import json
import subprocess
import sys

from scapy.arch.linux import L2ListenSocket

from kafkasniff.capture.receive import PacketReceiver
from tests.conftest import ROOT
from tests.networks import FAR, NEAR, own_pair

FRAME = b"\x02" * 12 + b"\x08\x00" + bytes(range(100))

THROUGH_LIBPCAP = f"""
import json, socket, time
from scapy.config import conf
conf.use_pcap = True
from scapy.arch.libpcap import L2pcapListenSocket
from kafkasniff.capture.receive import PcapReceiver
receiver = PcapReceiver(L2pcapListenSocket(iface="{NEAR}"))
found, deadline = [], time.monotonic() + 5
assert receiver.take() is None
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
    sender.bind(("{FAR}", 0))
    for number in range(3):
        sender.send(bytes.fromhex("{FRAME.hex()}") + bytes([number]))
while len(found) < 3 and time.monotonic() < deadline:
    taken = receiver.take()
    if taken is not None:
        found += [taken.data[at:at + length].hex() for at, length in zip(taken.offsets, taken.captured)]
print(json.dumps([found, receiver.statistics()]))
"""


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
    """In a process of its own, as scapy is switched to libpcap as a whole: as on macOS."""
    with own_pair():
        done = subprocess.run(
            [sys.executable, "-c", THROUGH_LIBPCAP], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[(FRAME + bytes([number])).hex() for number in range(3)], [0, 0]]
