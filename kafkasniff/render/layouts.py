"""Functions that make the text of calls whose bytes are laid out like those of a call that was traced.

Such a function reads of both messages only what the text depends on: what is fixed, as a key for a template, and what
the template shows. That the rest is as it was follows from the fixed bytes, among which are all counts and lengths.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from struct import Struct
from types import CodeType
from typing import Any, Final, Protocol

from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.records.layout import MAGIC_2
from kafkasniff.render.traced import CLIENT_ID, Mark, Traced, UntraceableError
from kafkasniff.render.traced_message import CarriedBatch, Span, TracedMessage

_INTEGER_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_MOST_REMEMBERED = 8192


class LayoutFunction(Protocol):
    """Makes the text of a call; None where it is not known, or the messages are laid out otherwise.

    Takes a buffer, of the request's body the place in it and the length, the same of the content of the response's
    frame, and the client id. Raises UnicodeDecodeError for text that is not UTF-8.
    """

    def __call__(self, data: bytes, q: int, n: int, r: int, m: int, client: str | None, /) -> str | None:
        """Make a text."""


class Templates(dict[object, str]):
    """Templates of a layout by what is fixed in its calls."""

    missed: object = None
    """The key that was not there last."""

    def __missing__(self, key: object) -> None:
        """Note the key."""
        self.missed = key


@dataclass(slots=True)
class Layout:
    """The function for a layout, and the templates that it knows."""

    signature: tuple[object, ...]
    """Equal for equal functions."""
    function: LayoutFunction
    templates: Templates


@dataclass(slots=True)
class _Lines:
    """The parts of a function while it is written."""

    before: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    late_checks: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    memories: list[object] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    """Variables of values, by identity."""
    count: int = 0

    def name(self, prefix: str) -> str:
        """Give a new variable."""
        self.count += 1
        return f"{prefix}{self.count}"

    def memory(self, memory: object) -> str:
        """Give the variable of what remembers a function's results."""
        if memory not in self.memories:
            self.memories.append(memory)
        return f"m{self.memories.index(memory)}"


def layout_of(
    messages: list[TracedMessage], marks: list[Mark], known: list[Layout], length_unknown: Kind | None
) -> Layout:
    """Give the layout of a traced call: one of those known, or a new one without templates.

    `marks`: of its template. `length_unknown`: the side of whose messages the length is not what calls are looked up
    by. Raises UntraceableError.
    """
    lines = _Lines()
    for message in messages:
        _write_message(lines, message, message.side != length_unknown)
    arguments = [_argument(lines, mark) for mark in marks]
    body = ["def function(data, q, n, r, m, client):", *lines.before]
    if lines.checks:
        body.append(f"if not ({' and '.join(lines.checks)}): return None")
    key = f"({', '.join(lines.keys)},)" if len(lines.keys) != 1 else lines.keys[0]
    body += [f"text = templates[{key}]", "if text is None: return None"]
    if lines.late_checks:
        body.append(f"if not ({' and '.join(lines.late_checks)}): return None")
    body.append(f"return text % ({', '.join(arguments)},)" if arguments else "return text % ()")
    source = "\n    ".join(body) + "\n"
    signature = (source, *lines.formats, *map(id, lines.memories))
    for layout in known:
        if layout.signature == signature:
            return layout
    templates = Templates()
    namespace: dict[str, Any] = {"templates": templates}
    namespace |= {f"unpack{index}": Struct(text).unpack_from for index, text in enumerate(lines.formats)}
    namespace |= {f"m{index}": memory for index, memory in enumerate(lines.memories)}
    if lines.late_checks:
        # Only when needed: importing it takes 50 ms, since it asks for its own version.
        from crc32c import crc32c

        namespace["crc32c"] = crc32c
    exec(_compiled(source), namespace)
    return Layout(signature, namespace["function"], templates)


@lru_cache(maxsize=1024)
def _compiled(source: str) -> CodeType:
    return compile(source, "<layout of calls>", "exec")


def _write_message(lines: _Lines, message: TracedMessage, length_known: bool) -> None:
    batch = message.batch
    place, length = ("q", "n") if message.side == "request" else ("r", "m")
    start, whole_end = message.start, len(message.data)
    spans: list[tuple[Span, str, str]] = [(span, "", "") for span in message.unread]
    for span in message.unread_strings:
        text = lines.name("u")
        spans.append((span, f"{span[1]}s", text))
        lines.checks.append(f"{text}.isascii()")
    end = whole_end
    if batch is not None:
        end = batch.start + MAGIC_2.size
        around = batch.start - start + whole_end - batch.end
        lines.before += [f"size = {length} - {around}", f"if size < {MAGIC_2.size}: return None"]
        _write_batch(lines, message, batch, spans, f"data[{place} + {{}}:{place} + {length} - {{}}]")
    elif not length_known:
        lines.before.append(f"if {length} != {whole_end - start}: return None")
    for value in message.values:
        _write_value(lines, value, spans)
    _unpack(lines, place, start, end, spans)
    if batch is not None and batch.end < whole_end:
        _unpack(lines, f"{place} + {length} - {whole_end - batch.end}", batch.end, whole_end, spans)


