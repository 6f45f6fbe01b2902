"""Statements that are not constructs."""

import pytest

from autoanalyzer.advise.fortran import read_fortran

from .written import lines

STATEMENTS = """
subroutine s(p, n)
  type node
    real v(3)
    type(node), pointer :: next
    real, allocatable :: w(:)
  end type
  type(node), pointer :: p, q
  type(node) r
  character(len=20) t
  real, target :: a(n)
  real, pointer :: b(:)
  real, allocatable :: c(:, :)
  integer n
  p => q
  p => p%next
  q => r
  b => a
  p%next%v(2) = r%v(1)
  r%w(n) = 1
  t(1:2) = 'ab'
  allocate (c(0:n, 2:5), r%w(n), stat=n)
  deallocate (c)
  call work(a(1), n, *90)
  call p%act(n)
  call nothing
  write (*, '(i3)') n
  write (10) a, (a(i), i = 1, n)
  write (unit=t, fmt=*, err=90) n
  read (5, *, end=90) a(1:2)
  read *, n
  print '(a)', 'x,y', n
  open (10, file='data.txt', form='unformatted')
  flush (10)
  rewind 10
  inquire (file=t, exist=l)
90 close (10)
  stop 1
end
"""


def test_statements(read):
    assert lines(read(STATEMENTS).procedures[0].body) == [
        "15 p = q",
        "16 p = p->next",
        "17 q = (&r)",
        "18 b = (&a)",
        "19 p->next->v[2] = r.v[1]",
        "20 r.w[n] = 1",
        "21 t[1:2] = 'ab'",
        "22 allocate c, r.w of (n + 1), 4, n",
        "23 deallocate c of ",
        "24 call work!(a[1], n)",
        "24 branch to 24",
        "   if ?()",
        "24   goto 90",
        "25 call (*p).act!(n)",
        "26 call nothing!()",
        "27 write formatted : n",
        "28 write 10: a, ?(a[i], 1, n)",
        "29 write formatted t: n",
        "29 branch to 29",
        "   if ?()",
        "29   goto 90",
        "30 read formatted 5: a[1:2]",
        "30 branch to 30",
        "   if ?()",
        "30   goto 90",
        "31 read formatted : n",
        "32 write formatted : 'x,y', n",
        "33 open 10: 'data.txt'",
        "34 flush 10: ",
        "35 rewind 10: ",
        "36 inquire : t",
        "37 close 10: ",
        "38 stop",
    ]


BLOCKS = """
subroutine s(a)
  real a(:, :)
  integer i
  associate (b => a(:, 2), c => a(1, 1))
    b(3) = c
  end associate
  i = 1
  block
    integer :: i
    i = 2
  end block
end
"""


def test_names_of_inner_blocks(read):
    (procedure,) = read(BLOCKS).procedures
    assert lines(procedure.body) == [
        "5 block to 7",
        "6   a[3, 2] = a[1, 1]",
        "8 i = 1",
        "9 block to 12",
        "11   i'10 = 2",
    ]
    assert {"i", "i'10"} <= {each.name for each in procedure.declarations}


def test_what_the_compiler_alone_knows_may_change_what_it_names(read):
    assert lines(read("subroutine s\n real a\n a = 1\n sync a, b\nend\n").procedures[0].body) == [
        "3 a = 1",
        "4 other ?!(synca, b)",
    ]


@pytest.mark.parametrize(("built", "doubts"), [((), {3, 4, 5, 6, 7}), ((6,), set())])
def test_lines_of_a_condition_that_nothing_tells_are_in_doubt(tmp_path, built, doubts):
    text = b"subroutine s(a)\n  real a\n#ifdef FAST\n  a = 1\n#else\n  a = 2\n#endif\n"
    text += b"#ifdef USE_MPI\n  a = 3\n#endif\nend\n"
    assert read_fortran(text, tmp_path / "x.F90", built).doubtful == doubts
