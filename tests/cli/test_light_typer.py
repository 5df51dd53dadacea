import subprocess
import sys

import pytest

from tests.conftest import ROOT

IMPORTED = "from kafkasniff.cli.light_typer import import_typer\nimport_typer()\nimport sys, typer.main\n"


@pytest.mark.parametrize(
    "script",
    [
        "assert not {'pathlib', 'subprocess', 'uuid', 'platform', 'difflib', 'shutil'} & {*sys.modules}",
        "assert not isinstance(1, typer.main.Path) and not issubclass(int, typer.main.Path)",
        "import pathlib\nassert typer.main.Path('a', 'b') == pathlib.Path('a/b')",
        "import subprocess\nassert typer.main.subprocess.PIPE == subprocess.PIPE == -1",
        "assert typer.core.get_close_matches('raed', ['read', 'show']) == ['read']\nimport difflib",
        "try:\n    typer.main.subprocess.nothing\nexcept AttributeError:\n    pass\nelse:\n    raise AssertionError",
        "import inspect, typer.models\nassert inspect.getsource(typer.models.ParamMeta).startswith('class ParamMeta')",
        "assert typer.completion.get_completion_inspect_parameters()[1].name == 'show_completion'",
    ],
)
def test_what_stands_in_gives_what_the_real_one_gives(script: str) -> None:
    subprocess.run([sys.executable, "-c", IMPORTED + script], cwd=ROOT, check=True)


def test_modules_that_were_imported_before_stay() -> None:
    script = (
        "import pathlib\n" + IMPORTED + "assert typer.main.Path is pathlib.Path and sys.modules['pathlib'] is pathlib"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
