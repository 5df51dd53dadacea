"""Write the man page and the completions of shells into share/, from the help texts; `tools/make_docs.py` calls this.

The wheel puts them where `man` and the shells look (`[tool.hatch.build.targets.wheel.shared-data]`).
"""

import subprocess
import sys
from pathlib import Path
from textwrap import wrap

from kafkasniff import __version__
from kafkasniff.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
SHARE = ROOT / "share"

COMPLETIONS = {
    "bash": "bash-completion/completions/kafkasniff",
    "zsh": "zsh/site-functions/_kafkasniff",
    "fish": "fish/vendor_completions.d/kafkasniff.fish",
}

EXIT_STATUS = (
    ("0", "All was read."),
    ("1", "A capture could not be read, or not to its end; what was read is shown."),
    ("2", "The command line is wrong."),
    ("3", "diagnose --fail-on found something so bad, or audit --fail-on-refused something refused."),
    ("130", "Ctrl-C."),
    ("141", "The reader of the output has gone."),
    ("143", "SIGTERM, in a command that answers a question."),
)


def man_page(version: str, helps: dict[str, str]) -> str:
    """Give the page in man(7)'s macros; `helps` has the help text by command, that of the command line under ``."""
    lines = [
        '.\\" Written by tools/make_man_page.py from the help texts.',
        f'.TH KAFKASNIFF 1 "" "kafkasniff {version}" "User Commands"',
        *(".SH NAME", "kafkasniff \\- show what Kafka clients and brokers say to each other"),
        *(".SH SYNOPSIS", ".B kafkasniff", ".I COMMAND", "[ARGUMENT]..."),
        *(".SH DESCRIPTION", *_verbatim(helps[""])),
    ]
    for command in COMMANDS:
        lines += [f".SH KAFKASNIFF {command.upper()}", *_verbatim(helps[command])]
    lines.append(".SH EXIT STATUS")
    for status, meaning in EXIT_STATUS:
        lines += [".TP", status, *map(_escaped, wrap(meaning, 70, break_on_hyphens=False))]
    return "\n".join(lines) + "\n"


def _verbatim(text: str) -> list[str]:
    return [".nf", *map(_escaped, text.strip().splitlines()), ".fi"]


def _escaped(line: str) -> str:
    text = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    return f"\\&{text}" if text.startswith((".", "\\(aq")) else text


def pages(helps: dict[str, str]) -> dict[Path, str]:
    """Give the contents of each file under share/."""
    made = {SHARE / "man/man1/kafkasniff.1": man_page(__version__, helps)}
    for shell, name in COMPLETIONS.items():
        command = [sys.executable, "-m", "kafkasniff", "--show-completion", shell]
        script = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        # zsh runs this file as the completion itself, the first time too.
        made[SHARE / name] = script.replace("compdef _kafkasniff_completion kafkasniff", '_kafkasniff_completion "$@"')
    return made
