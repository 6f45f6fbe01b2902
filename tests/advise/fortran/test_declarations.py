"""Declarations of names, in the file itself and in other files."""

import pytest

from .written import lines, written


def declared(procedure, name):
    """Return a declaration as text."""
    each = next(each for each in procedure.declarations if each.name == name)
    marks = ["is_constant", "is_argument", "may_overlap", "outlives"]
    return (
        " ".join([each.element.kind, str(each.element.bytes), *filter(None, [each.element.structure])]),
        tuple(written(extent) or None for extent in each.extents),
        *(mark for mark in marks if getattr(each, mark)),
        *filter(None, [each.intent]),
    )


@pytest.mark.parametrize(
    ("statement", "name", "expected"),
    [
        ("real a(10, 0:n)", "a", ("real 4", ("10", "(n + 1)"))),
        ("real, dimension(n-1) :: a, b(-1:1)", "a", ("real 4", ("(n - 1)",))),
        ("real, dimension(n-1) :: a, b(-1:1)", "b", ("real 4", ("3",))),
        ("real*8 a(0:n-1)", "a", ("real 8", ("n",))),
        ("real a(n:m)", "a", ("real 4", ("((m - n) + 1)",))),
        ("double precision a(k, *)", "a", ("real 8", ("k", None))),
        ("complex(8) a(:)", "a", ("complex 16", (None,))),
        ("integer(kind=dp) a", "a", ("integer 8", ())),
        ("real(wp), intent(inout) :: x(:, 0:)", "x", ("real 8", (None, None), "is_argument", "inout")),
        ("character(len=12) a", "a", ("character 12", ())),
        ("character*8 a(3)", "a", ("character 8", ("3",))),
        ("type(node), pointer :: a", "a", ("pointer 8 node", (), "may_overlap")),
        ("type(node), pointer :: a(:)", "a", ("structure 0 node", (None,), "may_overlap")),
        ("class(node), intent(in) :: x", "x", ("structure 0 node", (), "is_argument", "in")),
        ("dimension a(5)", "a", ("real 4", ("5",))),
        ("common /c/ a(5), b", "a", ("real 4", ("5",), "outlives")),
        ("integer :: a = 3", "a", ("integer 4", (), "outlives")),
        ("logical a; save a", "a", ("logical 4", (), "outlives")),
        ("logical a; save", "a", ("logical 4", (), "outlives")),
        ("real a(3), b(3); equivalence (a(1), b(2))", "b", ("real 4", ("3",), "may_overlap")),
        ("real a; data a, b /1.0, 2*2.0/", "b", ("real 4", (), "outlives")),
        ("implicit complex(8) (a-c); dimension b(2)", "b", ("complex 16", ("2",))),
        ("integer, parameter :: a = 2*k", "a", ("integer 4", (), "is_constant")),
        ("parameter (a = 2)", "a", ("real 4", (), "is_constant")),
        ("real, allocatable :: a(:); allocate (a(0:k))", "a", ("real 4", ("9",))),
        ("real, allocatable :: a(:); allocate (a(2)); allocate (a(3))", "a", ("real 4", (None,))),
    ],
)
def test_declarations(read, statement, name, expected):
    head = "subroutine s(x)\n integer, parameter :: dp = selected_int_kind(18), wp = kind(1.0d0), k = 4*2\n"
    (procedure,) = read(f"{head} {statement}\nend\n").procedures
    assert declared(procedure, name) == expected


MODULES = """
module sizes
  use iso_fortran_env, only: wp => real64
  use far, only: many => count, far_away
  integer, parameter :: n = 3
  real(wp), allocatable :: grid(:, :)
  type cell
    real(wp) :: v(n, many)
    integer :: k
  end type
contains
  subroutine make
    allocate (grid(n, many))
  end subroutine
  subroutine use_it(c)
    type(cell) :: c(:)
    grid(1, 2) = c(3)%v(1, 2) + far_away(4) + unknown(5)
    mine(2) = mine(3)
  end subroutine
end module
"""
FAR = "module far\n integer, parameter :: count = 5\n integer far_away(count)\nend module\n"


