"""Functions without probes that regions call: objects list them, and the verdict names them."""

from collections.abc import Sequence

import pytest

from autoanalyzer.experiment.unprobed import entries

from .conftest import succeed

C = """
#include <stdio.h>
static double get(const double *a, int i) { return a[i] * 2; }
static double norm(const double *a, int i) { return get(a, i) + 1; }
double work(const double *a, int n);
double work(const double *a, int n) {
    double s = norm(a, 0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 1000; i++)
            s += norm(a, i);
    return s;
}
"""
MAIN = """
double work(const double *a, int n);
int main(void) {
    static double a[1000];
    return work(a, 200000) < 0;
}
"""
CXX = """
struct Row {
    double values[1000];
    double at(int i) const { return values[i]; }
    double operator[](int i) const { return at(i) + 1; }
};
double work(const Row &a, int n);
double work(const Row &a, int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s += a[i];
    return s;
}
int main() {
    static Row row;
    return work(row, 10) < 0;
}
"""
FORTRAN = """
module m
contains
  function get(a, i) result(x)
    double precision :: a(:), x
    integer :: i
    x = a(i)*2
  end function
  pure function square(y) result(x)
    double precision, intent(in) :: y
    double precision :: x
    x = y*y
  end function
  subroutine work(a, n, s)
    double precision :: a(:), s
    integer :: n, i
    s = 0
    do i = 1, n
      s = s + square(get(a, mod(i, 10) + 1))
    end do
  end subroutine
end module
program p
  use m
  double precision :: a(10), s
  a = 1
  call work(a, 1000, s)
end program
"""


def said_in(tool, name: str) -> dict[tuple[str, str], tuple[str, ...]]:
    found = entries((tool.folder / name).read_bytes())
    return {(descriptor.split("|")[1], descriptor.split("|")[4]): names for descriptor, names in found}


IN_C = {("function", "work"): ("norm", "get"), ("loop", "work"): ("norm", "get")}


@pytest.mark.parametrize(
    ("compiler", "source", "flags", "expected"),
    [
        pytest.param("aa-mpicc", C + MAIN, ("-pedantic-errors", "-Wall", "-Wextra", "-Werror"), IN_C, id="C"),
        pytest.param("aa-mpicc", C + MAIN, ("-O2", "-flto", "-s"), IN_C, id="C, by the linker, stripped"),
        pytest.param("aa-mpicxx", CXX, ("-std=c++11",), {("loop", "work"): ("Row::operator[]", "Row::at")}, id="C++"),
        pytest.param("aa-mpifort", FORTRAN, (), {("loop", "m::work"): ("m::get", "m::square")}, id="Fortran"),
    ],
)
def test_programs_say_which_functions_without_probes_a_region_calls(
    tool, compiler: str, source: str, flags: Sequence[str], expected: dict[tuple[str, str], tuple[str, ...]]
):
    file = tool.write({"aa-mpicc": "a.c", "aa-mpicxx": "a.cc", "aa-mpifort": "a.f90"}[compiler], source)
    assert succeed(tool(compiler, *flags, file.name, "-o", "app")).stderr == b""
    assert said_in(tool, "app") == expected


def test_the_verdict_names_them_also_of_a_stripped_program_with_a_static_library(tool):
    tool.write("work.c", C)
    tool.write("main.c", MAIN)
    succeed(tool("aa-mpicc", "-c", "work.c"))
    succeed(tool("ar", "rcs", "libwork.a", "work.o"))
    succeed(tool("aa-mpicc", "main.c", "libwork.a", "-o", "app"))
    succeed(tool("strip", "app"))
    succeed(tool("autoanalyzer", "run", "-o", "out", "./app"))
    (loop,) = [each for each in tool.findings()["disparity"]["classes"] if each["kind"] == "loop"]
    assert loop["without_probes"] == ["norm", "get"]
    assert "    includes norm, get, too small to measure separately" in tool.findings()["verdict"]
