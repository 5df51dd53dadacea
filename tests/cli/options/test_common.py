import pytest

from tests.cli.conftest import Run
from tests.cli.screens import on_terminal

COMMAND = ("read", "vlan.pcap", "--limit", "1")


@pytest.mark.parametrize(
    ("mode", "variables", "coloured"),
    [
        ("auto", {}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("never", {}, False),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_colour_on_a_terminal(
    mode: str, variables: dict[str, str], coloured: bool, environment: dict[str, str]
) -> None:
    shown, status = on_terminal({**environment, **variables}, *COMMAND, "--color", mode)
    assert (status, "\x1b[" in shown) == (0, coloured)


def test_colour_in_a_pipe(run: Run) -> None:
    assert "\x1b[" not in run(*COMMAND).stdout
    assert "\x1b[" in run(*COMMAND, "--color", "always").stdout
    assert "'red' is none of auto, always, never" in run(*COMMAND, "--color", "red").stderr
