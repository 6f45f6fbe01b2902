"""A procedure of a few scalar statements has no probe, unless a statement may be a hidden loop or call."""

from dataclasses import replace

import pytest

from autoanalyzer.experiment.plan import Include, Pattern, Plan
from autoanalyzer.instrument.choice import Choice
from autoanalyzer.instrument.size import SHORT_REASON

pytestmark = pytest.mark.by_day(name=["free"])

TINY = """
      module m
      implicit none
      type pair
        integer :: a(2) = 1
      end type
      real :: field(3) = 1, scalar = 2
      contains
      subroutine add(x)
      real, intent(inout) :: x
      x = x + abs(min(x, 2.0))
      if (x > 3) then
        x = sqrt(x)
      else
        x = 1; return
      end if
      end subroutine
      real function element(a, i)
      real, intent(in) :: a(3)
      integer, intent(in) :: i
      element = a(i) * 2
      end function
      subroutine of_host
      field = field + 1
      end subroutine
      subroutine of_pair(p, q)
      type(pair) :: p, q
      p%a = q%a
      end subroutine
      subroutine of_elements(p, q)
      type(pair) :: p(3), q(3)
      p(1) = q(2)
      end subroutine
      subroutine of_texts(p, n)
      integer n
      character(len=n) p(3)
      p(1) = p(2)
      end subroutine
      subroutine section(a)
      real a(3)
      a(:2) = a(2:) * 2
      end subroutine
      subroutine whole(a)
      real a(3)
      a = a + 1
      end subroutine
      subroutine dimensioned(a)
      real a
      dimension a(3)
      a = a + 1
      end subroutine
      subroutine reduced(a, s)
      real a(3), s
      s = sum(a)
      end subroutine
      subroutine calls(x)
      real x
      if (x > 0) call add(x)
      end subroutine
      subroutine refers(x)
      real x
      x = outer(x)
      end subroutine
      real function outer(x)
      real x
      outer = x / 2
      end function
      subroutine squares(x)
      real x
      x = x**2 + x**3
      end subroutine
      subroutine powers(x)
      real x
      x = x**2.5
      end subroutine
      subroutine writes(x)
      real x
      print *, x
      end subroutine
      subroutine long(x)
      real x
      x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1
      x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1
      x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1
      x = x + 1; x = x + 1; x = x + 1; x = x + 1; x = x + 1
      x = x + 1
      end subroutine
      end module
      program main
      use m
      real :: x = 1, a(3) = 1
      type(pair) p, q, r(3)
      character(9) c(3)
      do i = 1, 3
        call of_elements(r, r)
        call of_texts(c, 9)
        call add(x)
        x = x + element(a, 2)
        call of_host
        call of_pair(p, q)
        call section(a)
        call whole(a)
        call dimensioned(a)
        call reduced(a, x)
        call calls(x)
        call refers(x)
        call squares(x)
        call powers(x)
        call writes(x)
        call long(x)
      end do
      end program
"""


def test_only_scalar_statements_are_tiny(fortran, name):
    reason = "tiny: no loop, no call, at most 20 statements"
    assert fortran.run(TINY, name=name).left_out == {
        **dict.fromkeys(["m::add", "m::element", "m::outer", "m::squares"], reason),
        "m::long": SHORT_REASON,
    }


SHORT = """
      subroutine multiply(a, b, c)
      integer, parameter :: n = 3, last = n + 1
      integer m
      parameter (m = -n)
      real a(n, n), b(n, n), c(last)
      do i = 1, n
        do 10 j = n, 1, -1
   10   a(i, j) = a(i, j) + b(j, i)
      end do
      do k = m, last
        if (k == 0) cycle
        if (c(1) > 9) exit
        c(2) = c(2) + 1
      end do
      end
      subroutine once(a)
      real a(3)
      do i = 1, 3
        a(i) = a(i) + 1
      end do
      end
      subroutine often(a, n)
      real a(3)
      do i = 1, 3
        a(i) = a(i) + 1
      end do
      do i = 1, n
        do j = 1, 3
          a(j) = a(j) * 2
        end do
      end do
      do i = 1, 300
        a(1) = a(1) + i
      end do
      do i = 1, 3
        a = a + 1
      end do
      do i = 1, 3
        a(i) = other(a(i))
      end do
      do i = 1, int(3.5)
        a(1) = a(1) + i
      end do
      end
      real function other(x)
      other = x
      print *, x
      end
      program main
      real a(3, 3), b(3, 3), c(4)
      a = 1
      b = 2
      c = 3
      call once(a)
      do k = 1, 2
        call multiply(a, b, c)
        do i = 1, 3
          a(i, 1) = 1
        end do
        call often(c, 2)
      end do
      print *, a, c
      end program
"""


def test_what_is_short_and_may_run_often_is_left_out(fortran, name):
    modes = ("functions", "outer-loops", "inner-loops")
    trial = replace(fortran, choice=Choice(modes)).run(SHORT, name=name)
    assert trial.visits == {
        **{"main": 1, "main:loop@56": 1, "once": 1, "once:loop@19": 1, "often": 2, "other": 6},
        **dict.fromkeys([f"often:loop@{line}" for line in (28, 33, 36, 39, 42)], 2),
    }
    short = ["multiply", "multiply:loop@7", "multiply:loop@8", "multiply:loop@11"]
    short += ["often:loop@25", "often:loop@29", "main:loop@58"]
    assert trial.left_out == dict.fromkeys(short, SHORT_REASON)


def test_what_is_short_comes_back_where_a_plan_names_it(fortran, name):
    plan = Plan(include=tuple(Include(Pattern(function="multiply", name=each)) for each in ("multiply", "loop@7")))
    visits = replace(fortran, choice=Choice(plan=plan)).run(SHORT, name=name).visits
    assert (visits["multiply"], visits["multiply:loop@7"]) == (2, 2)


HIDDEN = """
      module m
      integer, parameter :: n = 4, kind_of = selected_int_kind(r=9)
      contains
      subroutine of_host(x)
      real x(*)
      do i = 1, n, 2
        x(i) = 1
      end do
      end subroutine
      subroutine dummy(n, x)
      real x(*)
      do i = 1, n
        x(i) = 1
      end do
      end subroutine
      subroutine local(x)
      integer n
      real x(*)
      n = int(x(1))
      do i = 1, n
        x(i) = 1
      end do
      end subroutine
      subroutine keyword(r, x)
      integer r
      real x(*)
      do i = 1, r
        x(i) = 1
      end do
      end subroutine
      subroutine in_block(x)
      integer, parameter :: k = 2
      real x(*)
      block
        integer :: k
        k = int(x(1))
        do i = 1, k
          x(i) = 1
        end do
      end block
      end subroutine
      subroutine by_step(x)
      real x(*), t
      do t = 0, 1, 1e-3
        x(1) = x(1) + t
      end do
      end subroutine
      end module
      program main
      use m
      real x(9)
      x = 3
      do k = 1, 2
        call of_host(x)
        call dummy(9, x)
        call local(x)
        call keyword(9, x)
        call in_block(x)
        call by_step(x)
      end do
      print *, x
      end program
"""


def test_a_loop_is_counted_by_constants_in_sight_alone(fortran, name):
    assert set(fortran.run(HIDDEN, name=name).left_out) == {"m::of_host", "m::of_host:loop@7"}
