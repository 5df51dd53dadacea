"""Fuzz the compiled engine under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tools.sanitize [--seed N] [--count ROUNDS]

compiles a copy of the work tree with both sanitizers (gcc), and runs `tools/fuzz.py` there. A read or write outside
its object, a use after free, and undefined arithmetic end the run with the sanitizer's report and status 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.compile_engine import CompileError, compile_in_place

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("kafkasniff", "tests", "tools", "captures")
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1"


def runtime(name: str) -> str:
    """Give the path of a sanitizer's library, which must be loaded before Python."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def copy_tree(folder: Path) -> None:
    """Copy what the fuzzer needs, without libraries that were compiled otherwise."""
    for name in COPIED:
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "compiled.json", "__pycache__")
        )


def main() -> None:
    """Compile, fuzz, and exit with the fuzzer's status."""
    parser = argparse.ArgumentParser(description="Fuzz the compiled engine under ASan and UBSan.")
    parser.add_argument("--seed", type=int, default=0, help="the first round's seed")
    parser.add_argument("--count", type=int, default=10, help="rounds to run")
    wanted = parser.parse_args()
    folder = ROOT / "build" / "sanitized"
    shutil.rmtree(folder, ignore_errors=True)
    copy_tree(folder)
    os.environ["KAFKASNIFF_CFLAGS"] = FLAGS
    try:
        compile_in_place(folder)
    except CompileError as error:
        sys.exit(str(error))
    environment = os.environ | {
        "LD_PRELOAD": f"{runtime('libasan.so')} {runtime('libubsan.so')}",
        # Python's own allocator would hide what lies beside an object; Python itself leaks at its end.
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=1",
        "PYTHONPATH": str(folder),
    }
    rounds = ["--seed", str(wanted.seed), "--count", str(wanted.count)]
    command = [sys.executable, "-m", "tools.fuzz", *rounds]
    sys.exit(subprocess.run(command, cwd=folder, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
