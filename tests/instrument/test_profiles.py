"""Profile-guided optimisation: profiles written with probes are used with probes."""

import re

import pytest

C = """#include <stdio.h>
static long work(int n) {
    long s = 0;
    for (int i = 0; i < n * 100; i++) {
        if (i % 3) s += i % 7; else s -= i;
    }
    return s;
}
int main(void) {
    long t = 0;
    for (int k = 1; k < 4; k++) t += work(k);
    printf("%ld\\n", t);
    return 0;
}
"""
CXX = """#include <cstdio>
template<class T> static T work(T n) {
    T v[100];
    T s = 0;
    for (int i = 0; i < 100; i++) v[i] = i % int(n);
    for (auto each : v) { if (each > 1) s += each; else s -= each; }
    return s;
}
int main() {
    double t = 0;
    for (int k = 1; k < 30; k++)
        try { if (k == 7) throw k; t += work<double>(k) + work<float>(k); } catch (int) { t += 1; }
    std::printf("%g\\n", t);
}
"""
FORTRAN = """program main
  implicit none
  integer :: i, s
  s = 0
  do i = 1, 1000
    if (mod(i, 3) == 0) s = s + i
  end do
  print *, s
end program
"""
LANGUAGES = [("gcc", "x.c", C), ("g++", "x.cpp", CXX), ("gfortran", "x.f90", FORTRAN)]
IN_EACH_LANGUAGE = pytest.mark.parametrize(("cc", "source", "text"), LANGUAGES)
PROBED = ("autoanalyzer", "compile", "--")
PROBE = b"aa1|"


def succeed(done):
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    return done


STEPS = {"object": ["-c", "{0}", "-o", "x.o"], "program": ["{0}", "-o", "x"]}


@pytest.mark.parametrize(
    ("cc", "source", "text", "step"),
    [
        pytest.param(*language, STEPS[step], id=f"{language[0]}-{step}", marks=[] if by_day else pytest.mark.nightly)
        for language in LANGUAGES
        for step, by_day in (("object", language[0] != "g++"), ("program", language[0] != "gfortran"))
    ],
)
def test_a_profile_written_with_probes_is_read_with_probes(tool, cc, source, text, step):
    tool.write(source, text)
    words = [word.format(source) for word in step]
    succeed(tool(*PROBED, cc, "-O2", "-fprofile-generate", *words))
    if "-c" in words:
        succeed(tool(cc, "-fprofile-generate", "x.o", "-o", "x"))
    printed = succeed(tool("./x")).stdout
    succeed(tool(*PROBED, cc, "-O2", "-Wall", "-Werror", "-fprofile-use", *words))
    assert PROBE in (tool.folder / words[-1]).read_bytes()
    if "-c" in words:
        succeed(tool(cc, "x.o", "-o", "x"))
    assert succeed(tool("./x")).stdout == printed


@pytest.mark.by_day(more=[("-Werror",)])
@IN_EACH_LANGUAGE
@pytest.mark.parametrize("more", [(), ("-Werror",)], ids=["warning", "error"])
def test_a_missing_profile_is_named_as_without_probes(tool, cc, source, text, more):
    tool.write(source, text)
    words = (cc, "-O2", "-Wmissing-profile", *more, "-fprofile-use", "-c", source, "-o", "x.o")
    plain, probed = tool(*words), tool(*PROBED, *words)
    assert b"x.gcda" in plain.stderr
    assert (probed.returncode, probed.stderr) == (plain.returncode, plain.stderr)


def test_warnings_of_a_source_with_a_profile_are_those_without_probes(tool):
    step = "__attribute__((no_instrument_function)) void step(int n, long *t) { int unused; *t += work(n); }\n"
    tool.write("x.c", C.replace("int main", step + "int main").replace("t += work(k)", "step(k, &t)"))
    succeed(tool(*PROBED, "gcc", "-O2", "-fprofile-generate", "-c", "x.c"))
    succeed(tool("gcc", "-fprofile-generate", "x.o", "-o", "x"))
    tool("./x")
    probed = tool(*PROBED, "gcc", "-O2", "-Wall", "-fprofile-use", "-c", "x.c")
    plain = tool("gcc", "-O2", "-Wall", "-c", "x.c", "-o", "plain.o")
    assert b"unused" in plain.stderr
    assert (probed.returncode, probed.stderr) == (0, plain.stderr)
    assert PROBE in (tool.folder / "x.o").read_bytes()


@IN_EACH_LANGUAGE
def test_a_profile_written_without_probes_is_read_without_probes_and_that_is_said(tool, cc, source, text):
    tool.write(source, text)
    succeed(tool(cc, "-O2", "-fprofile-generate", "-c", source))
    succeed(tool(cc, "-fprofile-generate", "x.o", "-o", "x"))
    tool("./x")
    words = (cc, "-O2", "-Wall", "-Werror", "-fprofile-use", "-c", source, "-o", "x.o")
    succeed(tool(*words))
    plain = (tool.folder / "x.o").read_bytes()
    probed = tool(*PROBED, *words)
    reason = "the profile was recorded by a program without these probes; compiled unchanged"
    assert (probed.returncode, probed.stderr.decode()) == (0, f"autoanalyzer: {source}: not instrumented: {reason}\n")
    assert (tool.folder / "x.o").read_bytes() == plain


def test_what_clang_maps_coverage_of_is_compiled_unchanged_and_named(tool):
    tool.write("x.c", C)
    words = ("clang", "-O1", "-fprofile-instr-generate", "-fcoverage-mapping", "-c", "x.c", "-o", "x.o")
    succeed(tool(*words))
    plain = (tool.folder / "x.o").read_bytes()
    probed = tool(*PROBED, *words)
    assert probed.returncode == 0
    assert (
        "x.c:1:1: not instrumented: coverage would be mapped to the source text with probes" in probed.stderr.decode()
    )
    assert (tool.folder / "x.o").read_bytes() == plain


def test_clang_counts_the_functions_of_a_source_as_without_probes(tool):
    tool.write("x.c", C.replace("static ", ""))
    found = []
    for prefix in ((), PROBED):
        words = ("clang", "-O1", "-fprofile-instr-generate", "-S", "-emit-llvm", "x.c", "-o", "x.ll")
        succeed(tool(*prefix, *words))
        records = re.findall(r"@__profd_(\w+) = .*?\{ (i64 -?\d+, i64 -?\d+),", (tool.folder / "x.ll").read_text())
        found.append(dict(records))
    assert found[0].keys() == {"work", "main"}
    assert found[0].items() <= found[1].items()
