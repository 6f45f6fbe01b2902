"""Advice that depends on features that only Fortran has."""

import pytest

from autoanalyzer.advise.advice import HIGH, LOW, MEDIUM, Site
from autoanalyzer.advise.chunks import chunks
from autoanalyzer.advise.copies import copies
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.input_output import input_output
from autoanalyzer.advise.loop_order import order_of_loops
from autoanalyzer.advise.messages import messages
from autoanalyzer.advise.repeated_work import repeated_work
from autoanalyzer.advise.thread_loops import thread_loops


@pytest.fixture
def advised(read):
    """Return a function that advises on the last procedure of a text: the confidence and lines of each suggestion."""

    def advises(kind, text, name="x.f90", **numbers):
        source = read(text, name)
        procedure = source.procedures[-1]
        found = kind(Site(source, procedure, procedure.line, procedure.last_line, numbers=numbers))
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
    assert advised(thread_loops, NEIGHBOURS) == []
    assert advised(thread_loops, NEIGHBOURS.replace("k + 1", "min(k + 1, n)")) == []
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


def test_another_component_in_each_turn_is_not_allocated_anew(advised):
    text = (
        "subroutine s(n)\n type tile\n  real, allocatable :: d(:)\n end type\n type(tile) tiles(n)\n"
        " do t = 1, n\n  allocate(tiles({0})%d(n))\n  deallocate(tiles({0})%d)\n end do\nend\n"
    )
    assert advised(repeated_work, text.format("t")) == []
    assert advised(repeated_work, text.format("3")) == [(MEDIUM, [7, 6])]


def test_powers_that_compilers_write_as_products_are_left_to_them(advised):
    text = "subroutine s(a, n)\n real(8) a(n)\n do i = 1, n\n  a(i) = {}\n end do\nend\n"
    assert advised(repeated_work, text.format("a(i)**2.0_8 + 1.0**3.0 + a(i)**3")) == []
    assert advised(repeated_work, text.format("a(i)**3.0_8")) == [(MEDIUM, [4, 3])]


MOVED = """
subroutine s(n, a, line)
  real a(n)
  character(80) line, name
  do i = 1, n
    {}
  end do
end
"""
MOVES = {
    "in and out": ("write(9, *) a(i); rewind(9); read(9, *) a(i)", [(HIGH, [6, 5])]),
    "from one file to another": ("read(8, *) a(i); write(9, *) a(i)", [(MEDIUM, [6, 5])]),
    "a file for each turn": ("write(name, '(i4)') i; open(9, file=name); write(9) a", [(MEDIUM, [6, 5])]),
    "the same file": ("open(9, file='x'); write(9) a", [(HIGH, [6, 5])]),
    "text": ("read(8, '(a)') line", [(MEDIUM, [6, 5])]),
    "the terminal": ("print *, a(i)", []),
    "with words": ("write(9, *) 'step', i, a(i)", []),
    "empty lines": ("write(9, *)", []),
    "at intervals": ("if (mod(i, 100) == 0) write(9, *) a(i)", []),
    "at times": ("if (a(i) > 0) write(9, *) a(i)", [(LOW, [6, 5])]),
}


@pytest.mark.parametrize("name", MOVES)
def test_files_in_a_loop_are_told_apart(advised, name):
    statement, found = MOVES[name]
    assert advised(input_output, MOVED.format(statement), io_calls=100.0, io_bytes=800.0) == found


PLANE = """
subroutine s(u, n, m)
  real(8) u(n, m, m), face(m * m)
  do k = 1, m
    do j = 1, m
      l = l + 1
      face(l) = u({}, j, k)
    end do
  end do
end
"""


def test_a_face_of_a_grid_has_no_better_order_of_loops(advised):
    assert advised(order_of_loops, PLANE.format("n - 1")) == []
    assert advised(order_of_loops, PLANE.format("j")) == []


