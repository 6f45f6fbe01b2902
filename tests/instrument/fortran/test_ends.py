"""END, in all its spellings, closes the right construct."""

import pytest

pytestmark = pytest.mark.by_day(name=["fixed"])

ENDS = """
      program main
      call bare
      call labelled(0)
      call labelled(1)
      call named
      call shouted
      call apart
      call contained(1)
      call contained(0)
      print *, 'done'
      end program main

      subroutine bare
      print *, 'bare'
      end

      subroutine labelled(n)
      if (n == 1) go to 99
      print *, 'labelled'
   99 end

      subroutine named
      print *, 'named'
      end subroutine named

      SUBROUTINE Shouted
      PRINT *, 'shouted'
      ENDSUBROUTINE

      subroutine apart ; print *, 'apart' ; end subroutine apart

      subroutine contained(n)
      if (n == 0) return
      call inner
   10 contains
        subroutine inner
        integer i
        do i = 1, 2
          if (n == i) return
        end do
        end subroutine inner
        subroutine other
        print *, 'never'
        end subroutine
      end subroutine
"""


def test_every_end_leaves(fortran, name):
    trial = fortran.run(ENDS, name=name)
    assert trial.entered == {
        1: "main, bare, named, Shouted, apart, contained::inner, contained::inner:loop@39",
        2: "labelled, contained",
    }
    assert [(each.region.name, each.region.first_line, each.region.last_line) for each in trial.found.regions][-4:] == [
        ("contained", 33, 46),
        ("contained::inner", 37, 42),
        ("loop@39", 39, 41),
        ("contained::other", 43, 45),
    ]


UNNAMED = """
      integer i
      do i = 1, 2
        call sub(i)
      end do
      end
      subroutine sub(n)
      print *, n
      end
"""


def test_a_main_program_without_a_name_is_main(fortran, name):
    trial = fortran.run(UNNAMED, name=name)
    assert trial.visits == {"main": 1, "main:loop@3": 1, "sub": 2}
    main = trial.found.regions[0].region
    assert (main.kind, main.first_line, main.last_line) == ("program", 2, 6)


LAST = """
      subroutine sub(n)
      print *, n
      end
      block data values
      common /shared/ a
      data a /1.5/
      end block data values
      block data
      common /other/ b
      data b /2.5/
      end
      module constants
      integer, parameter :: three = 3
      end module
      program Last
      use constants
      common /shared/ a
      common /other/ b
      call sub(three)
      print *, a, b
      contains
      end program"""


def test_units_stand_in_any_order_and_block_data_has_no_region(fortran, name):
    trial = fortran.run(LAST, name=name)
    assert trial.visits == {"Last": 1, "sub": 1}
    assert [(each.region.name, each.region.first_line, each.region.last_line) for each in trial.found.regions] == [
        ("sub", 2, 4),
        ("Last", 16, 23),
    ]


ONLY = """
      end
"""


def test_a_program_may_be_an_end_alone(fortran, name):
    assert fortran.run(ONLY, name=name).visits == {"main": 1}
