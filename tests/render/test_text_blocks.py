"""Blocks of texts against what Python formats of the same numbers."""

from random import Random

import numpy as np
import pytest

from kafkasniff.render.text_blocks import digits, padded_digits, row_texts, squeezed, texts_of

BORDERS = [0, 1, 9, 10, 99, 100, 9_999, 10_000, 10_001, 10**8 - 1, 10**8, 2**32 - 1, 2**32, 10**16, 2**63 - 1]


def numbers(most: int) -> list[int]:
    random = Random(most)
    return [0, most, most // 2, *(random.randint(0, most) for _ in range(50))]


@pytest.mark.parametrize("most", BORDERS)
def test_digits(most: int) -> None:
    for values in (numbers(most), [most, most], [-value for value in numbers(most)], [most, -most, 0]):
        texts = map(squeezed, row_texts(digits(np.array(values, np.int64))))
        assert list(texts) == [str(value).encode() for value in values]


def test_the_least_number() -> None:
    assert row_texts(digits(np.array([-(2**63), -(2**63)]))) == [b"-9223372036854775808"] * 2


@pytest.mark.parametrize("width", [3, 6, 9])
def test_digits_with_zeros_in_front(width: int) -> None:
    values = numbers(10**width - 1)
    assert row_texts(padded_digits(np.array(values), width)) == [str(value).zfill(width).encode() for value in values]


@pytest.mark.parametrize("most", [5, 1 << 40])
def test_texts_are_made_once_for_each_number(most: int) -> None:
    asked: list[int] = []

    def text(value: int) -> str:
        asked.append(value)
        return f"{value} µs"

    values = numbers(most) * 2
    values[3] = -7
    texts = row_texts(texts_of(np.array(values), text))
    assert [text.decode() for text in texts] == [f"{value} µs" for value in values]
    assert sorted(asked) == sorted(set(values))
