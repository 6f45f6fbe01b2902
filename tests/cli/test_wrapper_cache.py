"""Repeated compilations give the same files and messages, and nothing stale."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from autoanalyzer.digests import text_of

C = '#include "n.h"\nint f(int n) { for (int i = 0; i < N + n; i++) n--; return n; }\n'
MODULE = "module m\n  integer, parameter :: n = 3\nend module\n"
USER = "integer function f(k)\n  use m\n  integer :: i\n  f = k\n  do i = 1, n\n    f = f + i\n  end do\nend function\n"


@pytest.fixture
def compiler(tool):
    """Return a function that compiles in the tool's folder, with its own cache and a compiler that logs its calls."""
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

    compile_.is_called = lambda: bool(calls.read_text())
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
    assert not compiler("-o", "y.o", "-c", "x.c")[1]  # an object does not contain its own name
    assert (tool.folder / "y.o").read_bytes() == (tool.folder / "x.o").read_bytes()
    assert compiler("-O1", "-c", "x.c")[1]
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
    said = (
        "autoanalyzer: n.h has changed since autoanalyzer-out/plan.toml was written, so all regions in this file are "
        "measured\n"
    )
    assert compiled() == (said, True, [False, True])
    assert compiled() == (said, False, [False, True])
    texts("n.h")
    assert compiled() == ("", True, [True, False])
    plan.write_text("version = 3\n")
    said, *done = compiled()
    assert "autoanalyzer-out/plan.toml: expected a plan of version 2, found version 3" in said
    assert "; the plan is ignored\n" in said
    assert done == [True, [True, True]]
    plan.unlink()
    assert compiled() == ("", True, [True, True])
    words = ["sh", "-c", "mkdir gone; cd gone; rmdir ../gone; aa-mpicc -c $OLDPWD/x.c -o $OLDPWD/x.o"]
    done = tool(*words, env={"AUTOANALYZER_PLAN": "auto"})
    assert (done.returncode, b"autoanalyzer" in done.stderr) == (0, False)


KNOWN = {
    "x.c": '#include "n.h"\n#include <sub/m.h>\n' + C.partition("\n")[2].replace("N", "N + M"),
    "inc/n.h": "#define N 3\n",
    "inc/sub/m.h": "#define M 4\n",
}
FLAGS = ("-g", "-MD", "-Ifirst", "-Iinc", "-c", "x.c")


@pytest.fixture
def known(tool, compiler):
    """Compile a source with headers twice, in older folders; return a function that compiles it again."""
    for name, text in KNOWN.items():
        tool.write(name, text)
    (tool.folder / "first").mkdir()

    def again(*words, **env):
        time.sleep(0.02)  # files written in the clock tick in which a compilation starts may be newer than it
        said, compiled = compiler(*(words or FLAGS), **env)
        return said, compiled, compiler.is_called()

    assert again()[2]
    return again


def test_a_compile_that_is_known_calls_nobody(tool, known):
    first = {name: (tool.folder / name).read_bytes() for name in ("x.o", "x.d")}
    for name in first:
        (tool.folder / name).unlink()
    assert known() == (b"", False, False)
    assert {name: (tool.folder / name).read_bytes() for name in first} == first
    tool.write("x.c", KNOWN["x.c"].replace("N + M", "M"))
    assert known() == (b"", True, True)
    tool.write("x.c", KNOWN["x.c"])
    assert known() == (b"", False, False)
    assert (tool.folder / "x.o").read_bytes() == first["x.o"]


CHANGES = {
    "x.c": KNOWN["x.c"] + "int g(void) { return 2; }\n",
    "inc/n.h": "#define N 33\n",
    "n.h": "#define N 33\n",  # next to the source
    "first/n.h": "#define N 33\n",
    "first/sub/m.h": "#define M 44\n",
}


@pytest.mark.parametrize("file", CHANGES)
def test_whatever_a_known_compile_would_read_now_is_looked_at(tool, known, file):
    tool.write("first/other.h", "")
    assert not known()[2]
    before = (tool.folder / "x.o").read_bytes()
    tool.write(file, CHANGES[file])
    assert known()[1:] == (True, True)
    assert (tool.folder / "x.o").read_bytes() != before
    assert file in (tool.folder / "x.d").read_text()
    assert not known()[2]


def test_a_header_that_is_gone_is_missed(tool, known):
    (tool.folder / "inc/n.h").unlink()
    with pytest.raises(AssertionError, match=r"n\.h: No such file"):
        known()


def test_the_surroundings_of_a_known_compile_are_looked_at(tool, known):
    assert known(AUTOANALYZER_MODES="functions")[1]
    assert known(COMPILER_PATH="/usr/lib")[1]
    tool.write("autoanalyzer-out/plan.toml", "version = 2\n")
    assert not known()[2]
    assert known(AUTOANALYZER_PLAN="auto")[1]
    assert not known(AUTOANALYZER_PLAN="auto")[2]
    assert known(AUTOANALYZER_CACHE_LIMIT="0")[1]
    with (tool.folder / "cc").open("a") as stream:
        stream.write("# another release\n")
    assert known()[1]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("inc/n.h", "#define N sizeof __TIME__\n"),
        ("inc/n.h", '#if __has_include("more.h")\n#define N 3\n#else\n#define N 4\n#endif\n'),
    ],
)
def test_what_follows_from_more_than_files_is_preprocessed_each_time(tool, known, file, text):
    tool.write(file, text)
    for _ in range(2):
        assert known()[2]


