"""Work trees that share a folder of compiled libraries may compile the same module at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.compile_engine import SUFFIX, own_compiler

COMPILE = "import sys; from pathlib import Path; from tools.compile_engine import compile_module; \
print(compile_module(*map(Path, sys.argv[1:])))"


@pytest.mark.skipif(not own_compiler(), reason="there is no C compiler here")
def test_two_compile_the_same_module_at_once(tmp_path: Path) -> None:
    shared = tmp_path / "compiled"
    shared.mkdir()
    commands = []
    for name in ("first", "second"):
        package = tmp_path / name / "kafkasniff"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "twice.py").write_text("def twice(number):\n    return 2 * number\n")
        (package / "twice.pxd").write_text("cpdef int twice(int number)\n")
        commands.append([sys.executable, "-c", COMPILE, str(package.parent), "kafkasniff/twice.py", str(shared)])

    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda each: subprocess.run(each, capture_output=True, text=True, check=False), commands))

    assert [each.stderr for each in done] == ["", ""]
    (library,) = shared.iterdir()
    assert [each.stdout for each in done] == [f"{library}\n"] * 2
    # Its loader finds the function in it.
    library.rename(tmp_path / "first" / "kafkasniff" / f"twice{SUFFIX}")
    (tmp_path / "first" / "kafkasniff" / "twice.py").unlink()
    call = [sys.executable, "-c", "from kafkasniff.twice import twice; print(twice(21))"]
    assert subprocess.run(call, cwd=tmp_path / "first", capture_output=True, text=True, check=True).stdout == "42\n"