BLOCKS = """
subroutine s(lhs, b, n)
  parameter (nb = {})
  real(8) lhs(nb, nb, n), b(nb, n)
  do i = 1, n
    do m = 1, nb
      do k = 1, nb
        b(m, i) = b(m, i) - lhs(m, k, i)
      end do
    end do
  end do
end
"""


def test_small_blocks_stay_in_the_cache_in_any_order(advised):
    assert advised(order_of_loops, BLOCKS.format(5)) == []
    assert advised(order_of_loops, BLOCKS.format(500)) == [(HIGH, [6, 7])]


SHARED = """
subroutine s(a, n)
  real(8) a(n, n)
  {}
  do i = 1, n
    do j = 1, n
      a(i, j) = 2 * a(i, j)
    end do
  end do
end
"""


def test_a_directive_moves_along_when_loops_are_interchanged(read, advised):
    assert advised(order_of_loops, SHARED.format("")) == [(HIGH, [5, 6])]
    text = SHARED.format("!$omp parallel do")
    assert advised(order_of_loops, text) == [(MEDIUM, [5, 6])]
    source = read(text)
    (advice,) = order_of_loops(Site(source, source.procedures[0], 1, 10))
    assert "the directive in line 5 distributes iterations of i over threads" in advice.text


def test_steps_down_are_spelt_like_those_up(read):
    source = read(SHARED.format("").replace("a(n, n)", "a(0:n, n)").replace("j = 1, n", "j = n, 1, -1"))
    (advice,) = order_of_loops(Site(source, source.procedures[0], 1, 10))
    assert ", 8*n + 8 bytes per step" in advice.text


REDUCED = """
subroutine s(a, b, sum1, sum2)
  include 'mpif.h'
  call mpi_allreduce(a, sum1, 1, mpi_real8, mpi_sum, mpi_comm_world, ierr)
  {}
  call mpi_allreduce(b, sum2, 1, {}, mpi_sum, mpi_comm_world, ierr)
end
"""


@pytest.mark.parametrize(
    ("between", "kind", "there"),
    [
        ("c = sum1", "mpi_real8", 1),
        ("c = sum1; b = 2 * c", "mpi_real8", 0),
        ("if (sum1 > 0) b = 1", "mpi_real8", 0),
        ("call t(sum1, b)", "mpi_real8", 0),
        ("c = 1", "mpi_integer", 0),
    ],
)
def test_reductions_are_one_where_none_needs_the_one_before(advised, between, kind, there):
    assert advised(messages, REDUCED.format(between, kind)) == [(MEDIUM, [4, 6])] * there


EXCHANGE = """
subroutine s(a, n, way, from, to)
  include 'mpif.h'
  real(8) a(n)
  integer way, from, to
  if (way == 0) then
    call mpi_recv(a, n, mpi_real8, from, 1, mpi_comm_world, mpi_status_ignore, ierr)
  {}
  do i = 1, n
    a(i) = 2 * a(i)
  end do
    call mpi_send(a, n, mpi_real8, to, 1, mpi_comm_world, ierr)
  end if
end
"""


def test_what_is_received_or_else_sent_is_no_chain(advised):
    assert advised(messages, EXCHANGE.format("")) == [(MEDIUM, [7, 12, 9])]
    assert advised(messages, EXCHANGE.format("else")) == []


PARTS = """
subroutine divides
  include 'mpif.h'
  common /all/ me, np, length, first, last
  integer first
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  first = {}
  last = first + length - 1
end
subroutine work(a)
  common /all/ me, np, length, first, last
  integer first
  real a(*)
  do i = first, last
    a(i) = cost(i)
  end do
end
"""


def test_equal_parts_are_called_so(read):
    def said(first):
        source = read(PARTS.format(first))
        inner = source.procedures[-1]
        (advice,) = division_of_work(Site(source, inner, inner.line, inner.last_line))
        return advice.text

    equal, unequal = said("me*length + 1"), said("me + 1")
    assert equal.startswith("if iterations differ in cost, deal the iterations out cyclically, ")
    assert equal.endswith("so ranks get equal numbers of iterations")
    assert unequal.startswith("give each rank a part of equal cost: ")
    assert "ranks get equal" not in unequal


