"""Work trees that share a folder of compiled libraries may compile the same module at once.

Neither Cython nor a compiler need be here: stand-ins write what those would, and wait for each other.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILE = "import sys; from pathlib import Path; from tools.compile_engine import compile_module; \
print(compile_module(*map(Path, sys.argv[1:])))"

STAND_IN = """
import os, sys, time
from pathlib import Path

output = Path(sys.argv[sys.argv.index("-o") + 1])
sources = [each for each in sys.argv[1:] if each.endswith((".py", ".c")) and each != str(output)]
started = Path(os.environ["STARTED"], Path(__file__).stem)
started.mkdir(exist_ok=True)
(started / str(os.getpid())).touch()
until = time.monotonic() + 5
while len([*started.iterdir()]) < 2 and time.monotonic() < until:
    time.sleep(0.01)
output.write_text("".join(Path(each).read_text() for each in sources) + f"by {Path(__file__).stem}\\n")
"""


def test_two_compile_the_same_module_at_once(tmp_path: Path) -> None:
    shared = tmp_path / "compiled"
    shared.mkdir()
    (tmp_path / "started").mkdir()
    for name in ("cython", "cc"):
        (tmp_path / f"{name}.py").write_text(STAND_IN)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(tmp_path), os.getcwd())),
        "CC": f"{sys.executable} {tmp_path / 'cc.py'}",
        "STARTED": str(tmp_path / "started"),
    }
    commands = []
    for name in ("first", "second"):
        package = tmp_path / name / "kafkasniff"
        package.mkdir(parents=True)
        (package / "twice.py").write_text("def twice(number): ...\n")
        (package / "twice.pxd").write_text("cpdef int twice(int number)\n")
        commands.append([sys.executable, "-c", COMPILE, str(package.parent), "kafkasniff/twice.py", str(shared)])

    with ThreadPoolExecutor() as pool:
        done = list(
            pool.map(
                lambda each: subprocess.run(each, capture_output=True, text=True, check=False, env=environment),
                commands,
            )
        )

    assert [each.stderr for each in done] == ["", ""]
    (library,) = shared.iterdir()
    assert [each.stdout for each in done] == [f"{library}\n"] * 2
    assert library.read_text() == "def twice(number): ...\nby cython\nby cc\n"
