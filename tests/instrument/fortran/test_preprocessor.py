"""Preprocessed sources are read after preprocessing, with the original line numbers."""

import pytest

MACROS = """
#define SIZE 3
#define LOOP(i, n) do i = 1, n
#ifdef WIDE
      subroutine work(n, m)
#else
      subroutine work(n)
#endif
      integer n, i
#include "define.h"
      LOOP(i, SIZE)
        if (i == n) return
        print *, i, __LINE__, "a//b" // 'c'
      end do
      DO_TWICE
        n = n + 1
      end do
      end subroutine
      program main
#ifdef WIDE
      call work(9, 9)
#else
      call work(2)
#endif
      end program
"""


@pytest.mark.parametrize(("suffix", "flag"), [("F", "-DX"), ("F90", "-DWIDE"), ("f", "-cpp"), ("f90", "-cpp")])
def test_regions_stand_where_the_source_has_them(fortran, suffix, flag):
    fortran.write("#define DO_TWICE do i = 1, 2\n", "define.h")
    trial = fortran.run(MACROS, flag, name=f"x.{suffix}")
    wide = flag == "-DWIDE"
    assert trial.visits == {"main": 1, "work": 1, "work:loop@11": 1, **({"work:loop@15": 1} if wide else {})}
    work, first, second, main = (each.region for each in trial.found.regions)
    assert (work.first_line, work.last_line) == (5 if wide else 7, 18)
    assert (first.first_line, first.last_line, second.first_line) == (11, 14, 15)
    assert (main.file, main.first_line) == (f"x.{suffix}", 19)


MARKED = """# 1 "user.f90"
# 1 "<built-in>"
# 1 "user.f90"
      program main
      do i = 1, 2
# 40 "other.inc" 1
        print *, i
# 4 "user.f90" 2
        do j = 1, 2
        end do
      end do
      do i = 1, 2
      end do
      end
"""


def test_a_source_that_has_been_preprocessed_keeps_its_markers(fortran, name):
    trial = fortran.run(MARKED, name=name)
    assert trial.visits == {"main": 1, "main:loop@2": 1, "main:loop@7": 1}
    assert {each.region.file for each in trial.found.regions} == {"user.f90"}
