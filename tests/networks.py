"""Network namespaces of a test's own, in which interfaces can be made, flooded and taken down."""

import ctypes
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CLONE_NEWNET = 0x40000000
NAMESPACE = Path("/proc/thread-self/ns/net")
LIBC = ctypes.CDLL(None, use_errno=True)
NEAR, FAR = "near0", "far0"


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@contextmanager
def own_network() -> Iterator[None]:
    """Puts this thread, and the processes that it starts, into a network of their own with a loopback interface up."""
    if shutil.which("ip") is None:
        pytest.skip("`ip` (iproute2) is not installed")
    before = os.open(NAMESPACE, os.O_RDONLY)
    if LIBC.unshare(CLONE_NEWNET):
        os.close(before)
        pytest.skip(f"no network namespace may be made here: {os.strerror(ctypes.get_errno())}")
    try:
        ip("link", "set", "lo", "up")
        yield
    finally:
        assert LIBC.setns(before, CLONE_NEWNET) == 0
        os.close(before)


@contextmanager
def own_pair() -> Iterator[socket.socket]:
    """The same with two interfaces that are wired to each other; gives a socket that sends frames from the far one."""
    with own_network():
        ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR)
        for name in (NEAR, FAR):
            # Neighbour discovery would be among the packets.
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
            ip("link", "set", name, "up", "mtu", "65535")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            sender.bind((FAR, 0))
            yield sender


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
