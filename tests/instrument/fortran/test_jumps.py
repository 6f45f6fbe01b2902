"""Every kind of jump out of a loop leaves the loop, whatever its target."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

GOTO = """
      program main
      integer i
      do i = 0, 6
        call out(i)
      end do
      end program

      subroutine out(n)
      integer n, i, j, k, times
      times = 0
   10 times = times + 1
      do i = 1, 4
        do j = 1, 4
          do k = 1, 4
            if (k == n .and. times == 1) go to 10
            if (n == 5) goto 20
            if (n == 6) goto 99
            if (n == 7) go to 30
          end do
        end do
      end do
      print *, 'none', times
   20 continue
      do i = 1, 3
        if (i == 2 .and. n == 3) goto 40
      end do
   30 if (n == 2) print *, 'two'
   40 print *, 'end', n
      if (n == 1) then
        do i = 1, 10
          if (i > n) go to 50
        end do
        print *, 'never'
   50 end if
      times = 0
      goto 60
   60 do i = 1, 10
        times = times + 1
        if (times == 3) go to 60
      end do
      do 80 j = 1, 3
        do i = 1, 3
          if (i == j) goto 80
        end do
   80 continue
      print *, times
   99 end subroutine
"""


def test_goto_leaves_what_it_jumps_out_of(fortran, name):
    assert fortran.run(GOTO, name=name).entered == {
        1: "main, main:loop@4, out:loop@31",
        7: "out",
        11: "out:loop@13",
        6: "out:loop@25, out:loop@42",
        12: "out:loop@38",
    }


OLD = """
      program main
      integer i
      do 10 i = -2, 3
   10 call old(i)
      end

      subroutine old(n)
      integer n, i, label
      do 50 i = 1, 3
        if (n) 10, 20, 30
   10   print *, 'minus'
        go to 50
   20   print *, 'zero'
        go to 50
   30   go to (40, 50, 60), n
   40   print *, 'one'
   50 continue
      print *, 'through'
   60 do 70 i = 1, 3
        if (n - i) 80, 70, 90
   70 continue
      print *, 'never'
   80 print *, 'less'
      return
   90 do i = 1, 3
        go to (100, 100, 110) i
        print *, 'never'
      end do
  100 print *, 'hundred'
  110 continue
      end
"""


def test_arithmetic_if_and_computed_goto_leave_too(fortran, name):
    trial = fortran.run(OLD, "-std=legacy", name=name)
    assert trial.visits == {"main": 1, "main:loop@4": 1, "old": 6, "old:loop@10": 6, "old:loop@20": 6, "old:loop@26": 2}


INPUT = """
      program main
      integer i, n, status
      character(len=8) line
      open (11, file='data', form='formatted')
      write (11, '(a)') '12', 'word', '13'
      rewind 11
      do i = 1, 10
        read (11, *, end=30, err=10) n
        print *, n
      end do
      print *, 'never'
   10 print *, 'error'
      do
        read (11, '(i4)', err = 20, end = 0030) n
        print *, n
      end do
   20 print *, 'never'
   30 print *, 'end'
      rewind (11, err=20)
      do i = 1, 10
        read (11, '(a)', advance='no', eor=40) line
        print *, line
      end do
   40 continue
      do i = 1, 2
        open (12, file='/nowhere/at/all', status='old', err=50)
      end do
   50 close (11, status='delete', err=20)
      end
"""


def test_branches_of_input_and_output_leave_too(fortran, name):
    trial = fortran.run(INPUT, name=name)
    assert trial.visits == {"main": 1, "main:loop@8": 1, "main:loop@14": 1, "main:loop@21": 1, "main:loop@26": 1}


SHARED = """
      program main
      integer i, j, n
      n = 0
      do 20 i = 1, 3
      do 10 j = 1, 3
      if (j == 2) go to 30
   10 print *, i, j
   20 continue
   30 do 40 i = 1, 3
   40 if (i == 2) go to 50
      print *, 'never'
   50 if (i == 2) go to 60
      print *, 'never'
   60 n = n + 1; print *, n
      if (n < 3) go to 30
      end
"""


def test_jumps_go_to_loops_and_one_line_ifs(fortran, name):
    assert fortran.run(SHARED, name=name).visits == {"main": 1, "main:loop@5": 1, "main:loop@10": 3}


INTO = """
      program main
      integer i, j, times
      times = 0
      i = 1
      go to 10
    5 do 20 i = 1, 3
      print *, i
   10 times = times + 1
      if (times == 1) goto 30
   20 continue
   30 do 40 j = 1, 2
   40 print *, j
      if (times == 1) goto 5
      end
"""


def test_a_loop_that_is_jumped_into_is_left_out_by_name(fortran, name):
    trial = fortran.run(INTO, "-std=legacy", name=name)
    assert trial.visits == {"main": 1, "main:loop@12": 2}
    assert trial.left_out == {"main:loop@7": "entered by a jump to 10"}
