"""Compile the engine: every module of kafkasniff/ that has a `.pxd` beside it becomes a library beside it.

    python tools/compile_engine.py

needs Cython, and a C compiler or the package `ziglang`. The hook of the build (`tools/hatch_build.py`) uses the same
functions. Modules whose library is as new as their sources are left as they are. Python's bytecode is written too, as
`pip install` does: where PYTHONDONTWRITEBYTECODE is set, every start would compile a hundred modules anew.
"""

import compileall
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


def compile_module(root: Path, module: Path, folder: Path) -> Path:
    """Compile a module; give the library, which lies in `folder` and is used again as long as nothing changes.

    Raises CompileError.
    """
    compiler = own_compiler()
    if not compiler:
        target = TARGETS.get(sysconfig.get_platform())
        compiler = [sys.executable, "-m", "ziglang", "cc", "-s", *(["-target", target] if target else [])]
    options = [*OPTIONS, *shlex.split(os.environ.get("KAFKASNIFF_CFLAGS", ""))]
    made_with = hashlib.sha256(f"{source_hash(root, module)} {compiler} {options}".encode()).hexdigest()[:16]
    name = f"{'.'.join(module.with_suffix('').parts)}-{made_with}"
    library = folder / f"{name}{SUFFIX}"
    if not library.exists():
        # Trees may share the folder, and compile the same module at once: each in a folder of its own, and then moved.
        with tempfile.TemporaryDirectory(dir=folder, prefix=name) as work:
            _run(
                [sys.executable, "-m", "cython", "-3", str(module), "-o", str(Path(work).resolve() / f"{name}.c")], root
            )
            # The path of the source is in the library: its name alone is the same wherever the tree lies.
            _run([*compiler, *options, f"-I{INCLUDE}", f"{name}.c", "-o", library.name], Path(work))
            (Path(work) / library.name).replace(library)
    return library


def compile_all(root: Path, folder: Path, wanted: list[Path]) -> dict[Path, Path]:
    """Compile modules side by side; give the library of each. Raises CompileError."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        libraries = pool.map(lambda module: compile_module(root, module, folder), wanted)
        return dict(zip(wanted, libraries, strict=True))


def library_name(module: Path) -> Path:
    """Give where the library of a module lies, beside it."""
    return module.with_suffix(SUFFIX)


def compile_in_place(root: Path) -> list[Path]:
    """Compile what is newer than its library, or its bytecode; give the modules that became libraries.

    Raises CompileError.
    """
    record = root / RECORD
    before = json.loads(record.read_text()) if record.exists() else {}
    hashes = {str(module): source_hash(root, module) for module in modules(root)}
    wanted = [
        module
        for module in modules(root)
        if before.get(str(module), [""])[0] != hashes[str(module)] or not (root / library_name(module)).exists()
    ]
    for module, library in compile_all(root, root / "build" / "compiled", wanted).items():
        # Moved, not written: a process that runs the old library keeps it.
        shutil.copy(library, (root / library_name(module)).with_suffix(".new"))
        (root / library_name(module)).with_suffix(".new").replace(root / library_name(module))
    for gone in before.keys() - hashes.keys():
        # A library without its source would be imported before the package that took its name.
        (root / library_name(Path(gone))).unlink(missing_ok=True)
    made = {str(module): [hashes[str(module)], *map(str, sources(root, module))] for module in modules(root)}
    record.write_text(json.dumps(made, indent=1))
    compileall.compile_dir(root / "kafkasniff", quiet=1)
    return wanted


def _run(command: list[str], root: Path) -> None:
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompileError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise CompileError(f"{shlex.join(command)} exited with {done.returncode}:\n{done.stderr[-4000:]}")


def main() -> None:
    """Compile in place, and say what was compiled."""
    try:
        compiled = compile_in_place(Path(__file__).resolve().parent.parent)
    except CompileError as error:
        sys.exit(str(error))
    print("\n".join(map(str, compiled)) if compiled else "every library is as new as its sources")


if __name__ == "__main__":
    main()
