"""Options that builds use, and the files that a compilation leaves: as without probes."""

import os
import shutil
import subprocess

import pytest

C = """#include "n.h"
int work(int n) {
    int s = 0;
    for (int i = 0; i < N; i++)
        s += i * n;
    return s;
}
int main(void) { return work(1) != 45; }
"""
HEADER = "#ifndef ONCE\n#define ONCE\n#define N 10\n#endif\n"
REGION = b"aa1|function|work|x.c|"
MODULE = """module m
contains
  subroutine work(n)
    integer :: n
    do while (n > 3)
      n = n - 1
    end do
  end subroutine
end module
"""


@pytest.fixture
def program(tool):
    tool.write("x.c", C)
    tool.write("n.h", HEADER)
    return tool


def compile_(tool, *words, stand_in="aa-mpicc", **env):
    done = tool(stand_in, *words, env={"AUTOANALYZER_CACHE_LIMIT": "0", **env})
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize(
    ("variable", "compiler"),
    [
        *(("OMPI_CC", "gcc"), ("MPICH_CC", "clang")),
        *(pytest.param(*each, marks=pytest.mark.nightly) for each in (("OMPI_CC", "clang"), ("MPICH_CC", "gcc"))),
    ],
)
def test_the_compiler_behind_mpicc_is_chosen_as_ever(program, variable, compiler):
    mpicc = {"OMPI_CC": "mpicc.openmpi", "MPICH_CC": "mpicc.mpich"}[variable]
    if not shutil.which(mpicc):
        pytest.skip(f"{mpicc} is not installed")
    compile_(program, "-g", "-O3", "-c", "x.c", AUTOANALYZER_CC=mpicc, **{variable: compiler})
    assert REGION in (program.folder / "x.o").read_bytes()
    (program.folder / "x.o").rename(program.folder / "y.o")
    compile_(program, "-g", "-O3", "y.o", "-o", "x", AUTOANALYZER_CC=mpicc, **{variable: compiler})
    assert program("./x").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ["-O2", "-flto"],
        ["-std=c99", "-pedantic-errors"],
        ["-std=gnu2x", "-fPIC"],
        ["-x", "c"],
        ["@flags"],
        ["-DTEXT=\"two  words, a 'quote'\"", "-DSHOUT(x)=x!"],
        ["-MMD", "-MP", "-MF", "x.dep", "-MT", "x.lo"],
        ["-Winvalid-pch", "-include", "n.h"],
    ],
    ids=" ".join,
)
def test_options_of_all_kinds(program, words):
    program.write("flags", "-O2 -I. '-DNAME=\"in quotes\"'\n")
    compile_(program, *words, "x.c", "-o", "x")
    assert REGION in (program.folder / "x").read_bytes()
    assert program("./x").returncode == 0


def test_options_have_long_names(program):
    program.write("x.txt", C)
    compile_(program, "--include=n.h", "--define-macro=X=1", "--language=c", "x.txt", "--output=x")
    assert REGION.replace(b"x.c", b"x.txt") in (program.folder / "x").read_bytes()
    assert program("./x").returncode == 0


DUMPS = ["-fstack-usage", "-fcallgraph-info", "-fdump-tree-optimized", "-fdump-rtl-final", "-fdump-ipa-cgraph"]


@pytest.mark.parametrize("option", ["-save-temps", "-save-temps=obj", "--coverage", "-gsplit-dwarf", *DUMPS])
@pytest.mark.by_day(option=["-save-temps", "-save-temps=obj", "--coverage", "-gsplit-dwarf", *DUMPS[1:3]])
def test_the_same_files_are_left(program, option):
    for folder, compiler in (("plain", "mpicc"), ("probed", "aa-mpicc")):
        compile_(program, option, "-g", "-c", "x.c", "-o", "x.o", stand_in=compiler)
        (program.folder / folder).mkdir()
        for path in program.folder.glob("x*[!c]"):
            path.rename(program.folder / folder / path.name)
    names = {path.name for path in (program.folder / "plain").iterdir()}
    assert len(names) > 1
    assert {path.name for path in (program.folder / "probed").iterdir()} == names
    if "temps" in option:
        plain, probed = ((program.folder / folder / "x.i").read_bytes() for folder in ("plain", "probed"))
        assert plain == probed


@pytest.mark.parametrize("option", ["-MJ", "-gen-cdb-fragment-path"])
def test_the_compilation_database_is_that_of_the_plain_compiler(program, option):
    """Clang has two options for it: one writes a file, the other one writes to a folder."""
    written = []
    for stand_in in ("clang", "aa-mpicc"):
        (program.folder / "written").mkdir()
        value = "written/x.json" if option == "-MJ" else "written"
        words = ("-O1", "-DUSED=1", option, value, "-c", "x.c", "-o", "x.o")
        compile_(program, *words, stand_in=stand_in, AUTOANALYZER_CC="clang")
        (entry,) = (program.folder / "written").iterdir()
        written.append(entry.read_text())
        entry.unlink()
        entry.parent.rmdir()
    assert REGION in (program.folder / "x.o").read_bytes()
    assert written[0] == written[1]
    assert '"x.c"' in written[0]


