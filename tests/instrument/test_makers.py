"""LLVM's compilers give the same regions, exits and output as GNU's."""

import pytest

COMMANDS = {
    "GNU": {"x.c": ("gcc",), "x.cc": ("g++",), "fortran": ("gfortran",)},
    "LLVM": {"x.c": ("clang",), "x.cc": ("clang++",), "fortran": ("flang-new-19",)},
}
C = """
#include <stdio.h>
static int reduce(int n) {
    for (;;) {
        if (n < 3)
            return n;
        n -= 2;
    }
}
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 4; i++)
        sum += reduce(i + 5);
    switch (sum) {
    case 0:
        return 0;
    default:
        while (sum > 6)
            sum--;
    }
    printf("%d\\n", sum);
    return sum;
}
"""
CXX = """
#include <cstdio>
#include <vector>
template <class T> T total(const std::vector<T> &all) {
    T sum{};
    for (const auto &each : all) {
        if (each > 4)
            throw sum;
        sum += each;
    }
    return sum;
}
struct Scope {
    ~Scope() {
        for (int i = 0; i < 2; i++)
            std::printf("%d ", i);
    }
};
int main() {
    try {
        Scope scope;
        std::printf("%d\\n", total(std::vector<int>{1, 2, 3}));
        total(std::vector<int>{3, 4, 5, 6});
    } catch (int sum) {
        std::printf("%d\\n", sum);
        return sum;
    }
}
"""
MODULE = """module Shapes
  implicit none (type, external)
  integer, parameter :: most = 3
contains
  pure integer function area(n)
    integer, intent(in) :: n
    integer :: i
    area = 0
    do i = 1, n
      if (i > 8) exit
      area = area + i
    end do
  end function
  recursive subroutine fold(n, m)
    integer, intent(inout) :: n, m
    n = n - 1
    do while (n > 10)
      n = n - 2
      if (n == 11) return
    end do
    if (n > 0) call fold(n, m)
    m = m + n
  end subroutine
end module
"""
PREPROCESSED = """#include "size.h"
program main
  use shapes
  implicit none
  integer :: i, n, m
  character(len=*), parameter :: word = "it's // a long literal, with names and ! and & in it, that goes &
    &on in the next line"
  n = SIZE
  m = 0
#ifdef TWICE
  n = n * 2
#endif
  Outer: do i = 1, most
    do while (n < 100)
      n = n + area(i)
      if (n > 40) cycle Outer
    end do
  end do Outer
  include 'more.inc'
  call fold(n, m)
  call old(n)
  print '(a)', word
  print '(3i8)', n, m, __LINE__
  if (n /= m) stop 3
end program main
"""
FIXED = """      SUBROUTINE OLD(N)
C     IN FIXED FORM
      INTEGER N, I
      DO 10 I = 1,
     +    5
        IF (N .GT. 60) GO TO 20
        N = N + 7
   10 CONTINUE
      RETURN
   20 N = N - 1
      END
"""


def visits(lab, command, name, text, *flags, status):
    """Return the entries of a program's regions; assert that the build prints only the compiler's messages."""
    cc, *own = command
    run = lab.run(text, *own, *flags, cc=cc, name=name, quiet=False)
    assert "autoanalyzer" not in run.messages
    assert lab.tool("./probed").returncode == status
    return run.visits


@pytest.mark.parametrize("maker", COMMANDS)
def test_c_has_the_same_regions_and_exits(lab, maker):
    expected = {"main": 1, "main:loop@12": 1, "main:loop@18": 1, "reduce": 4, "reduce:loop@4": 4}
    assert visits(lab, COMMANDS[maker]["x.c"], "x.c", C, status=6) == expected


@pytest.mark.parametrize("maker", COMMANDS)
def test_cxx_has_the_same_regions_and_exits(lab, maker):
    expected = {"main": 1, "total<...>:loop@6": 2, "Scope::~Scope:loop@15": 1}
    assert visits(lab, COMMANDS[maker]["x.cc"], "x.cc", CXX, status=7) == expected


SOURCES = {
    "s.f90": MODULE,
    "old.f": FIXED,
    "x.F90": PREPROCESSED,
    "inc/more.inc": "  do i = 1, 2\n    m = m + i\n  end do\n",
    "inc/size.h": "#define SIZE 7\n",
}
FORTRAN_REGIONS = (
    *("main", "main:loop@13", "main:loop@1", "OLD", "OLD:loop@4"),
    *("Shapes::fold", "Shapes::fold:loop@17"),
)


@pytest.mark.parametrize("maker", COMMANDS)
def test_fortran_has_the_same_regions_and_exits(lab, maker):
    for name, text in SOURCES.items():
        lab.tool.write(name, text)
    (lab.tool.folder / "mods").mkdir()
    for kind, prefix in (("plain", []), ("probed", ["autoanalyzer", "compile", "--"])):
        for words in (
            ("-O1", "-c", "s.f90", "-J", "mods"),
            ("-c", "old.f", "-o", "old.o"),
            ("-Iinc", "-DTWICE", "-Jmods", "x.F90", "s.o", "old.o", "-o", kind),
        ):
            done = lab.tool(*prefix, *COMMANDS[maker]["fortran"], *words)
            assert done.returncode == 0, done.stderr.decode()
            assert b"autoanalyzer" not in done.stderr
    assert lab.tool("./plain").returncode == 3
    assert lab.compare(still_open=["main"]).visits == dict.fromkeys(FORTRAN_REGIONS, 1)
