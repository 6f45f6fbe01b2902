"""EXIT and CYCLE need no probe for their own loop; for an enclosing construct, they leave the loop."""

import pytest

pytestmark = pytest.mark.by_day(name=["free"])

EXITS = """
      program main
      integer i, j, k
      do i = 1, 5
        if (i == 2) cycle
        if (i == 4) exit
        print *, i
      end do
      outer: do i = 1, 5
        inner: do j = 1, 5
          if (j == 2) cycle outer
          if (i == 3) exit outer
          if (j == 9) cycle inner
          if (j == 8) exit inner
          do k = 1, 2
            if (k == 2) cycle inner
          end do
        end do inner
      end do outer
      Search: do
        i = i + 1
        if (i > 10) exit search
      end do SEARCH
      print *, i, j, k
      end program
"""


def test_exit_and_cycle_of_loops_stay_in_the_outermost(fortran, name):
    trial = fortran.run(EXITS, name=name)
    assert trial.visits == {"main": 1, "main:loop@4": 1, "main:loop@9": 1, "main:loop@20": 1}
    assert not [event for event, _ in trial.run.events if event == "resync"]


OUT = """
      program main
      integer i
      do i = 0, 4
        call leave(i)
      end do
      end program

      subroutine leave(n)
      integer n, i
      around: block
        do i = 1, max(n, 10)
          if (n == i) exit around
          if (i > 3) then
            exit
          end if
        end do
        print *, 'block', i
      end block around
      test: if (n > 1) then
        do i = 1, max(n, 10)
          if (i == n) then
            exit test
          end if
        end do
        print *, 'never'
      else test
        do i = 1, max(n, 10)
          if (i == n) exit test
        end do
        print *, 'else', i
      end if test
      choice: select case (n)
      case (2:3) choice
        do i = 1, max(n, 3)
          exit choice
        end do
      case default
        do i = 1, max(n, 3)
          print *, 'default'
        end do
      end select choice
      names: associate (m => n)
        do while (m >= 0)
          if (m == 2) exit names
          if (m /= 2) exit
        end do
        print *, 'associate'
      end associate names
      print *, 'end', n
      end subroutine leave
"""


def test_exit_of_a_construct_around_a_loop_leaves_the_loop(fortran, name):
    assert fortran.run(OUT, name=name).entered == {
        1: "main, main:loop@4",
        5: "leave, leave:loop@12, leave:loop@44",
        2: "leave:loop@28, leave:loop@35",
        3: "leave:loop@39, leave:loop@21",
    }


NESTED = """
      program main
      integer i, n
      do n = 1, 2
        all: block
          some: if (n > 0) then
            do i = 1, 3
              if (i == 2) exit all
            end do
          end if some
          print *, 'never'
        end block all
      end do
      every: block
        few: block
          do i = 1, 3
            if (i == 2) exit every
            if (i == 3) exit few
          end do
        end block few
        print *, 'never'
      end block every; print *, i
      end program
"""


def test_exit_leaves_constructs_of_several_levels(fortran, name):
    assert fortran.run(NESTED, name=name).visits == {"main": 1, "main:loop@4": 1, "main:loop@16": 1}
