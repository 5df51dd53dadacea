"""Has the kernel forbid what reading packets never needs, with Landlock (landlock(7), Linux 5.13 and newer).

The only Python package for it is an alpha version, and three system calls are all it takes.
"""

import ctypes
import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on all architectures."""
_ASK_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE = 1 << 0, 1 << 1
_CHANGE_FOLDERS = 0b1_1111_1111_0000
"""To remove files and folders, and to make any kind of them."""
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_BIND_AND_CONNECT_TCP = 0b11
_OTHER_PROCESSES = 0b11
"""To connect to abstract UNIX sockets of other processes, and to send them signals."""


def confine() -> bool:
    """Forbid this thread, and what it starts, new files to write, new TCP sockets, programs, and signals to others.

    What is open stays so; reading stays allowed, and so does writing to the null device. It needs `no_new_privs`
    (`give_up_privileges`). Gives False where the kernel has no Landlock; an older one forbids less (TCP from 6.7 on,
    signals from 6.12 on). UDP is not forbidden: no Linux so far lets a process give that up so.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return False
    files = (
        _EXECUTE | _WRITE_FILE | _CHANGE_FOLDERS | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    )
    # struct landlock_ruleset_attr, as long as the kernel's version knows it.
    known = struct.pack("=3Q", files, _BIND_AND_CONNECT_TCP, _OTHER_PROCESSES)
    known = known[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = libc.syscall(_CREATE_RULESET, known, len(known), 0)
    if rules < 0:
        return False
    null = os.open(os.devnull, os.O_PATH)
    try:
        # struct landlock_path_beneath_attr
        allowed = struct.pack("=Qi", _WRITE_FILE, null)
        libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, allowed, 0)
        return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(null)
        os.close(rules)
