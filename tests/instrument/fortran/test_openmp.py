"""OpenMP and OpenACC: probes are above a directive that applies to a loop, and below the one that ends it."""

import pytest

FREE_WORK = """
      program main
      implicit none
      integer i, j, k, a(8), b(4, 4)
      a = 0
      b = 0
!$omp parallel do private(j) shared(a)
      do i = 1, 8
        a(i) = a(i) + i
      end do
!$omp end parallel do
!$omp parallel do collapse(2)
! a comment between
      do i = 1, 4

        do j = 1, 4
          b(i, j) = i * j
        end do
      end do
!$omp parallel do &
!$omp&  schedule(static) ! a comment
      do i = 1, 8
        if (i > 9) cycle
        a(i) = a(i) + 1
      enddo
!$OMP PARALLEL DO REDUCTION(+: k)
      do 10 i = 1, 8
   10 k = k + 1
!$OMP ENDPARALLELDO
!$omp simd
      do i = 1, 8
        a(i) = a(i) + 1
      end do
!$omp end simd
!$omp parallel workshare
      a = a + 1
!$omp end parallel workshare
      print *, a, b
      end program
"""
LEGACY = FREE_WORK.replace("!$omp parallel do &\n!$omp&  schedule", "!$omp parallel do\n!$omp+  schedule")


@pytest.mark.by_day(flag=["-fopenmp", "-fno-openmp"])
@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp", "-fopenmp-simd"])
def test_a_loop_and_its_directives_are_one(fortran, name, flag):
    source = FREE_WORK if name == "x.f90" else LEGACY
    constructs = {"main:parallel workshare@35": 1} if flag == "-fopenmp" else {}
    assert fortran.run(source, flag, name=name).visits == constructs | {
        "main": 1,
        "main:loop@8": 1,
        "main:loop@14": 1,
        "main:loop@22": 1,
        "main:loop@27": 1,
        "main:loop@31": 1,
    }


TEAM = """
      program main
      integer i, n, a(8), total
      total = 0
!$omp parallel num_threads(1) private(i)
!$omp do
      do i = 1, 8
        a(i) = i
      end do
!$omp end do nowait
!$omp do schedule(dynamic)
      do i = 1, 8
        a(i) = a(i) + 1
      end do
!$omp sections
!$omp section
      do i = 1, 2
        a(i) = 3
      end do
!$omp section
      call show(a(1))
!$omp end sections
!$omp critical (name)
      total = total + 1
!$omp end critical (name)
!$omp atomic
      total = total + 1
!$omp atomic update
      total = total + 1
!$omp end atomic
!$omp single
      do i = 1, 2
        call show(i)
      end do
!$omp end single
!$omp master
      print *, total
!$omp end master
!$omp barrier
!$omp end parallel
!$omp parallel num_threads(1)
!$omp single
      do n = 1, 2
!$omp task firstprivate(n)
        call show(n)
!$omp end task
      end do
!$omp taskwait
!$omp end single
!$omp end parallel
      end program
      subroutine show(n)
      integer n
!$omp critical
      print *, n
!$omp end critical
      if (n == 1) return
!$omp flush
      end subroutine
      subroutine first(n)
      integer n
!$omp parallel
!$omp do
      do i = 1, 2
      end do
!$omp end parallel
      end subroutine
      subroutine atom(n)
      integer n
!$omp atomic
      n = n + 1
!$omp parallel
      call show(n)
!$omp end parallel
      end subroutine
"""


@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp"])
def test_probes_stand_between_directives_where_they_may(fortran, name, flag):
    at = {"parallel": (5, 41), "sections": (15,), "single": (31, 42)} if flag == "-fopenmp" else {}
    constructs = {f"main:{words}@{line}": 1 for words, lines in at.items() for line in lines}
    assert fortran.run(TEAM, flag, name=name).visits == constructs | {
        "main": 1,
        "main:loop@7": 1,
        "main:loop@12": 1,
        "main:loop@17": 1,
        "show": 5,
        "main:loop@32": 1,
        "main:loop@43": 1,
    }


CONDITIONAL = """
      program main
      integer i, n
!$    integer omp
      n = 0
!$    n = 1
!$ 10 n = n + 1
!$    if (n < 3) goto 10
!$    do i = 1, 2
        n = n + 1
!$    end do
!$    if (n > 100 .and. n < 200                                         &
!$   &    .and. n > 0) return
      do i = 1, n
        print *, i
!$      if (i == 2) return
      end do
      end
"""


@pytest.mark.by_day(flag=["-fopenmp", "-fopenmp-simd"])
@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp", "-fopenmp-simd", "-fopenacc"])
def test_conditional_lines_are_code_only_with_openmp(fortran, name, flag):
    with_openmp = {"main": 1, "main:loop@9": 1, "main:loop@14": 1}
    assert fortran.run(CONDITIONAL, flag, name=name).visits == (
        with_openmp if "-fopenmp" in flag else {"main": 1, "main:loop@14": 1}
    )


CONTINUED_END = """
      program main
      integer n
c$omp parallel num_threads(1) private(n)
c$omp single
      n = 3
      print *, 'single'
c$omp end single
c$omp+copyprivate(n)
      print *, n
c$omp end parallel
      end
"""


