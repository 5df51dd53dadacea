"""Write the matrix in docs/compatibility.md from recordings: `python -m tools.make_compatibility RECORDINGS`.

RECORDINGS is a folder of captures with, beside each, NAME.json that names brokers and clients, and NAME.keys where TLS
is inside. Each capture is read, and what was read of its messages is counted by brokers and clients.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.reading import read

PAGE = Path(__file__).resolve().parent.parent / "docs" / "compatibility.md"
BEGIN, END = "<!-- matrix: written by tools/make_compatibility.py -->\n", "<!-- end of the matrix -->\n"
HEAD = (
    "| brokers | clients | recordings | security | calls | messages whole in the capture | read to the last byte "
    "| with bytes left behind | not read | cut by the capture |\n"
    "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)

Group = tuple[tuple[tuple[int, ...], str], str]
"""Sort key and text of the brokers, and the clients."""


@dataclass
class Row:
    """What was read of the recordings of one group."""

    recordings: int = 0
    calls: int = 0
    whole: int = 0
    read: int = 0
    left: int = 0
    unread: int = 0
    cut: int = 0
    security: dict[str, None] = field(default_factory=dict)

    def take(self, call: Call) -> None:
        """Count a call and its messages."""
        self.calls += 1
        self.security[call.security_protocol] = None
        if call.header is not None:
            self._count(call.request, call.request_body)
            self._count(call.response, call.response_body)

    def _count(self, frame: Frame | None, body: DecodedBody | None) -> None:
        if frame is None or body is None:
            return
        if not frame.whole:
            self.cut += 1
            return
        self.whole += 1
        if body.value is None:
            self.unread += 1
        elif body.problems:
            self.left += 1
        else:
            self.read += 1


def facts_of(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Give the captures of a folder, each with what its .json says; a folder of files for a rotated one."""
    for path in sorted(folder.glob("*.json")):
        found = [path.with_suffix(suffix) for suffix in (".pcap", ".pcapng", "") if path.with_suffix(suffix).exists()]
        if found:
            yield found[0], json.loads(path.read_text(encoding="utf-8"))


def group_of(facts: dict[str, Any]) -> Group:
    """Give by which brokers and clients a recording is counted."""
    brokers = {f"{each['version']}, {each['metadata'].split(' ')[0].rstrip(',')}" for each in facts["brokers"]}
    text = "; ".join(sorted(brokers))
    release = tuple(int(part) for part in facts["brokers"][0]["version"].split(".") if part.isdigit())
    clients = dict.fromkeys(f"{_client(each['name'])} {each['version']}" for each in facts["clients"])
    return (release, text), ", ".join(clients) or "brokers among themselves"


def _client(name: str) -> str:
    """Give a client's name, one for all command line tools of a release."""
    name = name.partition(" (")[0].removeprefix("Apache Kafka ")
    return "tools" if name.endswith(("Command", "Shell", "ConsoleConsumer")) else name


def rows_of(folder: Path) -> dict[Group, Row]:
    """Read all recordings of a folder."""
    rows: dict[Group, Row] = defaultdict(Row)
    for path, facts in facts_of(folder):
        row = rows[group_of(facts)]
        row.recordings += 1
        files = sorted(map(str, path.iterdir())) if path.is_dir() else [str(path)]
        keys = folder / f"{facts['name']}.keys"
        for item in read(files, key_log=str(keys) if keys.exists() else None):
            if isinstance(item, Call):
                row.take(item)
    return rows


def matrix(rows: dict[Group, Row]) -> str:
    """Lay out the rows, the oldest brokers first, and their sum."""
    lines = [HEAD]
    total = Row()
    for ((_, brokers), clients), row in sorted(rows.items()):
        security = ", ".join(row.security)
        numbers = (row.calls, row.whole, row.read, row.left, row.unread, row.cut)
        for name in ("recordings", "calls", "whole", "read", "left", "unread", "cut"):
            setattr(total, name, getattr(total, name) + getattr(row, name))
        lines.append(_line(brokers, clients, f"{row.recordings}", security, *(f"{number:,}" for number in numbers)))
    sums = (total.calls, total.whole, total.read, total.left, total.unread, total.cut)
    lines.append(_line("all", "", f"{total.recordings}", "", *(f"{number:,}" for number in sums)))
    return "".join(lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    behind = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + matrix(rows_of(Path(sys.argv[1]))) + END + behind, encoding="utf-8")


if __name__ == "__main__":
    main()
