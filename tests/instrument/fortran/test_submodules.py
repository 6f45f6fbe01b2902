"""Procedures whose interface and body are in different files: submodules, and submodules of submodules."""

import pytest

from .conftest import COMPILERS

SOURCES = {
    "shapes.f90": """module shapes
  implicit none
  interface
    pure module function area(x) result(y)
      real, intent(in) :: x(:)
      real :: y
    end function
    module subroutine stretch(x)
      real, intent(inout) :: x(:)
    end subroutine
    impure elemental module subroutine tell(x)
      real, intent(in) :: x
    end subroutine
    module function first(x) result(y)
      real, intent(in) :: x(:)
      real :: y
    end function
  end interface
end module
""",
    "bodies.f90": """submodule (shapes) bodies
  implicit none
  interface
    module subroutine deeper(n)
      integer, intent(in) :: n
    end subroutine
  end interface
contains
  module procedure area
    integer :: i
    y = 0
    do i = 1, size(x)
      y = y + x(i)
    end do
  end procedure area
  module procedure stretch
    integer :: i
    do i = 1, size(x)
      x(i) = 2*x(i)
    end do
    call deeper(size(x))
  end procedure
  module procedure tell
    print *, x
  end procedure
  module function first(x) result(y)
    real, intent(in) :: x(:)
    real :: y
    y = area(x(1:1))
  end function
end submodule bodies
""",
    "below.f90": """submodule (shapes:bodies) below
contains
  module procedure deeper
    integer :: i
    do i = 1, n
      print *, i
    end do
  end procedure
end submodule
""",
    "main.f90": """program main
  use shapes
  real :: x(2) = [1.0, 2.0]
  call stretch(x)
  call tell(x)
  print *, area(x), first(x)
end program
""",
}
VISITS = {
    "main": 1,
    "shapes:bodies::stretch": 1,
    "shapes:bodies::stretch:loop@18": 1,
    "shapes:below::deeper": 1,
    "shapes:below::deeper:loop@5": 1,
    "shapes:bodies::tell": 2,
    "shapes:bodies::first": 1,
}


@pytest.mark.parametrize(
    "compiler", [COMPILERS["GNU"], pytest.param(COMPILERS["LLVM"], marks=pytest.mark.nightly)], ids=COMPILERS
)
def test_bodies_in_other_files(lab, compiler):
    objects = [name.replace(".f90", ".o") for name in SOURCES]
    for name, text in SOURCES.items():
        lab.tool.write(name, text)
    for target, through in {"plain": (), "probed": ("autoanalyzer", "compile", "--")}.items():
        for name in SOURCES:
            built = lab.tool(*through, compiler[0], "-c", name)
            assert (built.returncode, built.stderr) == (0, b"")
        assert lab.tool(*through, *compiler, *objects, "-o", target).returncode == 0
    assert lab.compare().visits == VISITS
