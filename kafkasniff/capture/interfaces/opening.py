"""Opens network interfaces with scapy's sockets, and says what to do where they cannot be opened."""

import ctypes
import errno
import logging
import os
import shlex
import socket
import struct
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, NoReturn

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.receive import PacketReceiver, PcapReceiver
from kafkasniff.capture.interfaces.ring import PacketRing

ANY = "any"
"""Names all interfaces, also those that come up later."""

_LINUX, _MACOS, _WINDOWS = "linux", "darwin", "win32"
_DLT_RAW = 12
_LINKTYPE_RAW = 101
_LINKTYPE_ETHERNET = 1
_ARPHRD_UNKNOWN = 0xFFFF


SOL_PACKET, PACKET_FANOUT = 263, 18
FANOUT_HASH, FANOUT_FLAG_DEFRAG = 0, 0x8000
"""Packets of a connection, both ways, to the same socket of the group; fragments are joined before (packet(7))."""


class OpenInterface(NamedTuple):
    """An interface that packets are received from."""

    listen_socket: Any
    """scapy's, which is closed when nothing more is wanted."""
    packets: PacketRing | PacketReceiver | PcapReceiver
    notice: str | None = None
    """What makes it less than it could be."""


def open_interface(platform: str, name: str, bpf_filter: str | None, ring_bytes: int) -> OpenInterface:
    """Listen to an interface of a system, `platform` as in sys.platform; raises CaptureError, which says what to do.

    `bpf_filter` is one in libpcap's language. `ring_bytes` is the memory for packets that wait, where the kernel has
    rings; 0: none, packets are received one by one.
    """
    if platform not in (_LINUX, _MACOS):
        text = f"{name}: live capture works on Linux and macOS; elsewhere use `{_fall_back(platform, name)}`"
        raise CaptureError(text)
    for package in ("numpy", "scapy"):
        if find_spec(package) is None:
            raise CaptureError(
                f"{name}: to listen to interfaces needs the package {package}: pip install 'kafkasniff[live]'"
            )
    names = [each for _, each in socket.if_nameindex()]
    if name not in names and not (name == ANY and platform == _LINUX):
        all_of_them = ", and `any` for all of them" if platform == _LINUX else ""
        raise CaptureError(f"{name}: no such interface; there are {', '.join(names)}{all_of_them}")
    try:
        if platform == _LINUX:
            return _open_packet_socket(name, names, bpf_filter, ring_bytes)
        return _open_libpcap(name, bpf_filter)
    except PermissionError:
        raise CaptureError(_no_permission(platform, name)) from None
    except OSError as error:
        if error.errno == errno.ENETDOWN:
            raise CaptureError(f"{name}: the interface is down; start again when it is up") from None
        # Some are scapy's own, with libpcap's words on several lines.
        text = error.strerror or str(error).partition("\n")[0].removeprefix(f"{name}: ")
        raise CaptureError(f"{name}: cannot be listened to: {text}") from None


def join_group(name: str, listen_socket: Any, group: int) -> None:
    """Let an interface's sockets that join the same group, a number of 16 bits, share its connections.

    Raises CaptureError where the kernel has no such groups.
    """
    try:
        options = struct.pack("=HH", group, FANOUT_HASH | FANOUT_FLAG_DEFRAG)
        listen_socket.ins.setsockopt(SOL_PACKET, PACKET_FANOUT, options)
    except (OSError, AttributeError) as error:
        text = error.strerror if isinstance(error, OSError) else "this system has no packet sockets"
        raise CaptureError(f"{name}: --jobs cannot be used: {text}") from None


def link_type(hardware: int) -> int:
    """Give the LINKTYPE_ number of what packet sockets give for an ARPHRD_ number."""
    from scapy.data import ARPHRD_TO_DLT

    return _link_type_of_dlt(int(ARPHRD_TO_DLT.get(hardware, _DLT_RAW)))


def _link_type_of_dlt(dlt: int) -> int:
    # DLT_RAW differs between systems; all others here are the same as their LINKTYPE_ (pcap-linktype(7)).
    return _LINKTYPE_RAW if dlt == _DLT_RAW else dlt


# Linux: packet sockets


def _open_packet_socket(name: str, names: Sequence[str], bpf_filter: str | None, ring_bytes: int) -> OpenInterface:
    notice = None
    listen_socket = _listen(name, names, bpf_filter)
    if ring_bytes:
        try:
            return OpenInterface(listen_socket, PacketRing(listen_socket.ins, ring_bytes))
        except OSError as error:
            notice = (
                f"{name}: packets are received one by one, which is slow: no ring of {ring_bytes >> 20} MiB"
                f" ({error.strerror})"
            )
            listen_socket.close()
            listen_socket = _listen(name, names, bpf_filter)
    return OpenInterface(listen_socket, PacketReceiver(listen_socket), notice)


