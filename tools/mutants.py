"""Change one thing at a time in `protocol/` and `calls/`, and see whether a test fails.

    python tools/mutants.py --count 100 --seed 1 [--only WORD] [TESTS…]

needs Python 3.12. Mutants are drawn at random from the bodies of functions: another comparison, operator or number, a
condition turned round, a value not returned, a statement left out. Annotations, texts and what runs only where it is
compiled stay as they are. Nothing is written: the tests run once, which tells the functions that each of them uses, and
then a forked process for each mutant gives its function other code and runs the tests that use it, the quickest
first. What no test saw is printed as ALIVE, with the line and its change. Processes that tests start see no mutant.
"""

import argparse
import ast
import functools
import gc
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType

os.environ["KAFKASNIFF_PURE"] = "1"
import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = str(ROOT / "kafkasniff")
TESTS = (
    *("tests/calls", "tests/protocol", "tests/filters", "tests/render/json", "tests/robustness/test_damage.py"),
    *("tests/test_reading.py", "tests/test_typed_json.py"),
)
DATA = ("protocol/apis/", "protocol/messages/", "protocol/error_codes/", "_table.py", "api_releases.py")
"""Modules without code."""

MOST_SECONDS = 30.0
"""CPU time of the tests that may run for one mutant: hundreds of tests use the reader of bodies."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}

Key = tuple[str, str]
"""A function: its file and its qualified name."""


@dataclass(frozen=True)
class Mutant:
    """A piece of a function, and the text to put in its place."""

    key: Key
    line: int
    start: int
    end: int
    text: str

    def code(self) -> CodeType:
        """Give the changed function's code."""
        source = Path(self.key[0]).read_bytes()
        changed = source[: self.start] + self.text.encode() + source[self.end :]
        wanted = [compile(changed, self.key[0], "exec")]
        while wanted:
            code = wanted.pop()
            if code.co_qualname == self.key[1]:
                return code
            wanted += [each for each in code.co_consts if isinstance(each, CodeType)]
        raise LookupError(self.key)


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Give what may stand in place of a node."""
    match node:
        case ast.Compare(left, [operator], [right]):
            yield ast.Compare(left, [COMPARISONS[type(operator)]()], [right])
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            yield ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        # A constant that is false is what callers ask for.
        case ast.Return(value) if value is not None and not (isinstance(value, ast.Constant) and not value.value):
            yield ast.Return(ast.Constant(None))
        case ast.If(test) if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            yield ast.UnaryOp(ast.Not(), test)
        # Code without its `super()` has other free variables, and fits no function.
        case ast.Expr(ast.Call()) | ast.AugAssign() if "super()" not in ast.unparse(node):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs: no annotations, and nothing that only the compiled engine does."""
    if isinstance(tree, ast.If) and "compiled" in ast.unparse(tree.test):
        return
    yield tree
    for name, value in ast.iter_fields(tree):
        if name not in ("annotation", "returns", "decorator_list", "keywords"):
            for child in uncompiled(value) if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from nodes(child)


def uncompiled(statements: list[ast.AST]) -> Iterator[ast.AST]:
    """Give statements up to one by which plain Python leaves."""
    for each in statements:
        yield each
        if isinstance(each, ast.If) and ast.unparse(each.test) == "not cython.compiled" and _leaves(each.body[-1]):
            return


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return | ast.Raise)


def functions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Give the functions and methods of a module by their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node


