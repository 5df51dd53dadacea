"""A source without a capture: said in a sentence, before Spark starts."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("files", "said"), [({}, "found no file"), ({"notes.txt": b"x"}, "found none among 1 files;")])
def test_where_there_is_no_capture_that_is_said(tmp_path, files, said):
    (tmp_path / "in").mkdir()
    for name, content in files.items():
        (tmp_path / "in" / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "kafkasniff", "pipeline", str(tmp_path / "in"), str(tmp_path / "tables")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert f"{tmp_path}/in: expected captures, {said}" in done.stderr
    assert not (tmp_path / "tables").exists()
