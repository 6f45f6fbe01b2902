"""STOP ends the program with its status and message, and closes all open regions."""

import pytest

STOPS = """
      program main
      integer i
      do i = 1, 10
        call sub(i)
      end do
      contains
      subroutine sub(n)
      integer n
      print *, n
      {}
      end subroutine
      end program
"""
WAYS = ["if (n == 3) stop", "if (n == 3) stop 7", "if (n == 3) error stop 'words'", "error stop 2", "stop 'end'"]


@pytest.mark.by_day(name=["fixed"])
@pytest.mark.parametrize("way", WAYS)
def test_a_stop_leaves_open_what_is_open(fortran, name, way):
    fortran.run(STOPS.format(way), name=name, still_open=["main::sub", "loop@4", "main"])


LAST = """
      program main
      print *, 'words'
      stop
      end
"""


def test_nothing_follows_a_stop_before_end(fortran, name):
    fortran.run(LAST, name=name, still_open=["main"])


EXITS = """
      program main
      integer i
      do i = 1, 2
        call exit(4)
      end do
      end
"""


def test_the_library_s_exit_ends_too(fortran, name):
    fortran.run(EXITS, name=name, still_open=["loop@4", "main"])
