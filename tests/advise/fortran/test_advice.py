"""What is advised, and what is not, where only Fortran has it."""

import pytest

from autoanalyzer.advise.advice import HIGH, MEDIUM, Site
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.loop_order import order_of_loops
from autoanalyzer.advise.repeated_work import repeated_work
from autoanalyzer.advise.thread_loops import thread_loops


@pytest.fixture
def advised(read):
    """Advise on the last procedure of a text; give how sure it is, and the lines that it names."""

    def advises(kind, text, name="x.f90"):
        source = read(text, name)
        procedure = source.procedures[-1]
        found = kind(Site(source, procedure, procedure.line, procedure.last_line))
        return [(each.confidence, [int(place.rpartition(":")[2]) for place in each.places]) for each in found]

    return advises


COMPONENTS = """
subroutine s(u, f)
  real(8) u(5, 64, 64), f(5, 64)
  do i = 1, 64
    f(1, i) = u(1, i, 2) + u(2, i, 2)
    f(2, i) = u(3, i, 2) + u(4, i, 2)
    f(3, i) = 1
  end do
end
"""


def test_components_that_are_written_out_lie_side_by_side(advised):
    assert advised(order_of_loops, COMPONENTS) == []
    one = COMPONENTS.replace("u(2, i, 2)", "1").replace("u(3, i, 2)", "1").replace("u(4, i, 2)", "1")
    assert advised(order_of_loops, one.replace("u(5,", "u(50,")) == [(MEDIUM, [4])]


def test_an_index_that_is_read_once_is_no_indirection(advised):
    text = "subroutine s(a, k, n)\n integer k(n)\n real a(n)\n do i = 1, n\n  a(k(j)+i) = a(k(i))\n end do\nend\n"
    assert advised(indirection, text) == [(MEDIUM, [5, 4])]
    assert advised(indirection, text.replace("k(i)", "k(3)")) == []


NEIGHBOURS = """
subroutine s(a, n)
  real a(n, n)
!$omp parallel do
  do k = 1, n
    do j = k, k + 1
      a(j, k) = 1
    end do
  end do
end
"""


def test_bounds_that_move_along_make_equal_turns(advised):
    assert advised(thread_loops, NEIGHBOURS) == [(MEDIUM, [5])]
    assert advised(thread_loops, NEIGHBOURS.replace("k + 1", "min(k + 1, n)")) == [(MEDIUM, [5])]
    assert advised(thread_loops, NEIGHBOURS.replace("k + 1", "n")) == [(HIGH, [5, 6])]


GRID = """
subroutine shares
  include 'mpif.h'
  common /all/ me, nrow, mycol, last, nmine
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  mycol = mod(me, nrow) + 1
  last = mycol*100/nrow
  if (mycol <= 3) then
    nmine = 11
  else
    nmine = 10
  end if
end
subroutine work(a)
  common /all/ me, nrow, mycol, last, nmine
  real a(*)
  do i = 1, {bound}
    a(i) = 1
  end do
end
"""


@pytest.mark.parametrize(("bound", "sure", "line"), [("last", HIGH, 7), ("nmine", MEDIUM, 9)])
def test_a_place_in_a_grid_is_as_good_as_the_rank(advised, bound, sure, line):
    assert advised(division_of_work, GRID.format(bound=bound)) == [(sure, [line, 17])]


def test_a_number_that_the_first_rank_reads_is_no_division_of_work(advised):
    text = GRID.replace("mycol <= 3", "mycol == 1").format(bound="nmine")
    assert advised(division_of_work, text) == []


def test_where_an_array_begins_for_a_procedure_is_no_access(advised):
    text = "subroutine s(r, first, n)\n integer first(n)\n real r(*)\n do k = 1, n\n  call t({}, n)\n end do\nend\n"
    assert advised(indirection, text.format("r(first(k))")) == []
    assert advised(indirection, text.format("2 * r(first(k))")) == [(MEDIUM, [5, 4])]


GIVEN = """
module shares
  real scale
end module
subroutine s(a, b, c, n)
  use shares
  real a(n), b(n), c
  do i = 1, n
    {}
    a(i) = b(i) * {}
  end do
end
"""


@pytest.mark.parametrize(("value", "there"), [("exp(c)", 0), ("exp(scale)", 0), ("sum(b)", 0), ("exp(d)", 1)])
def test_what_a_call_may_change_is_not_the_same_in_each_turn(advised, value, there):
    assert len(advised(repeated_work, GIVEN.format("call t(c, b)", value))) == there
    assert len(advised(repeated_work, GIVEN.format("", value))) == 1


def test_another_component_in_each_turn_is_not_allocated_anew(advised):
    text = (
        "subroutine s(n)\n type tile\n  real, allocatable :: d(:)\n end type\n type(tile) tiles(n)\n"
        " do t = 1, n\n  allocate(tiles({})%d(n))\n end do\nend\n"
    )
    assert advised(repeated_work, text.format("t")) == []
    assert advised(repeated_work, text.format("3")) == [(MEDIUM, [7, 6])]


def test_powers_that_compilers_write_as_products_are_left_to_them(advised):
    text = "subroutine s(a, n)\n real(8) a(n)\n do i = 1, n\n  a(i) = {}\n end do\nend\n"
    assert advised(repeated_work, text.format("a(i)**2.0_8 + 1.0**3.0 + a(i)**3")) == []
    assert advised(repeated_work, text.format("a(i)**3.0_8")) == [(MEDIUM, [4, 3])]
