"""What the command says without Spark; tests/pipeline has the rest."""

import os
import subprocess
import sys

import pytest

WITHOUT = (
    "import sys; sys.modules[{name!r}] = None; sys.argv[0] = 'kafkasniff'; from kafkasniff.cli.main import main; main()"
)


def kafkasniff(*arguments, without):
    command = [sys.executable, "-c", WITHOUT.format(name=without), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"}, check=False)


@pytest.mark.parametrize("missing", ["pyspark", "pyarrow"])
def test_one_sentence_says_what_to_install(tmp_path, missing):
    done = kafkasniff("pipeline", "captures", str(tmp_path / "tables"), without=missing)

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "kafkasniff: pipeline needs Spark: pip install 'kafkasniff[spark]'\n"
    assert not (tmp_path / "tables").exists()


def test_help_needs_no_spark():
    done = kafkasniff("pipeline", "--help", without="pyspark")

    assert done.returncode == 0
    assert "SRC... DEST" in done.stdout


def test_a_setting_without_a_value_is_refused(tmp_path):
    done = kafkasniff("pipeline", "captures", str(tmp_path), "--conf", "spark.cores", without="pyspark")

    assert done.returncode == 2
    assert "'spark.cores' is not KEY=VALUE" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["captures", "--finish"], "--finish: it is about directories that are written to: --follow."),
        (["captures", "--still", "5s"], "--still: it is about directories that are written to: --follow."),
        (["captures", "--follow", "--to", "+5s"], "--to: it would cut connections of which more is to come"),
        (["captures", "--follow", "--from", "+5s"], "--from: it would cut connections of which more is to come"),
        (["captures", "--follow", "--still", "soon"], "--still: 'soon' is no duration such as"),
        (["captures", "--follow", "--questions"], "--questions: it is of a run over what is there"),
        (["README.md", "--follow"], "SRC: README.md: is no directory; --follow takes directories."),
        (["nowhere", "--follow"], "SRC: nowhere: there is no such directory; --follow takes directories."),
    ],
)
def test_what_does_not_go_with_following_is_refused(tmp_path, arguments, said):
    done = kafkasniff("pipeline", *arguments, str(tmp_path / "tables"), without="nothing")

    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "tables").exists()


@pytest.mark.parametrize("mode", ["0400", "0700", "u=rw", "-1", "10600"])
def test_a_mode_that_lets_nobody_write_or_all_run_is_refused(tmp_path, mode):
    done = kafkasniff("pipeline", "captures", str(tmp_path), "--mode", mode, without="nothing")

    assert done.returncode == 2
    assert "is no mode of files" in done.stderr


@pytest.mark.parametrize("option", ["--dry-run", "--questions"])
def test_what_is_a_text_does_not_go_with_json(tmp_path, option):
    done = kafkasniff("pipeline", "captures", str(tmp_path), "--json", option, without="nothing")

    assert done.returncode == 2
    assert f"{option}: it is a text: leave --json out" in " ".join(done.stderr.replace("│", " ").split())
