"""What is read without the parser of options is shown as by the command that has them."""

from pathlib import Path

import pytest

from kafkasniff.calls.limits import CallLimits
from kafkasniff.cli.options.bounds import Bounds
from kafkasniff.protocol.limits import MessageLimits
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.tls.context import TlsLimits
from tests.cli.conftest import Run
from tests.conftest import ROOT

CAPTURES = ROOT / "captures"


@pytest.mark.parametrize(
    "names", [("java-4.3.1-basic.pcap",), ("ipv6.pcap", "dumpcap-pcapng.pcapng"), ("snaplen-96.pcap",)]
)
def test_the_same_with_and_without_an_option(run: Run, names: tuple[str, ...]) -> None:
    files = [str(CAPTURES / name) for name in names]
    listed, parsed = run("read", *files), run("read", *files, "--no-pager")
    assert listed.stdout
    assert (listed.returncode, listed.stdout, listed.stderr) == (parsed.returncode, parsed.stdout, parsed.stderr)


def test_the_same_of_what_is_damaged_or_no_capture(run: Run, tmp_path: Path) -> None:
    whole = (CAPTURES / "java-4.3.1-basic.pcap").read_bytes()
    (tmp_path / "cut.pcap").write_bytes(whole[:-7])
    (tmp_path / "text.txt").write_text("no capture")
    for name in ("cut.pcap", "text.txt", "missing.pcap", ""):
        files = [str(tmp_path / name)]
        listed, parsed = run("read", *files), run("read", *files, "--no-pager")
        assert listed.returncode == 1
        assert (listed.returncode, listed.stdout, listed.stderr) == (parsed.returncode, parsed.stdout, parsed.stderr)


def test_bounds_that_are_not_given_are_the_usual_ones() -> None:
    bounds = Bounds()
    assert bounds.tcp_limits() == TcpLimits()
    assert bounds.call_limits() == CallLimits()
    assert bounds.tls_limits() == TlsLimits()
    assert bounds.message_limits() == MessageLimits()


def test_what_the_environment_asks_for_is_not_passed_over(
    run: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    environment["KAFKASNIFF_DEFINITIONS"] = str(tmp_path / "none")
    done = run("read", str(CAPTURES / "ipv6.pcap"))
    assert done.returncode == 1
    assert str(tmp_path / "none") in done.stderr
