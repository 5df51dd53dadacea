import json
import os
import re
import subprocess
import sys

import pytest

from tests.cli.conftest import Run
from tests.conftest import CAPTURES, ROOT, open_terminal


def test_the_page_of_the_command_line_is_current(environment: dict[str, str]) -> None:
    for end in open_terminal():  # of which the page on tasks has output
        os.close(end)
    done = subprocess.run(
        [sys.executable, "tools/make_docs.py", "--check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def documented_fields() -> dict[str, set[str]]:
    """The names in the first column of each section's tables in docs/json.md."""
    found: dict[str, set[str]] = {}
    section = ""
    for line in (ROOT / "docs" / "json.md").read_text().splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line.startswith("| `"):
            found.setdefault(section, set()).update(re.findall(r"`(\w+)`", line.split("|")[1]))
    return found


@pytest.mark.parametrize(
    "name",
    [
        "kraft3-admin-all.pcap",
        "loss-reorder-client-side.pcap",
        "snaplen-96.pcap",
        "sasl-handshake-v0.pcap",
        "cluster-0.8.2.2-startup-shutdown.pcap",
        "franz-go.pcap",
    ],
)
def test_every_field_printed_is_documented(run: Run, name: str) -> None:
    documented = documented_fields()
    for line in run("read", str(CAPTURES / name), "--json", "--connections", "--records").stdout.splitlines():
        item = json.loads(line)
        assert set(item) <= documented[item["type"]]
        if item["type"] == "call":
            assert set(item["requestHeader"]) <= documented["requestHeader"]
            for part in ("errors", "batches", "decoded", "problems"):
                for entry in item.get(part, ()):
                    assert set(entry) <= documented[part], part
            for batch in item.get("batches", ()):
                for record in batch["records"]:
                    assert set(record) <= documented["records"]
        if item["type"] == "connection":
            assert set(item["fromClient"]) <= documented["connection"]
