"""Compiling again what was compiled before: the same files and messages, and nothing stale."""

import os
import shutil

import pytest

from autoanalyzer.instrument.plan_file import text_of

C = '#include "n.h"\nint f(int n) { for (int i = 0; i < N + n; i++) n--; return n; }\n'
MODULE = "module m\n  integer, parameter :: n = 3\nend module\n"
USER = "integer function f(k)\n  use m\n  integer :: i\n  f = k\n  do i = 1, n\n    f = f + i\n  end do\nend function\n"


@pytest.fixture
def compiler(tool):
    """Compile in the tool's folder with a compiler that notes what it is called for, and a cache of its own."""
    calls = tool.folder / "calls"
    for name, real in (("cc", "gcc"), ("cxx", "g++"), ("fc", "gfortran")):
        tool.write(name, f'#!/bin/sh\necho "$*" >> {calls}\nexec {real} "$@"\n').chmod(0o755)

    def compile_(*words, **env):
        calls.write_text("")
        done = tool(
            "aa-mpifort" if words[-1].endswith("90") else "aa-mpicxx" if words[-1].endswith("cpp") else "aa-mpicc",
            *words,
            env={
                "AUTOANALYZER_CACHE": str(tool.folder / "cache"),
                "AUTOANALYZER_CC": str(tool.folder / "cc"),
                "AUTOANALYZER_CXX": str(tool.folder / "cxx"),
                "AUTOANALYZER_FC": str(tool.folder / "fc"),
                **env,
            },
        )
        assert done.returncode == 0, done.stderr.decode()
        compiled = [line for line in calls.read_text().splitlines() if not {"-E", "-###"} & set(line.split())]
        return done.stderr, bool(compiled)

    return compile_


def test_the_same_object_comes_back_without_a_compile(tool, compiler):
    tool.write("n.h", "#define N 3\n")
    tool.write("x.c", C)
    tool.write("x.cpp", f'extern "C" {{ {C.partition(chr(10))[2]} }}\n#define N 3\n'.replace("< N", "< 3"))
    for source in ("x.c", "x.cpp"):
        assert compiler("-g", "-O2", "-MMD", "-c", source) == (b"", True)
        first = (tool.folder / "x.o").read_bytes()
        assert b"aa1|function|f|" in first
        for name in ("x.o", "x.d"):
            (tool.folder / name).unlink()
        assert compiler("-g", "-O2", "-MMD", "-c", source) == (b"", False)
        assert (tool.folder / "x.o").read_bytes() == first
        assert source in (tool.folder / "x.d").read_text()


def test_whatever_the_object_follows_from_is_looked_at(tool, compiler):
    tool.write("n.h", "#define N 3\n")
    tool.write("x.c", C)
    compiler("-c", "x.c")
    assert not compiler("-c", "x.c")[1]
    assert compiler("-O1", "-c", "x.c")[1]
    assert compiler("-o", "y.o", "-c", "x.c")[1]
    assert compiler("-c", "x.c", AUTOANALYZER_PLAN=str(tool.write("plan.toml", "version = 2\n")))[1]
    assert compiler("-c", "x.c", COMPILER_PATH="/usr/lib")[1]
    tool.write("n.h", "#define N 4\n")
    assert compiler("-c", "x.c")[1]
    tool.write("n.h", "#define N 3\n")
    assert not compiler("-c", "x.c")[1]
    with (tool.folder / "cc").open("a") as stream:
        stream.write("# another release\n")
    assert compiler("-c", "x.c")[1]
    assert compiler("-c", "x.c", AUTOANALYZER_CACHE_LIMIT="0")[1]


def test_the_plan_of_the_last_run_is_looked_at_and_holds_for_the_texts_that_were_run(tool, compiler):
    header = "static int g(int n) { for (int i = 0; i < n; i++) n ^= i; return n; }\n"
    tool.write("n.h", "#define N n\n" + header)
    tool.write("x.c", C.replace("n--", "n -= g(i)"))
    plan = tool.write("autoanalyzer-out/plan.toml", "version = 2\n")

    def compiled():
        said, anew = compiler("-c", "x.c", AUTOANALYZER_PLAN="auto")
        built = (tool.folder / "x.o").read_bytes()
        return said.decode(), anew, [b"|loop@2|x.c|f|" in built, b"|loop@2|n.h|g|" in built]

    def texts(*files):
        entry = '[[exclude]]\nfile = "{}"\nkind = "loop"\ntexts = ["of another unit", "{}"]\n'
        here = "".join(entry.format(file, text_of(str(tool.folder / file))) for file in files)
        others = '[[exclude]]\nfile = "n.h"\nfunction = "{}"\ntexts = ["of an earlier one"]\n'
        plan.write_text(f"version = 2\n{here}{others.format('g')}{others.format('of_another_unit')}")

    assert compiled() == ("", True, [True, True])
    assert compiled() == ("", False, [True, True])
    texts("x.c", "n.h")
    os.utime(tool.folder / "x.c", (1, 1))
    os.utime(plan, (0, 0))
    assert compiled() == ("", True, [False, False])
    assert compiled() == ("", False, [False, False])
    tool.write("n.h", "#define N n /* mine */\n" + header)
    said = "autoanalyzer: n.h is not the text that autoanalyzer-out/plan.toml was made for: measured whole\n"
    assert compiled() == (said, True, [False, True])
    assert compiled() == (said, False, [False, True])
    texts("n.h")
    assert compiled() == ("", True, [True, False])
    plan.write_text("version = 3\n")
    said, *done = compiled()
    assert "autoanalyzer-out/plan.toml: expected a plan of version 2, found version 3" in said
    assert "; no plan is obeyed\n" in said
    assert done == [True, [True, True]]
    plan.unlink()
    assert compiled() == ("", True, [True, True])
    words = ["sh", "-c", "mkdir gone; cd gone; rmdir ../gone; aa-mpicc -c $OLDPWD/x.c -o $OLDPWD/x.o"]
    done = tool(*words, env={"AUTOANALYZER_PLAN": "auto"})
    assert (done.returncode, b"autoanalyzer" in done.stderr) == (0, False)


