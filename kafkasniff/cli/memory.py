"""What becomes of memory that is freed."""

import ctypes
import sys
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Parameters of mallopt (malloc.h of glibc)."""

_KEPT_BYTES: Final = 256 << 20
"""Freed memory at the end of the heap that is not given back."""

_LARGEST_BYTES: Final = 32 << 20
"""What is larger is always given back: glibc takes no higher threshold for others."""


def keep_freed_memory() -> None:
    """Let the C library keep freed memory for what comes, where it can be told to.

    Each batch takes about what the one before it gave back, and the kernel takes long to give it again.
    """
    # Other systems have other allocators; Windows has no library by the name None.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_BYTES)
