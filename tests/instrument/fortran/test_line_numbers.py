"""Debuggers stop at the same lines as without probes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from autoanalyzer.experiment.plan.mode import MODES
from autoanalyzer.instrument.choice import Choice

_ENTRY = re.compile(r"^x\.f\w*\s+(\d+)\s+(0|0x[0-9a-f]+)\s", re.M)
_FUNCTION = re.compile(r"^([0-9a-f]+) .* F \.text\S*\s+\S+ (\S+)$", re.M)

DEFAULT = Choice()
ALL = Choice(tuple(MODES))

LOOPS = """
      subroutine plain_loops(n, x)
      implicit none
      integer n, i, j
      real x(n)

! a comment

      do i = 1, n

        x(i) = i

      end do

      do 10 i = 1, n
        if (i == 3) goto 10
        do 20 j = 1, 3
   20     x(i) = x(i) + j
   10 continue

      do while (x(1) < 3)
        do
          x(1) = x(1) + 1
          if (x(1) > 2) exit
        end do

      end do

      end
"""

ENDS = """
      subroutine ends(n, x)
      integer n, i
      real x(n)
      if (n == 1) then

        do i = 1, n
          x(i) = 2
        end do

      else if (n == 2) then
        do i = 1, n
          x(i) = 3
          if (x(i) > 4) return
        end do

      else

        do i = 1, n
          x(i) = x(i) + 3
        end do
      end if

! a comment

      select case (n)
      case (3)
        do i = 1, n
          x(i) = 3
        end do
      case default

        do i = 1, n
          x(i) = 5
        end do
      end select

      end

      real function f(n)
      integer n
      f = 2
      if (n == 2) return
      if (n == 3) f = 4
      if (n .eq. 4) then
        f = 5
        return
      end if
      do 40 i = 1, n
      f = f + i
   40 if (f > 10) return
      return
      end
"""

JUMPS = """
      subroutine jumps(n, x)
      integer n, i, j
      real x(n)
      do i = 1, n
        do j = 1, n
          if (x(j) > 2) goto 30
          if (x(j) > 3) goto 50
          x(j) = x(j) + 1
        end do
      end do

      x(1) = 3
   30 continue

      x(2) = 3
      do 60 i = 1, n
        do 60 j = 1, n
          if (x(j) > 7) go to 70
   60 x(j) = 8
   50 x(3) = 4
      if (n == 3) then
        do i = 1, n
          read (*, *, end=70) x(i)
        end do
   70   continue
      else
        x(4) = 3
      end if

      end
"""

CALLS = """
      subroutine calls(n, x)
      integer n, i
      real x(n)
      real, allocatable :: y(:)
      allocate (y(n))
      if (n == 3) allocate (y(n))

      x(1) = exp(x(2))
      if (n == 4) x(1) = sin(x(1))

      do i = 1, n
        x(i) = cos(x(i))

      end do
      y = x
      x = matmul(reshape(y, [n, n]), x)

      if (sin(x(1)) > 2) return
      deallocate (y)
      end
"""

MARKS = """
      program main
      integer n
      real x(3)
      n = 3
      x = 4

!$autoanalyzer begin first

      if (n == 3) then
        x = 5
      end if

!$autoanalyzer end first

!$autoanalyzer begin second
      n = 4
      do i = 1, n
        x(1) = 3
      end do
!$autoanalyzer end second
      n = 3; x = 4; do i = 1, 2; n = 4; end do; n = 5; if (n == 3) stop
      print *, n
      end
"""

THREADS = """
      subroutine threads(n, x)
      integer n, i, j
      real x(n)
!$omp parallel do private(j)
      do i = 1, n
        do j = 1, 3
          x(i) = 3
        end do
      end do
!$omp end parallel do

!$omp parallel

!$omp do
      do i = 1, n
        x(i) = 3
      end do
!$omp end do

!$omp single
      x(1) = 3
!$omp end single
!$omp critical
      x(2) = 3
!$omp end critical

!$omp sections
!$omp section
      do i = 1, n
        x(i) = 3
      end do
!$omp section
      x(1) = 3

!$omp end sections
!$omp master
      do i = 1, n
        x(i) = 3
      end do
!$omp end master
!$omp barrier
!$omp taskgroup
!$omp task
      x(1) = 3
!$omp end task
!$omp end taskgroup
!$omp workshare
      x = 3
!$omp end workshare
!$omp end parallel
!$omp simd
      do i = 1, n
        x(i) = 3
      end do

!$omp parallel workshare
      x = 3
!$omp end parallel workshare

      end
"""

LONG_NAMES = f"""
      subroutine {"a_name_" * 8}b(n)
      integer n, i
      do i = 1, n
        n = n + 1
        do 10 j = 1, n
   10   if (n > 3) return
        if (n == 5) return
      end do
      end