def _write_batch(
    lines: _Lines, message: TracedMessage, batch: CarriedBatch, spans: list[tuple[Span, str, str]], from_to: str
) -> None:
    """Write that the lengths agree, and which bytes of the header of a batch the text does not depend on."""
    start = batch.start
    stated, counted, crc = lines.name("n"), lines.name("n"), lines.name("n")
    if batch.compact:
        spans.append((batch.size_at, f"{batch.size_at[1]}s", stated))
        lines.checks.append(f"{stated} == {lines.memory(_COMPACT)}[size]")
    else:
        spans.append((batch.size_at, "i", stated))
        lines.checks.append(f"{stated} == size")
    lines.checks.append(f"{counted} == size - 12")
    # Base offset, size, leader epoch, magic, CRC, the two bytes of the attributes, and what else is before the count.
    spans += [((start, 8), "", ""), ((start + 8, 4), "i", counted), ((start + 12, 4), "", "")]
    spans += [((start + 17, 4), "I", crc), ((start + 21, 1), "", ""), ((start + 23, 34), "", "")]
    covered = from_to.format(start + 21 - message.start, len(message.data) - batch.end)
    lines.late_checks.append(f"crc32c({covered}) == {crc}")


def _write_value(lines: _Lines, value: Traced, spans: list[tuple[Span, str, str]]) -> None:
    side, offset, length, code = value.place
    del side
    if code == "size":
        variable = "size"
        if value.fixed:
            lines.keys.append(variable)
    elif value.fixed:
        return
    elif value.used:
        variable = lines.name("v")
        spans.append(((offset, length), code or f"{length}s", variable))
    elif code:
        spans.append(((offset, length), "", ""))
        return
    else:
        variable = lines.name("u")
        spans.append(((offset, length), f"{length}s", variable))
        lines.checks.append(f"{variable}.isascii()")
    lines.names[id(value)] = variable
    if not value.fixed:
        # That the size is not zero is known.
        tests = [f"{variable} {operator} {number}" for operator, number in value.tests]
        lines.keys += [test for test in tests if test != "size != 0"]


def _unpack(lines: _Lines, place: str, start: int, end: int, spans: list[tuple[Span, str, str]]) -> None:
    """Write the read, at a place of the buffer, of a message's bytes from `start` to `end`.

    Those of no span are part of the key.
    """
    codes = []
    names = []
    position = start

    def fixed(length: int) -> None:
        key = lines.name("k")
        lines.keys.append(key)
        names.append(key)
        codes.append(_INTEGER_CODES.get(length, f"{length}s"))

    for (offset, length), code, variable in sorted(spans):
        if not start <= offset < end:
            continue
        if offset > position:
            fixed(offset - position)
        codes.append(code or f"{length}x")
        if variable:
            names.append(variable)
        position = offset + length
    if end > position:
        fixed(end - position)
    if names:
        lines.before.append(f"({', '.join(names)},) = unpack{len(lines.formats)}(data, {place})")
        lines.formats.append(">" + "".join(codes))


def _argument(lines: _Lines, mark: Mark) -> str:
    """Give the expression of what stands at a mark."""
    value = lines.names.get(id(mark.value))
    if value is None:
        raise UntraceableError
    if mark.function is None:
        return value
    with_client = mark.more == (CLIENT_ID,)
    memory = lines.memory(memory_of(mark.function, () if with_client else mark.more, mark.value.place.code == ""))
    return f"{memory}[{value}, client]" if with_client else f"{memory}[{value}]"


class _Memory(dict[Any, Any]):
    """Results of a function of one argument, or of two that are given as a tuple; bounded."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Any) -> Any:
        result = self._function(key)
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[key] = result
        return result

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None


@lru_cache(maxsize=64)
def memory_of(function: Callable[..., str], more: tuple[Any, ...], is_string: bool) -> _Memory:
    """Give what remembers the texts that a function makes of numbers, or of strings given as bytes."""

    def of_number(key: int) -> str:
        return function(key, *more)

    def of_string(key: bytes | tuple[bytes, str | None]) -> str:
        if isinstance(key, tuple):
            return function(key[0].decode(), key[1])
        return function(key.decode(), *more)

    return _Memory(of_string if is_string else of_number)


def _compact_size(size: int) -> bytes:
    """Give the varint that stands before `size` bytes: one more (KIP-482)."""
    octets = bytearray()
    left = size + 1
    while left > 0x7F:
        octets.append(left & 0x7F | 0x80)
        left >>= 7
    octets.append(left)
    return bytes(octets)


_COMPACT: Final = _Memory(_compact_size)
