import subprocess
import sys

import pytest

from tests.conftest import ROOT

IMPORTED = "from kafkasniff.cli.light_typer import import_typer\nimport_typer()\nimport sys, typer.main\n"


@pytest.mark.parametrize(
    "script",
    [
        "assert not {'pathlib', 'subprocess', 'uuid', 'platform', 'difflib', 'shutil'} & {*sys.modules}",
        # The names that typer holds are as good as the real ones: for types of options, and what is made of them.
        "assert not isinstance(1, typer.main.Path) and not issubclass(int, typer.main.Path)\n"
        "assert 'pathlib' not in sys.modules\n"
        "import pathlib\n"
        "assert isinstance(pathlib.Path('a'), typer.main.Path) and not isinstance('a', typer.main.Path)\n"
        "assert issubclass(pathlib.PosixPath, typer.main.Path) and not issubclass(str, typer.main.Path)\n"
        "assert typer.main.Path == pathlib.Path and pathlib.Path == typer.main.Path != str\n"
        "assert typer.main.Path('a', 'b') == pathlib.Path('a/b') and typer.main.Path.home() == pathlib.Path.home()",
        # `inspect` derives a class from one of `ast` (Python 3.11 and 3.12) to find the source of classes.
        "import inspect, typer.models\nassert inspect.getsource(typer.models.ParamMeta).startswith('class ParamMeta')",
        "import threading\nassert type(typer._click.globals._local) is threading.local",
        "import subprocess\nassert typer.main.subprocess.PIPE == subprocess.PIPE == -1",
        "assert typer.core.get_close_matches('raed', ['read', 'show']) == ['read']\nimport difflib",
        "try:\n    typer.main.subprocess.nothing\nexcept AttributeError:\n    pass\nelse:\n    raise AssertionError",
        # Of what another command line asks for, with typer's own types.
        "import pathlib, datetime, uuid\n"
        "app = typer.Typer()\n"
        "@app.command()\n"
        "def show(path: pathlib.Path, day: datetime.datetime, key: uuid.UUID = uuid.UUID(int=7)) -> None:\n"
        "    assert (path, day.year, key.int) == (pathlib.Path('x'), 2026, 7)\n"
        "app(['x', '2026-11-23'], standalone_mode=False)",
        "assert typer.completion.get_completion_inspect_parameters()[1].name == 'show_completion'",
    ],
)
def test_what_stands_in_is_as_good_as_the_real_one(script: str) -> None:
    subprocess.run([sys.executable, "-c", IMPORTED + script], cwd=ROOT, check=True)


def test_modules_that_were_imported_before_stay() -> None:
    script = "import pathlib\n" + IMPORTED + "assert typer.main.Path is pathlib.Path"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
