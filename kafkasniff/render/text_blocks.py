"""Texts of many rows as blocks: a matrix of bytes with a row for each text, zeros where a text is shorter than others.

Blocks stand side by side to make longer texts; what is a zero is left out in the end (`squeezed`).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kafkasniff.protocol.body_columns import Block, Numbers

Part = Block | bytes
"""A text for each row, or one that is the same for all."""

_CHUNK = 10_000
"""Digits are looked up four at a time."""
_MOST_LOOKED_UP = 1 << 16


def _digit_table() -> NDArray[np.uint32]:
    """Give four digits of each number below `_CHUNK`, then the same with zeros for digits that lead; then none."""
    numbers = np.arange(_CHUNK)
    digits = np.stack([numbers // 1000, numbers // 100 % 10, numbers // 10 % 10, numbers % 10], axis=1)
    padded = (digits + ord("0")).astype(np.uint8)
    led = np.where(numbers[:, None] >= [1000, 100, 10, 0], padded, np.uint8(0))
    none = np.zeros((1, 4), np.uint8)
    return np.concatenate((padded, led, none)).astype(np.uint8).view(np.uint32).ravel()


_DIGITS = _digit_table()


def side_by_side(parts: Sequence[Part], count: int) -> Block:
    """Put the parts of `count` texts one behind the other."""
    width = sum(len(part) if isinstance(part, bytes) else part.shape[1] for part in parts)
    whole = np.empty((count, width), np.uint8)
    at = 0
    for part in parts:
        if isinstance(part, bytes):
            whole[:, at : at + len(part)] = np.frombuffer(part, np.uint8)
            at += len(part)
        else:
            whole[:, at : at + part.shape[1]] = part
            at += part.shape[1]
    return whole


def stacked(blocks: Sequence[Block]) -> Block:
    """Put blocks one under the other."""
    if len(blocks) == 1:
        return blocks[0]
    whole = np.zeros((sum(map(len, blocks)), max(block.shape[1] for block in blocks)), np.uint8)
    at = 0
    for block in blocks:
        whole[at : at + len(block), : block.shape[1]] = block
        at += len(block)
    return whole


def row_texts(block: Block) -> list[bytes]:
    """Give each row as bytes, without the zeros at its end."""
    count, width = block.shape
    texts: list[bytes] = np.ascontiguousarray(block).view(f"S{width}").ravel().tolist() if width else [b""] * count
    return texts


def squeezed(text: bytes) -> bytes:
    """Leave the zeros out."""
    return text.replace(b"\0", b"")


def table(texts: Sequence[bytes]) -> Block:
    """Give texts as a block."""
    width = max(map(len, texts), default=0)
    return np.array(texts, f"S{max(width, 1)}").view(np.uint8).reshape(len(texts), max(width, 1))


def looked_up(block: Block, rows: Numbers) -> Block:
    """Give some rows of a block, each as often as it is asked for."""
    width = block.shape[1]
    return block.view(f"V{width}").ravel()[rows].view(np.uint8).reshape(len(rows), width)


def digits(numbers: Numbers) -> Block:
    """Give numbers in decimal digits."""
    negative = numbers < 0
    if np.count_nonzero(negative):
        sign = np.where(negative, np.uint8(ord("-")), np.uint8(0))[:, None]
        return np.concatenate((sign, _digits(np.abs(numbers).view(np.uint64))), axis=1)
    return _digits(numbers.view(np.uint64))


def _digits(numbers: NDArray[np.uint64]) -> Block:
    if len(numbers) and not np.count_nonzero(numbers != numbers[0]):
        only = np.frombuffer(str(numbers[0]).encode(), np.uint8)
        return np.broadcast_to(only, (len(numbers), len(only)))
    most = int(numbers.max(initial=0))
    width = len(str(most))
    chunks: list[NDArray[np.uint32]] = []
    left = numbers if most >= 1 << 32 else numbers.astype(np.uint32)
    while True:
        if most < _CHUNK:
            chunks.append(_DIGITS[left + _CHUNK if not chunks else np.where(left > 0, left + _CHUNK, 2 * _CHUNK)])
            break
        rest = left // _CHUNK
        low = left - rest * _CHUNK
        leads = rest == 0
        place = low + leads * np.uint32(_CHUNK)
        if chunks:
            place[leads & (low == 0)] = 2 * _CHUNK
        chunks.append(_DIGITS[place])
        left, most = rest, most // _CHUNK
    return np.stack(chunks[::-1], axis=1).view(np.uint8)[:, -width:]


def padded_digits(numbers: Numbers, width: int) -> Block:
    """Give numbers from zero on in as many digits, zeros in front."""
    chunks = []
    for _ in range(0, width, 4):
        rest = numbers // _CHUNK
        chunks.append(_DIGITS[numbers - rest * _CHUNK])
        numbers = rest
    return np.stack(chunks[::-1], axis=1).view(np.uint8)[:, -width:]


def distinct(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Give the different numbers in ascending order, and for each row which of them it has."""
    lowest = int(numbers.min(initial=0))
    if int(numbers.max(initial=0)) - lowest >= _MOST_LOOKED_UP:
        return np.unique(numbers, return_inverse=True)
    numbers = numbers - lowest
    found = np.flatnonzero(np.bincount(numbers))
    place = np.zeros(int(found.max(initial=0)) + 1, np.int64)
    place[found] = np.arange(len(found))
    return found + lowest, place[numbers]


def equal(numbers: Numbers) -> Iterator[Numbers]:
    """Give the rows with the same number together, for each number; the rows in ascending order."""
    found, index = distinct(numbers)
    # Numbers of two bytes are sorted much faster.
    order = np.argsort(index.astype(np.uint16) if len(found) < _MOST_LOOKED_UP else index, kind="stable")
    bounds = np.cumsum(np.bincount(index)).tolist()
    for first, last in pairwise([0, *bounds]):
        yield order[first:last]


def texts_of(numbers: Numbers, text: Callable[[int], str]) -> Block:
    """Give the texts that a function makes of numbers, called once for each number."""
    found, index = distinct(numbers)
    return looked_up(table([text(number).encode() for number in found.tolist()]), index)
