"""Work trees that share a folder of compiled libraries may compile the same module at once.

Neither Cython nor a compiler need be here: stand-ins write what those would, and wait for each other.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILE = "import sys; from pathlib import Path; from tools.compile_engine import compile_all; \
root, folder = map(Path, sys.argv[1:]); print(*compile_all(root, folder, [Path('kafkasniff/twice.py')]).values())"

STAND_IN = """
import os, sys, time
from pathlib import Path

if "--version" in sys.argv:
    sys.exit(print("Cython version 3"))
started = Path(os.environ["STARTED"], Path(__file__).stem)
started.mkdir(exist_ok=True)
(started / str(os.getpid())).touch()
until = time.monotonic() + 5
while len([*started.iterdir()]) < 2 and time.monotonic() < until:
    time.sleep(0.01)
made_of = {Path(each): Path(each).with_suffix(".c") for each in sys.argv[1:] if each.endswith((".py", ".c"))}
if "-o" in sys.argv:
    made_of = {source: Path(sys.argv[sys.argv.index("-o") + 1]) for source in made_of}
for each in sys.argv[1:]:
    if each.startswith("--generate-shared="):
        Path(each.partition("=")[2]).write_text("shared\\n")
        made_of.pop(Path(each), None)
for source, output in made_of.items():
    output.write_text(source.read_text() + f"by {Path(__file__).stem}\\n")
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
        commands.append([sys.executable, "-c", COMPILE, str(package.parent), str(shared)])

    with ThreadPoolExecutor() as pool:
        done = list(
            pool.map(
                lambda each: subprocess.run(each, capture_output=True, text=True, check=False, env=environment),
                commands,
            )
        )

    assert [each.stderr for each in done] == ["", ""]
    assert done[0].stdout == done[1].stdout
    common, library = map(Path, done[0].stdout.split())
    assert {*shared.iterdir()} == {common, library}
    assert common.read_text() == "shared\nby cc\n"
    assert library.read_text() == "def twice(number): ...\nby cython\nby cc\n"
