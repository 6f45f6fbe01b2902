"""aa-mpifort in real builds, in which only the compiler's name is changed."""

import shutil

import pytest

from .conftest import succeed

PROGRAM = {
    "src/main.F90": """
program main
  use mpi
  use area_m, only: area
  implicit none
  integer :: error
  call MPI_Init(error)
  print '(a, i0)', NAME, area(4)
  call MPI_Finalize(error)
end program
""",
    "src/area.f90": """
module area_m
contains
  integer function area(n)
    include 'sizes.inc'
    integer, intent(in) :: n
    integer :: i
    area = none
    do i = 1, n
      area = area + n
    end do
  end function
end module
""",
    "include/sizes.inc": "    integer, parameter :: none = 0\n",
}
FIXED = """
      program main
      include 'mpif.h'
      integer error, area
      call MPI_Init(error)
      print '(a, i0)', 'the area ', area(4)
      call MPI_Finalize(error)
      end
      integer function area(n)
      integer n, i
      area = 0
      do 10 i = 1, n
        area = area + n
 10   continue
      end
"""
MAKEFILE = """
FC = mpifort
FFLAGS = -O2 -Wall -Werror -g -Jmods -Iinclude
app: main.o libarea.a
\t$(FC) $(LDFLAGS) $^ -o $@
libarea.a: area.o
\t$(AR) rcs $@ $^
main.o: src/main.F90 area.o
\t$(FC) $(FFLAGS) -DNAME="'the area '" -c $< -o $@
area.o: src/area.f90 include/sizes.inc | mods
\t$(FC) $(FFLAGS) -c $< -o $@
mods:
\tmkdir mods
"""
AREA = b"aa1|function|area_m::area|"
C_SOURCE = "int c(int n) { while (n > 3) n--; return n; }\n"


@pytest.fixture
def fortran_mpi(mpi):
    launcher, compiler = mpi
    compiler = compiler.replace("mpicc", "mpifort")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    return launcher, compiler


def program(tool, **more):
    for name, text in {**PROGRAM, **more}.items():
        tool.write(name, text)


def check(tool, path="app", launcher="mpirun"):
    """Assert that the program has probes and prints the expected text."""
    done = tool(launcher, "-n", "1", f"./{path}")
    assert (done.returncode, done.stdout) == (0, b"the area 16\n"), done.stderr
    binary = (tool.folder / path).read_bytes()
    assert b"aa1|program|main|" in binary
    return binary


@pytest.mark.by_day(mpi=["openmpi"])
def test_make_with_both_mpis(tool, fortran_mpi):
    launcher, compiler = fortran_mpi
    program(tool, Makefile=MAKEFILE)
    done = succeed(tool("make", "-j2", "FC=aa-mpifort", env={"AUTOANALYZER_FC": compiler}))
    assert done.stderr == b""
    assert AREA in check(tool, launcher=launcher)
    assert [path.name for path in (tool.folder / "mods").iterdir()] == ["area_m.mod"]
    assert b"up to date" in tool("make", "FC=aa-mpifort").stdout


def test_fixed_form_with_both_mpis(tool, fortran_mpi):
    launcher, compiler = fortran_mpi
    tool.write("old/main.f", FIXED)
    done = succeed(tool("aa-mpifort", "-O2", "old/main.f", "-o", "app", env={"AUTOANALYZER_FC": compiler}))
    assert done.stderr == b""
    assert b"aa1|loop|loop@12|old/main.f|area|" in check(tool, launcher=launcher)


def test_an_mpi_named_by_its_variable_and_an_odd_folder(tool):
    folder = 'it\'s a "place", with = signs'
    program(tool)
    sources = [f"{folder}/area.f90", f"{folder}/main.F90"]
    (tool.folder / "src").rename(tool.folder / folder)
    (tool.folder / "tmp, %").mkdir()
    done = succeed(
        tool(
            *("aa-mpifort", "-g", "-Iinclude", "-DNAME='the area '", *sources, "-o", "app"),
            env={"TMPDIR": str(tool.folder / "tmp, %")},
        )
    )
    assert done.stderr == b""
    assert folder.encode() + b"/area.f90|area_m::area" in check(tool)
    assert not list((tool.folder / "tmp, %").iterdir())


def test_c_and_fortran_in_one_program_under_any_linker(tool):
    tool.write("c.c", "void f_(int *);\nint main(void) { int n = 9; while (n > 7) n--; f_(&n); return n; }\n")
    tool.write(
        "f.f90", "subroutine f(n)\n  integer :: n\n  do while (n > 3)\n    n = n - 1\n  end do\nend subroutine\n"
    )
    succeed(tool("aa-mpicc", "-c", "c.c"))
    succeed(tool("aa-mpifort", "-c", "f.f90"))
    builds = {
        "one": ("aa-mpifort", "c.c", "f.f90"),
        "other": ("aa-mpicc", "f.f90", "c.c"),
        "gcc": ("gcc", "c.o", "f.o"),
        "g++": ("g++", "c.o", "f.o"),
        "gfortran": ("gfortran", "c.o", "f.o"),
        "static": ("gfortran", "-static", "c.o", "f.o"),
        "wrapped": ("aa-mpicc", "c.o", "f.o"),
    }
    for name, words in builds.items():
        succeed(tool(*words, "-o", name))
        binary = (tool.folder / name).read_bytes()
        assert b"aa1|function|main|c.c|" in binary
        assert b"aa1|loop|loop@3|f.f90|f|" in binary
        assert tool(f"./{name}").returncode == 3


