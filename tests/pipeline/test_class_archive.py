"""The archive of Spark's classes: made once, used if it is there, and only in a folder of one's own."""

import os
import subprocess
from pathlib import Path

import pytest

from kafkasniff.pipeline.class_archive import CACHE_VARIABLE, archive_options
from kafkasniff.pipeline.java import find_java


@pytest.fixture
def java(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    library = tmp_path / "java" / "lib" / "server" / "libjvm.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"a JVM")
    return tmp_path / "java"


def path_in(options):
    return Path(options[0].partition("=")[2])


def test_it_is_made_once_and_used_from_then_on(java):
    first = archive_options(str(java))
    assert first[0].startswith("-XX:ArchiveClassesAtExit=")
    # Another process does not make it too, nor does one whose first JVM could not.
    assert archive_options(str(java)) == []
    path_in(first).write_bytes(b"classes")
    assert archive_options(str(java)) == [f"-XX:SharedArchiveFile={path_in(first)}"]


def test_another_java_has_another_and_the_old_one_goes(java):
    old = path_in(archive_options(str(java)))
    old.write_bytes(b"classes")
    (java / "lib" / "server" / "libjvm.so").write_bytes(b"a newer JVM")
    new = archive_options(str(java))
    assert new[0].startswith("-XX:ArchiveClassesAtExit=")
    assert path_in(new) != old
    assert not old.exists()


def test_none_is_taken_from_where_others_may_put_one(java, tmp_path):
    (tmp_path / "cache" / "kafkasniff").mkdir(parents=True)
    (tmp_path / "cache" / "kafkasniff").chmod(0o777)
    assert archive_options(str(java)) == []


def test_none_is_made_where_it_cannot_be_kept(java, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for cache in (tmp_path / "file", tmp_path / "a name that Spark would split"):
        monkeypatch.setenv(CACHE_VARIABLE, str(cache))
        assert archive_options(str(java)) == []


@pytest.mark.parametrize("content", [b"", bytes(4096), b"no archive"])
def test_java_starts_without_one_that_was_not_written_to_its_end(tmp_path, content):
    (tmp_path / "spark.jsa").write_bytes(content)
    home = find_java() or os.environ["JAVA_HOME"]
    command = [f"{home}/bin/java", f"-XX:SharedArchiveFile={tmp_path / 'spark.jsa'}", "-version"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
