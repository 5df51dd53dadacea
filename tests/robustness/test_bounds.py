"""Traffic that asks for much memory: all that can be had is had, and memory stays under the bound."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, AddFigure

PEAK_MIB = 512
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")


def run(case: str, scale: float) -> dict[str, Any]:
    """Run a case in a process of its own, whose peak memory is the case's."""
    command = [sys.executable, "-m", "tests.robustness.bounds", case, str(scale)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# Scales keep the suite short; `python -m benchmarks.bounds` runs every case in full.
@pytest.mark.parametrize(
    ("case", "scale", "answered"),
    [
        ("half_open", 0.06, 1),
        ("full_connections", 1, 10_000),
        ("large_message", 1, 2),
        ("large_first", 1, 1),
        ("announced", 0.2, 1),
        ("many_unfinished", 1, 21),
        ("undecided", 0.3, 1),
        ("holes", 0.25, 1),
    ],
)
def test_memory_stays_under_the_bound(case: str, scale: float, answered: int, add_figure: AddFigure) -> None:
    result = run(case, scale)
    columns = {name: result[name] for name in ("answered", "kafka", "largest", "peak_mib", "cpu_seconds")}
    add_figure("Memory under attack", f"{case} × {scale}", **columns, limits="; ".join(result["limits"]) or "-")
    assert result["answered"] == answered
    assert result["peak_mib"] < PEAK_MIB


def test_a_reached_limit_is_said() -> None:
    assert "half-open" in " ".join(run("half_open", 0.06)["limits"])
    assert "held more than" in " ".join(run("many_unfinished", 0.3)["limits"])


@pytest.mark.parametrize("case", ["large_message", "large_first"])
def test_a_message_of_40_mb_is_whole(case: str) -> None:
    assert run(case, 1)["largest"] == 40_000_000


def test_an_announced_gigabyte_shows_its_header_and_one_problem() -> None:
    result = run("announced", 0.1)
    assert result["calls"] == 2
    assert sum("1000000000" in problem for problem in result["problems"]) == 1
