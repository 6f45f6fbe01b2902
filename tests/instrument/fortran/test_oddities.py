"""Statements that look like other statements."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

COMPUTED_GOTO_LAST = """
      program main
      call s(5, *90)
      print *, 'normal return'
      goto 91
   90 print *, 'alternate return'
   91 end
      subroutine s(i, *)
      integer i
      goto 30
   10 print *, 'ten'
      return
   30 do 40 j = 1, 2
   40 if (i .eq. j) return 1
      goto (10, 10), i
      end
"""

COUNTER = """
      program main
      character(1) :: c
      integer i
      do i = 1, 3
        c = NAME(2)
      end do
      print *, c
      contains
      function NAME(i) result(r)
      character(1) :: r
      integer, intent(in) :: i
      r = 'q'
      if (i > 2) print *, i
      end function
      end program
"""

TYPES = """
      module m
      type xml_attributes
        integer n
      end type
      type simple
        integer n
      end type
      contains
      type(xml_attributes) function f(i)
      integer i, k
      do k = 1, 2
        f%n = i
      end do
      end function
      type(simple) function g(i)
      integer i, k
      do k = 1, 2
        g%n = i
      end do
      end function
      end module
      program main
      use m
      type(xml_attributes) a
      type(simple) b
      a = f(3)
      b = g(4)
      print *, a%n, b%n
      end program
"""

WITHOUT_BLANKS = """
      PROGRAMMAIN
      PRINT*,F(1.0),H(3.0)
      CALLQ
      END
      REALFUNCTIONF(X)
      F=0
      DO10I=1,3
   10 F=F+X
      END
      FUNCTIONH(X)
      H=0
      DO10I=1,3
   10 H=H+X
      END
      SUB ROUTINE Q
      H=0
      DO10I=1,3
   10 H=H+1
      PRINT*,H
      END
"""

TABS = "\tprogram main\n\tdo i = 1, 3\n\tprint *, i" + " " * 60 + "it's beyond\n\tend do\n\tend\n"


def test_a_computed_goto_goes_on_to_the_end(fortran, name):
    assert fortran.run(COMPUTED_GOTO_LAST, "-std=legacy", name=name).visits == {"main": 1, "s": 1, "s:loop@13": 1}


@pytest.mark.parametrize("intrinsic", ["char", "achar"])
def test_a_function_may_have_the_name_of_an_intrinsic(fortran, name, intrinsic):
    trial = fortran.run(COUNTER.replace("NAME", intrinsic), name=name)
    assert trial.visits == {"main": 1, "main:loop@5": 1, f"main::{intrinsic}": 3}


def test_both_intrinsics_taken_are_refused(fortran, name):
    source = COUNTER.replace("NAME", "char").replace("character(1) :: c", "character(1) :: c, achar(2)")
    assert fortran.refused(source, name=name).endswith("the source redefines both ACHAR and CHAR")


def test_types_named_like_prefixes(fortran, name):
    trial = fortran.run(TYPES, name=name)
    assert trial.visits == {"main": 1, "m::f": 1, "m::f:loop@12": 1, "m::g": 1, "m::g:loop@18": 1}


def test_headers_without_blanks(fortran):
    trial = fortran.run(WITHOUT_BLANKS, "-std=legacy", name="x.f")
    assert trial.visits == {"MAIN": 1, "F": 1, "F:loop@8": 1, "H": 1, "H:loop@13": 1, "Q": 1, "Q:loop@18": 1}


def test_a_line_that_begins_with_a_tab_ends_where_others_do(fortran):
    assert fortran.run(TABS, name="x.f").visits == {"main": 1, "main:loop@2": 1}


def test_a_byte_order_mark_is_no_statement(fortran):
    source = b"\xef\xbb\xbfprogram main\ndo i = 1, 2\nprint *, i\nend do\nend\n"
    assert fortran.run(source, name="x.f90").visits == {"main": 1, "main:loop@2": 1}


def test_includes_may_be_nested_deeply(fortran):
    for depth in range(25):
        inner = f"include 'i{depth + 1}.inc'\n" if depth < 24 else "do i = 1, 2\nprint *, i\nend do\n"
        fortran.write(inner, f"i{depth}.inc")
    assert fortran.run("program main\ninclude 'i0.inc'\nend\n", name="x.f90").visits == {"main": 1, "main:loop@1": 1}


def test_a_directive_above_a_label_that_is_jumped_to(fortran, name):
    mark = "!GCC$"
    source = f"""
      program main
      integer :: a(10) = 0
{mark} ivdep
   10 do i = 1, 10
        a(i) = a(i) + 1
      end do
      if (a(1) < 3) goto 10
      print *, a
      end
"""
    assert fortran.run(source, name=name).left_out == {"main:loop@5": "a directive precedes its label 10"}
