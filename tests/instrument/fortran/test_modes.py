"""Modes beyond procedures and outermost loops, marked regions, and plans, in both forms."""

from dataclasses import replace

import pytest

from autoanalyzer.experiment.plan import Exclude, Include, Merge, Pattern, Plan, Split
from autoanalyzer.instrument.choice import Choice

pytestmark = pytest.mark.by_day(name=["free"])

NEST = """      program p
      integer :: i, j, k, n
      n = 0
      outer: do i = 1, 4
         do j = 1, 3
            if (i .eq. 2) cycle outer
            if (i .eq. 4) exit outer
            do 10 k = 1, 9
               if (k .eq. 3) go to 20
   10       n = n + 1
   20       if (j .eq. 2) go to 30
            do 25 k = 1, min(n, 2)
               do 25 m = 1, 2
   25             n = n + 1
         end do
   30    continue
      end do outer
      do 40 i = 1, 2
         do j = 1, 2
            if (n .gt. 1000) go to 40
            if (j .eq. 2) go to 40
            n = n + 1
         end do
   40 continue
      do i = 1, 2
         do j = 1, 5
            if (j .eq. i) go to 50
         end do
   50    n = n + 1
      end do
      print *, n
      if (n .gt. 0) call leave(n)
      end
      subroutine leave(n)
      integer :: n
      do i = 1, 3
         do j = 1, n
            if (j .eq. 2) return
         end do
      end do
      end
"""
INNER = Choice(("functions", "outer-loops", "inner-loops"))


def _with(fortran, choice):
    return replace(fortran, choice=choice)


@pytest.mark.parametrize("modes", [("functions", "outer-loops", "inner-loops"), ("inner-loops",), ("outer-loops",)])
def test_inner_loops_are_left_by_every_jump(fortran, name, modes):
    trial = _with(fortran, Choice(modes)).run(NEST, name=name)
    inner = {"p:loop@5": 4, "p:loop@8": 4, "p:loop@12": 2, "p:loop@19": 2, "p:loop@26": 2, "leave:loop@37": 1}
    outer = {"p:loop@4": 1, "p:loop@18": 1, "p:loop@25": 1, "leave:loop@36": 1}
    expected = {"p": 1}
    expected |= {"leave": 1} if "functions" in modes else {}
    expected |= outer if "outer-loops" in modes else {}
    expected |= inner if "inner-loops" in modes else {}
    assert trial.visits == expected
    if "inner-loops" in modes:
        assert trial.left_out["p:loop@13"] == "shares its last statement with the enclosing loop"


COLLAPSED = """      program p
      integer :: i, j, k, n
      n = 0
!$omp parallel do collapse(2) private(k) reduction(+:n)
      do i = 1, 4
         do j = 1, 4
            do k = 1, max(i, 4)
               n = n + 1
            end do
         end do
      end do
      do i = 1, 2
!$omp parallel do reduction(+:n)
         do j = 1, 2
            n = n + 1
         end do
!$omp end parallel do
      end do
      do concurrent (i = 1:2)
         do j = 1, 2
         end do
      end do
      print *, n
      end
"""


def test_loops_that_directives_bind_together_are_left_alone(fortran, name):
    trial = _with(fortran, Choice(("inner-loops",))).run(COLLAPSED, "-fopenmp", name=name)
    assert trial.visits == {"p": 1, "p:loop@7": 16, "p:parallel do@14": 2}
    assert trial.left_out == {"p:loop@6": "a directive binds it to the enclosing loop", "p:loop@20": "in DO CONCURRENT"}


CALLS = """      program p
      real :: a(4), b(4), x, exp2
      real :: cos(2)
      integer :: i
      external sgemm
      x = 0.5
      cos = 2
      if (x .gt. 0) x = exp(x) + cos(1)
      do 10 i = 1, 2
         a(i) = sin(x*i)
         a(i + 2) = max(a(i), 1.0)
   10 if (i .eq. 1) b(i) = log(x)
      if (atan(x) .gt. 1000) x = 0
      where (a .gt. 0)
         a = tan(a)
      end where
      x = sum(a) + exp(x); x = x + 1; if (x .gt. 0) call sgemm(x)
   20 x = x + tanh(x)
      if (x .lt. 5) go to 20
      call system('exit 0')
      if (x .gt. 1) write (*, '(f8.3)') x
      open (7, status='scratch', err=30)
      close (7)
   30 continue
      end
      subroutine sgemm(x)
      real :: x
      x = x + 1
      call blas
      end
      subroutine blas
      end
"""


def test_statements_that_call_libraries_are_regions(fortran, name):
    trial = _with(fortran, Choice(("math", "library", "syscall"))).run(CALLS, name=name)
    visits = trial.visits
    assert visits == {
        "p": 1,
        **dict.fromkeys(("p:exp@8", "p:sum@17", "p:system@20", "p:tanh@18", "p:write@21", "p:close@23"), 1),
        "p:sin@10": 2,
    }
    assert trial.left_out == {
        "p:log@12": "ends a loop",
        "p:atan@13": "not a statement of its own",
        "p:tan@15": "in WHERE",
        "p:open@22": "may jump to a label",
    }