@pytest.mark.parametrize(
    "words",
    [
        ["-E", "x.c"],
        ["-MM", "x.c"],
        ["-fsyntax-only", "x.c"],
        ["-c", "x.c", "-o", "/dev/null"],
        ["-S", "n.s", "-o", "-"],
        ["-c", "n.s"],
        ["-c", "up.S"],
        ["-x", "c", "-E", "-"],
        ["-dM", "-E", "-x", "c", "/dev/null"],
        ["-c", "-x", "c", "/dev/null", "-o", "none.o"],
        ["-x", "c", "-c", "-", "-o", "/dev/null"],
        ["-x", "c", "-S", "-", "-o", "-"],
        ["-x", "c-header", "n.h", "-o", "n.h.gch"],
    ],
    ids=" ".join,
)
def test_what_holds_no_source_to_instrument_is_as_without_us(program, words):
    program.write("n.s", ".globl n\nn: ret\n")
    program.write("up.S", '#include "n.h"\n.globl up\nup: ret\n')
    found = []
    for compiler in ("mpicc", "aa-mpicc"):
        before = {path.name for path in program.folder.iterdir()}
        done = program(compiler, *words, stdin=b"int five(void) { return 5; }\n")
        made = [path for path in program.folder.iterdir() if path.name not in before]
        found.append((done.returncode, done.stdout, done.stderr, {path.name: path.read_bytes() for path in made}))
        for path in made:
            path.unlink()
    assert found[0] == found[1]


def test_a_source_on_standard_input_is_compiled_as_it_is_and_named(program):
    os.mkfifo(program.folder / "pipe.c")
    reason = "not instrumented: standard input and pipes can be read only once; compiled unchanged"
    objects = []
    for compiler, said in (("mpicc", ""), ("aa-mpicc", f"autoanalyzer: -: {reason}\n")):
        done = program(compiler, "-x", "c", "-c", "-", "-o", "in.o", stdin=b"int five(void) { return 5; }\n")
        assert (done.returncode, done.stderr.decode()) == (0, said)
        objects.append((program.folder / "in.o").read_bytes())
    assert objects[0] == objects[1]
    words = ("sh", "-c", 'echo "int six(void) { return 6; }" > pipe.c & aa-mpicc -c pipe.c')
    assert program(*words).stderr.decode() == f"autoanalyzer: pipe.c: {reason}\n"
    failed = program("aa-mpicc", "-x", "c", "-c", "-", stdin=b"int five(void) { return }\n")
    assert failed.returncode == 1
    assert b"autoanalyzer" not in failed.stderr


def test_assembly_on_standard_output_alone(program):
    assert b"aa1|function|work|" in compile_(program, "-S", "x.c", "-o", "-")


def test_precompiled_headers_of_clang_do_not_stand_in_the_way(program):
    program.write("h.hpp", "#pragma once\nstruct few { int n; };\n")
    program.write("x.cpp", "int main() { few f{3}; while (f.n < 9) f.n++; return f.n - 9; }\n")
    inner = ["-Xclang", "-include-pch", "-Xclang", "h.pch", "-Xclang", "-include", "-Xclang", "h.hpp"]
    for words in (["-x", "c++-header", "h.hpp", "-o", "h.pch"], [*inner, "x.cpp", "-o", "x"]):
        compile_(program, *words, stand_in="aa-mpicxx", AUTOANALYZER_CXX="clang++")
    assert b"aa1|function|main|x.cpp|" in (program.folder / "x").read_bytes()
    assert program("./x").returncode == 0


def test_a_compiler_cache_in_front_and_behind(program):
    log = program.folder / "log"
    program.write("ccache", f'#!/bin/sh\necho "$@" >> {log}\nexec "$@"\n').chmod(0o755)
    front = program(str(program.folder / "ccache"), "aa-mpicc", "-c", "x.c")
    assert (front.returncode, front.stderr) == (0, b"")
    assert REGION in (program.folder / "x.o").read_bytes()
    (program.folder / "x.o").unlink()
    compile_(program, "-c", "x.c", AUTOANALYZER_CC=f"{program.folder}/ccache mpicc")
    assert REGION in (program.folder / "x.o").read_bytes()
    assert "mpicc -c" in log.read_text()