def test_no_probe_separates_a_directive_of_fixed_form_from_its_continuation(fortran):
    assert fortran.run(CONTINUED_END, "-fopenmp", name="x.f").visits == {
        "main": 1,
        "main:parallel@4": 1,
        "main:single@5": 1,
    }
    assert b"c$omp end single\nc$omp+copyprivate(n)\n" in fortran.instrument("x.f", "-fopenmp")[0]


FIXED_SENTINELS = """
      program main
      integer i, n
      n = 0
c$omp parallel do
c$omp+ reduction(+: n)
      do i = 1, 4
        n = n + 1
      end do
*$OMP PARALLEL DO
C     COMMENT
*$OMP1 REDUCTION(+: N)
      do 10 i = 1, 4
   10 n = n + 1
C$OMP END PARALLEL DO
c$    n = n + 1
*$ 20 n = n + 1
C$    if (n < 10) go to 20
      print *, n > 7
!DIR$ IVDEP
CDIR$ NOVECTOR
!GCC$ ivdep
      do i = 1, 2
        n = n + 1
      end do
      end
"""


@pytest.mark.parametrize("flag", ["-fopenmp", "-fno-openmp"])
def test_fixed_form_has_three_sentinels(fortran, flag):
    trial = fortran.run(FIXED_SENTINELS, flag, name="x.f")
    assert trial.visits == {"main": 1, "main:loop@7": 1, "main:loop@13": 1, "main:loop@23": 1}


ACC = """
      program main
      integer i, a(8)
!$acc data copyout(a)
!$acc parallel loop
      do i = 1, 8
        a(i) = i
      end do
!$acc end parallel loop
!$acc kernels
      do i = 1, 8
        a(i) = a(i) + 1
      end do
!$acc end kernels
!$acc end data
      do i = 1, 2
        call on_device(a(i))
      end do
      print *, a
      contains
      subroutine on_device(n)
!$acc routine seq
      integer n, i
      do i = 1, min(n, 2)
        n = n + 1
      end do
      end subroutine
      end program
"""


def test_what_openacc_moves_to_a_device_is_left_out(fortran, name):
    trial = fortran.run(ACC, "-fopenacc", name=name)
    assert trial.visits == {"main": 1, "main:loop@16": 1}
    assert set(trial.left_out.values()) == {"runs on an accelerator"}


def test_openacc_is_a_comment_unless_asked_for(fortran, name):
    assert fortran.run(ACC, name=name).entered == {
        1: "main, main:loop@6, main:loop@11, main:loop@16",
        2: "main::on_device, main::on_device:loop@24",
    }


TARGET = """
      program main
      integer i, a(8)
!$omp target teams distribute parallel do map(from: a)
      do i = 1, 8
        a(i) = i
      end do
!$omp end target teams distribute parallel do
!$omp target map(a)
      do i = 1, 8
        a(i) = a(i) + 1
      end do
!$omp end target
      do i = 1, 2
        print *, a(i)
      end do
      end program
"""


def test_what_openmp_moves_to_a_device_is_left_out(fortran, name):
    trial = fortran.run(TARGET, "-fopenmp", name=name)
    assert trial.visits == {"main": 1, "main:loop@14": 1}
    assert trial.left_out == {"main:loop@5": "runs on an accelerator", "main:loop@10": "runs on an accelerator"}


CONSTRUCTS = """
      program main
      integer i, j, k, step, n, a(8)
      n = 0
      a = 0
      do step = 1, 3
!$omp parallel do num_threads(1) private(j)
        do i = 1, 4
          do j = 1, 2
            if (j == 2) goto 20
          end do
   20     continue
          a(i) = i
        end do
!$omp end parallel do
!$omp parallel num_threads(1) default(none) shared(a) private(i)
!$omp do schedule(dynamic)
        do i = 1, 8
          a(i) = a(i) + 1
        end do
!$omp end do nowait
!$omp endparallel
        if (step == 2) goto 10
      end do
   10 continue
!$omp parallel num_threads(1) private(i) reduction(+: n)
      do i = 1, 8
        if (i == 3) goto 30
      end do
   30 n = n + 1
!$omp workshare
      a = a + 1
!$omp end workshare
!$omp single
      n = n + 1
!$omp end single copyprivate(i)
!$omp end parallel
!$omp parallel num_threads(1)
!$omp single
      do i = 1, 2
!$omp task
        call leaf(n)
!$omp end task
      end do
!$omp end single
!$omp end parallel
      do 40 k = 1, 2
!$omp parallel do num_threads(1)
      do 40 i = 1, 2
   40 a(i) = a(i) + 1
      print *, n, a
      end program
      subroutine leaf(n)
      integer n
!$omp parallel num_threads(1)
      n = n
!$omp end parallel
      end subroutine
"""


def test_constructs_are_regions_where_openmp_makes_threads(fortran, name):
    assert fortran.run(CONSTRUCTS, "-fopenmp", name=name).entered == {
        1: "main, main:loop@6, main:parallel@26, main:loop@27, main:workshare@31, main:single@34, "
        "main:parallel@38, main:single@39, main:loop@40, main:loop@47",
        2: "main:parallel do@8, main:parallel@16, main:do@18, leaf, leaf:parallel@55",
    }


def test_without_threads_loops_alone_are_regions(fortran, name):
    trial = fortran.run(CONSTRUCTS, "-fopenmp-simd", name=name)
    assert not [region for region in trial.visits if "parallel" in region or "single" in region]
