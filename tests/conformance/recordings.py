"""Our recordings of real brokers, and what `kafkasniff read` prints of them."""

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from kafkasniff.cli.app import command_line
from tests.conftest import CAPTURES, SHARED

HEALTHY = SHARED / "captures" / "healthy"


@dataclass(frozen=True)
class Recording:
    """A capture with its facts and the brokers' own request log beside it."""

    name: str
    folder: Path
    log: Path

    def __str__(self) -> str:
        return self.name

    @property
    def facts(self) -> dict[str, Any]:
        """Give what was run: brokers, clients, security, ports."""
        facts: dict[str, Any] = json.loads((self.folder / f"{self.name}.json").read_text())
        return facts

    @property
    def release(self) -> str:
        """Give the brokers' release."""
        return str(self.facts["brokers"][0]["version"])

    @property
    def options(self) -> list[str]:
        """Give the options that reading it needs: its key log."""
        keys = self.folder / f"{self.name}.keys"
        return ["--keylog", str(keys)] if keys.exists() else []

    @property
    def files(self) -> list[Path]:
        """Give the capture's files; several where the recorder rotated them."""
        rotated = self.folder / self.name
        if rotated.is_dir():
            return sorted(path for path in rotated.iterdir() if path.suffix in (".pcap", ".pcapng"))
        return [
            path for path in (rotated.with_name(self.name + suffix) for suffix in (".pcap", ".pcapng")) if path.exists()
        ]


def recordings(log_suffix: str) -> list[Recording]:
    """Give the recordings that have a request log of this suffix, in this clone or among the shared ones, by name."""
    found = {}
    for folder in (HEALTHY, CAPTURES):
        for log in folder.glob(f"*{log_suffix}") if folder.is_dir() else ():
            recording = Recording(log.name.removesuffix(log_suffix), folder, log)
            if recording.files:
                found[recording.name] = recording
    return [found[name] for name in sorted(found)]


def printed_lines(files: Iterable[Path], *options: str) -> list[dict[str, Any]]:
    """Run `kafkasniff read --json --show-secrets` on files, in this process; give its lines."""
    command = ["read", *map(str, files), "--json", "--show-secrets", *options]
    run = CliRunner().invoke(command_line(), command, catch_exceptions=False)
    assert run.exit_code == 0, run.stderr
    return [json.loads(line) for line in run.stdout_bytes.splitlines()]


def packets_of(path: Path) -> tuple[bytes, list[bytes]]:
    """Header and packet records of a little-endian pcap."""
    data = path.read_bytes()
    at, packets = 24, []
    while at + 16 <= len(data):
        size = 16 + struct.unpack_from("<I", data, at + 8)[0]
        packets.append(data[at : at + size])
        at += size
    return data[:24], packets
