# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""What writers of lines have in common: a buffer of lines, and the order in which calls come into it."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from collections.abc import Callable

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.protocol.bodies.text_buffer import TextBuffer

_ONE_WRITE = cython.declare(cython.Py_ssize_t, 1 << 18)
"""Bytes of lines from which on they are written."""


@cython.cclass
class LineWriter:
    """Writes the lines of calls into `out`, one after the other."""

    def __init__(self) -> None:
        """Begin with no line."""
        self.out = TextBuffer()

    def learn(self, call: Call) -> cython.int:
        """Take in what a call tells of others; to be told all calls, also those that are not shown."""
        return 0

    def write(self, call: Call) -> cython.int:
        """Write the lines of a call, each with its newline; nothing where that raises."""
        raise NotImplementedError

    def take(self) -> bytes:
        """Give what was written since this was last asked."""
        found: bytes = self.out.taken(0)
        self.out.cut(0)
        return found

    def line(self, call: Call) -> bytes:
        """Give the lines of a call, each with its newline."""
        self.write(call)
        return self.take()

    def calls(self, items: list[Item], wants: Callable[[Call], bool] | None = None) -> tuple[memoryview, int]:
        """Take calls from the end of a list, learn from them; give the lines of those wanted, and how many.

        Stops before anything else, before a call that cannot be shown, and when there are enough for one write. The
        lines are not copied: they stand until more is written here.
        """
        shown: cython.longlong = 0
        while items and self.out.size < _ONE_WRITE:
            item = items[len(items) - 1]
            if type(item) is not Call:
                break
            call: Call = item
            try:
                self.learn(call)
                if wants is None or wants(call):
                    self.write(call)
                    shown += 1
            except Exception:
                break
            items.pop()
        lines = self.out.view()
        self.out.cut(0)
        return lines, shown
