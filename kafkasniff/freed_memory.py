"""What becomes of memory that is freed."""

import sys
from collections.abc import Callable
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
    mallopt = _function("mallopt")
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_BYTES)


def give_back_freed_memory() -> None:
    """Give back what is kept, where the C library can be told to: what comes next takes other memory, or none."""
    malloc_trim = _function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _function(name: str) -> Callable[..., int] | None:
    """Give a function of the C library; None where there is none."""
    import ctypes

    # Other systems have other allocators; Windows has no library by the name None.
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
