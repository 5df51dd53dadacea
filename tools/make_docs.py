"""Write docs/cli.md and share/ from the help texts, and into docs/tasks.md what its commands print.

Use: `python tools/make_docs.py [--check]`.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools import make_man_page
from tools.doc_output import with_output

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cli.md"
TASKS = ROOT / "docs" / "tasks.md"

COMMANDS = (
    *(
        "read",
        "live",
        "show",
        "browse",
        "diagnose",
        "stats",
        "who",
        "audit",
        "compare",
        "sql",
        "tables",
        "report",
        "scrub",
    ),
    *("pipeline", "explain", "apis", "errors", "help"),
)

OPENING = """# The command line

Written by `tools/make_docs.py` from the help texts; the tests compare.

Exit status: 0 when all was read; 1 when a capture could not be read, or not to its end (what was read is shown), and
when `diagnose --fail-on` saw no call that it could judge; 2 for a wrong command line; 3 when it found something of that
severity, or `audit --fail-on-refused` something refused;
130 after Ctrl-C; 141 when the reader of the output has gone; 143 when SIGTERM ended a command that answers a question.
Shell completion: `kafkasniff --show-completion bash` prints a script; put it where the shell looks for completions.
"""


def help_text(*command: str) -> str:
    return printed(*command, "--help")


def printed(*command: str, columns: int = 100) -> str:
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    arguments = [sys.executable, "-m", "kafkasniff", *command]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True).stdout


def page() -> str:
    sections = [OPENING]
    for command in ((), *((name,) for name in COMMANDS)):
        title = " ".join(("kafkasniff", *command))
        sections.append(f"## {title}\n\n```text\n{help_text(*command).strip()}\n```\n")
    for topic in ("filters", "output", "bounds"):
        sections.append(f"## kafkasniff help {topic}\n\n```text\n{printed('help', topic).strip()}\n```\n")
    return "\n".join(sections)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a page is not current, write nothing")
    check = parser.parse_args().check
    status = 0
    # A page of man is 80 columns wide, and indents by 7.
    helps = {name: printed(*filter(None, [name]), "--help", columns=73) for name in ("", *COMMANDS)}
    pages = {PAGE: page(), TASKS: with_output(TASKS.read_text()), **make_man_page.pages(helps)}
    for path, wanted in pages.items():
        if path.is_file() and path.read_text() == wanted:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} is not current: run python tools/make_docs.py", file=sys.stderr)
            status = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted)
    return status


if __name__ == "__main__":
    sys.exit(main())
