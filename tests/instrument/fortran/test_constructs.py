"""Every construct may be inside a procedure or loop, and none is mistaken for the beginning or end of another."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

BLOCKS = """
      module kinds
      implicit none
      type :: shape
        integer :: side = 1
        procedure(real), pointer, nopass :: f => null()
      contains
        procedure :: show
      end type shape
      type, extends(shape) :: solid
        integer :: height = 2
      end type solid
      enum, bind(c)
        enumerator :: red = 4, blue
        enumerator green
      end enum
      contains
        subroutine show(this, n)
        class(shape), intent(in) :: this
        integer, intent(in) :: n
        integer :: i
        do i = 1, n
          select type (this)
          type is (solid)
            print *, 'solid', this%height
          class is (shape)
            print *, 'shape', this%side
          class default
            print *, 'unknown'
          end select
          if (i == n) return
        end do
        end subroutine show
      end module kinds
      program main
      use, intrinsic :: iso_fortran_env, only: output_unit
      use kinds, only: shape, solid, red
      implicit none
      type(shape) :: a
      type(solid), target :: b
      integer :: i, j, table(4) = [(i, i = 1, 4)]
      integer, pointer :: p
      real :: x(4), y(4) = 0
      namelist /group/ i, j
      do i = 1, 2
        where (table > 2)
          x = 1
        elsewhere (table > 1)
          x = 2
        else where
          x = 3
        end where
        where (x > 1) y = y + 1
        forall (j = 1:4, x(j) > 1)
          y(j) = x(j)
        end forall
        forall (j = 1:4) y(j) = y(j) + 1
        associate (s => a%side, t => b%height)
          s = s + 1
          do while (t < 4)
            t = t + 1
          end do
        end associate
        block
          integer :: k
          do k = 1, 2
            if (k == 2) exit
          end do
        end block
        j = 3
        select case (i)
        case (:0)
          j = 1
        case (1, 3)
          j = 2; case default; j = 3
        end select
        if (j == 2) then
          j = 4
        else if (j == 3) then
          j = 5
        elseif (j == 4) then
          j = 6
        else
          j = 7
        end if
      end do
      outer: if (i > 0) then
        inner: select case (j)
        case (5) inner
          j = 8
        end select inner
      else if (i > 1) then outer
        j = 9
      else outer
        j = 10
      endif outer
      p => b%height
      nullify (p)
      call a%show(2)
      call b%show(1)
      allocate (p, source=3)
      p = p + red; deallocate (p)
      write (output_unit, '(3(i0, 1x))') i, j, table
      write (*, *) (table(i), i = 1, 4), (/ 1, 2 /)
      write (*, nml=group)
      print '(4f5.1)', x, y
      end program main
"""


def test_all_constructs_keep_their_shape(fortran, name):
    trial = fortran.run(BLOCKS, name=name)
    assert trial.visits == {"main": 1, "main:loop@45": 1, "kinds::show": 2, "kinds::show:loop@22": 2}


INTERFACES = """
      module m
      implicit none
      interface swap
        module procedure swap_integers
        subroutine swap_reals(a, b)
          real, intent(inout) :: a, b
        end subroutine swap_reals
      end interface swap
      abstract interface
        function f(x)
          real, intent(in) :: x
          real :: f
        end function
        subroutine s
        end subroutine
      end interface
      interface read(formatted)
      end interface
      interface assignment (=)
      end interface
      procedure(f), pointer :: pointed => null()
      contains
        subroutine swap_integers(a, b)
        integer, intent(inout) :: a, b
        integer :: c
        c = a; a = b; b = c
        print *, a, b
        end subroutine
      end module
      subroutine swap_reals(a, b)
      real, intent(inout) :: a, b
      c = a; a = b; b = c
      print *, a, b
      end subroutine
      program main
      use m
      implicit none
      interface
        real function twice(x)
        real, intent(in) :: x
        end
      end interface
      real :: a = 1, b = 2
      integer :: i = 3, j = 4
      call swap(a, b)
      call swap(i, j)
      pointed => twice
      a = pointed(a); print *, a
      end program
      real function twice(x)
      real, intent(in) :: x
      do while (twice < x)
        twice = 2 * x
      end do
      end
"""


def test_interfaces_hold_no_procedures(fortran, name):
    trial = fortran.run(INTERFACES, name=name)
    assert trial.visits == {"main": 1, "swap_reals": 1, "m::swap_integers": 1, "twice": 1, "twice:loop@53": 1}


FIXED_EXTENSIONS = """
      PROGRAM MAIN
      STRUCTURE /PAIR/
        INTEGER A
        UNION
          MAP
            INTEGER B
          END MAP
          MAP
            REAL C
          END MAP
        END UNION
      END STRUCTURE
      RECORD /PAIR/ P
      BYTE K
      INTEGER*8 N/3/
      P.A = 1
      P.B = 2
      DO 10 N = 1, 2
        K = N
        TYPE *, K, P.A
        IF (K .EQ. 1) THEN
          CONTINUE
        ENDIF
   10 CONTINUE
   20 FORMAT ()
      END
"""


def test_old_extensions_are_read_too(fortran):
    assert fortran.run(FIXED_EXTENSIONS, "-fdec", name="x.f").visits == {"MAIN": 1, "MAIN:loop@19": 1}
