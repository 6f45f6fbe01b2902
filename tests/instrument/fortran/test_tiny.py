"""A procedure of a few scalar statements has no probe; what may be a loop or call in disguise keeps it."""

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
      type(pair) p, q
      do i = 1, 3
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
        call writes(x)
        call long(x)
      end do
      end program
"""


def test_only_scalar_statements_are_tiny(fortran, name):
    reason = "tiny: no loop, no call, at most 20 statements"
    assert fortran.run(TINY, name=name).left_out == dict.fromkeys(["m::add", "m::element", "m::outer"], reason)