def test_drivers_of_other_names_and_options(program):
    program.write("cc", '#!/bin/sh\nexec gcc "$@"\n').chmod(0o755)
    foreign = "-xHost|-qopenmp|-ipo|-fp-model|precise|-hnoomp"
    drop = f'for a; do shift; case $a in {foreign}) ;; *) set -- "$@" "$a";; esac; done'
    program.write("icx", f'#!/bin/sh\n{drop}\nexec clang "$@"\n').chmod(0o755)
    compile_(program, "-c", "x.c", AUTOANALYZER_CC=str(program.folder / "cc"))
    assert REGION in (program.folder / "x.o").read_bytes()
    words = ["-xHost", "-qopenmp", "-ipo", "-fp-model", "precise", "-hnoomp", "-c", "x.c"]
    compile_(program, *words, AUTOANALYZER_CC=str(program.folder / "icx"))
    assert REGION in (program.folder / "x.o").read_bytes()


def test_a_source_that_the_preprocessor_alone_rejects_is_named(program):
    for said, reason in (("", "the preprocessor rejects it"), ("x.c: error: no -E", "x.c: error: no -E")):
        refuse = f'case " $* " in *" -E "*) printf "{said}" >&2; exit 1;; esac'
        program.write("cc", f'#!/bin/sh\n{refuse}\nexec gcc "$@"\n').chmod(0o755)
        done = program("aa-mpicc", "-c", "x.c", env={"AUTOANALYZER_CC": str(program.folder / "cc")})
        assert done.returncode == 0
        assert done.stderr.decode() == f"autoanalyzer: x.c: not instrumented: {reason}; compiled unchanged\n"


def lines_of(program, name):
    """Return the files and lines in the debug information of an object."""
    done = subprocess.run(
        ["readelf", "--debug-dump=decodedline", name], cwd=program.folder, capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(row[0], int(row[1])) for row in rows if len(row) > 2 and "." in row[0] and row[1].isdigit()}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_debug_information_is_of_the_users_lines(program, compiler):
    for name, stand_in in (("plain.o", "mpicc"), ("probed.o", "aa-mpicc")):
        env = {"OMPI_CC": compiler, "MPICH_CC": compiler}
        compile_(program, "-g", "-O0", "-c", "x.c", "-o", name, stand_in=stand_in, **env)
    assert lines_of(program, "plain.o") <= lines_of(program, "probed.o")
    assert {file for file, _ in lines_of(program, "probed.o")} == {"x.c"}


def test_objects_with_debug_information_are_the_same_each_time(program):
    program.write("m.f90", MODULE)
    for stand_in, source in (("aa-mpicc", "x.c"), ("aa-mpifort", "m.f90")):
        objects = []
        for _ in range(2):
            compile_(program, "-g", "-O1", "-c", source, "-o", "again.o", stand_in=stand_in)
            objects.append((program.folder / "again.o").read_bytes())
        assert objects[0] == objects[1]
        assert b"/autoanalyzer-" not in objects[0]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.by_day(level=["-O2"])
def test_messages_are_those_of_the_untouched_compile(program, level):
    cases = {
        "front.c": "#define BAD(x) (x == x)\nint f(int n) { int unused; if (n = 2) return BAD(n); return 0; }\n",
        "flow.c": "int f(int n) { int s; for (int i = 0; i < n; i++) s += i; return s; }\n",
        "hidden.c": "char b[8]; int n; void f(void) { int u; n = 16; for (int i = 0; i < 3; i++) n = 16;"
        " __builtin_memset(b, 1, n); }\n",
        "pre.c": "#warning first\n#define BAD(x) if (x = 3) x++\nint f(int n) { BAD(n); return n; }\n",
        "quiet.cpp": "int f(int n) { int unused; for (int i = 0; i < 3u; i++) n++; return n; }\n",
        "types.f90": "subroutine f(n)\n  integer :: n, m\n  n = 3.5\n  do while (n > 1)\n    n = 0\n  end do\nend\n",
    }
    for name, text in cases.items():
        program.write(name, text)
        compiler = {".f90": "mpifort", ".cpp": "mpicxx"}.get(name[name.index(".") :], "mpicc")
        words = [level, "-Wall", "-Wextra", "-c", name]
        plain, probed = program(compiler, *words), program(f"aa-{compiler}", *words)
        assert plain.stderr or level == "-O0"
        assert (probed.returncode, probed.stderr.decode()) == (plain.returncode, plain.stderr.decode())


def test_response_files_are_read_as_the_compiler_reads_them(program):
    """Backslashes count in both kinds of quotes, unlike in a shell; CMake and Ninja write such files."""
    program.write("flags", """-DS="\\"a\\\\\\\\b\\"" '-DT=\\"x y\\"' -DU=\\"it\\'s\\" -DV='"z"'\n""")
    program.write("said.c", "#include <stdio.h>\nint main(void) { return puts(S T U V) < 0; }\n")
    compile_(program, "@flags", "said.c", "-o", "plain", stand_in="gcc")
    compile_(program, "@flags", "said.c", "-o", "probed", AUTOANALYZER_CC="gcc")
    assert program("./plain").stdout == program("./probed").stdout == b"a\\bx yit'sz\n"
