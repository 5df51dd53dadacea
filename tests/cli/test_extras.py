"""What is said where a package of an extra is not installed."""

import subprocess
import sys

import pytest

from tests.conftest import CAPTURES, ROOT

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(("cryptography", "duckdb", "numpy", "pandas", "pyarrow", "pyspark", "scapy")))
from kafkasniff.cli.main import main
main()
"""
"""Runs a command as if only the smallest installation were there: None in sys.modules stands for a missing module."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def test_captures_are_read_without_any_extra() -> None:
    path = str(CAPTURES / "librdkafka.pcap")
    whole = subprocess.run(
        [sys.executable, "-m", "kafkasniff", "read", path, "--json", "--records"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert run("read", path, "--json", "--records").stdout == whole.stdout
    for command in ("diagnose", "show"):
        done = run(command, path, *(["1"] if command == "show" else []))
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["read", "tls13-aes128-gcm.pcap", "--keylog", str(CAPTURES / "tls13-aes128-gcm.keys")],
            "8 of 8 TLS connections not decrypted: that needs the package cryptography: pip install 'kafkasniff[tls]'",
        ),
        (
            ["read", "tls12-aes128-cbc-sha256.pcap"],
            "12 TLS certificates not read: that needs the package cryptography: pip install 'kafkasniff[tls]'",
        ),
        (["sql", "librdkafka.pcap", "SELECT 1"], "pip install 'kafkasniff[sql]'"),
    ],
)
def test_what_lacks_is_said_with_the_line_that_installs_it(arguments: list[str], said: str) -> None:
    command, name, *more = arguments
    done = run(command, str(CAPTURES / name), *more)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_live_names_the_extra() -> None:
    done = run("live", "lo")
    assert done.returncode == 1
    assert done.stderr == (
        "kafkasniff: lo: to listen to interfaces needs the package numpy: pip install 'kafkasniff[live]'\n"
    )
