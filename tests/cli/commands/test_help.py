import pytest

from kafkasniff.cli.app import COMMANDS
from tests.cli.conftest import Run


def test_topics(run: Run) -> None:
    filters = run("help", "filters").stdout
    for option in ("--api", "--client-id", "--errors [NAME]", "--from TIME"):
        assert f"  {option}" in filters
    output = run("help", "output").stdout
    for option in ("--time absolute|local|relative|delta", "--columns NAME,...", "--wide"):
        assert f"  {option}" in output
    assert run("help", "read").stdout == run("read", "--help").stdout
    assert run("help").stdout == run("--help").stdout
    done = run("help", "filter")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no topic or command is called 'filter'; did you mean filters?" in done.stderr
    unknown = run("help", "zzz").stderr
    assert "no topic or command is called 'zzz', only filters, output, totals, capture, bounds, read" in unknown


@pytest.mark.parametrize("command", ["read", "show", "live", "diagnose", "audit", "pipeline"])
def test_help_fits_a_screen(environment: dict[str, str], run: Run, command: str) -> None:
    """One of 100 columns and 45 lines."""
    environment["COLUMNS"] = "100"
    lines = run(command, "--help").stdout.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("command", ["read", "live", "diagnose", "pipeline"])
def test_examples_come_first_and_filters_by_name(run: Run, command: str) -> None:
    text = run(command, "--help").stdout
    assert text.index("Examples:") < text.index("Arguments:") < text.index("Options:")
    if command in ("read", "live"):
        assert "Only this API" not in text
        assert "--api API" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_options_of_every_command(run: Run, command: str) -> None:
    shown = run(command, "--color", "never", "--no-pager", "--help")
    assert shown.returncode == 0
    assert "--color WHEN" in shown.stdout
    assert "--color" in run(command, "--color", "blue").stderr
