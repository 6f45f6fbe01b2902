"""Scripts that builds call as compilers: which calls go to the compiler itself, and which to the instrumenter."""

import shutil
from pathlib import Path

import pytest

from autoanalyzer.instrument import compiler_options

from .conftest import succeed

SCRIPT = Path(__file__).parents[2] / "cli/stand_ins/aa-mpicc"


@pytest.fixture
def script(tool):
    """Return a function that calls a script whose compiler prints "compiler" and whose instrumenter "instrumenter"."""
    shutil.copy(SCRIPT, tool.folder)
    for name, said in (("real", "compiler"), ("aa-compiler", "no less"), ("autoanalyzer", "instrumenter")):
        tool.write(name, f"#!/bin/sh\necho {said}\n").chmod(0o755)

    def called(*words, folder=".", **variables):
        (tool.folder / folder).mkdir(parents=True, exist_ok=True)
        command = ("sh", "-c", f'cd {folder} && exec "$0" "$@"', str(tool.folder / "aa-mpicc"), *words)
        env = {"AUTOANALYZER_CC": str(tool.folder / "real"), **variables}
        return succeed(tool(*command, env=env)).stdout.decode().strip()

    return called


@pytest.mark.parametrize("words", ["-E x.c", "-O2 -g -M x.c", "-fsyntax-only x.c", "--version", "-c conftest.c"])
def test_what_gets_no_probes_goes_to_the_compiler_at_once(script, words):
    assert script(*words.split()) == "compiler"


def test_all_goes_to_the_compiler_where_it_is_tried_out_and_where_the_tool_is_off(script):
    assert script("-c", "x.c", folder="build/CMakeFiles/CMakeScratch/TryCompile-1") == "compiler"
    assert script("-c", "x.c", AUTOANALYZER="off") == "compiler"
    assert script("-c", "x.c", AUTOANALYZER="off", AUTOANALYZER_CC="aa-mpicxx") == "instrumenter"


@pytest.mark.parametrize("words", ["-c x.c", "x.o -o x", "@more", "-c x.c -o conftest.c", "-D E -c x.c", ""])
def test_all_else_goes_to_the_instrumenter(script, words):
    assert script(*words.split()) == "instrumenter"


def test_the_instrumenter_hears_what_it_must_know_of(script):
    assert script("-E", "x.c", AUTOANALYZER_INSIDE="1") == "instrumenter"
    assert script("-E", "x.c", AUTOANALYZER_PRODUCTS="notes") == "instrumenter"
    assert script("-E", "x.c", AUTOANALYZER_CC="'a compiler'") == "instrumenter"
    assert script("-E", "x.c", AUTOANALYZER_CC="no-such-compiler") == "instrumenter"


def test_no_value_of_an_option_is_taken_for_a_question(script):
    options = [*compiler_options.USUAL.values]
    assert len(options) > 50
    assert [option for option in options if script(option, "-E", "-c", "x.c") != "instrumenter"] == []


def test_the_short_way_is_found_behind_a_cache_that_takes_nothing(script, tool):
    tool.write("python", "#!/bin/sh\necho the short way\n").chmod(0o755)
    tool.write(f"own/autoanalyzer/start{tool.folder}/way", f"{tool.folder}/python\n{tool.folder}/python\n")

    def answers(cache):
        return script("-c", "x.c", AUTOANALYZER_CACHE=cache, XDG_CACHE_HOME=str(tool.folder / "own"))

    assert answers("") == "the short way"
    assert answers("/proc/self") == "the short way"
    assert answers(f"/proc/self:{tool.folder}/own/autoanalyzer") == "the short way"
    assert answers(f"/proc/self:{tool.folder}/new") == "instrumenter"
