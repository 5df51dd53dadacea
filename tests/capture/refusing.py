"""A kernel that refuses a system call to the thread that asks for it: seccomp(2)."""

import ctypes
import os
import platform
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from tests.networks import LIBC

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_UNLESS_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBERS = {"x86_64": {"setsockopt": 54, "mmap": 9}, "aarch64": {"setsockopt": 208, "mmap": 222}}

Result = TypeVar("Result")


class Refusal(NamedTuple):
    """Of a system call with a certain value as one of its arguments."""

    call: str
    argument: int
    value: int
    errno: int


def refuse(refusal: Refusal) -> None:
    """Have this thread's, and its children's, system calls fail so from now on."""
    number = NUMBERS[platform.machine()][refusal.call]
    program = [
        (LOAD, 0, 0, 0),
        (JUMP_UNLESS_EQUAL, 0, 3, number),
        # struct seccomp_data: the arguments stand behind 16 bytes, 8 for each, the lower half first.
        (LOAD, 0, 0, 16 + 8 * refusal.argument),
        (JUMP_UNLESS_EQUAL, 0, 1, refusal.value),
        (RETURN, 0, 0, ERRNO | refusal.errno),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in program))
    # struct sock_fprog
    filter_program = struct.pack("@HP", len(program), ctypes.addressof(code))
    assert LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    done = LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(filter_program), 0, 0)
    assert done == 0, os.strerror(ctypes.get_errno())


def where_refused(refusal: Refusal, action: Callable[[], Result]) -> Result:
    """Do something in a thread to which the kernel refuses this."""
    with ThreadPoolExecutor(1, initializer=refuse, initargs=(refusal,)) as thread:
        return thread.submit(action).result()
