"""aa-mpicc in real builds, in which only the compiler's name is changed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import succeed

PROGRAM = {
    "src/main.c": """
#include <mpi.h>
#include <stdio.h>
#include "area.h"
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    printf("%s %d\\n", NAME, area(4));
    MPI_Finalize();
    return 0;
}
""",
    "src/area.c": '#include "area.h"\nint area(int n) { int s = 0; for (int i = 0; i < n; i++) s += n; return s; }\n',
    "include/area.h": "int area(int n);\n",
}
MAKEFILE = """
CC = mpicc
CFLAGS = -O2 -Wall -Werror -MMD -Iinclude -DNAME='"the area"'
app: main.o libarea.a
\t$(CC) $(LDFLAGS) $^ -o $@
libarea.a: area.o
\t$(AR) rcs $@ $^
%.o: src/%.c
\t$(CC) $(CFLAGS) -c $< -o $@
-include $(wildcard *.d)
"""
PROBES = b"aa1|function|main|"


def program(tool, **more):
    for name, text in {**PROGRAM, **more}.items():
        tool.write(name, text)


def check(tool, path="app"):
    """Assert that the program has probes and prints the expected text."""
    binary = (tool.folder / path).read_bytes()
    done = tool("mpirun", "-n", "1", f"./{path}")
    assert (done.returncode, done.stdout) == (0, b"the area 16\n"), done.stderr
    return binary


@pytest.mark.by_day(mpi=["openmpi"])
def test_make_with_both_mpis(tool, mpi):
    launcher, compiler = mpi
    program(tool, Makefile=MAKEFILE)
    done = succeed(tool("make", "CC=aa-mpicc", env={"AUTOANALYZER_CC": compiler}))
    assert done.stderr == b""
    assert PROBES in (tool.folder / "app").read_bytes()
    assert tool(launcher, "-n", "2", "./app").stdout == 2 * b"the area 16\n"
    assert "include/area.h" in (tool.folder / "area.d").read_text()
    assert b"up to date" in tool("make", "CC=aa-mpicc").stdout
    (tool.folder / "include/area.h").touch()
    assert tool("make", "CC=aa-mpicc").stdout.count(b" -c ") == 2


def test_one_call_that_compiles_and_links(tool):
    program(tool)
    sources = ["src/main.c", "src/area.c"]
    succeed(tool("aa-mpicc", "-O2", "-g", "-Iinclude", '-DNAME="the area"', *sources, "-o", "app", "-lm"))
    assert PROBES in check(tool)


def test_off_is_the_compiler_itself(tool):
    program(tool)
    flags = ["-Iinclude", '-DNAME="the area"', "src/main.c", "src/area.c", "-o", "app"]
    succeed(tool("aa-mpicc", *flags, env={"AUTOANALYZER": "off"}))
    assert b"aa1|" not in check(tool)


REFUSED = {
    "": "is empty: set it to a compiler, or unset it to use ",
    "no-such-cc": "compiler no-such-cc: No such file",
    "'gcc": "quotation",
}


@pytest.mark.parametrize(("language", "wrapper"), [("CC", "aa-mpicc"), ("CXX", "aa-mpicxx"), ("FC", "aa-mpifort")])
def test_a_compiler_that_is_none_or_the_wrapper_itself_is_one_line(tool, language, wrapper):
    found = {**REFUSED, wrapper: "expected a real compiler", f"{wrapper[3:]}.openmpi": "called this wrapper again"}
    for value, hint in found.items():
        env = {f"AUTOANALYZER_{language}": value, f"OMPI_{language}": wrapper if "openmpi" in value else ""}
        for arguments in (["-c", "x.f90"], ["--version"]):
            done = tool(wrapper, *arguments, env=env)
            assert (done.returncode, done.stdout) == (2, b"")
            assert done.stderr.startswith(b"autoanalyzer: ")
            assert hint in done.stderr.decode()
            assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("compiler", ["mpicc", "mpifort"])
def test_what_asks_the_compiler_is_answered_by_it(tool, compiler):
    for words in (
        "--version",
        "--showme",
        "-show",
        "-v",
        "-print-search-dirs",
        "-E -dM /dev/null",
        "-cpp -E /dev/null",
    ):
        plain, probed = (tool(each, *words.split()) for each in (compiler, f"aa-{compiler}"))
        assert (probed.returncode, probed.stdout, probed.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_source_from_standard_input_passes(tool):
    done = succeed(tool("aa-mpicc", "-x", "c", "-", "-o", "x", stdin=b"int main(void) { return 5; }\n"))
    assert done.stderr.startswith(b"autoanalyzer: -: not instrumented: ")
    assert tool("./x").returncode == 5


def test_hand_preprocessed_text_is_instrumented_by_its_markers(tool):
    program(tool)
    flags = ["-Iinclude", '-DNAME="the area"']
    with (tool.folder / "main.i").open("wb") as stream:
        stream.write(succeed(tool("aa-mpicc", *flags, "-E", "src/main.c")).stdout)
    succeed(tool("aa-mpicc", "-c", "main.i"))
    succeed(tool("aa-mpicc", *flags, "main.o", "src/area.c", "-o", "app"))
    assert b"aa1|function|main|src/main.c|main" in check(tool)


def test_a_file_that_cannot_be_read_is_compiled_as_it_is_and_named(tool):
    tool.write("x.c", "int three = 3;\ntypedef int (^block)(int);\nint main(void) { return three; }\n")
    done = succeed(tool("aa-mpicc", "-fblocks", "x.c", "-o", "x", env={"AUTOANALYZER_CC": "clang"}))
    assert done.stderr == (
        b"autoanalyzer: x.c:2:14: not instrumented: blocks support disabled - compile with -fblocks or pick a "
        b"deployment target that supports them; compiled unchanged\n"
        b"    typedef int (^block)(int);\n"
    )
    assert tool("./x").returncode == 3


NO_LIBCLANG = {"LIBCLANG_LIBRARY_PATH": "nowhere"}


def test_without_its_parser_a_file_is_compiled_as_it_is_and_named(tool):
    tool.write("x.cc", "int main() { return 3; }\n")
    done = succeed(tool("aa-mpicxx", "x.cc", "-o", "x", env=NO_LIBCLANG))
    said = b"autoanalyzer: x.cc: not instrumented: libclang, which parses C and C++, cannot be loaded: nowhere/libclang"
    assert done.stderr.startswith(said)
    assert done.stderr.endswith(b"; compiled unchanged\n")
    assert tool("./x").returncode == 3


def test_without_libclang_pycparser_reads_c_and_what_it_cannot_read_is_compiled_as_it_is_and_named(tool):
    tool.write("x.c", "int f(int n) { while (n > 3) n--; return n; }\n")
    assert succeed(tool("aa-mpicc", "-c", "x.c", env=NO_LIBCLANG)).stderr == b""
    assert b"aa1|loop|loop@1|x.c|f" in (tool.folder / "x.o").read_bytes()
    tool.write(
        "odd.c", "int f(int n);\nint g(int n; int a[n], int n) { return a[n]; }\nint main(void) { return f(9); }\n"
    )
    done = succeed(tool("aa-mpicc", "odd.c", "x.o", "-o", "odd", env={"AUTOANALYZER_C_READER": "pycparser"}))
    assert done.stderr.startswith(b"autoanalyzer: odd.c:2:12: not instrumented: unexpected ;")
    assert tool("./odd").returncode == 3


def test_once_its_parser_is_back_a_file_is_instrumented_though_nothing_else_changed(tool):
    tool.write("x.cc", "int main() { return 3; }\n")
    assert b"cannot be loaded" in succeed(tool("aa-mpicxx", "-c", "x.cc", env=NO_LIBCLANG)).stderr
    assert succeed(tool("aa-mpicxx", "-c", "x.cc")).stderr == b""
    assert b"main" in succeed(tool("nm", "x.o")).stdout
    done = tool("autoanalyzer", "regions", "x.cc", env=NO_LIBCLANG)
    assert done.returncode == 2
    assert done.stderr.startswith(b"autoanalyzer: libclang, which parses C and C++, cannot be loaded: nowhere")


def test_what_the_compiler_cannot_take_with_probes_is_compiled_without_and_named(tool):
    ours = "aa_enter_counted"  # the name of a probe function
    tool.write("x.c", f"int {ours}(int n) {{ while (n > 3) n--; return n; }}\nint main(void) {{ return {ours}(7); }}\n")
    done = succeed(tool("aa-mpicc", "x.c", "-o", "x"))
    assert done.stderr.startswith(b"autoanalyzer: x.c: not instrumented: ")
    assert done.stderr.endswith(b"; compiled unchanged\n")
    assert done.stderr.count(b"\n") == 1
    assert tool("./x").returncode == 3


def test_warnings_as_errors_of_the_guards_making_do_not_stop_a_build(tool):
    source = "int f(int n) { if ((n = 2)) return 1; }\nint main(void) { return f(3); }\n"
    tool.write("x.c", source)
    done = succeed(tool("aa-mpicc", "-O1", "-Wall", "-Werror", "x.c", "-o", "x"))
    assert done.stderr == b""
    assert PROBES in (tool.folder / "x").read_bytes()


INTERRUPTED = """import os, signal, tempfile
make = tempfile.mkdtemp
def interrupted(**named):
    folder = make(**named)
    os.kill(os.getpid(), signal.SIGTERM)
    return folder
tempfile.mkdtemp = interrupted
from autoanalyzer.instrument.workspace import workspace
with workspace() as work:
    work.folder
"""


def test_a_signal_that_comes_as_the_folder_is_made_leaves_none(tool):
    (tool.folder / "tmp").mkdir()
    done = tool(sys.executable, "-c", INTERRUPTED, env={"TMPDIR": str(tool.folder / "tmp")})
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")
    assert not list((tool.folder / "tmp").iterdir())


def test_an_interrupted_compile_leaves_nothing_behind(tool):
    (tool.folder / "tmp").mkdir()
    body = "".join(f"int f{i}(int n) {{ for (int j = 0; j < n; j++) n += j * {i}; return n; }}\n" for i in range(4000))
    tool.write("x.c", body)
    wrapper = Path(sys.executable).parent / "aa-mpicc"
    process = subprocess.Popen(
        [wrapper, "-O2", "-c", "x.c"], cwd=tool.folder, env={**os.environ, "TMPDIR": str(tool.folder / "tmp")}
    )
    while not any((tool.folder / "tmp").iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    assert not [path for path in (tool.folder / "tmp").iterdir() if path.name.startswith("autoanalyzer-")]
    assert not (tool.folder / "x.o").exists()