def test_values_that_ranks_have_of_their_own_are_no_work_to_share(advised):
    text = """
subroutine s(a, n)
  include 'mpif.h'
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  if (me == 0) then
    {}
  end if
  n = 2 * n
end
"""
    assert advised(division_of_work, text.format("n = 1")) == []
    assert advised(division_of_work, text.format("call t(n)")) == [(LOW, [5])]


def test_bounds_that_a_turn_makes_of_itself_make_equal_turns(advised):
    text = NEIGHBOURS.replace("    do j = k, k + 1\n", "    l = k + {}\n    do j = k, l\n")
    assert advised(thread_loops, text.format("3")) == [(MEDIUM, [5])]
    assert advised(thread_loops, text.format("k")) == [(HIGH, [5, 7])]


def test_what_is_halved_is_no_number_of_turns(advised):
    text = PARTS.format("me*length + 1").replace("do i = first, last", "n = last\n  do while (n > 1)\n    n = {}")
    assert [lines[0] for _, lines in advised(division_of_work, text.format("n - 1"))] == [7]
    assert advised(division_of_work, text.format("n/2")) == []


def test_what_decides_an_index_is_to_be_sorted(read):
    source = read(
        "subroutine s(a, row, first, n)\n integer row(n), first(n)\n real a(n)\n do i = 1, n\n"
        "  j = row(i) - n + 1\n  k = first(j)\n  a(k) = 1\n  first(j) = first(j) + 1\n end do\nend\n"
    )
    (advice,) = indirection(Site(source, source.procedures[0], 1, 10))
    assert "a(k) in line 7 is accessed through first(j)" in advice.text
    assert "sort or renumber row so" in advice.text


def test_of_several_values_of_a_bound_the_last_before_its_loop_counts(advised):
    text = """
subroutine s(a)
  include 'mpif.h'
  real a(*)
  integer small(0:3), large(0:3)
  data large /9, 1, 1, 1/
  data small /1, 1, 1, 1/
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  do k = 1, 2
    last = {}
    a(1:last) = 0
    last = {}
    do i = 1, last
      a(i) = 1
    end do
    last = 0
  end do
end
"""
    assert advised(division_of_work, text.format("small(me)", "large(me)")) == [(HIGH, [12, 13, 6])]
    assert advised(division_of_work, text.format("large(me)", "small(me)")) == [(HIGH, [12, 13, 7])]


@pytest.mark.parametrize(("declared", "there"), [("integer n", []), ("use shared", [(HIGH, [8, 14])])])
def test_a_variable_of_a_procedure_of_its_own_is_no_origin_of_another(advised, declared, there):
    text = f"""
module shared
  integer n
end module
subroutine shares
  {declared}
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me*100
end
subroutine work(a)
  use shared
  real a(*)
  integer i
  do i = 1, n
    a(i) = 1
  end do
end
"""
    assert advised(division_of_work, text) == there


@pytest.mark.parametrize(("kind", "there"), [("list", []), ("part", [(HIGH, [14, 21])])])
def test_a_field_of_another_structure_is_no_origin(advised, kind, there):
    text = f"""
module shared
  type part
    integer n, first
  end type
  type list
    integer n, last
  end type
end module
subroutine shares(one)
  use shared
  type({kind}) one
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  one%n = me*100
end
subroutine work(a, mine)
  use shared
  real a(*)
  type(part) mine
  integer i
  do i = 1, mine%n
    a(i) = 1
  end do
end
"""
    assert advised(division_of_work, text) == there


COPIED = """
subroutine smooth(x, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  x(2:n) = x(1:n - 1)
end
subroutine s(a, at, n)
  real(8) a(n, n, n)
  integer at(n)
  do i = 1, n
    call smooth(a(i, :, 1), n)
  end do
end
"""


def of(source, which=-1):
    procedure = source.procedures[which]
    return Site(source, procedure, procedure.line, procedure.last_line, gain=2.0)


