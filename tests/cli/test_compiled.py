"""Compiler options: objects contain them, runs store them, and readers of the sources use them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from autoanalyzer.advise.nest import Loop
from autoanalyzer.advise.reading import Found, Reading
from autoanalyzer.experiment import load
from autoanalyzer.experiment.compiled import Compiled, entries

from .conftest import succeed

C = """
#include <mpi.h>
#include <setup.h>
int main(int argc, char **argv) {
    static double a[1000];
    MPI_Init(&argc, &argv);
#if defined(FAST) && TIMES > 4 && defined(FORCED)
    for (int i = 0; i < 1000; i++) a[i] = i;
#else
    for (int i = 0; i < 10; i++) a[i] = i;
#endif
#ifdef _OPENMP
    for (int i = 0; i < 20; i++) a[i] += _OPENMP;
#else
    for (int i = 0; i < 30; i++) a[i] = 0;
#endif
    MPI_Finalize();
    return a[999] < 0;
}
"""
FORTRAN = """
#include "setup.h"
program p
  use mpi
  integer :: i, error
  double precision :: a(1000)
  call MPI_Init(error)
#if defined(FAST) && TIMES > 4
  do i = 1, 1000
    a(i) = i
  end do
#else
  do i = 1, 10
    a(i) = i
  end do
#endif
#if defined(_OPENMP) && !defined(__INTEL_COMPILER)
  do i = 1, 20
    a(i) = a(i) + 201511
  end do
#else
  a = 0
#endif
  call MPI_Finalize(error)
  if (a(1000) < 0) stop 1
end program
"""


class Case(NamedTuple):
    compiler: str
    name: str
    text: str
    language: str

    @property
    def options(self) -> tuple[str, ...]:
        return OPTIONS if self.language == "fortran" else (*OPTIONS, "-include", "../forced.h")


CASES = [
    Case("aa-mpicc", "main.c", C, "c"),
    Case("aa-mpicxx", "main.cc", C, "c++"),
    Case("aa-mpifort", "main.F90", FORTRAN, "fortran"),
]
OPTIONS = ("-DFAST", "-I../headers", "-fopenmp", "-O1")


@pytest.fixture
def built(tool):
    """Return a function that builds a source outside its headers' folder; it returns what the program records."""

    def build(compiler: str, name: str, text: str, options: Sequence[str]) -> list[Compiled]:
        tool.write("forced.h", "#define FORCED\n")
        for folder in ("headers", "source", "build"):
            (tool.folder / folder).mkdir(exist_ok=True)
        tool.write("headers/setup.h", "#ifdef FAST\n#define TIMES 8\n#endif\n")
        tool.write(f"source/{name}", text)
        command = " ".join([compiler, *options, f"../source/{name}", "-o", "../app"])
        succeed(tool("sh", "-c", f"cd build && {command}"))
        return [*entries((tool.folder / "app").read_bytes())]

    return build


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_an_object_says_how_its_source_was_compiled_and_what_ran_is_read_as_it_was_built(tool, built, case):
    (unit,) = built(case.compiler, case.name, case.text, case.options)
    assert (unit.language, unit.folder) == (case.language, str(tool.folder / "build"))
    assert [*unit.files] == [f"../source/{case.name}"]
    assert {"-DFAST", "-I../headers", "-fopenmp"} <= {*unit.options}
    assert "-O1" not in unit.options
    language = "f95-cpp-input" if case.language == "fortran" else case.language
    asked = succeed(tool("sh", "-c", f"echo _OPENMP | {case.compiler[3:]} -fopenmp -cpp -E -x {language} -"))
    assert unit.predefined["_OPENMP"] == asked.stdout.split()[-1].decode()

    succeed(tool("autoanalyzer", "run", "--no-analyze", "-o", "out", "mpirun", "-n", "1", "./app"))
    (ran,) = load(tool.folder / "out" / "experiment.cube").notes.compiled
    assert ran.language == case.language
    reading = Reading(lambda _: Found(tool.folder / "source" / case.name), {}, [ran])
    source = reading.read(f"../source/{case.name}")
    assert (source.doubtful, reading.remarks) == (frozenset(), [])
    (procedure,) = source.procedures
    of_options = re.compile(r"i < 1000;|i = 1, 1000|i < 20;|i = 1, 20")
    lines = [number for number, line in enumerate(case.text.split("\n"), 1) if of_options.search(line)]
    assert [each.line for each in procedure.body if isinstance(each, Loop)] == lines


