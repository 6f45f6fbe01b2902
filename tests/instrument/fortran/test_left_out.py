"""Code that cannot have probes is left out and listed; the rest of the file has probes."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

ENTRY = """
      program main
      call first(1)
      call other(2)
      end
      subroutine first(n)
      do i = 1, n
        print *, i
      end do
      return
      entry other(n)
      print *, n
      end
"""


def test_a_procedure_with_an_entry_is_left_out_with_its_loops(fortran, name):
    trial = fortran.run(ENTRY, name=name)
    assert trial.visits == {"main": 1}
    assert trial.left_out == {"first": "has an ENTRY", "first:loop@7": "has an ENTRY"}


PURE = """
      module m
      contains
      pure integer function sum_up(n)
      integer, intent(in) :: n
      integer :: i
      sum_up = 0
      do i = 1, n
        sum_up = sum_up + i
      end do
      end function
      elemental real function half(x)
      real, intent(in) :: x
      half = x / 2
      end function
      impure elemental subroutine show(n)
      integer, intent(in) :: n
      print *, n
      end subroutine
      integer pure recursive function fib(n) result(f)
      integer, intent(in) :: n
      f = n
      if (n > 1) f = fib(n - 1) + fib(n - 2)
      end function
      ELEMENTAL SUBROUTINE Twice(n)
      integer, intent(inout) :: n
      n = 2 * n
      end subroutine
      end module
      program main
      use m
      integer :: n = 3
      call twice(n)
      call show([1, 2, n])
      print *, sum_up(4), half([1.0, 2.0]), fib(5)
      end program
"""


def test_pure_and_elemental_procedures_are_left_out(fortran, name):
    trial = fortran.run(PURE, name=name)
    assert trial.visits == {"main": 1, "m::show": 3}
    assert trial.left_out == {
        "m::sum_up": "PURE: cannot call probes",
        "m::sum_up:loop@8": "PURE: cannot call probes",
        "m::half": "ELEMENTAL: cannot call probes",
        "m::fib": "PURE: cannot call probes",
        "m::Twice": "ELEMENTAL: cannot call probes",
    }


CONCURRENT = """
      program main
      integer a(4), i, j
      do concurrent (i = 1:4)
        a(i) = i
        do j = 1, 3
          a(i) = a(i) + j
        end do
      end do
      do i = 1, 2
        do concurrent (j = 1:4, a(j) > 2)
          a(j) = a(j) - 1
        end do
      end do
      print *, a
      end program
"""


def test_do_concurrent_is_left_out_unless_a_loop_is_around_it(fortran, name):
    trial = fortran.run(CONCURRENT, name=name)
    assert trial.visits == {"main": 1, "main:loop@10": 1}
    assert trial.left_out == {"main:loop@4": "DO CONCURRENT"}


ASSIGNED = """
      program main
      call jump(3)
      call jump(0)
      end
      subroutine jump(n)
      integer n, i, next
      assign 10 to next
      if (n .gt. 2) assign 20 to next
      do 20 i = 1, 3
      go to next, (10, 20)
   10 print *, i
   20 continue
      if (n .lt. 0) goto next
      end
"""


def test_a_procedure_with_an_assigned_goto_is_left_out(fortran, name):
    trial = fortran.run(ASSIGNED, "-std=legacy", name=name)
    assert trial.visits == {"main": 1}
    assert trial.left_out == {"jump": "assigned GOTO", "jump:loop@10": "assigned GOTO"}
