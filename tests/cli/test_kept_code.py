"""Expressions and dataclasses made from kept code: the same as without it, and none of what functions make up."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from autoanalyzer.cli.kept_code import KeptCode
code = KeptCode()
made = []
compile_ = code._compile
code._compile = lambda *words: made.append(words[0]) or compile_(*words)
import re
from dataclasses import dataclass
name = re.compile(r"(?P<first>[a-zé]+)|(?i:ß|\\\\d)(x)?")
assert name.match("éa")["first"] == "éa" and name.groups == 2 and name.fullmatch("ß") and not name.match("_")
assert re.compile(rb"[\\x80-\\xff]+").match(b"\\xff") and re.search("^a$", "b\\na", re.M)
assert (lambda: re.compile("made up").match("made up"))()
@dataclass(frozen=True, slots=True, order=True)
class Pair:
    one: int
    two: str = "two"
assert Pair(1) == Pair(1, "two") < Pair(2) and hash(Pair(1)) == hash(Pair(1))
assert repr(Pair(1)) == "Pair(one=1, two='two')"
import inspect
assert inspect.signature(Pair).parameters["two"].default == "two"
code.keep()
sys.stdout.write(repr(made))
"""


@pytest.fixture
def process(tool):
    (tool.folder / "script.py").write_text(SCRIPT)

    def run(**more):
        env = {"AUTOANALYZER_CACHE": str(tool.folder / "cache"), "PYTHONHASHSEED": "1", **more}
        done = tool(sys.executable, "script.py", env=env)
        assert done.stderr == b""
        return done.stdout.decode()

    return run


def test_what_is_kept_is_the_same_and_is_not_made_again(tool, process):
    first = process()
    assert "first" in first
    assert "made up" in first
    again = process()
    assert "first" not in again
    assert "made up" in again


def test_what_cannot_be_kept_or_read_is_made(tool, process):
    assert "first" in process(AUTOANALYZER_CACHE_LIMIT="0")
    assert "first" in process()
    (kept,) = (path for path in (tool.folder / "cache").rglob("*") if path.is_file())
    kept.write_bytes(kept.read_bytes()[:-1])
    assert "first" in process()
    assert "first" not in process()


def test_the_expressions_of_modules_are_alike_in_all_processes(tool):
    """A table that grows by each process would be written by each."""
    names = ("instrument.c_family_front_end", "instrument.c_family.c.tree", "instrument.c_family.cxx.bodies")
    modules = [f"autoanalyzer.{name}" for name in (*names, "instrument.fortran_front_end", "instrument.separate")]
    noting = (
        "import re\nfound = []\nmake = re.compile\nre.compile = lambda *words: found.append(words[0]) or make(*words)\n"
    )
    script = f"{noting}import {', '.join(modules)}\nprint(found)"
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