def test_sections_whose_elements_are_apart_are_copied_for_a_procedure_that_gives_their_number(read):
    (found,) = copies(of(read(COPIED, "x.f90")))
    assert found.text == (
        "the compiler copies a(i,:,1) for each call to smooth in line 11, and copies it back afterwards, because x must"
        " be contiguous: swap the dimensions of a, or pass the whole array and the index"
    )
    assert [place.rpartition(":")[2] for place in found.places] == ["11", "10"]
    assert (found.confidence, found.gain) == (MEDIUM, 2.0)
    assert "afterwards" not in next(copies(of(read(COPIED.replace("inout", "in"), "x.f90")))).text


def test_copies_are_named_where_the_procedure_takes_the_time_but_not_as_a_part_of_that_time(read):
    (found,) = copies(of(read(COPIED, "x.f90"), 0))
    assert [place.rpartition(":")[2] for place in found.places] == ["11", "10"]
    assert found.gain is None


@pytest.mark.parametrize("section", ["a(i, 1:n, 1)", "a(1:n:2, i, 1)", "a(1, i, :)", "a(:, 2, 3:1:2)"])
def test_sections_are_copied(advised, section):
    dummy = "x(n, n)" if section == "a(:, 2, 3:1:2)" else "x(n)"
    assert len(advised(copies, COPIED.replace("a(i, :, 1)", section).replace("x(n)", dummy))) == 1


@pytest.mark.parametrize(
    "section",
    [
        *("a", "a(1, i, 1)", "a(:, i, 1)", "a(2:n, i, 1)", "b", "a(i, 3:3, 1)"),
        *("a(at, i, 1)", "a(at, :, 1)", "a(at(i), :, 1)"),  # with vector subscripts
        *("a(i, :, :)", "a(:, :, i)"),  # with another number of dimensions
    ],
)
def test_sections_that_may_be_adjacent_or_are_of_another_kind_are_not_named(advised, section):
    assert advised(copies, COPIED.replace("a(i, :, 1)", section)) == []


@pytest.mark.parametrize("section", ["a(1:n, :, i)", "a(1:n, 1:n, i)", "a(:, 2:3, i)", "a(2:n, :, i)"])
def test_a_range_may_be_the_whole_dimension(advised, section):
    assert advised(copies, COPIED.replace("a(i, :, 1)", section).replace("x(n)", "x(n, n)")) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("x(n)\n", "x(:)\n"),
        ("x(n)\n", "x(*)\n"),
        ("real(8), intent(inout) :: x(n)", "type(cell), intent(inout) :: x(n)"),
        ("call smooth", "call other"),
        ("call smooth", "call op%smooth"),
        ("  do i = 1, n\n    call smooth(a(i, :, 1), n)\n  end do\n", "  call smooth(a(i, :, 1), n)\n"),
        ("subroutine s(", "subroutine smooth(y)\n real y(n)\nend\nsubroutine s("),
    ],
)
def test_what_is_not_known_to_be_copied_repeatedly_is_not_named(advised, text, other):
    assert text in COPIED
    assert advised(copies, COPIED.replace(text, other)) == []


SHORT = """
subroutine s(a, b, n)
  real(8) a(n), b(n)
!$omp parallel do schedule(dynamic)
  do i = 1, n
    {}
  end do
end
"""


@pytest.mark.parametrize(
    ("body", "is_short"),
    [
        ("a(i) = a(i) + 0.5d0*b(i)**2", True),
        ("if (b(i) > 0) a(i) = b(i)", True),
        ("a(i) = b(i)**0.3d0", False),
        ("a(:) = a(:) + b(:)", False),
        ("a = a + b", False),
        ("a(i) = exp(b(i))", False),
        ("write (10) a(i)", False),
        ("where (b > 0) a = b", False),
        ("a(i) = sum(b)", False),
    ],
)
def test_statements_that_may_take_any_time_are_no_short_iteration(advised, body, is_short):
    assert [lines for _, lines in advised(chunks, SHORT.format(body))] == [[5]] * is_short
