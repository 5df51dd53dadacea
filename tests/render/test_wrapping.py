import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.render.words import cells
from kafkasniff.render.wrapping import definitions, fold, paragraph

WORDS = st.lists(st.text(st.characters(whitelist_categories=("L", "N", "P")), min_size=1, max_size=12), min_size=1)


@given(st.lists(st.text("abc-.", min_size=1, max_size=12), min_size=1), st.integers(20, 60))
def test_breaks_where_python_does(words: list[str], width: int) -> None:
    text = " ".join(words)
    expected = textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    assert paragraph(text, width, "  ", "    ") == expected


@given(WORDS, st.integers(24, 60))
def test_no_line_is_too_wide_and_no_word_broken_that_fits(words: list[str], width: int) -> None:
    lines = paragraph(" ".join(words), width, "", "    ").split("\n")
    assert all(cells(line) <= width for line in lines)
    if all(cells(word) <= width - 4 for word in words):
        assert [word for line in lines for word in line.split()] == [part for word in words for part in word.split()]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a" * 25, ["  " + "a" * 8, "    " + "a" * 6, "    " + "a" * 6, "    " + "a" * 5]),
        ("消费者消费者", ["  消费者消", "    费者"]),
        ("ab 0123456", ["  ab", "    012345", "    6"]),
        ("", ["  "]),
    ],
)
def test_only_a_word_longer_than_a_line_is_broken(text: str, lines: list[str]) -> None:
    assert paragraph(text, 10, "  ", "    ").split("\n") == lines


def test_a_word_goes_below_a_long_beginning() -> None:
    assert paragraph("name=something", 20, "ERROR some-rule ", "    ") == "ERROR some-rule\n    name=something"


def test_definitions_stand_below_each_other() -> None:
    assert definitions([("a", "x y"), ("a-long-name", "z"), ("bb", "w")], 24) == (
        "  a   x y\n  a-long-name\n      z\n  bb  w\n"
    )


def test_pages_are_folded_below_their_last_column() -> None:
    page = "code  name of it            what it means in a few words\nshort\n"
    assert fold(page, 40) == ("code  name of it            what it\n      means in a few words\nshort\n")
    assert fold("    indented words that go on", 18) == "    indented words\n    that go on"
    assert fold(page, None) == page
    assert fold("x" * 25, 10) == "x" * 10 + "\n  " + "x" * 8 + "\n  " + "x" * 7


def test_folded_text_stands_where_its_words_have_room() -> None:
    line = "  partitions        []OffsetFetchResponsePartitionsOfAll  nullable"
    assert fold(line, 50) == "  partitions\n  []OffsetFetchResponsePartitionsOfAll  nullable"
