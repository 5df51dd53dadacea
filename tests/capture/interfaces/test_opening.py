import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.live import RING_BYTES, LiveCapture
from kafkasniff.capture.interfaces.opening import open_interface
from kafkasniff.capture.interfaces.ring import PACKET_RX_RING, PACKET_VERSION
from tests.capture.captured import contents, frames, packets_of
from tests.capture.refusing import Refusal, where_refused
from tests.conftest import ROOT
from tests.networks import FAR, LIBC, NEAR, ip, own_network, own_pair

PR_CAPBSET_DROP, CAP_NET_RAW = 24, 13
RAW_INSTEAD = "tcpdump -i lo -U -w - | kafkasniff read -"
PACKAGES = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        # As a kernel before Linux 3.2 answers, and some sandboxes.
        (Refusal("setsockopt", 2, PACKET_VERSION, errno.EINVAL), "Invalid argument"),
        (Refusal("setsockopt", 2, PACKET_RX_RING, errno.ENOMEM), "Cannot allocate memory"),
        (Refusal("mmap", 1, RING_BYTES, errno.EPERM), "Operation not permitted"),
    ],
)
def test_without_a_ring_packets_come_one_by_one(refusal: Refusal, reason: str) -> None:
    with own_pair() as sender:
        capture = where_refused(refusal, lambda: LiveCapture([NEAR]))
        for frame in frames(50):
            sender.send(frame)
        assert contents(packets_of(capture, 50)) == frames(50)
        assert capture.count() == 0
        capture.close()
    assert capture.notices == [f"{NEAR}: packets are received one by one, which is slow: no ring of 64 MiB ({reason})"]


@pytest.mark.parametrize(
    ("platform", "instead"),
    [
        ("freebsd14", RAW_INSTEAD),
        ("win32", "dumpcap -q -i lo -w - | kafkasniff read -"),
    ],
)
def test_other_systems(platform: str, instead: str) -> None:
    with pytest.raises(CaptureError) as caught:
        open_interface(platform, "lo", None, 0)
    assert str(caught.value) == f"lo: live capture works on Linux and macOS; elsewhere use `{instead}`"


OPEN = """
import sys
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.opening import open_interface
platform, name, bpf_filter = sys.argv[1:]
try:
    opened = open_interface(platform, name, bpf_filter or None, 8 << 20)
except CaptureError as error:
    print(error)
else:
    print(type(opened.packets).__name__)
"""
"""In a process of its own: macOS's way switches scapy to libpcap as a whole, and rights are those of a process."""

WITHOUT_LIBPCAP = r"""
set -e
for folder in $(ldconfig -p | sed -n 's|.*libpcap\.so.*=> \(.*\)/[^/]*|\1|p' | sort -u); do
  mount -t tmpfs none /mnt
  mkdir /mnt/upper /mnt/work
  mount -t overlay -o "lowerdir=$folder,upperdir=/mnt/upper,workdir=/mnt/work" none "$folder"
  rm "$folder"/libpcap.so*
  umount -l /mnt
done
mount -t tmpfs none /mnt
ldconfig -C /mnt/cache
mount --bind /mnt/cache /etc/ld.so.cache
exec "$@"
"""
"""Runs a command in a mount namespace in which libpcap is not installed."""


def opened(platform: str, name: str = "lo", bpf_filter: str = "", without_right: bool = False) -> str:
    return run_open([], platform, name, bpf_filter, without_right)


