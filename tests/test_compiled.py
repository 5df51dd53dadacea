"""Which build runs, and whether its libraries are as new as their sources."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOLD = "from kafkasniff.compiled import is_compiled, stale_modules; print(is_compiled(), *stale_modules())"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package with the module, and one source that looks compiled: a library that nobody loads lies beside it."""
    package = tmp_path / "kafkasniff"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(ROOT / "kafkasniff" / "compiled.py", package)
    (package / "octets.py").write_text("NUMBER = 1\n")
    return tmp_path


def told(tree: Path, text: str = TOLD) -> str:
    return subprocess.run(
        [sys.executable, "-c", text], cwd=tree, capture_output=True, text=True, check=True
    ).stdout.strip()


def compile_octets(tree: Path) -> None:
    """Lay a library beside the source, and note of which sources it is."""
    source = "kafkasniff/octets.py"
    suffix = told(tree, "import importlib.machinery as m; print(m.EXTENSION_SUFFIXES[0])")
    (tree / f"kafkasniff/octets{suffix}").write_bytes(b"")
    record = {source: [hashlib.sha256((tree / source).read_bytes()).hexdigest(), source]}
    (tree / "kafkasniff" / "compiled.json").write_text(json.dumps(record))


def test_sources_alone_are_not_compiled(tree: Path) -> None:
    assert told(tree) == "False"


def test_a_library_is_found_before_its_source(tree: Path) -> None:
    compile_octets(tree)
    assert told(tree) == "True"


def test_a_source_that_was_changed_since_is_named(tree: Path) -> None:
    compile_octets(tree)
    (tree / "kafkasniff" / "octets.py").write_text("NUMBER = 2\n")
    assert told(tree) == "True kafkasniff/octets.py"


def test_a_source_that_is_gone_is_named(tree: Path) -> None:
    compile_octets(tree)
    (tree / "kafkasniff" / "octets.py").unlink()
    assert told(tree) == "True kafkasniff/octets.py"


def test_an_installed_wheel_has_no_record_and_nothing_stale(tree: Path) -> None:
    compile_octets(tree)
    (tree / "kafkasniff" / "compiled.json").unlink()
    (tree / "kafkasniff" / "octets.py").write_text("NUMBER = 2\n")
    assert told(tree) == "True"


def test_sources_are_preferred_where_it_is_asked_for(tree: Path) -> None:
    compile_octets(tree)
    begin = "import os; os.environ['KAFKASNIFF_PURE'] = '{}'; from kafkasniff.compiled import *; prefer_sources(); "
    assert told(tree, begin.format(1) + "import kafkasniff.octets as it; print(is_compiled(), it.NUMBER)") == "False 1"
    assert told(tree, begin.format(0) + "print(is_compiled())") == "True"
