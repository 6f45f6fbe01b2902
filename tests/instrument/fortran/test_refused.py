"""A source that cannot be read is refused with a position and a reason."""

import pytest

REFUSED = {
    "      print *, 'no end\n      end\n": "2:16: a character literal has no end",
    "      integer i\n      end do\n      end\n": "3:7: END DO without a matching DO",
    "      do i = 1, 2\n      print *, i\n      end\n": "2:7: DO without END DO",
    "      do 10 i = 1, 2\n      print *, i\n      end\n": "2:7: no statement labelled 10 ends this DO loop",
    "      if (i == 1) then\n      end\n": "2:7: IF without END IF",
    "      print *, 1\n": "2:7: this program unit has no END",
    "      subroutine s\n      print *, 1\n": "2:7: this program unit has no END",
    "      module m\n      contains\n      subroutine s\n      end\n": "2:7: this program unit has no END",
    "      subroutine s\n      subroutine t\n      end\n      end\n": "2:7: this program unit has no END",
    "      interface\n      end\n": "2:7: INTERFACE without END INTERFACE",
    "      type t\n      integer n\n      end\n": "2:7: TYPE without END TYPE",
    "      end if\n      end\n": "2:7: END IF without a matching IF",
    "      select case (n)\n      end if\n      end\n": "3:7: END IF without a matching IF",
    "      do 10 i = 1, 2\n      if (i == 1) then\n   10 continue\n      end if\n      end\n": "4:7: a loop ends "
    "while a construct that began inside it is still open",
    "      do 10 i = 1, 2\n      end do\n   10 continue\n      end\n": "3:7: END DO without a matching DO",
    "      contains\n      contains\n      end\n": "3:7: a second CONTAINS",
    "      contains\n      print *, 1\n      end\n": "3:7: a statement between CONTAINS and the next procedure",
    "      integer n[*]\n      end\n": "2:7: coarrays are not supported",
    "      integer, codimension[*] :: n\n      end\n": "2:7: coarrays are not supported",
    "      sync all\n      end\n": "2:7: coarrays are not supported",
    "      call aa_enter\n      end\n": "2:7: this name is reserved for probes",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_cannot_be_read_is_refused_at_its_place(fortran, name, source):
    assert fortran.refused("\n" + source, name=name) == f"{name}:{REFUSED[source]}"


def test_the_wrapper_shows_the_line_and_compiles_as_it_is(fortran):
    fortran.write("integer :: n[*]\nn = 3\nprint *, n\nend\n", "x.f90")
    tool = fortran.lab.tool
    done = tool("autoanalyzer", "compile", "--", "gfortran", "-fcoarray=single", "x.f90", "-o", "x")
    assert done.returncode == 0
    assert "x.f90:1:1: not instrumented: coarrays are not supported" in done.stderr.decode()
    assert "integer :: n[*]" in done.stderr.decode()
    assert tool("./x").stdout.split() == [b"3"]


ACCEPTED = """
      program main
      character(len=8) :: line(2) = ['[*], n[1', 'sync all']
      integer, dimension(2) :: n = [1, 2]
      read (line(1)(5:5), *, iostat=i) n(1)
      write (*, *) [n(1), 2], line
      print *, [n, 3]
      do i = 1, 2
        n = [(j, j = 1, 2)]
      end do
      end program
"""


def test_brackets_of_an_array_are_no_coarray(fortran, name):
    assert fortran.run(ACCEPTED, name=name).visits == {"main": 1, "main:loop@8": 1}


SUBMODULE = """
module m
  implicit none
  interface
    module subroutine far(n)
      integer, intent(inout) :: n
    end subroutine far
    module function further(n)
      integer, intent(in) :: n
      integer :: further
    end function further
  end interface
contains
  subroutine near(n)
    integer, intent(inout) :: n
    print *, n
  end subroutine near
end module m

submodule (m) s
contains
  module subroutine far(n)
    integer, intent(inout) :: n
    integer :: i
    do i = 1, 3
      n = n + i
    end do
  end subroutine far
  module procedure further
    further = 2*n
    print *, further
  end procedure further
end submodule s

program main
  use m
  integer :: n = 1
  call far(n)
  n = further(n)
  call near(n)
end program main
"""


def test_submodule(fortran):
    trial = fortran.run(SUBMODULE, name="x.f90")
    assert trial.visits == {"main": 1, "m::near": 1, "m:s::far": 1, "m:s::far:loop@25": 1, "m:s::further": 1}
    assert not trial.left_out


@pytest.mark.parametrize(
    ("statement", "reason"), [("entry other(n)", "has an ENTRY"), ("assign 10 to n", "assigned GOTO")]
)
def test_a_procedure_that_is_left_out_for_what_is_in_it_is_said(fortran, statement, reason):
    source = f"      call s(n)\n      end\n      subroutine s(n)\n      {statement}\n   10 print *, 'in s'\n      end\n"
    run = fortran.lab.run(source, "-std=legacy", "-w", cc="gfortran", name="x.f", quiet=False)
    assert f"x.f:3: s is not instrumented: {reason}" in run.messages
