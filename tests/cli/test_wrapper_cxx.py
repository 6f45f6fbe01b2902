"""aa-mpicxx in real builds, in which only the compiler's name is changed."""

import shutil

import pytest

from .conftest import succeed

PROGRAM = {
    "src/main.cpp": """
#include <mpi.h>
#include <cstdio>
#include "area.hpp"
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    std::printf("%s %d\\n", NAME, area(4));
    MPI_Finalize();
}
""",
    "src/area.cc": '#include "area.hpp"\nint area(int n) { return sum<int>(n); }\n',
    "include/area.hpp": """
#pragma once
int area(int n);
template <class T> T sum(int n) {
    T s = 0;
    for (int i = 0; i < n; i++)
        s += n;
    return s;
}
""",
}
MAKEFILE = """
CXX = mpicxx
CXXFLAGS = -O2 -Wall -Werror -MMD -Iinclude -DNAME='"the area"'
app: main.o libarea.a
\t$(CXX) $(LDFLAGS) $^ -o $@
libarea.a: area.o
\t$(AR) rcs $@ $^
%.o: src/%.cpp
\t$(CXX) $(CXXFLAGS) -c $< -o $@
%.o: src/%.cc
\t$(CXX) $(CXXFLAGS) -c $< -o $@
-include $(wildcard *.d)
"""
MAIN = b"aa1|function|main|"
SUM = b"aa1|loop|loop@6|"
# The tests with both MPIs parse MPI's old C++ interface.
FLAGS = ["-O2", "-g", "-Iinclude", '-DNAME="the area"', "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
LOOP = "int f(int n) { while (n > 3) n--; return n; }\n"


def program(tool, **more):
    for name, text in {**PROGRAM, **more}.items():
        tool.write(name, text)


def check(tool, path="app", launcher="mpirun"):
    """Assert that the program prints the expected text; return its bytes."""
    done = tool(launcher, "-n", "1", f"./{path}")
    assert (done.returncode, done.stdout) == (0, b"the area 16\n"), done.stderr
    return (tool.folder / path).read_bytes()


@pytest.mark.long
@pytest.mark.nightly  # by day: CMake with C++, and single commands
def test_make_with_both_mpis(tool, mpi):
    launcher, compiler = mpi
    compiler = compiler.replace("mpicc", "mpicxx")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    program(tool, Makefile=MAKEFILE)
    done = succeed(tool("make", "CXX=aa-mpicxx", env={"AUTOANALYZER_CXX": compiler}))
    assert done.stderr == b""
    binary = check(tool, launcher=launcher)
    assert MAIN in binary
    assert SUM in binary
    assert "include/area.hpp" in (tool.folder / "area.d").read_text()
    assert (tool.folder / "area.d").read_text().startswith("area.o: src/area.cc")
    assert b"up to date" in tool("make", "CXX=aa-mpicxx").stdout


def test_one_call_that_compiles_and_links(tool):
    program(tool)
    done = succeed(tool("aa-mpicxx", *FLAGS, "-flto", "src/main.cpp", "src/area.cc", "-o", "app", "-lm"))
    assert done.stderr == b""
    assert MAIN in check(tool)


def test_off_is_the_compiler_itself(tool):
    program(tool)
    words = [*FLAGS, "src/main.cpp", "src/area.cc", "-o", "app"]
    succeed(tool("aa-mpicxx", *words, env={"AUTOANALYZER": "off"}))
    assert MAIN not in check(tool)


@pytest.mark.parametrize("suffix", [".cc", ".cpp", ".cxx", ".C", ".c++", ".cp", ".c"])
def test_what_a_source_is_called(tool, suffix):
    tool.write(f"x{suffix}", LOOP)
    succeed(tool("autoanalyzer", "compile", "--", "g++", "-c", f"x{suffix}", "-o", "x.o"))
    assert b"aa1|loop|loop@1|x" in (tool.folder / "x.o").read_bytes()


def test_a_language_by_option(tool):
    tool.write("x.txt", LOOP)
    succeed(tool("autoanalyzer", "compile", "--", "gcc", "-c", "-x", "c++", "x.txt", "-o", "x.o"))
    assert b"aa1|loop|loop@1|x.txt" in (tool.folder / "x.o").read_bytes()
    tool.write("y.c", "int new(int class) { while (class > 3) class--; return class; }\n")
    succeed(tool("autoanalyzer", "compile", "--", "g++", "-c", "-x", "c", "y.c", "-o", "y.o"))
    assert b"aa1|loop|loop@1|y.c" in (tool.folder / "y.o").read_bytes()


def test_preprocessed_by_hand(tool):
    program(tool)
    text = succeed(tool("aa-mpicxx", *FLAGS, "-E", "src/area.cc"))
    tool.write("area.ii", text.stdout.decode())
    succeed(tool("aa-mpicxx", "-c", "area.ii"))
    assert SUM in (tool.folder / "area.o").read_bytes()


@pytest.mark.parametrize("words", [["-M"], ["-MM"], ["-E"], ["-fsyntax-only"], ["--version"]])
def test_what_asks_the_compiler_is_answered_by_it(tool, words):
    program(tool)
    plain = tool("mpicxx", *FLAGS, *words, "src/area.cc")
    ours = tool("aa-mpicxx", *FLAGS, *words, "src/area.cc")
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_assembly_and_response_files(tool):
    program(tool, flags="-Iinclude -DNAME='\"the area\"'\n")
    succeed(tool("aa-mpicxx", "@flags", "-S", "src/area.cc", "-o", "area.s"))
    assert b"aa1|loop|loop@6|" in (tool.folder / "area.s").read_bytes()


def test_warnings_are_those_of_the_user_and_errors_of_warnings_too(tool):
    tool.write(
        "x.cc", "#include <cstdio>\nint f(int n) { int unused; for (unsigned i = 0; i < n; i++) n--; return n; }\n"
    )
    plain = tool("g++", "-Wall", "-Wextra", "-c", "x.cc")
    ours = tool("autoanalyzer", "compile", "--", "g++", "-Wall", "-Wextra", "-c", "x.cc")
    assert (ours.returncode, ours.stderr) == (plain.returncode, plain.stderr)
    assert b"unused" in plain.stderr
    refused = tool("autoanalyzer", "compile", "--", "g++", "-Wall", "-Werror", "-c", "x.cc")
    assert refused.returncode == 1


def test_precompiled_headers_and_modules_pass(tool):
    program(tool)
    compile_ = ("autoanalyzer", "compile", "--", "g++")
    succeed(tool(*compile_, "-x", "c++-header", "include/area.hpp", "-o", "area.hpp.gch"))
    assert (tool.folder / "area.hpp.gch").exists()
    tool.write("m.cc", "export module m;\nexport int m(int n) { while (n > 3) n--; return n; }\n")
    done = tool(*compile_, "-std=c++20", "-fmodules-ts", "-c", "m.cc")
    succeed(done)
    assert b"m.cc:1:1: not instrumented: C++ modules are not supported" in done.stderr


def test_debug_information_names_the_users_lines(tool):
    tool.write(
        "x.cc",
        "\n\ntemplate <class T> T f(T n) {\n    while (n > 3)\n        n--;\n    return n;\n}\n"
        "int g() { return f(9); }\n",
    )
    succeed(tool("autoanalyzer", "compile", "--", "g++", "-g", "-c", "x.cc"))
    lines = tool("objdump", "--dwarf=decodedline", "x.o").stdout.decode()
    assert {line.split()[1] for line in lines.splitlines() if line.startswith("x.cc ")} >= set("34568")
