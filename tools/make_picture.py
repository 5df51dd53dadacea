"""Write docs/read.svg, the README's picture: what `kafkasniff read` prints in a terminal, by rich's SVG export."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "read.svg"
WIDTH = 160
COMMANDS = (
    "kafkasniff read java-4.3.1-basic.pcap --group billing --limit 14",
    "kafkasniff read java-4.3.1-basic.pcap -v --errors MEMBER_ID_REQUIRED --limit 1",
    "kafkasniff errors 79",
)


def terminal_output(command: str) -> str:
    """Run a command in a terminal of its own, and give what it printed there, colours and all."""
    main, end = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    environment.pop("NO_COLOR", None)
    arguments = [sys.executable, "-m", *command.split()]
    process = subprocess.Popen(arguments, stdout=end, stderr=end, env=environment, cwd=ROOT / "captures")
    os.close(end)
    output = b""
    try:
        while part := os.read(main, 65536):
            output += part
    except OSError:
        pass  # Linux says EIO when the last writer of a terminal has gone
    os.close(main)
    if process.wait():
        raise SystemExit(f"{command}: exit status {process.returncode}")
    return output.decode().replace("\r\n", "\n")


def main() -> None:
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        for command in COMMANDS:
            console.print(Text(f"$ {command}", style="bold"))
            console.print(Text.from_ansi(terminal_output(command)))
        # A fixed id, so that the same output gives the same file.
        console.save_svg(str(PICTURE), title="kafkasniff", unique_id="kafkasniff")


if __name__ == "__main__":
    main()
