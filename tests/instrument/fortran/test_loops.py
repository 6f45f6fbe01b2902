"""Every outermost loop is one region, in every spelling."""

import pytest

pytestmark = pytest.mark.by_day(name=["free"])

LOOPS = """
      program main
      integer i, j, n
      logical more
      n = 0
      do i = 1, 3
        n = n + i
      end do
      do i = 3, 1, -1; n = n + i; enddo
      do while (n < 20)
        n = n + 3
      end do
      do
        n = n - 1
        if (n < 10) exit
      end do
      do 10 i = 1, 2
        n = n + 1
   10 continue
      do 20, i = 1, 2
   20 n = n + 1
      do 30 while (n < 30)
        n = n + 2
   30 end do
      do 40
        n = n - 1
        if (n < 25) goto 50
   40 continue
   50 do 60 i = 1, 2
   60 call count(n)
      do 70 i = 1, 2
        do 70 j = 1, 2
   70     n = n + 1
      do 80 i = 1, 2
      do 90 j = 1, 2
   90 if (n > 0) n = n + 1
   80 if (n > 0) call count(n)
      named: do i = 1, 2
        do j = 1, 2
          n = n + 1
        end do
      end do named
      do 110 i = 1, 0
  110 n = -1
      do 00120 i = 1, 2
        n = n + 1
  120 enddo
      DO I = 1, 2
      END DO
      more = .true.
      do while (more); more = .false.; end do
      print *, n
      end

      subroutine count(n)
      integer n
      n = n + 1
      print *, n
      end
"""


def test_each_outermost_loop_is_a_region(fortran, name):
    assert fortran.run(LOOPS, "-std=legacy", name=name).entered == {
        1: "main, main:loop@6, main:loop@9, main:loop@10, main:loop@13, main:loop@17, main:loop@20, "
        "main:loop@22, main:loop@25, main:loop@29, main:loop@31, main:loop@34, main:loop@38, main:loop@43, "
        "main:loop@45, main:loop@48, main:loop@51",
        4: "count",
    }


SAME_LINE = """
      program main
      integer i, n
      n = 0
      do i = 1, 2; n = n + 1; end do; do i = 1, 3; n = n + 1; end do
      if (n > 0) then; do i = 1, 2; n = n + 1; end do; end if; n = 1
      call sub; call sub; do i = 1, 2; call sub; end do
      contains; subroutine sub; integer j; do j = 1, 2; n = n + 1
      end do; end subroutine; end program
"""


def test_loops_in_one_line_are_told_apart_by_their_ordinals(fortran, name):
    trial = fortran.run(SAME_LINE, name=name)
    assert trial.entered == {1: "main, main:loop@6, main:loop@7", 2: "main:loop@5", 4: "main::sub, main::sub:loop@8"}
    assert {region.ordinal for _, region in trial.run.events if region.name == "loop@5"} == {0, 1}


NESTED = """
      program main
      integer i, j
      i = 0
      if (i == 0) then
        do j = 1, 2
          if (j == 2) then
            do i = 1, 2
              print *, i
            end do
          end if
        end do
      else
        do j = 1, 2
        end do
      end if
      select case (j)
      case (1)
        do i = 1, 2
        end do
      case default
        do i = 1, 2
        end do
      end select
      block
        integer k
        do k = 1, 2
          print *, k
        end do
      end block
      end program
"""


def test_loops_inside_other_constructs_are_outermost_too(fortran, name):
    assert fortran.run(NESTED, name=name).visits == {"main": 1, "main:loop@6": 1, "main:loop@22": 1, "main:loop@27": 1}


FIXED_WITHOUT_BLANKS = """
      PROGRAMMAIN
      DO10I=1,2
      DO10J=1,2
   10 PRINT*,I,J
      DO20I=1.5
   20 CONTINUE
      DO30WHILE(I.LT.6)
      I=I+1
      IF(I.EQ.5)GOTO40
  3 0 CONTINUE
   40 DO
      IF(I.GT.0)EXIT
      ENDDO
      CALLSUB(2)
      ENDPROGRAM
      SUBROUTINESUB(N)
      DOI=1,N
      IF(I.EQ.2)RETURN
      ENDDO
      END
"""


def test_fixed_form_needs_no_blanks(fortran):
    assert fortran.run(FIXED_WITHOUT_BLANKS, name="x.f").entered == {
        1: "MAIN, MAIN:loop@3, MAIN:loop@8, MAIN:loop@12, SUB, SUB:loop@18"
    }
