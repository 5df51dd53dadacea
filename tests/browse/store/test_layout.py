"""The temporary files in which calls lie."""

import os

import pytest

from kafkasniff.browse.store.layout import HEAD, OUTCOME_NUMBERS, OUTCOMES, PLACE, CallFiles


def test_a_call_is_there_once_its_place_is() -> None:
    files = CallFiles()
    try:
        assert files.count() == 0
        os.write(files.calls, bytes(HEAD.size))
        assert files.count() == 0
        os.write(files.places, PLACE.pack(0))
        assert files.count() == 1
    finally:
        files.close()


def test_no_place_of_a_fact_is_0() -> None:
    files = CallFiles()
    try:
        os.write(files.facts, b"first")
        assert os.pread(files.facts, 5, 1) == b"first"
    finally:
        files.close()


def test_files_have_no_name_and_go_with_their_process(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    files = CallFiles()
    try:
        assert os.listdir(str(tmp_path)) == []
        assert {os.fstat(each).st_nlink for each in (files.calls, files.places, files.facts)} == {0}
    finally:
        files.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(files.calls)


def test_each_outcome_has_a_number_that_fits_a_byte() -> None:
    assert [OUTCOMES[OUTCOME_NUMBERS[outcome]] for outcome in OUTCOMES] == list(OUTCOMES)
    assert max(OUTCOME_NUMBERS.values()) < 256