def mutants(path: Path) -> Iterator[Mutant]:
    """Give all mutants of a module."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for name, function in functions(ast.parse(source)):
        for node in (each for statement in uncompiled(function.body) for each in nodes(statement)):
            for replacement in replacements(node):
                place = node.test if isinstance(node, ast.If) else node
                text = ast.unparse(ast.fix_missing_locations(replacement))
                yield Mutant(
                    (str(path), name),
                    place.lineno,  # type: ignore[attr-defined]
                    starts[place.lineno - 1] + place.col_offset,  # type: ignore[attr-defined]
                    starts[place.end_lineno - 1] + place.end_col_offset,  # type: ignore[attr-defined]
                    text if isinstance(replacement, ast.stmt) else f"({text})",
                )


class Trial:
    """Runs the tests of a session: once to see what each uses, then for each mutant."""

    def __init__(self, drawn: list[Mutant]) -> None:
        """Try these mutants."""
        self.drawn = drawn

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do that in place of pytest's own loop."""
        with tempfile.TemporaryFile() as told:
            if os.fork() == 0:
                pickle.dump(self.uses(session), told)
                told.flush()
                os._exit(0)
            os.wait()
            told.seek(0)
            tests: dict[Key, list[tuple[float, int]]] = pickle.load(told)
        seen = 0
        for number, mutant in enumerate(self.drawn, 1):
            chosen, seconds = [], 0.0
            for each, index in sorted(tests.get(mutant.key, ())):
                seconds += each
                if seconds > MOST_SECONDS:
                    break
                chosen.append(session.items[index])
            killed = self.is_killed(mutant, chosen, seconds)
            seen += killed
            path, name = mutant.key
            line = Path(path).read_text().splitlines()[mutant.line - 1].strip()
            print(
                f"{number} {'killed' if killed else 'ALIVE'} {os.path.relpath(path, ROOT)}:{mutant.line} {name} "
                f"({len(chosen)} tests): {line}  =>  {mutant.text}",
                file=sys.__stderr__,
                flush=True,
            )
        print(f"killed {seen} of {len(self.drawn)}: {seen / len(self.drawn):.0%}", file=sys.__stderr__)
        return True

    def uses(self, session: pytest.Session) -> dict[Key, list[tuple[float, int]]]:
        """Run all tests; give for each function those that use it and pass, with the CPU time that they take."""
        used: set[Key] = set()

        def note(code: CodeType, _offset: int) -> object:
            if code.co_filename.startswith(PACKAGE):
                used.add((code.co_filename, code.co_qualname.split(".<locals>")[0]))
            return sys.monitoring.DISABLE

        start = sys.monitoring.events.PY_START
        sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, "mutants")
        sys.monitoring.register_callback(sys.monitoring.PROFILER_ID, start, note)
        sys.monitoring.set_events(sys.monitoring.PROFILER_ID, start)
        tests = defaultdict(list)
        for index, (item, following) in enumerate(zip(session.items, [*session.items[1:], None], strict=True)):
            used.clear()
            sys.monitoring.restart_events()
            began = time.process_time()
            if all(report.passed for report in runtestprotocol(item, log=False, nextitem=following)):
                for key in used:
                    tests[key].append((time.process_time() - began, index))
        return dict(tests)

    def is_killed(self, mutant: Mutant, chosen: list[pytest.Item], seconds: float) -> bool:
        """Tell whether one of the tests fails with a mutant, or does not end."""
        child = os.fork()
        if child:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert status in (0, 1, -signal.SIGXCPU, -signal.SIGKILL), f"{mutant} cannot be tried"
            return status != 0
        try:
            self.try_one(mutant, chosen, seconds)
        finally:
            os._exit(2)

    def try_one(self, mutant: Mutant, chosen: list[pytest.Item], seconds: float) -> None:
        """End this process with 1 if one of the tests fails with a mutant, else with 0."""
        limit = 20 + int(3 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        code = mutant.code()
        # Some modules are imported when something first needs them.
        import_module(".".join(Path(mutant.key[0]).relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        for found in gc.get_objects():
            if isinstance(found, functools._lru_cache_wrapper):
                found.cache_clear()
            elif (
                isinstance(found, FunctionType)
                and (found.__code__.co_filename, found.__code__.co_qualname) == mutant.key
            ):
                found.__code__ = code
        for item, following in zip(chosen, [*chosen, None][1:], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                os._exit(1)
        os._exit(0)


def main() -> None:
    """Draw mutants, try them, and print the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="modules whose path has this word")
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    if sys.version_info < (3, 12):
        sys.exit("Python 3.12 or newer is needed: it tells which functions a test uses (sys.monitoring)")
    modules = [
        path
        for folder in ("protocol", "calls")
        for path in sorted((ROOT / "kafkasniff" / folder).rglob("*.py"))
        if given.only in str(path) and not any(part in str(path) for part in DATA)
    ]
    every = [mutant for path in modules for mutant in mutants(path)]
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))
    print(f"{len(every):,} mutants in {len(modules)} modules; {len(drawn)} drawn with seed {given.seed}", flush=True)
    os.chdir(ROOT)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *given.tests], plugins=[Trial(drawn)]))


if __name__ == "__main__":
    main()
