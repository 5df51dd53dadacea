"""What lists calls is imported without `typing`; everybody else has the real one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

IMPORTED = (
    "import sys\n"
    "from kafkasniff.cli.light_typing import import_lightly\n"
    "listing = import_lightly('kafkasniff.cli.listing')\n"
    "assert listing is sys.modules['kafkasniff.cli.listing']\n"
)


@pytest.mark.parametrize(
    "script",
    [
        "assert not {'typing', 're', 'enum'} & {*sys.modules}",
        "import typing\nassert typing.get_type_hints(listing.list_calls)['return'] is int",
        "import kafkasniff.typed_json, typing\nassert kafkasniff.typed_json.Any is typing.Any",
        "from kafkasniff.cli.app import run\nassert run(['errors', '6']) == 0",
    ],
)
def test_others_have_the_real_module(script: str) -> None:
    subprocess.run([sys.executable, "-c", IMPORTED + script], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def test_a_module_that_needs_more_of_it_has_the_real_one(tmp_path: Path) -> None:
    (tmp_path / "with_more.py").write_text("from typing import Any, TypeVar\nMade = TypeVar('Made')\n")
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "from kafkasniff.cli.light_typing import import_lightly\n"
        "made = import_lightly('with_more').Made\n"
        "import typing\n"
        "assert type(made) is typing.TypeVar\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