def test_names_come_from_modules_of_the_file_and_of_those_beside_it(read):
    source = read(MODULES, far_f90=FAR)
    make, use_it = source.procedures
    assert [make.name, use_it.name] == ["sizes::make", "sizes::use_it"]
    assert declared(use_it, "grid") == ("real 8", ("n", "many"), "outlives")
    assert lines(use_it.body) == [
        "17 grid[1, 2] = ((c[3].v[1, 2] + far_away[4]) + unknown!(5))",
        "18 mine[2] = mine[3]",
    ]
    (cell,) = (each for each in source.structures if each.name == "cell")
    assert (cell.bytes, cell.line) == (3 * 5 * 8 + 4, 7)
    assert {each.name for each in source.declarations} >= {"n", "grid"}
    assert source.remarks == ()


def test_what_is_not_there_is_said(read):
    included = "".join(f" include '{each}'\n" for each in ("mpif.h", "omp_lib.h", "gone.inc"))
    source = read(f"subroutine s\n use nowhere\n{included} x = 1\nend\n")
    assert source.remarks == (
        "modules not found near this file: nowhere",
        "included files not found near this file: gone.inc",
    )
    assert source.procedures[0].declarations == ()


def test_what_is_included_declares_and_does_no_more_than_is_said(read):
    text = "subroutine s\n include 'sizes.inc'\n a(n) = 1\n include 'work.inc'\n a(1) = 2\nend\n"
    source = read(text, sizes_inc="  integer, parameter :: n = 2\n  real a(n)\n", work_inc="  a(2) = 3\n  n = 4\n")
    assert lines(source.procedures[0].body) == ["3 a[n] = 1", "3 other ?!()", "5 a[1] = 2"]
    assert declared(source.procedures[0], "a") == ("real 4", ("n",))


FUNCTIONS = """
module m
  real shared
contains
  pure real function square(x)
    real, intent(in) :: x
    square = x*x
  end function
  pure real function scaled(x)
    real, intent(in) :: x
    scaled = shared*x
  end function
  subroutine s
    real twice, y, grid(3)
    external sin
    twice(y) = 2*y
    y = square(1.0) + scaled(2.0) + twice(3.0) + sin(4.0) + cos(5.0) + grid(1) + other(2)
  end subroutine
end module
"""


def test_functions_whose_value_depends_on_their_arguments_alone(read):
    *_, procedure = read(FUNCTIONS).procedures
    assert lines(procedure.body) == [
        "17 y = ((((((square(1.0) + scaled!(2.0)) + twice(3.0)) + sin!(4.0)) + cos(5.0)) + grid[1]) + other!(2))"
    ]


CONDITIONAL = """
subroutine s
#ifdef ONE
  a = 1
#else
  a = 2
#endif
#if 0
  a = 3
#endif
end
"""


def test_all_arms_of_a_preprocessor_that_is_not_there_count_where_they_can(read):
    source = read(CONDITIONAL)
    assert lines(source.procedures[0].body) == ["4 a = 1", "6 a = 2"]
    assert source.remarks == ("unknown preprocessor condition in line 3 (1 in the file)",)
    two = "#ifdef ONE\nsubroutine s(a)\n#else\nsubroutine s(b)\n#endif\n  a = 1\nend\n"
    assert [(each.arguments, each.line) for each in read(two).procedures] == [(("a",), 2)]


def test_the_form_is_told_from_the_text_where_the_name_misleads(read):
    free = "subroutine s\ndo i = 1, &\n 2\nend do\nend\n"
    wide = f"      subroutine s\n      a = f({' ' * 60}1)\n      end\n"
    assert lines(read(free, "x.f").procedures[0].body) == ["2 loop i = 1, 2, 1 to 4"]
    assert lines(read(wide, "x.f").procedures[0].body) == ["2 a = f!(1)"]
