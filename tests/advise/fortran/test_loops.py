"""Loops of all kinds, in both forms, and the branches and jumps in them."""

from autoanalyzer.advise.nest import Loop

from .written import lines

FREE = """
subroutine s(a, n)
  integer n
  real a(n, n)
  do j = 1, n
    do 10 i = n, 1, -1
      if (a(i, j) < 0) go to 10
      a(i, j) = 1
10  continue
  end do
  outer: do while (n > 1)
    n = n - 1
    do
      if (n == 5) cycle outer
      exit
    end do
  end do outer
  do concurrent (i = 1:n, k = 1:n:2, i /= k)
    a(i, k) = 0
  end do
  forall (i = 1:n) a(i, 1) = i
end
"""

FIXED = """
      SUBROUTINE S(A, N)
      DIMENSION A(N,N)
      DO 20 J = 1, N
      DO 20 I = 1, N
      IF (A(I,J)) 20, 20, 15
   15 A(I,J) = A(I,J)
     1         + 1.0
   20 CONTINUE
\tDO30I=1,N
30\tA(I,1)=0.
      DO 40 I = 1.5
      END
"""


def test_loops_in_free_form(read):
    assert lines(read(FREE).procedures[0].body) == [
        "5 loop j = 1, n, 1 to 10",
        "6   loop i = n, 1, -1 to 9 called 10",
        "7     branch to 7",
        "       if (a[i, j] >= 0)",
        "8       a[i, j] = 1",
        "11 loop while (n > 1) to 17 called outer",
        "12   n = (n - 1)",
        "13   loop to 16",
        "14     branch to 14",
        "       if (n == 5)",
        "14       cycle outer",
        "15     exit",
        "18 concurrent k = 1, n, 2 to 20",
        "18   concurrent i = 1, n, 1 to 20",
        "18     branch to 20",
        "       if (i != k)",
        "19       a[i, k] = 0",
        "21 concurrent i = 1, n, 1 to 21",
        "21   a[i, 1] = i",
    ]


def test_loops_in_fixed_form(read):
    assert lines(read(FIXED, "x.f").procedures[0].body) == [
        "4 loop j = 1, n, 1 to 9 called 20",
        "5   loop i = 1, n, 1 to 9 called 20",
        "6     other ?!(if, a, i, j)",
        "6     branch to 6",
        "       if ?()",
        "6       cycle",
        "       if ?()",
        "6       cycle",
        "       if ?()",
        "6       goto 15",
        "7     a[i, j] = (a[i, j] + 1.0)",
        "10 loop i = 1, n, 1 to 11 called 30",
        "11   a[i, 1] = 0.0",
        "12 do40i = 1.5",
    ]


def test_a_loop_whose_body_changes_its_variable_does_not_count(read):
    (loop,) = read("subroutine s\n do i = 1, 3\n  i = i + 1\n end do\nend\n").procedures[0].body
    assert isinstance(loop, Loop)
    assert loop.variable is None


JUMPS = """
subroutine s(a, n)
  real a(n)
  do i = 1, n
    if (a(i) > 1) goto 10
    a(i) = 2
    goto 20
10  a(i) = 3
20  if (a(i) > 4) goto 90
    do j = 1, n
      if (a(j) > 5) goto 30
      if (a(j) > 6) then
        if (a(j) > 7) goto 30
        goto 40
      end if
      a(j) = 8
30  end do
40  continue
  end do
90 n = 0
end
"""


def test_jumps_that_are_structured_become_branches(read):
    assert lines(read(JUMPS).procedures[0].body) == [
        "4 loop i = 1, n, 1 to 19 called 40",
        "5   branch to 5",
        "     if (a[i] <= 1)",
        "6     a[i] = 2",
        "     else",
        "8     a[i] = 3",
        "9   branch to 9",
        "     if (a[i] > 4)",
        "9     goto 90",
        "10   loop j = 1, n, 1 to 17 called 30",
        "11     branch to 11",
        "       if (a[j] <= 5)",
        "12       branch to 15",
        "         if (a[j] > 6)",
        "13         branch to 13",
        "           if (a[j] > 7)",
        "13           cycle",
        "14         cycle 40",
        "16       a[j] = 8",
        "20 n = 0",
    ]


BRANCHES = """
subroutine s(a, n)
  real a(n)
  if (n > 1) then
    a(1) = 1
  else if (n == 1) then
    a(1) = 2
  else
    a(1) = 3
  end if
  select case (n)
  case (1, 2)
    a(2) = 1
  case (3:)
    a(2) = 2
  case default
    a(2) = 3
  end select
  where (a > 0)
    a = 1/a
  elsewhere
    a = 0
  end where
  if (n < 0) return
  where (a > 2) a = 2
end
"""


def test_branches(read):
    assert lines(read(BRANCHES).procedures[0].body) == [
        "4 branch to 10",
        "   if (n > 1)",
        "5   a[1] = 1",
        "   if (n == 1)",
        "7   a[1] = 2",
        "   else",
        "9   a[1] = 3",
        "11 branch to 18",
        "   if ((n == 1) || (n == 2))",
        "13   a[2] = 1",
        "   if ?(n)",
        "15   a[2] = 2",
        "   else",
        "17   a[2] = 3",
        "19 branch to 23",
        "   if (a > 0)",
        "20   a = (1 / a)",
        "   else",
        "22   a = 0",
        "24 branch to 24",
        "   if (n < 0)",
        "24   return",
        "25 branch to 25",
        "   if (a > 2)",
        "25   a = 2",
    ]


OPENMP = """
subroutine s(a, n)
  real a(n)
!$omp parallel do private(j) &
!$omp& schedule(static)
  do i = 1, n
    a(i) = 0
  end do
!$omp end parallel do
!$omp parallel
!$omp do
  do i = 1, n
    !$omp atomic
    a(1) = a(1) + a(i)
  end do
!$omp end do
!$omp single
  a(2) = 1
!$omp end single
!$omp barrier
!$omp end parallel
!dir$ ivdep
  do i = 1, n
  end do
end
"""


def test_directives_are_of_loops_or_blocks(read):
    assert lines(read(OPENMP).procedures[0].body) == [
        "6 loop i = 1, n, 1 to 8 by omp parallel do private(j) schedule(static)",
        "7   a[i] = 0",
        "10 block to 21 omp parallel",
        "12   loop i = 1, n, 1 to 15 by omp do",
        "13     block to 14 omp atomic",
        "14       a[1] = (a[1] + a[i])",
        "17   block to 19 omp single",
        "18     a[2] = 1",
        "20   block to 20 omp barrier",
        "23 loop i = 1, n, 1 to 24 by dir ivdep",
    ]


def test_what_is_nested_too_deeply_is_left_out_and_said(read):
    deep = "do\n" * 60 + "end do\n" * 60
    source = read(f"subroutine s\n{deep}end\nsubroutine t\nend\n")
    assert [each.name for each in source.procedures] == ["t"]
    assert source.remarks == ("line 1: s is nested too deeply",)
