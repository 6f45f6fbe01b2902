"""Each test asserts something, and no test ends early without a skip that pytest reports."""

import ast
import gc
import os
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from . import conftest
from .conftest import pytest_itemcollected

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("test_*.py"))
CHECKS = ("pytest.raises", "pytest.warns", "np.testing.assert_")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function of a module, or a method, whose name begins with a dot."""

    name: str
    line: int
    calls: frozenset[str]  # methods with a dot; functions of imported modules with the module's name
    asserts: bool
    silent_ends: list[int]  # the lines of its own bare returns

    @property
    def is_test(self) -> bool:
        return self.name.removeprefix(".").startswith("test_")


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, except those of the functions inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Definition):
            yield child
            yield from own_nodes(child)


def name_of(called: ast.expr, modules: set[str]) -> str:
    match called:
        case ast.Name(name):
            return name
        case ast.Attribute(owner, name):
            full = ast.unparse(owner)
            return f"{full}.{name}" if full.partition(".")[0] in modules else f".{name}"
    return ""


def function_of(node: Definition, modules: set[str], dot: str) -> Function:
    inside = [*ast.walk(node)]
    calls = {name_of(each.func, modules) for each in inside if isinstance(each, ast.Call)}
    asserts = any(isinstance(each, ast.Assert) for each in inside) or any(name.startswith(CHECKS) for name in calls)
    returns = [each for each in own_nodes(node) if isinstance(each, ast.Return)]
    ends = [each.lineno for each in returns if ast.unparse(each) in ("return", "return None")]
    return Function(dot + node.name, node.lineno, frozenset(calls), asserts, ends)


@cache
def functions_of(file: Path) -> list[Function]:
    """Return the functions of a module and the methods of its classes."""
    body = ast.parse(file.read_text()).body
    modules = {each.asname or each.name for node in body if isinstance(node, ast.Import) for each in node.names}
    bodies = [("", body), *((".", node.body) for node in body if isinstance(node, ast.ClassDef))]
    return [function_of(node, modules, dot) for dot, own in bodies for node in own if isinstance(node, Definition)]


@cache
def helper_files(file: Path, root: Path) -> list[Path]:
    """Return each ``conftest.py`` that serves a module, and the modules beside it that it imports."""
    found = [folder / "conftest.py" for folder in file.parents if folder.is_relative_to(root)]
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1]
            names = [node.module] if node.module else [each.name for each in node.names]
            found += [folder / f"{name.replace('.', '/')}.py" for name in names]
    return [each for each in found if each.exists()]


def asserting(file: Path, root: Path) -> set[str]:
    """Return the names of all helpers of a module that assert something, or call a helper that does."""
    files = [file]
    for each in files:  # the list grows during the loop
        files += [more for more in helper_files(each, root) if more not in files]
    helpers = [function for each in files for function in functions_of(each) if not function.is_test]
    names = {each.name for each in helpers if each.asserts}
    while more := {each.name for each in helpers if not names.isdisjoint(each.calls)} - names:
        names |= more
    return names


def silent_ends(files: Iterable[Path]) -> list[str]:
    tests = ((file, test) for file in files for test in functions_of(file) if test.is_test)
    return [f"{file}:{line}" for file, test in tests for line in test.silent_ends]


def without_assertion(files: Iterable[Path], root: Path) -> list[str]:
    tests = ((file, test) for file in files for test in functions_of(file) if test.is_test and not test.asserts)
    return [f"{file}:{test.line}" for file, test in tests if asserting(file, root).isdisjoint(test.calls)]


def test_no_test_ends_early_as_if_it_had_passed() -> None:
    found = silent_ends(FILES)
    assert not found, "expected a choice of parameters or pytest.skip, found a bare return:\n" + "\n".join(found)


def test_each_test_asserts_something() -> None:
    found = without_assertion(FILES, TESTS)
    assert not found, "expected an assertion, found none in the tests at\n" + "\n".join(found)


@pytest.fixture
def module(tmp_path: Path) -> Path:
    return tmp_path / "room" / "test_it.py"


def written(file: Path, text: str) -> list[Path]:
    file.parent.mkdir(exist_ok=True)
    file.write_text(textwrap.dedent(text).lstrip())
    return [file]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("if missing:\n        return\n    assert 1", [3]),
        ("for each in tools:\n        if each:\n            return None\n    assert 1", [4]),
        ("assert 1\n    return 2", []),
        ("def inner():\n        return\n    assert inner() is None", []),
        ("pytest.skip('no tool')", []),
    ],
)
@pytest.mark.parametrize("head", ["def test_it():", "async def test_it():"])
def test_bare_returns_are_found(module: Path, head: str, body: str, lines: list[int]) -> None:
    assert silent_ends(written(module, f"{head}\n    {body}\n")) == [f"{module}:{line}" for line in lines]


def test_only_tests_may_not_return_early(module: Path) -> None:
    text = """
        def helper():
            return

        class TestIt:
            def helper(self):
                return

            def test_it(self):
                return
        """
    assert silent_ends(written(module, text)) == [f"{module}:9"]


@pytest.mark.parametrize(
    ("body", "asserts"),
    [
        ("assert 1", True),
        ("with pytest.raises(ValueError):\n        int('x')", True),
        ("np.testing.assert_array_equal(1, 1)", True),
        ("def act():\n        assert 1\n    driven(act)", True),
        ("compared(1)", True),  # a helper in its module, which calls another one that asserts
        ("tool.refused()", True),  # a method in conftest.py of the folder above
        ("shown(1)", True),  # a helper in an imported module
        ("tool.run()", False),
        ("read(1)", False),
        ("subprocess.run(['true'], check=True)", False),
        ("subprocess.refused()", False),  # not a helper's method
        ("pass", False),
    ],
)
def test_assertions_are_found_in_a_test_and_its_helpers(module: Path, body: str, asserts: bool) -> None:
    head = """
        import subprocess
        import numpy as np
        import pytest
        from .pages import shown
        def same(a): assert a
        def compared(a): same(a)
        def read(a): return a
        """
    above = "class Tool:\n    def refused(self): assert self\n    def run(self): return self\n"
    written(module.with_name("pages.py"), "from .test_it import same\ndef shown(a): assert a\n")
    written(module.parents[1] / "conftest.py", above)
    files = written(module, f"{textwrap.dedent(head).lstrip()}def test_it():\n    {body}\n")
    assert without_assertion(files, module.parents[1]) == ([] if asserts else [f"{module}:8"])


def test_what_collecting_tests_makes_is_not_looked_through_for_garbage():
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


@pytest.mark.parametrize(("loads", "workers_per_core"), [("18.3 9.1 4.0 2/79 9", 2), ("0.1 0.1 0.1 800/999 9", 6)])
def test_tests_have_more_workers_where_other_programs_run_now(
    loads: str, workers_per_core: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loadavg").write_text(loads)
    monkeypatch.setattr(conftest, "LOADS", tmp_path / "loadavg")
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    assert conftest.pytest_xdist_auto_num_workers() == workers_per_core * len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("values", "marks"), [({"mpi": "openmpi"}, []), ({"mpi": "mpich"}, ["nightly"]), ({}, [])])
def test_values_that_by_day_does_not_name_are_left_to_the_night(values: dict[str, str], marks: list[str]) -> None:
    by_day, found = pytest.mark.by_day(mpi=["openmpi"]).mark, list[str]()
    callspec = SimpleNamespace(params=values)
    item = SimpleNamespace(callspec=callspec, iter_markers=lambda _: [by_day], add_marker=found.append)
    pytest_itemcollected(cast(Any, item))
    assert found == marks
