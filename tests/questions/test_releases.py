"""Versions of APIs in releases, against what KIP-896 says of 4.0."""

import pytest

from kafkasniff.questions.releases import LIBRARIES, library_rows, release_numbers, release_of, target_rows


@pytest.mark.parametrize(
    ("named", "release"),
    [("4.0.1", "4.0.1"), ("4.0", "4.0.1"), ("3.9", "3.9.1"), ("2.1", None), ("4.", None), ("40", None)],
)
def test_a_release_may_be_named_in_short(named: str, release: str | None) -> None:
    assert release_of(named) == release


def test_releases_are_ordered_by_numbers() -> None:
    assert sorted(["3.10.0", "3.9.1", "0.10.2.2"], key=release_numbers) == ["0.10.2.2", "3.9.1", "3.10.0"]


def test_brokers_of_4_0_take_no_versions_from_before_2_1() -> None:
    lowest = {key: low for key, low, _ in target_rows("4.0.1")}
    # Fetch, ListOffsets, OffsetCommit, OffsetFetch: the table "Minimum API versions" of the KIP.
    assert [lowest[key] for key in (1, 2, 8, 9)] == [4, 1, 2, 1]
    before = {key: low for key, low, _ in target_rows("3.9.1")}
    assert [before[key] for key in (1, 2, 8, 9)] == [0, 0, 0, 0]


def test_libraries_are_told_for_the_brokers_that_refuse_old_ones() -> None:
    assert library_rows("3.9.1") == []
    assert library_rows("4.0.1") == list(LIBRARIES)