def test_the_short_way_of_the_stand_ins_compiles_as_the_long_one_does(tool):
    tool.write("x.c", "int f(int n) { for (int i = 0; i < n; i++) n--; return n; }\n")
    env = {"AUTOANALYZER_CACHE": str(tool.folder / "cache"), "LC_ALL": "C"}  # separate processes
    scripts = Path(sys.executable).parent
    way = Path(f"{tool.folder}/cache/start{scripts}/way")
    objects = []
    for source in ("x.c", "x.c", "x.c", "y.c"):
        time.sleep(0.02)
        tool.write("y.c", (tool.folder / "x.c").read_text() + "int g(int n) { return f(n); }\n")
        done = tool("aa-mpicc", "-c", source, "-o", "x.o", env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        objects.append((tool.folder / "x.o").read_bytes())
        (tool.folder / "x.o").unlink()
    assert Path(way.read_text().splitlines()[0]).samefile(sys.executable)
    assert objects[0] == objects[1] == objects[2]
    assert b"aa1|function|f|y.c" in objects[3]
    script = way.read_text().splitlines()[1]
    noted = way.read_text()
    way.write_text(f"{noted}\n{tool.folder}/gone")  # like a folder of packages
    tool.write("y.c", "int h(void) { return 1; }\n")
    assert tool("aa-mpicc", "-c", "y.c", env=env).returncode == 0
    assert way.read_text() == noted
    start = [sys.executable, "-I", "-S", "-X", "importtime", script, str(way), str(scripts / "aa-mpicc")]
    done = tool(*start, "-c", "x.c", "-o", "x.o", env={**env, "PWD": str(tool.folder)})
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "autoanalyzer.instrument.known_compile" in imported
    assert imported.isdisjoint(["re", "typing", "pathlib", "subprocess", "dataclasses", "hashlib", "contextlib"])


SEVERAL = {
    "a.c": "int b(int);\nint main(void) { return b(7) - 3; }\n",
    "b.c": "int b(int n) { while (n > 3) n--; return n; }\n",
}


@pytest.mark.parametrize("words", [("a.c", "b.c", "-o", "app"), ("-c", "a.c", "b.c")])
def test_several_sources_in_one_command_are_kept_each_by_itself(tool, compiler, words):
    for name, text in SEVERAL.items():
        tool.write(name, text)
    compiler("-O2", *words)
    tool.write("b.c", SEVERAL["b.c"] + "int more(void) { return 2; }\n")
    calls = tool.folder / "calls"
    compiler("-O2", *words)
    compiled = [line for line in calls.read_text().splitlines() if " -c " in f" {line} " and "-E" not in line.split()]
    assert len(compiled) == 1
    if "-c" in words:
        compiler("a.o", "b.o", "-o", "app")
    assert b"aa1|function|b|b.c" in (tool.folder / "app").read_bytes()
    assert tool("./app").returncode == 0


def test_what_the_compiler_and_we_said_is_said_again(tool, compiler):
    tool.write("x.c", "int f(void) { int unused; return 1; }\n_Bool g(int n) { switch (n) ; return n; }\n")
    first, _ = compiler("-Wall", "-c", "x.c")
    assert b"x.c:1:19: warning: unused variable" in first
    assert compiler("-Wall", "-c", "x.c") == (first, False)
    tool.write("odd.c", "typedef int (^block)(int);\n")
    wrapped = {"AUTOANALYZER_CC": "clang -fblocks"}
    named, _ = compiler("-c", "odd.c", **wrapped)
    assert b"odd.c:1:14: not instrumented" in named
    assert compiler("-c", "odd.c", **wrapped)[0] == named


def test_fortran_that_asks_for_no_warnings_is_compiled_once_whatever_the_compiler_says(tool, compiler):
    text = "subroutine f(n, x)\n  integer :: n\n  real :: x\n  call g(n)\n  call g(x)\nend\n"
    flags = ("-O2", "-fallow-argument-mismatch", "-c", "x.f90")
    tool.write("x.f90", text)
    plain = tool("gfortran", *flags)
    assert b"Type mismatch" in plain.stderr
    assert compiler(*flags) == (plain.stderr, True)
    calls = [set(line.split()) for line in (tool.folder / "calls").read_text().splitlines()]
    assert [("-fsyntax-only" in call) for call in calls if "-c" in call and "-E" not in call] == [False, True]


def test_the_module_of_a_file_with_a_byte_order_mark_comes_back(tool, compiler):
    tool.write("m.f90", f"\ufeff{MODULE}")
    for _ in range(2):
        compiler("-c", "m.f90")
        (tool.folder / "m.mod").unlink()


def test_modules_come_back_and_are_looked_at(tool, compiler):
    (tool.folder / "mods").mkdir()
    tool.write("m.f90", MODULE)
    tool.write("f.f90", USER)
    flags = ("-g", "-Jmods", "-c")
    assert compiler(*flags, "m.f90")[1]
    assert compiler(*flags, "f.f90")[1]
    assert "-fsyntax-only" not in (tool.folder / "calls").read_text()  # this would write no module
    kept = {name: (tool.folder / name).read_bytes() for name in ("mods/m.mod", "m.o", "f.o")}
    os.utime(tool.folder / "mods/m.mod", (1, 1))
    assert not compiler(*flags, "m.f90")[1]
    assert (tool.folder / "mods/m.mod").stat().st_mtime == 1  # so nothing that depends on it is rebuilt
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
    assert len(kept) == 2  # the compiler's answers about itself, and about fused operations


def test_a_user_without_a_home_compiles(tool):
    tool.write("x.c", "int f(void) { return 1; }\n")
    done = tool("aa-mpicc", "-c", "x.c", env={"HOME": "/nonexistent", "AUTOANALYZER_CACHE": ""})
    assert (done.returncode, done.stderr) == (0, b"")
