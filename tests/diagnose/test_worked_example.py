"""The example in docs/development.md, as it stands there."""

import re
from typing import Any

import pytest

from kafkasniff.diagnose import catalogue
from kafkasniff.diagnose.cluster import polling
from kafkasniff.diagnose.memory import tallies
from tests.conftest import ROOT
from tests.diagnose import made


def test_the_example_works(monkeypatch: pytest.MonkeyPatch) -> None:
    rule, test = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "development.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {**vars(tallies), **vars(polling)}
    exec(rule, names)
    monkeypatch.setitem(catalogue.RULES_BY_ID, "list-offsets-storm", names["ListOffsetsStorm"])
    names.update(vars(made))
    exec(test, names)
    names["test_list_offsets_storm"]()
