"""What compiler flags specify for a Fortran source: its form, preprocessing, and the folders for INCLUDE lines."""

import pytest

from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.fortran.form import Form
from autoanalyzer.instrument.fortran_front_end import FortranFrontEnd

FREE = Form(fixed=False, line_length=132)
FIXED = Form(fixed=True, line_length=72)


def command(*words):
    made = CompilerCommand(["gfortran", *words])
    return made, made.sources[-1]


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("x.f90", FREE),
        ("x.F03", FREE),
        ("x.f", FIXED),
        ("x.FOR", FIXED),
        ("x.fpp", FIXED),
        ("-ffree-form x.f", FREE),
        ("x.f90 -ffixed-form", FIXED),
        ("-x f77 text", FIXED),
        ("-x f95 text", FREE),
        ("-x f95 x.f", FIXED),
        ("-x f77-cpp-input x.f90", FIXED),
        ("-ffixed-line-length-132 -ffree-line-length-none x.f", Form(fixed=True, line_length=132)),
        ("-ffixed-line-length-132 -ffree-line-length-none x.f90", Form(fixed=False, line_length=0)),
        ("-ffixed-line-length-132 -ffixed-line-length-none x.f", Form(fixed=True, line_length=0)),
        ("-fopenmp x.f90", Form(fixed=False, line_length=132, openmp=True, threads=True)),
        ("-qopenmp x.f90", Form(fixed=False, line_length=132, openmp=True, threads=True)),
        ("-fopenmp-simd x.f90", Form(fixed=False, line_length=132, openmp=True)),
        ("-fopenmp -fno-openmp x.f90", FREE),
        ("-fopenacc x.f90", Form(fixed=False, line_length=132, openacc=True)),
        ("-fd-lines-as-code x.f", Form(fixed=True, line_length=72, debug_lines=True)),
        ("-fbackslash x.f90", Form(fixed=False, line_length=132, backslash=True)),
    ],
)
def test_the_form_follows_from_name_and_flags(words, form):
    made, source = command(*words.split())
    assert FortranFrontEnd(made).form(source) == form


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("x.f90", False),
        ("x.F90", True),
        ("x.fpp", True),
        ("-cpp x.f90", True),
        ("-nocpp x.F90", False),
        ("-cpp -nocpp x.F90", False),
        ("-nocpp -cpp x.f90", True),
        ("-fpreprocessed -cpp x.F90", False),
        ("-x f95 x.F90", False),
        ("-x f95-cpp-input x.f90", True),
        ("-x f95 -cpp x.f90", True),
    ],
)
def test_the_preprocessor_runs_where_the_compiler_runs_it(words, wanted):
    made, source = command(*words.split())
    assert made.preprocesses(source) == wanted


def test_include_lines_look_beside_the_source_and_in_the_users_folders_alone():
    words = ("-Ia", "-I", "b", "-J", "mods", "-I/usr/include/mpi", "-Ia/../c", "src/x.f90")
    made, source = command(*words)
    assert FortranFrontEnd(made).include_directories(source) == ["src", "a", "b", "a/../c"]
    made, source = command("x.f90")
    assert FortranFrontEnd(made).include_directories(source) == ["."]


def test_of_equal_includes_the_compiler_and_the_tool_take_the_same(lab):
    for number, folder in enumerate(("src", "first", "second", ".")):
        (lab.tool.folder / folder).mkdir(exist_ok=True)
        lab.tool.write(f"{folder}/both.inc", f"integer :: both = {number}\n")
    lab.tool.write("second/first.inc", "integer :: here = 2\n")
    lab.tool.write("first/first.inc", "integer :: here = 1\n")
    source = "program p\n  include 'both.inc'\n  include 'first.inc'\n  print *, both, here\nend program\n"
    run = lab.run(source, "-Ifirst", "-I", "second", cc="gfortran", name="src/x.f90")
    assert run.visits == {"p": 1}
