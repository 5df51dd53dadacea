"""Compile the engine: every module of kafkasniff/ that has a `.pxd` beside it becomes a library beside it.

    python tools/compile_engine.py

needs Cython, and a C compiler or the package `ziglang`. The hook of the build (`tools/hatch_build.py`) uses the same
functions. Modules whose library is as new as their sources are left as they are. Python's bytecode is written too, as
`pip install` does: where PYTHONDONTWRITEBYTECODE is set, every start would compile a hundred modules anew.
"""

import compileall
import filecmp
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RECORD = "kafkasniff/compiled.json"
"""Names each library in a work tree with the hash of its sources, and these; `kafkasniff.compiled` reads it."""

TARGETS = {"linux-x86_64": "x86_64-linux-gnu.2.17", "linux-aarch64": "aarch64-linux-gnu.2.17"}
"""What zig compiles for: without a target it would use all that the processor at hand can do."""

# Looked up once: two threads that look at once may find it not there yet (Python 3.11).
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
"""How the names of libraries end."""

INCLUDE = sysconfig.get_path("include")
"""Where Python's headers lie."""

CYTHON = (sys.executable, "-m", "cython", "-3")
"""The command that makes C of modules."""

SHARED = Path("kafkasniff/cython_shared.py")
"""The module, without a source, of what Cython would else put into each library: memoryviews and functions."""

PROCESSES = os.cpu_count() or 1
"""Processes that compile side by side."""

