"""The README and the Python page show what the software really prints and does."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()


def test_the_readme_shows_real_output() -> None:
    command, shown = re.findall(r"```console\n\$ kafkasniff ([^\n]*)\n(.*?)```", README, re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-m", "kafkasniff", *command.split()],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout + done.stderr == shown


def test_the_first_two_commands_install_and_run_the_job_and_the_tests() -> None:
    first, second, *_ = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert "kafkasniff read captures/" in first
    assert "-m pytest" in second


PYTHON = re.findall(
    r"```python\n((?:(?!```).)*?)```\n\nprints\n\n```text\n(.*?)```",
    (ROOT / "docs" / "python.md").read_text(),
    re.DOTALL,
)


@pytest.mark.parametrize(("code", "printed"), PYTHON, ids=range(len(PYTHON)))
def test_the_examples_from_python_print_what_the_page_says(
    code: str, printed: str, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, "docs/python.md", "exec"), {})
    assert capsys.readouterr().out.rstrip() == printed.rstrip()


def test_the_notebook_runs(monkeypatch: Any) -> None:
    for name in ("pandas", "pyarrow"):
        pytest.importorskip(name)
    monkeypatch.chdir(ROOT)
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    values = []
    for cell in cells:
        if cell["cell_type"] == "code":
            # The last line of a cell is an expression, whose value a notebook shows.
            *lines, last = "".join(cell["source"]).splitlines()
            exec("\n".join(lines), names)
            values.append(eval(last, names))
    first, slowest, errors, (findings, not_judged) = values
    assert list(first["client_id"][:2]) == ["shop-admin", "shop-admin"]
    assert slowest.index[0] == "JOIN_GROUP"
    assert errors[0] == ("shop-p-none", "INIT_PRODUCER_ID", "COORDINATOR_LOAD_IN_PROGRESS")
    assert [(severity, rule) for severity, rule, _ in findings] == [("error", "rebalance-storm")]
    assert not_judged == []


def test_all_examples_from_python_compile() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == len(PYTHON) + 1
    for block in blocks:
        compile(block, "docs/python.md", "exec")
