"""Memory that is freed stays with the process, where the C library can be told so."""

import ctypes
import subprocess
import sys

_SCRIPT = """
import resource
from kafkasniff.freed_memory import give_back_freed_memory, keep_freed_memory

def faults(size):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    b"x" * size
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
print(faults(20_000_000), faults(20_000_000))
give_back_freed_memory()
print(faults(20_000_000))
"""


def test_freed_memory_is_asked_for_again_only_when_it_was_given_back() -> None:
    # In a process of its own, as it is changed as a whole.
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    first, again, after = map(int, done.stdout.split())
    if hasattr(ctypes.CDLL(None), "mallopt"):
        assert min(first, after) > 1_000 > again
