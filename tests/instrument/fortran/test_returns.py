"""RETURN leaves all open loops and the procedure, wherever it is."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

RETURNS = """
      program main
      call plain(3)
      call one_line(3)
      call one_line(30)
      call labelled(3)
      call terminal(3)
      call long(3)
      call outside(1)
      call outside(0)
      end program main

      subroutine plain(n)
      integer n, i
      do i = 1, 10
        if (i == n) then
          print *, 'plain', i
          return ! from inside
        end if
      end do
      end subroutine

      subroutine one_line(n)
      integer n, i, j
      do i = 1, 10
        do j = 1, 10
          if (i * j == n) return ! with a comment; return
          if (i * j == n + 1) RETURN
        end do
      end do
      print *, 'one_line'
      if (n > 3) return
      print *, 'never'
      end

      subroutine labelled(n)
      integer n, i
      i = 0
      do while (i < 10)
        i = i + 1
        if (i == n) go to 20
        if (i > 11) goto 30
      end do
   20 return
   30 if (n > 0) return
      print *, 'never'
   40 return
      end

      subroutine terminal(n)
      integer n, i
      do 10 i = 1, 10
        print *, i
   10 if (i == n) return
      end

      subroutine long(n)
      integer n, i
      do i = 1, 10
        if (i == n .and. i * n > 0 .and. i - n == 0 .and. (i + n) *     &
     &      n > 0)                                                      &
     &    return
        if (i == n .and. i * n > 0 .and. i - n == 0 .and. n > 0) return
      end do
      end

      subroutine outside(n)
      integer n, i
      if (n == 0) return
      do i = 1, 2
        print *, i
      end do
      return
      end
"""


def test_return_leaves_every_loop_and_the_procedure(fortran, name):
    assert fortran.run(RETURNS, name=name).entered == {
        1: "main, plain, plain:loop@15, labelled, labelled:loop@39, terminal, terminal:loop@52, long, "
        "long:loop@59, outside:loop@70",
        2: "one_line, one_line:loop@25, outside",
    }


ALTERNATE = """
      program main
      integer i
      do i = 0, 3
        call choose(i, *10, *20)
        print *, 'fell through'
        goto 30
   10   print *, 'first'
        goto 30
   20   print *, 'second'
   30   continue
      end do
      call leave(2, *40)
      print *, 'never'
   40 print *, 'left'
      do i = 1, 3
        call leave(i, *50)
      end do
      print *, 'never'
   50 continue
      end

      subroutine choose(n, *, *)
      integer n, i
      do i = 1, 3
        if (n == i) return (n + i) - (n + i) + (n + i) - (n + i) + n    &
     &    + 0 + (n + i) - (n + i)
      end do
      print *, 'choose'
      end

      subroutine leave(n, *)
      integer n
      print *, n
      do while (n > 0)
        return 1
      end do
      end
"""


def test_alternate_return_leaves_too_and_its_label_may_lie_outside_a_loop(fortran, name):
    assert fortran.run(ALTERNATE, "-std=legacy", name=name).entered == {
        1: "main, main:loop@4, main:loop@16",
        4: "choose, choose:loop@25",
        2: "leave, leave:loop@35",
    }


FUNCTIONS = """
      program main
      integer twice
      character*3 word
      real, external :: area
      integer n
      n = twice(4)
      print *, n
      print *, word(2)
      print *, area(2.0)
      end program

      integer function twice(n)
      integer n, i
      twice = 0
      do i = 1, n
        twice = twice + 2
        if (twice > 6) return
      end do
      return
      end function twice

      character*3 function word(n)
      integer n, i
      do i = 1, n
        word = 'xyz'
      end do
      word = 'abc'
      if (n == 2) return; word = 'def'
      end

      real function area(r) result(found)
      real, intent(in) :: r
      found = 0
      do while (found < r)
        found = found + r
      end do
      found = r * r; if (r > 1) return; found = 0
      end function
"""


def test_return_keeps_the_value_of_a_function(fortran, name):
    assert fortran.run(FUNCTIONS, name=name).entered == {
        1: "main, twice, twice:loop@16, word, word:loop@25, area, area:loop@35"
    }


FIXED_NUMBERED = """
      PROGRAM MAIN                                                      MAIN0010
      CALL SUB(2)                                                       MAIN0020
      END                                                               MAIN0030
      SUBROUTINE SUB(N)                                                 SUB 0010
      DO 10 I = 1, 10                                                   SUB 0020
      IF (I .EQ. N) RETURN                                              SUB 0030
      IF (I .EQ. N .AND. I .GT. 100 .AND. N .GT. 1000000000) RETURN     SUB0040
      IF (N .GT. 100 .AND. I .LT. 10)                                   "SUB0050
     1   RETURN                                                         SUB 0060
   10 PRINT *, I                                                        SUB 0070
      END                                                               SUB 0080
"""


def test_sequence_numbers_in_columns_73_to_80_stay_comments(fortran):
    assert fortran.run(FIXED_NUMBERED, name="x.f").visits == {"MAIN": 1, "SUB": 1, "SUB:loop@6": 1}