SHARED = """      module around
      real :: gamma(10) = 3, count(3) = 2
      real :: sum(2) = 1
      contains
      subroutine work(x, y, i)
      real :: x(4), y(4), z
      integer :: i
      real, external :: sum
!$omp parallel workshare
      y = exp(x)
!$omp end parallel workshare
!$omp parallel
!$autoanalyzer begin all
!$omp workshare
      y = y + sin(x)
!$omp end workshare
!$autoanalyzer end all
!$omp end parallel
      z = gamma(i) + tanh(x(1))
      y(i) = y(i) + z + count(2)
      y(2) = sum(x)
      end subroutine
      end module
      program p
      use around
      real :: x(4), y(4)
      integer :: i
      x = 2
      i = 1
      call work(x, y, i)
      write (*, '(5f9.3)') y, gamma(2)
      end program
      real function sum(x)
      real :: x(4)
      sum = x(1)
      end function
"""


@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp"])
def test_neither_arrays_of_a_host_nor_shared_work_are_calls(fortran, name, flag):
    trial = _with(fortran, Choice(("math", "library", "user"))).run(SHARED, flag, name=name)
    visits = {name: count for name, count in trial.visits.items() if name != "around::work:all"}
    assert visits == {"p": 1, "around::work:tanh@19": 1, "p:write@31": 1}
    assert trial.left_out == {"around::work:exp@10": "in WORKSHARE", "around::work:sin@15": "in WORKSHARE"}


MARKED = """      program p
      integer :: i, n
!$autoanalyzer begin early
      data n /0/
!$autoanalyzer end
      n = n + 1
!$autoanalyzer begin whole
      do i = 1, 4
!$autoanalyzer begin step
         if (i .eq. 2) cycle
         if (i .eq. 4) exit
         n = n + 1
!$autoanalyzer end step
      end do
!$autoanalyzer end whole
      if (n .gt. 0) then
!$autoanalyzer begin across
         n = n + 1
      end if
!$autoanalyzer end across
      print *, n
!$autoanalyzer start
      end
"""


def test_regions_that_comments_mark(fortran, name):
    trial = fortran.run(MARKED, name=name)
    assert trial.visits == {"p": 1, "p:whole": 1, "p:loop@8": 1, "p:step": 4}
    assert trial.left_out == {
        "p:early": "begins among declarations",
        "p:across": "does not begin and end in the same block",
        "p:autoanalyzer": "expected 'begin NAME' or 'end' after autoanalyzer",
    }


PLANNED = """      program p
      integer :: i, j, n
      n = 0
      do i = 1, 3
         n = n + i
      end do
      n = n + 1
      do i = 1, 3
         n = n - 1
         if (i .eq. 3) then
            n = n + 5
         end if
         do j = 1, i
            n = n + j
         end do
         if (n .gt. 1000) exit
         n = n + 2
      end do
      call s(n)
      print *, n
      end
      subroutine s(n)
      integer :: n
      do i = 1, 2
         if (i .eq. 2) go to 10
         n = n + 1
      end do
   10 continue
      do i = 1, 2
         if (i .eq. 2) return
         n = n + 1
      end do
      end
"""


def _planned(fortran, name, **rules):
    return _with(fortran, Choice(plan=Plan(**rules))).run(PLANNED, name=name)


def test_neighbours_become_one(fortran, name):
    trial = _planned(fortran, name, merge=(Merge(None, "p", ("loop#0", "loop@8"), "both"),))
    assert trial.visits == {"p": 1, "p:both": 1, "s": 1, "s:loop@24": 1, "s:loop@29": 1}
    assert trial.left_out["p:loop@8"] == "merged into both by the plan"


def test_statements_that_call_are_merged_whatever_the_modes_are(fortran):
    merge = Merge(None, "p", ("allocate@4", "sum@6"), "set up")
    choice = Choice(("functions", "math"), Plan(merge=(merge,)))
    text = """\
      program p
      real, allocatable :: a(:)
      real :: x
      allocate (a(9))
      a = 1
      x = sum(a)
      x = sum(a) + sin(x)
      print *, x
      end
"""
    assert _with(fortran, choice).run(text, name="x.f90").visits == {"p": 1, "p:set up": 1, "p:sin@7": 1}


def test_a_loop_and_a_procedure_are_split_into_blocks(fortran, name):
    loop, whole = Split(Pattern(name="loop@8"), "blocks"), Split(Pattern(function="s", kind="function"), "blocks")
    trial = _planned(fortran, name, split=(loop, whole), eliminate=(Exclude(Pattern(name="loop@4")),))
    assert trial.visits == {
        **{"p": 1, "p:loop@8": 1, "p:loop@13": 3, "s": 1, "s:loop@24": 1, "s:loop@29": 1},
        **{"p:block@9": 3, "p:block@10": 3, "p:block@16": 3},
    }


def test_blocks_cover_where_and_forall(fortran):
    plan = Plan(split=(Split(Pattern(name="p"), "blocks"),))
    text = """\
      program p
      integer :: i, a(9)
      a = 1
      where (a > 0)
         a = 2
      elsewhere
         a = 3
      end where
      forall (i = 1:9)
         a(i) = i
      end forall
      where (a > 8) a = 0
      print *, a
      end
"""
    trial = _with(fortran, Choice(plan=plan)).run(text, name="x.f90")
    assert trial.visits == {"p": 1, "p:block@3": 1, "p:block@4": 1, "p:block@9": 1, "p:block@12": 1}


def test_what_lies_in_a_procedure_that_is_left_out_stays(fortran, name):
    trial = _planned(fortran, name, exclude=(Exclude(Pattern(name="s")), Exclude(Pattern(name="p"))))
    assert trial.visits == {"p:loop@4": 1, "p:loop@8": 1, "s:loop@24": 1, "s:loop@29": 1}


def test_inner_loops_of_one_procedure_alone(fortran, name):
    trial = _planned(fortran, name, include=(Include(Pattern(function="p"), ("inner-loops",)),))
    assert trial.visits["p:loop@13"] == 3