def test_off_is_the_compiler_itself(tool):
    program(tool)
    sources = ["src/area.f90", "src/main.F90"]
    succeed(tool("aa-mpifort", "-Iinclude", "-DNAME='the area '", *sources, "-o", "app", env={"AUTOANALYZER": "off"}))
    assert b"aa1|" not in (tool.folder / "app").read_bytes()


def test_hand_preprocessed_text_is_instrumented_by_its_markers(tool):
    program(tool)
    text = succeed(tool("aa-mpifort", "-cpp", "-DNAME='the area '", "-E", "src/main.F90")).stdout
    (tool.folder / "main-pp.f90").write_bytes(text)
    succeed(tool("aa-mpifort", "-Iinclude", "-c", "src/area.f90"))
    succeed(tool("aa-mpifort", "-fpreprocessed", "-c", "main-pp.f90", "-o", "main.o"))
    succeed(tool("aa-mpifort", "main.o", "area.o", "-o", "app"))
    assert b"aa1|program|main|src/main.F90|main" in check(tool)


LOOP = "subroutine loop(n)\n  do while (n > 3)\n    n = n - 1\n  end do\nend subroutine\n"


def test_a_file_that_cannot_be_read_is_compiled_as_it_is_and_named_with_its_line(tool):
    tool.write("x.f90", f"{LOOP}integer function odd(n)\n  integer :: n[*]\n  odd = n[1]\nend function\n")
    done = succeed(tool("aa-mpifort", "-fcoarray=single", "-c", "x.f90"))
    place, text = done.stderr.decode().splitlines()
    assert place.startswith("autoanalyzer: x.f90:7:")
    assert place.endswith("; compiled unchanged")
    assert text == "    integer :: n[*]"
    assert b"aa1|" not in (tool.folder / "x.o").read_bytes()


def test_a_compiler_of_an_unknown_maker_gets_the_source_and_says_so(tool):
    tool.write("x.f90", LOOP)
    version = 'case " $* " in *" --version "*) echo "Other Fortran 1.0"; exit;; esac'
    other = tool.write("otherfc", f'#!/bin/sh\n{version}\nexec gfortran "$@"\n')
    other.chmod(0o755)
    done = succeed(tool("aa-mpifort", "-c", "x.f90", env={"AUTOANALYZER_FC": str(other)}))
    reason = b"probes in Fortran need a compiler from GNU, LLVM, Intel, NVIDIA or Cray"
    assert done.stderr.endswith(b" x.f90: not instrumented: " + reason + b"; compiled unchanged\n")
    assert b"aa1|" not in (tool.folder / "x.o").read_bytes()
    done = succeed(tool("aa-mpifort", "-cpp", "-c", "x.f90", env={"AUTOANALYZER_FC": str(other)}))
    assert b"not instrumented: the compiler is not known to preprocess Fortran to standard output;" in done.stderr


def test_assembly_is_the_compilers_own_and_named(tool):
    tool.write("x.f90", LOOP)
    succeed(tool("gfortran", "-S", "x.f90", "-o", "plain.s"))
    done = succeed(tool("autoanalyzer", "compile", "--", "gfortran", "-S", "x.f90"))
    assert b"x.f90: not instrumented: " in done.stderr
    assert (tool.folder / "x.s").read_bytes() == (tool.folder / "plain.s").read_bytes()


def test_a_build_loads_the_front_end_of_its_language_alone(tool):
    tool.write("x.f90", LOOP)
    tool.write("c.c", C_SOURCE)
    loaded = {}
    for source in ("x.f90", "c.c"):
        env = {"PYTHONPROFILEIMPORTTIME": "1", "AUTOANALYZER_CACHE": str(tool.folder / source[0])}
        done = tool("aa-mpicc", "-c", source, env=env)
        loaded[source] = done.stderr.decode()
    assert "autoanalyzer.instrument.fortran" in loaded["x.f90"]
    assert "autoanalyzer.instrument.c_family" not in loaded["x.f90"]
    assert "autoanalyzer.instrument.c" in loaded["c.c"]
    assert "autoanalyzer.instrument.fortran." not in loaded["c.c"]
    assert "clang.cindex" not in loaded["c.c"]


TWO = """program looping
  integer :: i
  do i = 1, 5
    call one(i)
    call two(i)
  end do
end program
subroutine one(n)
  integer :: n
  do while (n > 100)
    n = n - 1
  end do
  print *, n
end subroutine
subroutine two(n)
  integer :: n
  do while (n > 100)
    n = n - 1
  end do
  print *, n
end subroutine
"""


@pytest.mark.parametrize("compiler", ["gfortran", "flang-new-19"])
def test_regions_are_known_by_what_is_said_of_them_wherever_a_compiler_puts_it(tool, compiler):
    """LLVM passes copies of constants on the stack, where several share an address."""
    tool.write("x.f90", TWO)
    succeed(tool("autoanalyzer", "compile", "--", compiler, "-O1", "x.f90", "-o", "x"))
    succeed(tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", "./x"))
    said = succeed(tool("autoanalyzer", "dump", "out", "--metrics", "visits", "--flat")).stdout.decode()
    visits = [line.split()[:2] for line in said.splitlines()[1:7]]
    assert visits == [["1", "looping"], ["1", "loop@3"], ["5", "one"], ["5", "loop@10"], ["5", "two"], ["5", "loop@17"]]