"""

FIRST = """
      module holds
      contains
      subroutine of_block(n)
      integer n
      block
        integer k
        k = 3
        do n = 1, k
          print *, n
        end do
      end block
      end subroutine
      subroutine of_associate(n)
      integer n
      associate (k => n)
        k = 3
      end associate
      do n = 1, 3
        print *, n
      end do
      end subroutine
      subroutine of_continue(n)
      integer n
   10 continue
      n = 3
      if (n == 4) goto 10
      do n = 1, 3
        print *, n
      end do
      end subroutine
      subroutine outer(n)
      integer n
      n = 2
      if (n == 4) then
        n = 3
        call inner
      end if

      contains
      subroutine inner
      n = 3

      end subroutine
      end subroutine
      subroutine of_selection(n)
      integer n
      class(*), allocatable :: any
      select type (any)
      type is (integer)
        n = any
      end select
      do n = 1, 3
        print *, n
      end do
      end subroutine
      end module
"""

CONTINUED = """
subroutine continued(n, &
    x)
  integer :: n
  real :: x(n)
  x = &
    3 + &
    n
  do i = &
    1, &
    n
    if (n > 3 .and. &
        n > 4) return
    if (n > 3 .and. &
        n > 5) x(i) = &
      exp(x(i))
    call random_number( &
      x)
  end do
  if (n == &
     2) &
     then
    x = 4
  end if
  do while (n > &
      3)
    n = n - 1
  end do
  select case ( &
      n)
  case (1)
    do i = 1, 3; end do
  end select
  where (x > &
      3)
    x = &
      2
  end where
  return
end subroutine &
continued
"""

CONTINUED_FIXED = """
      SUBROUTINE CONT(N,
     1   X)
      REAL X(N)
      X(1) =
     1  3 +
     2  N
      DO 10 I =
     1  1, N
      IF (N .GT. 3 .AND.
     1    N .GT. 4) RETURN
      X(I) =
     1  EXP(X(I))
   10 IF (X(I) .GT.
     1  4) RETURN
      END
"""

BOTH = {
    "loops": LOOPS,
    "ends": ENDS,
    "jumps": JUMPS,
    "calls": CALLS,
    "marks": MARKS,
    "threads": THREADS,
    "long": LONG_NAMES,
    "first": FIRST,
}
IN_BOTH_FORMS = ("ends", "long")  # by day; the others are in one form each, in turn
SOURCES = [
    *(
        pytest.param(
            each,
            name,
            id=f"{key}-{name}",
            marks=[] if key in IN_BOTH_FORMS or place % 2 == turn else pytest.mark.nightly,
        )
        for place, (key, each) in enumerate(BOTH.items())
        for turn, name in enumerate(("x.f", "x.f90"))
    ),
    pytest.param(CONTINUED, "x.f90", id="continued-x.f90"),
    pytest.param(CONTINUED_FIXED, "x.f", id="continued-x.f"),
]


def _compiled(fortran, text, name, level):
    """Compile a text; return the address and number of each line that has code."""
    fortran.write(text, name)
    done = fortran.lab.tool("gfortran", "-g", "-w", "-fopenmp", level, "-c", name, "-o", "x.o")
    assert done.returncode == 0, done.stderr.decode()
    table = fortran.lab.tool("objdump", "--dwarf=decodedline", "x.o").stdout.decode()
    return sorted((int(match[2], 16), int(match[1])) for match in _ENTRY.finditer(table))


def _numbers(lines):
    return {number for _, number in lines}


def _stops(fortran, lines):
    """Return the line at which a debugger stops in each procedure of the object: the first line after its entry."""
    symbols = fortran.lab.tool("objdump", "--syms", "x.o").stdout.decode()
    starts = {match[2]: int(match[1], 16) for match in _FUNCTION.finditer(symbols)}
    return {name: next(line for address, line in lines if address > start) for name, start in starts.items()}


@pytest.mark.parametrize(("source", "name"), SOURCES)
def test_the_lines_that_have_code_are_the_same(fortran, source, name):
    if fortran.maker == "LLVM" and source == LONG_NAMES and name == "x.f90":
        pytest.xfail("probes stand on one line for LLVM's compiler, which is too long for gfortran, which looks here")
    optimised = _compiled(fortran, source, name, "-O2")
    plain = _compiled(fortran, source, name, "-O0")
    stops = _stops(fortran, plain)
    other = f"other{name[1:]}"
    for choice in (DEFAULT, ALL):
        text, found = replace(fortran, choice=choice).instrument(name, "-fopenmp")
        assert not all(each.reason for each in found.regions)
        assert _numbers(_compiled(fortran, text, other, "-O2")) <= _numbers(plain + optimised)
        probed = _compiled(fortran, text, other, "-O0")
        assert _numbers(probed) == _numbers(plain)
        assert _stops(fortran, probed) == stops
