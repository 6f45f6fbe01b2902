"""A procedure is entered before its first executable statement, and after all declarations."""

import pytest

pytestmark = pytest.mark.by_day(name=["free"])

DECLARED = """
      program main
      call old(2, 3.0)
      call old(3, 4.0)
      call data
      end

      subroutine old(n, x)
      implicit integer (j-k), real*8 (d)
      integer n, i, table(3), part
      real x, square, area, a, b, both(2), list(2)
      logical odd
      character*4 word, cut
      dimension part(2)
      common /shared/ a, b
      equivalence (both(1), a)
      parameter (limit = 3)
      save counted
      external later
      intrinsic sin
      data counted /0.0/, table /1, 2, 3/
      namelist /group/ n, x
    5 format (1x, 'do i = 1, 2', i4)
      square(a) = a * a
      area(a, b) = square(a) * b
      odd(i) = mod(i, 2) .eq. 1
      cut(word) = word
      table(1) = limit
   10 format (' end do', i4)
      data list /1.0, 2.0/
      part(2) = n
      counted = counted + 1
      if (odd(n)) print 10, int(area(x, 2.0))
      do i = 1, 3
        print 5, table(i) + part(2)
      end do
      print group
      end

      subroutine data
      real d(2)
      include = 3
      d(1) = 1
      print *, d(1), include
      end
"""


def test_declarations_and_statement_functions_stay_above(fortran, name):
    assert fortran.run(DECLARED, "-std=legacy", name=name).visits == {"main": 1, "old": 2, "old:loop@34": 2, "data": 1}


FIRSTS = """
      program main
      do i = 1, 2
        call label(i)
        call loop
        call marked(i)
        call line ; call single ; call nothing
      end do
      end

      subroutine label(n)
      integer n, times
   10 times = n
      n = n + 1
      if (n == 3) goto 10
      n = times
      n = min(n, 2)
      print *, n
      end

      subroutine loop
   10 do i = 1, 2
        print *, i
      end do
      if (i > 5) go to 10
      end

      subroutine marked(n)
      integer n
!$omp parallel do
      do i = 1, n
        continue
      end do
!$omp end parallel do
      print *, 'marked'
      end

      subroutine line; integer :: k; k = 1; print *, k; end subroutine

      subroutine single; print *, 'single'; end

      subroutine nothing
      end subroutine
"""


@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp"])
def test_the_first_statement_may_be_anything(fortran, name, flag):
    assert fortran.run(FIRSTS, flag, name=name).entered == {
        1: "main, main:loop@3",
        2: "label, loop, loop:loop@22, marked, marked:loop@31, line, single, nothing",
    }


HOSTED = """
      module arrays
      implicit none
      real :: field(3)
      contains
      subroutine fill(n)
      integer, intent(in) :: n
      field(n) = 1
      print *, field(n)
      end subroutine
      subroutine through(f)
      interface
        real function f(x)
        real, intent(in) :: x
        end function
      end interface
      procedure(f), pointer :: p
      p => f
      print *, p(2.0)
      end subroutine
      end module
      program main
      use arrays
      intrinsic :: sqrt
      enum, bind(c)
        enumerator :: red = 4, blue
      end enum
      real, external :: half
      import_free: block
        call fill(2)
      end block import_free
      call through(half)
      print *, red, blue
      end program
      real function half(x)
      real, intent(in) :: x
      half = 0
      do while (half < x / 2)
        half = half + 1
      end do
      end function
"""


def test_what_looks_like_a_statement_function_may_be_an_array_of_the_host(fortran, name):
    trial = fortran.run(HOSTED, name=name)
    assert trial.visits == {"main": 1, "arrays::fill": 1, "arrays::through": 1, "half": 1, "half:loop@38": 1}