OPTIONS = (
    # Without NDEBUG, each use of Python's own headers would be checked: 5 % more instructions.
    *("-O2", "-DNDEBUG", "-fPIC", "-shared", "-fno-strict-aliasing", "-fwrapv", "-w"),
    # There a library may not leave Python's names to be found when it is loaded, unless it is told to.
    *(("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()),
)


class CompileError(Exception):
    """A module was not compiled; the message has the compiler's own words."""


def modules(root: Path) -> list[Path]:
    """Give the modules to compile, relative to `root`."""
    return sorted(found.with_suffix(".py").relative_to(root) for found in (root / "kafkasniff").rglob("*.pxd"))


def sources(root: Path, module: Path) -> list[Path]:
    """Give what a library is made from, relative to `root`: the module, its declarations, and those that they use."""
    found, wanted = [module], [module.with_suffix(".pxd")]
    while wanted:
        declarations = wanted.pop()
        if declarations in found or not (root / declarations).exists():
            continue
        found.append(declarations)
        names = re.findall(r"^from (kafkasniff[.\w]*) cimport", (root / declarations).read_text(), re.MULTILINE)
        wanted += [Path(*name.split(".")).with_suffix(".pxd") for name in names]
    return found


def source_hash(root: Path, module: Path) -> str:
    """Hash what a library is made from."""
    return hashlib.sha256(b"".join((root / each).read_bytes() for each in sources(root, module))).hexdigest()


def own_compiler() -> list[str]:
    """Give the machine's C compiler as a command; empty where it has none."""
    found = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")
    return shlex.split(found)


def compile_all(root: Path, folder: Path, wanted: list[Path]) -> dict[Path, Path]:
    """Compile modules, and what they share; give the library of each.

    The libraries lie in `folder`, and are used again as long as nothing changes. Raises CompileError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    compiler = _compiler()
    made_with = f"{_run([*CYTHON, '--version'], root)} {compiler}"
    libraries = {module: folder / _cached_name(root, module, made_with) for module in (SHARED, *wanted)}
    missing = sorted((module for module in libraries if not libraries[module].exists()), key=_bytes_in(root))
    if not missing:
        return libraries
    # Trees may share the folder, and compile the same module at once: each in a folder of its own.
    with tempfile.TemporaryDirectory(dir=folder) as work, ThreadPoolExecutor(PROCESSES) as pool:
        tree = Path(work).resolve()
        for source in (found for kind in ("*.py", "*.pxd") for found in (root / "kafkasniff").rglob(kind)):
            (tree / source.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, tree / source.relative_to(root))
        for compiled in pool.map(
            lambda part: _compile(tree, part, compiler), (missing[at::PROCESSES] for at in range(PROCESSES))
        ):
            for module in compiled:
                (tree / library_name(module)).replace(libraries[module])
    return libraries


def _compiler() -> list[str]:
    """Give the command that makes a library of C."""
    found = own_compiler()
    if not found:
        target = TARGETS.get(sysconfig.get_platform())
        found = [sys.executable, "-m", "ziglang", "cc", "-s", *(["-target", target] if target else [])]
    return [*found, *OPTIONS, *shlex.split(os.environ.get("KAFKASNIFF_CFLAGS", "")), f"-I{INCLUDE}"]


def _cached_name(root: Path, module: Path, made_with: str) -> str:
    made_from = "" if module == SHARED else source_hash(root, module)
    key = hashlib.sha256(f"{made_from} {made_with}".encode()).hexdigest()[:16]
    return f"{'.'.join(module.with_suffix('').parts)}-{key}{SUFFIX}"


def _bytes_in(root: Path) -> Callable[[Path], int]:
    """Give what tells the size of a module: each process gets large ones and small ones."""
    return lambda module: 0 if module == SHARED else (root / module).stat().st_size


def _compile(tree: Path, part: list[Path], compiler: list[str]) -> list[Path]:
    """Compile modules beside their sources. One process of Cython takes them all: it needs a second to begin."""
    if SHARED in part:
        _run([*CYTHON, f"--generate-shared={SHARED.with_suffix('.c')}"], tree)
    if sources := [str(module) for module in part if module != SHARED]:
        _run([*CYTHON, "--shared", ".".join(SHARED.with_suffix("").parts), *sources], tree)
    for module in part:
        # The path of the source is in the library: its name alone is the same wherever the tree lies.
        place = tree / module
        _run([*compiler, f"{place.stem}.c", "-o", library_name(module).name], place.parent)
    return part


def library_name(module: Path) -> Path:
    """Give where the library of a module lies, beside it."""
    return module.with_suffix(SUFFIX)


def compile_in_place(root: Path) -> list[Path]:
    """Compile what is newer than its library, or its bytecode; give the modules that became libraries.

    Raises CompileError.
    """
    record = root / RECORD
    before = json.loads(record.read_text()) if record.exists() else {}
    libraries = compile_all(root, root / "build" / "compiled", modules(root))
    changed = [module for module, library in libraries.items() if not _is_copy(root / library_name(module), library)]
    for module in changed:
        # Moved, not written: a process that runs the old library keeps it.
        shutil.copy(libraries[module], (root / library_name(module)).with_suffix(".new"))
        (root / library_name(module)).with_suffix(".new").replace(root / library_name(module))
    made = {str(module): [source_hash(root, module), *map(str, sources(root, module))] for module in modules(root)}
    for gone in before.keys() - made.keys():
        # A library without its source would be imported before the package that took its name.
        (root / library_name(Path(gone))).unlink(missing_ok=True)
    record.write_text(json.dumps(made, indent=1))
    compileall.compile_dir(root / "kafkasniff", quiet=1)
    return changed


def _is_copy(place: Path, library: Path) -> bool:
    return place.exists() and filecmp.cmp(place, library, shallow=False)


def _run(command: list[str], root: Path) -> str:
    """Run a command in a folder; give what it prints. Raises CompileError."""
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompileError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise CompileError(f"{shlex.join(command)} exited with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


def main() -> None:
    """Compile in place, and say what was compiled."""
    try:
        compiled = compile_in_place(Path(__file__).resolve().parent.parent)
    except CompileError as error:
        sys.exit(str(error))
    print("\n".join(map(str, compiled)) if compiled else "every library is as new as its sources")


if __name__ == "__main__":
    main()
