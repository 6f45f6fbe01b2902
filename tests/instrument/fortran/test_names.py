"""Regions have the user's names, with those of the enclosing scopes."""

import pytest

pytestmark = pytest.mark.by_day(name=["free"])

NAMES = """
      module Shapes
      implicit none
      private
      public :: area, Box, operator(+), show, kernel
      type, abstract :: Base
      contains
        procedure(measure), deferred :: measure
      end type
      type, extends(Base) :: Box
        real :: side = 2
      contains
        procedure :: measure => box_measure
        procedure, private :: grow
        generic :: assignment(=) => grow
        final :: gone
      end type Box
      abstract interface
        real function measure(this)
          import :: Base
          class(Base), intent(in) :: this
        end function
      end interface
      interface area
        module procedure area_of_box, area_of_number
      end interface
      interface operator (+)
        procedure :: joined
      end interface
      interface
        subroutine kernel(n) bind(c, name='kernel')
          use iso_c_binding, only: c_int
          integer(c_int), value :: n
        end subroutine kernel
      end interface
      contains
        real function box_measure(this)
        class(Box), intent(in) :: this
        do while (box_measure < 1)
          box_measure = this%side
        end do
        end function
        subroutine grow(this, by)
        class(Box), intent(inout) :: this
        real, intent(in) :: by
        print *, 'grow'
        this%side = by
        end subroutine grow
        subroutine gone(this)
        type(Box), intent(inout) :: this
        print *, 'gone', this%side
        end subroutine
        real function area_of_box(a) result(found)
        type(Box), intent(in) :: a
        found = inner(a%side)
        contains
          REAL FUNCTION Inner(s)
          real, intent(in) :: s
          integer i
          inner = 0
          do i = 1, int(s)
            inner = inner + s
          end do
          end function
        end function area_of_box
        function area_of_number(a) result (found)
        real, intent(in) :: a
        real found
        found = 0
        do while (found < a)
          found = found + 1
        end do
        end function
        type(Box) function joined(a, b)
        type(Box), intent(in) :: a, b
        call show
        joined%side = a%side + b%side
        end function joined
        subroutine show() bind(c)
        print *, 'show'
        end subroutine
      end module Shapes

      recursive integer function fib(n) result(f)
      integer, intent(in) :: n
      integer, external :: other
      if (n < 2) then
        f = other(n)
      else
        f = fib(n - 1) + fib(n - 2)
      end if
      end function fib

      integer function other(n)
      do i = 1, n
        other = i
      end do
      if (n < 1) other = 0
      end function

      subroutine kernel(n) bind(c)
      use iso_c_binding
      integer(c_int), value :: n
      print *, n
      end subroutine

      program Main
      use Shapes
      integer, external :: fib
      type(Box) :: a, b
      real :: found
      a = 3.0
      found = b%measure(); print *, found
      found = area(a); print *, found
      found = area(3.0); print *, found
      b = a + b
      n = fib(5); print *, n
      call kernel(2)
      call helper
      contains
      subroutine helper
      print *, 'helper'
      end subroutine helper
      end program Main
"""


def test_procedures_carry_the_names_of_module_and_host(fortran, name):
    trial = fortran.run(NAMES, name=name)
    finalized = {count: names for count, names in trial.entered.items() if names == "Shapes::gone"}
    assert len(finalized) <= 1  # the compiler decides how often: gfortran 12 never, gfortran 14 twice
    assert {count: names for count, names in trial.entered.items() if count not in finalized} == {
        1: "Main, Shapes::grow, Shapes::box_measure, Shapes::box_measure:loop@39, Shapes::area_of_box, "
        "Shapes::area_of_box::Inner, Shapes::area_of_box::Inner:loop@61, Shapes::area_of_number, "
        "Shapes::area_of_number:loop@70, Shapes::joined, Shapes::show, kernel, Main::helper",
        15: "fib",
        8: "other, other:loop@95",
    }
    assert trial.left_out == {}


PREFIXES = """
      module kinds
      integer, parameter :: wp = kind(1.0d0)
      type pair
        integer a, b
      end type
      contains
      real(kind=wp) recursive function one(x)
      real(wp) x
      print *, 'one'
      one = x
      end function
      double precision function two(x)
      print *, 'two'
      two = x
      end function
      character(len=3, kind=1) function three()
      print *, 'three'
      three = 'abc'
      end function
      type(pair) function four(n)
      print *, 'four'
      four = pair(n, n)
      end function
      integer*4 function five(n)
      print *, 'five'
      five = n
      end function
      character(len=max(3, len('ab)c'))) function six()
      print *, 'six'
      six = 'def'
      end function
      complex*16 function seven(x)
      print *, 'seven'
      seven = x
      end function
      end module
      program main
      use kinds
      type(pair) p
      character(len=5) c
      d = one(1.0_wp)
      d = two(1.0)
      c = three()
      p = four(2)
      n = five(2)
      c = six()
      z = seven(1.0)
      end program
"""


def test_any_prefix_may_stand_before_function(fortran, name):
    assert fortran.run(PREFIXES, name=name).entered == {
        1: "main, kinds::one, kinds::two, kinds::three, kinds::four, kinds::five, kinds::six, kinds::seven"
    }


EXTERNAL = """
      module m
      implicit none (type, external)
      contains
      subroutine sub(n)
      integer, intent(in) :: n
      integer :: i
      do i = 1, n
        print *, i
      end do
      end subroutine
      end module
      program main
      use m
      implicit none (external)
      call sub(2)
      end program
"""


def test_implicit_none_external_does_not_forbid_the_probes(fortran, name):
    assert fortran.run(EXTERNAL, name=name).visits == {"main": 1, "m::sub": 1, "m::sub:loop@8": 1}


SAME = """
      program main
      call one
      call two
      contains
      subroutine one
      call helper('one')
      end subroutine
      subroutine two
      call helper('two')
      end subroutine
      end program
      subroutine helper(c)
      character(*) c
      call inner
      contains
      subroutine inner
      print *, c
      end subroutine inner
      end subroutine
"""


def test_internal_procedures_of_different_hosts_are_told_apart(fortran, name):
    trial = fortran.run(SAME, name=name)
    assert trial.visits == {"main": 1, "main::one": 1, "main::two": 1, "helper": 2, "helper::inner": 2}


def test_many_blanks_between_words_cost_no_time(fortran, name):
    words = (" " * 60).join(["integer", "real", "logical", "type", "module", "n"])
    fortran.write(f"      {words}\n      end\n", name)
    assert fortran.instrument(name, "-ffree-line-length-none", "-ffixed-line-length-none")[1].regions
