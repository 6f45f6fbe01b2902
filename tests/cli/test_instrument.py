"""autoanalyzer instrument: writes the source with probes to a file."""

import pytest

SOURCE = "#include <n.h>\nint main(void) { int n = N; while (n > 3) n--; return n; }\n"


def test_the_text_is_written_and_compiles_anywhere(tool):
    tool.write("src/x.c", SOURCE)
    tool.write("inc/n.h", "")
    done = tool("autoanalyzer", "instrument", "src/x.c", "-o", "out/deep", "--cc", "gcc -std=c99", "-Iinc", "-D", "N=9")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"out/deep/x.i: 2 regions\n", b"")
    assert [path.name for path in (tool.folder / "out/deep").iterdir()] == ["x.i"]
    assert tool("clang", "-Wall", "-Werror", "out/deep/x.i", "-o", "x").returncode == 0
    assert tool("./x").returncode == 3
    assert b"aa1|loop|loop@2|src/x.c|main|0|2|2" in (tool.folder / "x").read_bytes()


def test_flags_of_the_compiler_follow_after_dashes(tool):
    tool.write("x.c", SOURCE)
    tool.write("inc/n.h", "")
    done = tool("autoanalyzer", "instrument", "-o", "out", "x.c", "--", "-isystem", "inc", "-DN=9")
    assert (done.returncode, done.stdout) == (0, b"out/x.i: 2 regions\n")


def test_fortran_is_written_in_its_form_with_the_stub_beside(tool):
    tool.write("src/main.F90", "program main\n  integer :: n = N\n  call lower(n)\n  print *, n\nend program\n")
    tool.write(
        "lower.f", "      subroutine lower(n)\n      do while (n .gt. 3)\n      n = n - 1\n      end do\n      end\n"
    )
    done = tool("autoanalyzer", "instrument", "src/main.F90", "lower.f", "-o", "out", "--fc", "gfortran", "-DN=9")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"out/main.f90: 1 region\nout/lower.f: 2 regions\n"
    sources = ["fortran_stub.c", "lower.f", "main.f90"]
    assert sorted(path.name for path in (tool.folder / "out").iterdir()) == sources
    assert tool("gfortran", *(f"out/{name}" for name in sources), "-o", "x").returncode == 0
    assert tool("./x").stdout.split() == [b"3"]
    assert b"aa1|loop|loop@2|lower.f|lower|0|2|4" in (tool.folder / "x").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.c", "-o", "out"], "missing.c: expected a C, C++ or Fortran source, found nothing"),
        (["folder", "-o", "out"], "folder: expected a C, C++ or Fortran source, found a folder"),
        (["x.txt", "-o", "out"], "x.txt: expected a C, C++ or Fortran source, found another kind of file"),
        (["nohead.c", "-o", "out"], "nohead.c: rejected by the preprocessor: "),
        (["x.c", "-o", "x.c/deep"], "x.c/deep: expected a folder: "),
        (["x.c", "a/x.c", "-o", "out"], "a/x.c: two sources have this base name; write them to different folders"),
        (["x.c", "-o", "out", "--cc", "no-such-cc"], "compiler no-such-cc: No such file or directory; "),
        (["x.c", "-o", "out", "--cc", ""], "--cc: expected a compiler command, found nothing"),
        (["x.c", "-o", "out", "--fc", ""], "--fc: expected a compiler command, found nothing"),
        (["x.c", "-o", "out", "--cc", "'gcc"], '--cc: expected a command, found "\'gcc"'),
        (["odd.c", "-o", "out"], "odd.c:2:1: expected identifier or '('"),
        (["x.c"], "the following arguments are required: -o"),
    ],
)
def test_bad_input_is_one_line(tool, words, message):
    (tool.folder / "folder").mkdir()
    for name in ("x.c", "a/x.c"):
        tool.write(name, "int main(void) { return 0; }\n")
    tool.write("x.txt", "end\n")
    tool.write("nohead.c", '#include "nowhere.h"\n')
    tool.write("odd.c", "int x;\n{ int y;\n")
    done = tool("autoanalyzer", "instrument", *words)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"autoanalyzer: {message}")
    assert done.stderr.count(b"\n") == 1
    assert not list((tool.folder).glob("out/odd*"))