def test_texts_and_what_decides_nothing_stay_out(built):
    secrets = ("'-DKEY=\"sesame\"'", "'-DCALL(x)=f(x, \"sesame\")'", "-Wl,-rpath,/sesame", "-L/sesame", "-g")
    header = """'-DSETUP="setup.h"'"""
    (unit,) = built("aa-mpicc", "main.c", C, (*OPTIONS, *secrets, header))
    assert "sesame" not in json.dumps(unit.options)
    assert {'-DKEY=""', '-DCALL(x)=f(x, "")', '-DSETUP="setup.h"'} <= {*unit.options}


def test_folders_of_variables_and_of_words_for_the_preprocessor_count(tool, built, monkeypatch):
    monkeypatch.setenv("CPATH", str(tool.folder / "headers"))
    (unit,) = built("aa-mpicc", "main.c", C, ("-Wp,-DFAST,-UOTHER", "-std=c99", "-isystem", "../system"))
    assert unit.options == ("-std=c99", "-DFAST", "-UOTHER", "-isystem../system", f"-I{tool.folder / 'headers'}")


def test_folders_that_debug_information_is_not_to_name_are_not_named(tool, built):
    absolute = str(tool.folder / "headers")
    (unit,) = built("aa-mpicc", "main.c", C, ("-DFAST", f"-I{absolute}", f"-ffile-prefix-map={tool.folder}=/here"))
    assert unit.folder == "/here/build"
    assert unit.options == ("-DFAST", "-I/here/headers")


def test_a_header_with_regions_has_the_options_of_the_source_that_includes_it(tool, built):
    tool.write("work.h", "static double work(double *a) { for (int i = 0; i < 9; i++) a[i] = i; return a[0]; }\n")
    text = C.replace("int main", '#include "../work.h"\nint main').replace("return a[999]", "return work(a)")
    (unit,) = built("aa-mpicc", "main.c", text, OPTIONS)
    assert [Path(each).name for each in unit.files] == ["work.h", "main.c"]


LIBRARY = """
double inner(double *a) {
    for (int i = 0; i < 100000; i++)
        a[i % 10] += 1.0 / (i + 1);
    return a[0];
}
double outer(double *a) {
    double sum = 0;
    for (int i = 0; i < 20; i++)
        sum += a[i % 10];
    return sum + inner(a);
}
"""
USER = """
#include <dlfcn.h>
#include <mpi.h>
double outer(double *);
int main(int argc, char **argv) {
    double a[10] = {0};
    MPI_Init(&argc, &argv);
    CALL
    MPI_Finalize();
    return a[1] < 0;
}
"""
OPENING = """void *library = dlopen("./plug/libwork.so", RTLD_NOW);
    a[1] += ((double (*)(double *))dlsym(library, "outer"))(a);
    dlclose(library);"""


@pytest.mark.parametrize(
    ("call", "library", "site"),
    [("a[1] += outer(a);", "plug/libwork.so", 8), (OPENING, "-ldl", None)],
    ids=["linked", "dlopened"],
)
def test_shared_libraries_say_how_they_were_compiled_and_in_which_lines_they_call(tool, call, library, site):
    tool.write("user.c", USER.replace("CALL", call))
    tool.write("work.c", LIBRARY)
    (tool.folder / "plug").mkdir()
    succeed(tool("aa-mpicc", "-O1", "-fPIC", "-shared", "-DOF_LIBRARY", "work.c", "-o", "plug/libwork.so"))
    succeed(tool("aa-mpicc", "-O1", "user.c", library, "-o", "app"))
    succeed(tool("autoanalyzer", "run", "--no-analyze", "-o", "out", "mpirun", "-n", "1", "./app"))
    ran = load(tool.folder / "out" / "experiment.cube")
    assert [(each.options, *each.files) for each in ran.notes.compiled if "work.c" in each.files] == [
        (("-DOF_LIBRARY",), "work.c")
    ]
    sites = {path.region.name: path.called_at for path in ran.call_paths}
    assert (sites["inner"], sites["outer"]) == (11, site)


WITHOUT = """
import sys
from pathlib import Path
from autoanalyzer.advise.reading import Found, Reading
reading = Reading(lambda _: Found(Path(sys.argv[1])), {})
assert reading.read("x.c") is None
print(*reading.remarks)
"""


def test_without_libclang_there_is_no_advice_on_c_and_the_reason_is_said(tool):
    place = tool.write("x.c", "int n;\n")
    words = [sys.executable, "-c", WITHOUT, str(place)]
    environment = {**os.environ, "LIBCLANG_LIBRARY_PATH": "nowhere"}
    said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.startswith("no advice on x.c: libclang, which reads this file, cannot be loaded: nowhere/libclang.so")