def run_open(
    before: list[str], platform: str, name: str, bpf_filter: str, without_right: bool, python: str = sys.executable
) -> str:
    def drop_the_right() -> None:
        LIBC.prctl(PR_CAPBSET_DROP, CAP_NET_RAW, 0, 0, 0)

    done = subprocess.run(
        [*before, python, "-c", OPEN, platform, name, bpf_filter],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True, text=True, timeout=60, check=False,
        preexec_fn=drop_the_right if without_right else None,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.rstrip("\n")


@pytest.fixture
def network() -> Iterator[None]:
    with own_network():
        yield


@pytest.mark.usefixtures("network")
def test_each_system_has_its_way() -> None:
    assert opened("linux") == "PacketRing"
    assert opened("linux", "any") == "PacketRing"
    assert opened("darwin") == "PcapReceiver"
    assert opened("darwin", bpf_filter="tcp port 9092") == "PcapReceiver"


@pytest.mark.usefixtures("network")
def test_no_such_interface() -> None:
    assert opened("linux", "eth7") == "eth7: no such interface; there are lo, and `any` for all of them"
    assert opened("darwin", "en7") == "en7: no such interface; there are lo"
    assert opened("darwin", "any") == "any: no such interface; there are lo"


@pytest.mark.usefixtures("network")
def test_no_permission() -> None:
    said = opened("linux", without_right=True)
    assert said.startswith("lo: no permission to capture; use sudo, ")
    assert said.endswith(f", or `sudo {RAW_INSTEAD}`")
    assert opened("darwin", without_right=True) == f"lo: no permission to capture; use sudo, or `sudo {RAW_INSTEAD}`"


@pytest.mark.usefixtures("network")
def test_no_shared_interpreter_is_given_the_right(tmp_path: Path) -> None:
    """As docs/capture.md has it: a copy of the interpreter, in a virtual environment."""
    begin, end = "lo: no permission to capture; use sudo, ", f", or `sudo {RAW_INSTEAD}`"
    link, own = tmp_path / "my links", tmp_path / "own"
    for folder, way in ((link, "--symlinks"), (own, "--copies")):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", way, str(folder)], check=True)

    def said(python: str) -> str:
        return run_open([], "linux", "lo", "", without_right=True, python=python)

    python = f"'{link}/bin/python3'"
    copy = f'`cp --remove-destination "$(readlink -f {python})" {python}`'
    assert said(f"{link}/bin/python3") == f"{begin}or once {copy} and `sudo setcap cap_net_raw+ep {python}`{end}"
    assert said(f"{own}/bin/python3") == f"{begin}or once `sudo setcap cap_net_raw+ep {own}/bin/python3`{end}"
    assert "setcap" not in said(os.path.realpath(sys.executable))


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_filter_that_is_none(platform: str) -> None:
    assert opened(platform, bpf_filter="port kafka9").startswith(
        "--bpf: 'port kafka9' is no filter that libpcap understands: "
    )


@pytest.mark.usefixtures("network")
def test_libpcap_is_missing() -> None:
    own_mounts = ["unshare", "--mount", "sh", "-c"]
    if subprocess.run([*own_mounts, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace may be made here")
    before = [*own_mounts, WITHOUT_LIBPCAP, "sh"]

    def opened(platform: str, bpf_filter: str) -> str:
        return run_open(before, platform, "lo", bpf_filter, without_right=False)

    missing = "--bpf: libpcap, which compiles it, is missing; install it (on Debian: apt install libpcap0.8)"
    assert opened("linux", "") == "PacketRing"
    assert opened("linux", "tcp port 9092") == missing
    assert opened("darwin", "") == f"lo: libpcap, which captures here, is missing; install it, or use `{RAW_INSTEAD}`"


@pytest.mark.usefixtures("network")
def test_an_interface_that_is_down() -> None:
    ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR)
    assert opened("linux", NEAR) == f"{NEAR}: the interface is down; start again when it is up"
    assert opened("darwin", NEAR) == f"{NEAR}: cannot be listened to: That device is not up"


@pytest.mark.usefixtures("network")
def test_any_needs_one_interface_that_is_up() -> None:
    ip("link", "set", "lo", "down")
    assert opened("linux", "any") == "any: no interface is up; start again when one is"
    ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR)
    ip("link", "set", NEAR, "up")
    assert opened("linux", "any") == "PacketRing"