def _listen(name: str, names: Sequence[str], bpf_filter: str | None) -> Any:
    """Open a packet socket; raises OSError and CaptureError."""
    _quieten_scapy()
    from scapy.arch.linux import L2ListenSocket
    from scapy.data import ETH_P_ALL
    from scapy.error import Scapy_Exception

    if name == ANY and bpf_filter is not None:
        others = [each for each in names if link_type(_hardware(each)) != _LINKTYPE_ETHERNET]
        if others:
            raise CaptureError(
                f"any: a filter fits interfaces of one kind, and {', '.join(others)} is of another than Ethernet;"
                " name the interfaces to listen to"
            )
    try:
        # An unknown interface has scapy look for the default one: of all interfaces, one that is up stands for them.
        listen_socket = (
            _first_that_is_up(names, bpf_filter) if name == ANY else L2ListenSocket(iface=name, filter=bpf_filter)
        )
    except (Scapy_Exception, ImportError) as error:
        _refuse_filter(bpf_filter, error)
    if name == ANY:
        _bind_to_all(listen_socket.ins, ETH_P_ALL)
    return listen_socket


def _first_that_is_up(names: Sequence[str], bpf_filter: str | None) -> Any:
    """Open the first interface that is up; raises OSError, and CaptureError where none is."""
    from scapy.arch.linux import L2ListenSocket

    for name in names:
        try:
            return L2ListenSocket(iface=name, promisc=False, filter=bpf_filter)
        except OSError as error:
            if error.errno != errno.ENETDOWN:
                raise
    raise CaptureError(f"{ANY}: no interface is up; start again when one is")


def _bind_to_all(packet_socket: socket.socket, protocol: int) -> None:
    """Have a packet socket hear all interfaces: index 0 (packet(7)), which Python's own `bind` cannot say."""
    # struct sockaddr_ll
    address = struct.pack("=HHiHBB8x", socket.AF_PACKET, socket.htons(protocol), 0, 0, 0, 0)
    if ctypes.CDLL(None, use_errno=True).bind(packet_socket.fileno(), address, len(address)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _hardware(name: str) -> int:
    """Give an interface's ARPHRD_ number."""
    from scapy.interfaces import resolve_iface

    return int(getattr(resolve_iface(name), "type", _ARPHRD_UNKNOWN))


# macOS: libpcap


def _open_libpcap(name: str, bpf_filter: str | None) -> OpenInterface:
    """Open an interface through libpcap; raises OSError and CaptureError."""
    _quieten_scapy()
    from scapy.config import conf
    from scapy.error import Scapy_Exception

    try:
        # scapy leaves it off where there is no libpcap, and has no such socket then.
        conf.use_pcap = True
        from scapy.arch.libpcap import L2pcapListenSocket
    except ImportError:
        fall_back = _fall_back(_MACOS, name)
        raise CaptureError(
            f"{name}: libpcap, which captures here, is missing; install it, or use `{fall_back}`"
        ) from None
    try:
        listen_socket = L2pcapListenSocket(iface=name, filter=bpf_filter)
    except Scapy_Exception as error:
        _refuse_filter(bpf_filter, error)
    except OSError as error:
        # libpcap's words for PCAP_ERROR_PERM_DENIED; scapy passes on no number.
        if "permission" in str(error):
            raise PermissionError from None
        raise
    return OpenInterface(
        listen_socket, PcapReceiver(listen_socket, _link_type_of_dlt(listen_socket.pcap_fd.datalink()))
    )


def _quieten_scapy() -> None:
    # It warns of link types that it cannot dissect, which is not its task here.
    logging.getLogger("scapy").setLevel(logging.CRITICAL)


# What to do instead


def _fall_back(platform: str, name: str) -> str:
    # Wireshark for Windows brings dumpcap, and nobody tcpdump.
    command = "dumpcap -q -i {} -w -" if platform == _WINDOWS else "tcpdump -i {} -U -w -"
    return f"{command.format(name)} | kafkasniff read -"


def _no_permission(platform: str, name: str) -> str:
    own = f"{_own_interpreter()}, " if platform == _LINUX else ""
    return f"{name}: no permission to capture; use sudo, {own}or `sudo {_fall_back(platform, name)}`"


def _own_interpreter() -> str:
    """Say how an interpreter that nobody else uses is given the right, as docs/capture.md does.

    One that is shared, as that of the system, would give it to whatever anybody runs with it.
    """
    if sys.prefix == sys.base_prefix:
        return "install kafkasniff in a virtual environment whose interpreter alone gets the right (docs/capture.md)"
    python = shlex.quote(sys.executable)
    copy = (
        f'`cp --remove-destination "$(readlink -f {python})" {python}` and ' if os.path.islink(sys.executable) else ""
    )
    return f"or once {copy}`sudo setcap cap_net_raw+ep {python}`"


def _refuse_filter(bpf_filter: str | None, error: Exception) -> NoReturn:
    if isinstance(error, ImportError) or "libpcap" in str(error):
        text = "--bpf: libpcap, which compiles it, is missing; install it (on Debian: apt install libpcap0.8)"
        raise CaptureError(text) from None
    raise CaptureError(f"--bpf: {bpf_filter!r} is no filter that libpcap understands: {error}") from None
