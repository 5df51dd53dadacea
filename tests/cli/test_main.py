import shlex
import subprocess
import sys
from importlib import import_module

import pytest

from kafkasniff.cli.app import GROUPS
from tests.cli.conftest import COMMAND, Run
from tests.conftest import ROOT

HEAVY = ("scapy", "numpy", "pyspark", "dpkt", "rich", "orjson", "cryptography", "cramjam", "kafkasniff.reading")

UNUSED = (
    *("scapy", "numpy", "pyspark", "dpkt", "rich", "cryptography", "cramjam", "lark", "re2", "ctypes", "argparse"),
    *("kafkasniff.capture.files.pcapng", "kafkasniff.capture.writer", "kafkasniff.tcp.packets.tunnels"),
    *("kafkasniff.tcp.tls.records", "kafkasniff.tcp.tls.stream", "kafkasniff.calls.detection.encrypted"),
    *("kafkasniff.calls.resync.search", "kafkasniff.calls.resync.lookback", "kafkasniff.calls.records"),
    *("kafkasniff.protocol.records.records", "kafkasniff.protocol.records.search", "kafkasniff.protocol.envelope"),
    *("kafkasniff.protocol.sasl", "kafkasniff.tcp.tls.description"),
    *("pathlib", "subprocess", "shutil", "tempfile", "random", "difflib", "textwrap"),
    *(
        "kafkasniff.cli.showing.sorting",
        "kafkasniff.render.text.detail",
        "kafkasniff.cli.processes.jobs",
        "kafkasniff.diagnose",
        "kafkasniff.tables",
    ),
)
"""What the reading of a small pcap file without TLS, tunnels and lost bytes has no use for."""


def test_help_has_commands_and_examples(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("read", "apis", "errors", "Examples:", "--version", "--show-completion"):
        assert word in done.stdout
    for command in ("read", "apis", "errors"):
        assert f"kafkasniff {command}" in run(command, "-h").stdout


def test_the_list_of_commands_begins_as_their_help_does() -> None:
    for folder, commands in GROUPS.items():
        for name, text in commands.items():
            documented = getattr(import_module(f"kafkasniff.cli.commands.{folder}.{name}"), name).__doc__
            assert " ".join(documented.split()).startswith(text)


def test_no_arguments_show_the_help(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert "Usage: kafkasniff" in done.stdout + done.stderr


def test_version(run: Run) -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("kafkasniff")


def test_an_unknown_command(run: Run) -> None:
    done = run("snif")
    assert done.returncode == 2
    assert "No such command" in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["errors", "6"], ["apis", "fetch", "12"], ["read", "--help"]])
def test_start_up_imports_nothing_heavy(arguments: list[str], environment: dict[str, str]) -> None:
    script = (
        "import sys\n"
        f"sys.argv = ['kafkasniff', *{arguments!r}]\n"
        "from kafkasniff.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        f"print('heavy', [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment, check=True
    )
    assert done.stdout.splitlines()[-1] == "heavy []"


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["read", PCAP := "captures/vlan.pcap"], (*UNUSED, "dataclasses", "uuid", "platform", "json", "orjson")),
        (["read", PCAP, "--json"], UNUSED),
    ],
)
def test_reading_does_not_import_what_it_does_not_use(
    arguments: list[str], unused: tuple[str, ...], environment: dict[str, str]
) -> None:
    script = (
        "import sys\n"
        f"sys.argv = ['kafkasniff', *{arguments!r}]\n"
        "from kafkasniff.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        f"print('heavy', [name for name in {unused!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment, check=True
    )
    assert done.stderr.splitlines()[-1] == "heavy []"


def test_a_capture_in_place_of_a_command(run: Run) -> None:
    done = run("vlan.pcap", "--errors")
    assert done.returncode == 2
    assert "'vlan.pcap' is no command. To show the calls in it: kafkasniff read vlan.pcap" in done.stderr
    assert "No such command 'missing.pcap'" in run("missing.pcap").stderr


def test_completion_of_names(environment: dict[str, str]) -> None:
    def complete(words: str) -> str:
        variables = {"_KAFKASNIFF_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words}
        done = subprocess.run(
            COMMAND, capture_output=True, text=True, env={**environment, **variables}, check=False, timeout=60
        )
        return done.stdout

    assert "ListOffsets" in complete("kafkasniff read x.pcap --api ListO")
    assert "list_offsets" in complete("kafkasniff read x.pcap --api list_o")
    assert "relative" in complete("kafkasniff read x.pcap --time r")
    assert "warning" in complete("kafkasniff diagnose x.pcap --fail-on w")
    assert "rebalance-storm" in complete("kafkasniff diagnose x.pcap --rule rebalance-s")
    assert "rebalance-storm" in complete("kafkasniff explain rebalance-s")
    assert "NOT_COORDINATOR" in complete("kafkasniff errors NOT_COO")
    assert "DescribeGroups" in complete("kafkasniff apis DescribeG")


def test_closed_input_is_an_empty_file(environment: dict[str, str]) -> None:
    script = f"{shlex.join(COMMAND)} read - <&-"
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 1
    assert b"-: byte 0: empty" in done.stderr


@pytest.mark.parametrize("arguments", [["apis"], ["apis", "fetch"], ["errors"], ["read", "x.pcap", "--api"]])
def test_numbers_of_any_length_are_usage_errors(arguments: list[str], run: Run) -> None:
    done = run(*arguments, "9" * 5_000)
    assert done.returncode == 2
    assert "Error: Invalid value" in done.stderr
