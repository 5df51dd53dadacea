"""Misspelt values of options: what there is, and what was meant."""

import pytest

from tests.cli.conftest import Run

PCAP = "java-4.3.1-basic.pcap"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diagnose", PCAP, "--severity", "eror"], "'eror' is none of error, warning, info; did you mean error?"),
        (["diagnose", PCAP, "--fail-on", "warn"], "'warn' is none of error, warning; did you mean warning?"),
        (["read", PCAP, "--time", "relativ"], "; did you mean relative?"),
        (["read", PCAP, "--color", "alway"], "; did you mean always?"),
        (["stats", PCAP, "--sort", "call"], "; did you mean calls?"),
        (["tables", PCAP, "-o", "none", "--format", "parket"], "; did you mean parquet?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_near_values_are_named(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