def test_what_the_compiler_and_we_said_is_said_again(tool, compiler):
    tool.write("x.c", "int f(void) { int unused; return 1; }\n_Bool g(int n) { switch (n) ; return n; }\n")
    first, _ = compiler("-Wall", "-c", "x.c")
    assert b"x.c:1:19: warning: unused variable" in first
    assert compiler("-Wall", "-c", "x.c") == (first, False)
    tool.write("odd.c", "typedef int (^block)(int);\n")
    wrapped = {"AUTOANALYZER_CC": "clang -fblocks"}
    named, _ = compiler("-c", "odd.c", **wrapped)
    assert b"odd.c:1:13: not instrumented" in named
    assert compiler("-c", "odd.c", **wrapped)[0] == named


def test_modules_come_back_and_are_looked_at(tool, compiler):
    (tool.folder / "mods").mkdir()
    tool.write("m.f90", MODULE)
    tool.write("f.f90", USER)
    flags = ("-g", "-Jmods", "-c")
    assert compiler(*flags, "m.f90")[1]
    assert compiler(*flags, "f.f90")[1]
    kept = {name: (tool.folder / name).read_bytes() for name in ("mods/m.mod", "m.o", "f.o")}
    os.utime(tool.folder / "mods/m.mod", (1, 1))
    assert not compiler(*flags, "m.f90")[1]
    assert (tool.folder / "mods/m.mod").stat().st_mtime == 1  # nothing that depends on it is built again
    shutil.rmtree(tool.folder / "mods")
    (tool.folder / "mods").mkdir()
    for name in ("m.o", "f.o"):
        (tool.folder / name).unlink()
    assert not compiler(*flags, "m.f90")[1]
    assert not compiler(*flags, "f.f90")[1]
    assert {name: (tool.folder / name).read_bytes() for name in kept} == kept
    tool.write("m.f90", MODULE.replace("3", "4"))
    assert compiler(*flags, "m.f90")[1]
    assert compiler(*flags, "f.f90")[1]


def test_included_files_are_looked_at(tool, compiler):
    (tool.folder / "inc").mkdir()
    tool.write("inc/size.inc", "      integer, parameter :: n = 3\n")
    tool.write("f.f90", USER.replace("use m", "include 'size.inc'"))
    assert compiler("-Iinc", "-c", "f.f90")[1]
    assert not compiler("-Iinc", "-c", "f.f90")[1]
    tool.write("inc/size.inc", "      integer, parameter :: n = 4\n")
    assert compiler("-Iinc", "-c", "f.f90")[1]


@pytest.mark.parametrize(
    "option", ["-save-temps", "--coverage", "-fstack-usage", "-gsplit-dwarf", "-Wa,-al=list", "-fdump-tree-all"]
)
def test_what_writes_more_than_an_object_is_done_again(tool, compiler, option):
    tool.write("x.c", "int f(void) { return 1; }\n")
    files = set()
    for _ in range(2):
        for path in files:
            path.unlink()
        assert compiler(option, "-c", "x.c")[1]
        found = {path for path in tool.folder.iterdir() if path.is_file()} - {tool.folder / "calls"}
        files, before = {path for path in found if path.name not in {"cc", "cxx", "fc", "x.c"}}, files
    assert len(files) > 1
    assert files == before


def test_builds_side_by_side_share_what_is_kept(tool, compiler):
    for number in range(6):
        tool.write(f"x{number}.c", C.replace("N", str(number)).replace('#include "n.h"', ""))
    tool.write("Makefile", "all: $(patsubst %.c,%.o,$(wildcard *.c))\n")
    for _ in range(2):
        for path in tool.folder.glob("*.o"):
            path.unlink()
        env = {"AUTOANALYZER_CACHE": str(tool.folder / "cache"), "AUTOANALYZER_CC": "gcc"}
        assert tool("make", "-j4", "CC=aa-mpicc", env=env).returncode == 0
        assert all(b"aa1|function|f|" in path.read_bytes() for path in tool.folder.glob("x*.o"))


def test_a_source_that_is_written_meanwhile_is_not_kept(tool, compiler):
    tool.write("x.c", "int f(void) { return 1; }\n")
    tool.write("cc", '#!/bin/sh\ntouch x.c\nexec gcc "$@"\n')
    assert compiler("-c", "x.c") == compiler("-c", "x.c")
    kept = [path for path in (tool.folder / "cache/compiled").rglob("*") if path.is_file()]
    assert len(kept) == 1  # what the compiler says of itself


def test_a_user_without_a_home_compiles(tool):
    tool.write("x.c", "int f(void) { return 1; }\n")
    done = tool("aa-mpicc", "-c", "x.c", env={"HOME": "/nonexistent", "AUTOANALYZER_CACHE": ""})
    assert (done.returncode, done.stderr) == (0, b"")
