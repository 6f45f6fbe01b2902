"""autoanalyzer compile: any compiler command."""

from pathlib import Path

import pytest

SOURCE = "int f(int n) { while (n > 3) n--; return n; }\nint main(void) { return f(9); }\n"


@pytest.mark.parametrize("dashes", [["--"], []])
def test_any_compiler_can_be_called(tool, dashes):
    tool.write("x.c", SOURCE)
    for compiler in ("gcc", "clang", "mpicc"):
        done = tool("autoanalyzer", "compile", *dashes, compiler, "-O1", "x.c", "-o", "x")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert b"aa1|loop|loop@1|x.c|f|0|1|1" in (tool.folder / "x").read_bytes()
        assert tool("./x").returncode == 3


def test_a_launcher_before_the_compiler_stays(tool):
    tool.write("x.c", SOURCE)
    launcher = tool.write("ccache", '#!/bin/sh\necho "$@" >>calls\nexec "$@"\n')
    launcher.chmod(0o755)
    assert tool("autoanalyzer", "compile", "--", "./ccache", "gcc", "-c", "x.c").returncode == 0
    assert b"aa1|loop|" in (tool.folder / "x.o").read_bytes()
    assert all(line.startswith("gcc ") for line in Path(tool.folder / "calls").read_text().splitlines())


def test_the_status_is_the_compilers(tool):
    tool.write("x.c", "int main(void) { return 1 + ; }\n")
    plain = tool("gcc", "-c", "x.c")
    done = tool("autoanalyzer", "compile", "--", "gcc", "-c", "x.c")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_no_command_is_one_line(tool):
    for words in ([], ["--"]):
        done = tool("autoanalyzer", "compile", *words)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == b"autoanalyzer: expected a compiler command after 'compile --', found nothing\n"


def test_a_response_file_that_only_the_compiler_can_read_is_left_to_it(tool):
    tool.write("x.c", "int NAME(void) { return 1; }\n")
    tool.write("flags", "-DNAME=it\\'s -c")
    tool.write("broken", "-DNAME='x\n")
    for words in (("@flags",), ("@broken", "-c")):
        plain = tool("gcc", *words, "x.c")
        done = tool("autoanalyzer", "compile", "--", "gcc", *words, "x.c")
        assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_a_cxx_compiler_passes(tool):
    tool.write("x.c", "int main() { return bool(7) + int(2); }\n")
    for compiler in ("g++", "mpicxx"):
        done = tool("autoanalyzer", "compile", "--", compiler, "x.c", "-o", "x")
        assert (done.returncode, done.stderr) == (0, b"")
        assert tool("./x").returncode == 3
