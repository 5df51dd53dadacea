"""Each module has a test file of its name (`test_NAME.py`) among the tests of its package; `elsewhere.txt` has others.

A module is listed there under what holds it instead. That list is to become shorter.
"""

from tests.conftest import ROOT

TESTS = ROOT / "tests"
LIST = TESTS / "tools" / "elsewhere.txt"


def modules() -> list[str]:
    """Give the modules by their paths within the package; those of definitions are data, which vectors hold."""
    package = ROOT / "kafkasniff"
    found = (path.relative_to(package) for path in package.rglob("*.py") if path.name != "__init__.py")
    return sorted(
        path.as_posix()
        for path in found
        if path.parent.as_posix() not in ("protocol/apis", "protocol/messages", "protocol/error_codes")
    )


def has_own_file(module: str) -> bool:
    folder, _, name = module.rpartition("/")
    return any((TESTS / folder.partition("/")[0]).glob(f"**/test_{name}" if folder else f"test_{name}"))


def listed() -> dict[str, str]:
    """Give what the list has: by module, what holds it."""
    held: dict[str, str] = {}
    holder = ""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            assert line.strip() not in held, line
            held[line.strip()] = holder
        elif line and not line.startswith("#"):
            holder = line.removesuffix(":")
    return held


def test_each_module_has_a_test_file_of_its_name_or_is_listed() -> None:
    without = {module for module in modules() if not has_own_file(module)}
    assert without - listed().keys() == set(), "has no test file of its name"
    assert listed().keys() - without == set(), "is listed, but has a test file of its name, or is no more"


def test_what_the_list_names_is_there() -> None:
    for holder in {*listed().values()} - {"nothing to test"}:
        assert (TESTS / holder).exists(), holder
