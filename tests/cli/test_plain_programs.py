"""Programs that were not rebuilt: samples show functions, loops and ranks; the report explains why it has no more."""

from __future__ import annotations

import os
from math import isnan

import pytest

from autoanalyzer.experiment import Experiment, load

from .conftest import built_with_looks, succeed

WORK = """
#include <math.h>
#include <stdio.h>
static double sample_model(double x) { return 1 / (1 + x * x); }
__attribute__((noinline)) static double work(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += sample_model(sample_model(sample_model(s + i)));
    for (int i = 0; i < n / 4; i++)
        s += exp(-s * i);
    return s;
}
"""
SERIAL = f"{WORK}int main(void) {{ return work(30000000) < 0; }}\n"
LOOKED_AT = f"""{WORK}
int looks(void);
int main(void) {{
    double s = 0;
    while (looks() < 60)
        s += work(100000);
    return s < 0;
}}
"""
MPI = """
#include <mpi.h>
#include <stdio.h>
static double kernel(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i % 1000] / (1 + s * s);
    return s;
}
int main(int argc, char **argv) {
    int rank;
    double a[1000], sum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000; i++)
        a[i] = i;
    for (int step = 0; step < 10; step++) {
        sum += kernel(a, rank == 1 ? 16000000 : 8000000);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (!rank)
        printf("%d\\n", all < 0);
    MPI_Finalize();
    return 0;
}
"""
OPENMP = """
program p
  double precision :: a(20000), s
  integer :: i, j, k
  s = 0
  a = 1
  do k = 1, 20
    !$omp parallel do reduction(+:s) schedule(static)
    do i = 1, 20000
      do j = 1, i/50
        s = s + a(j)/(1 + s*s)
      end do
    end do
    !$omp end parallel do
  end do
  print *, s < 0
end program
"""

THREADS = """
#include <pthread.h>
#include <stdio.h>
static double spin(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += 1 / (1 + s * s);
    return s;
}
__attribute__((noinline)) static double on_usual_stack(void) { return spin(60000000); }
__attribute__((noinline)) static double on_small_stack(void) { return spin(50000000); }
static void *first(void *sum) { *(double *)sum += on_usual_stack(); return sum; }
static void *second(void *sum) { *(double *)sum += on_small_stack(); return sum; }
int main(void) {
    pthread_t thread;
    pthread_attr_t small;
    double sum = 0;
    pthread_create(&thread, NULL, first, &sum);
    pthread_join(thread, NULL);
    pthread_attr_init(&small);
    if (pthread_attr_setstacksize(&small, 20 << 10))
        return 77;
    pthread_create(&thread, &small, second, &sum);
    pthread_join(thread, NULL);
    printf("%d\\n", sum < 0);
    return 0;
}
"""
PLUGIN = """
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static void *serve(void *nothing) { sem_post(&ready); return nothing; }
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, serve, NULL);
    sem_wait(&ready);
    pthread_detach(thread);
}
int answer(void) { return 42; }
"""
LOADS = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    int (*answer)(void) = plugin ? (int (*)(void))dlsym(plugin, "answer") : NULL;
    printf("%d\\n", answer ? answer() : -1);
    return 0;
}
"""
STARTS = """
#include <pthread.h>
static pthread_t thread;
static double sum;
__attribute__((noinline)) static double serve(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += 1 / (1 + s * s);
    return s;
}
static void *begin_serving(void *nothing) { sum = serve(100000000); return nothing; }
__attribute__((constructor)) static void begin(void) { pthread_create(&thread, NULL, begin_serving, NULL); }
int finish(void) { pthread_join(thread, NULL); return sum < 0; }
"""
IDLE = """
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t waits;
static void *wait_for_work(void *nothing) { sem_post(&waits); pause(); return nothing; }
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    sem_init(&waits, 0, 0);
    pthread_create(&thread, NULL, wait_for_work, NULL);
}
int ready(void) { return sem_wait(&waits); }
"""
STARTER = """
#include <unistd.h>
int main(int argc, char **argv) { return argc + execv("./app", argv); }
"""
PARTLY = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define SPIN(name) \\
    __attribute__((noinline)) static double name(int n) { \\
        double s = 0; \\
        for (int i = 0; i < n; i++) \\
            s += 1 / (1 + s * s); \\
        return s; \\
    }
SPIN(whole)
SPIN(early)
SPIN(late)
SPIN(hidden)
static double ends(void) {
    double sum = early(20000000);
    stack_t small = {.ss_sp = malloc(8192), .ss_size = 8192};
    sigaltstack(&small, NULL);
    return sum + late(180000000);
}
static void *hides(void *sum) {
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_BLOCK, &urgent, NULL);
    *(double *)sum += hidden(180000000);
    pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
    *(double *)sum += early(20000000);
    return sum;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t thread;
    double sum = 0;
    if (argc == 1)
        return ends() < 0;
    pthread_create(&thread, NULL, hides, &sum);
    pthread_join(thread, NULL);
    printf("%d\\n", sum + whole(100000000) < 0);
    return 0;
}
"""


def paths(experiment: Experiment) -> dict[str, float]:
    """Return the CPU time of each call path by its names."""
    values = experiment.inclusive("cpu_time").sum(axis=1)
    names: list[str] = []
    for path in experiment.call_paths:
        names.append("" if path.parent is None else f"{names[path.parent]}/{path.region.name}")
    return dict(zip(names, values.tolist(), strict=True))


def test_a_serial_program_has_functions_loops_and_what_is_inside(tool) -> None:
    tool.write("a.c", LOOKED_AT)
    built_with_looks(tool, "gcc", "a.c", "-lm")
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    found = tool.findings()
    first = found["findings"][0]
    assert (first["kind"], first["file"], first["line"], first["function"]) == ("hot_spot", "a.c", 7, "work")
    assert first["inside"][0]["name"] == "sample_model"
    experiment = load(tool.folder / "out" / "experiment.cube")
    seconds = paths(experiment)
    assert seconds["/work/loop@7"] > 0
    assert "/work/loop@9" in seconds or any("libm" in name for name in seconds)
    assert sum(experiment.exclusive("cpu_time").sum(axis=1)) == pytest.approx(seconds[""])
    visits = experiment.exclusive("visits").ravel().tolist()
    assert visits[0] == 1
    assert all(map(isnan, visits[1:]))
    assert experiment.notes.samples.keys() == {"cpu_time", "wall_time"}
    (said,) = experiment.notes.not_instrumented
    assert said == "app: no probes, only samples, MPI calls and file I/O"


def test_the_ranks_of_an_mpi_program_are_compared_and_calls_are_in_their_loops(tool) -> None:
    tool.write("a.c", MPI)
    succeed(tool("mpicc", "-g", "-O1", "a.c", "-o", "app"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "mpirun", "-n", "2", "./app"))
    found = tool.findings()
    first = found["findings"][0]
    assert (first["kind"], first["line"], first["ranks"]) == ("imbalance", 6, [1])
    seconds = paths(load(tool.folder / "out" / "experiment.cube"))
    assert "/loop@17/MPI_Allreduce@19" in seconds


def test_threads_of_openmp_are_compared(tool) -> None:
    tool.write("a.f90", OPENMP)
    succeed(tool("gfortran", "-g", "-O1", "-fopenmp", "a.f90", "-o", "app"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app", env={"OMP_NUM_THREADS": "2"}))
    experiment = load(tool.folder / "out" / "experiment.cube")
    (spot,) = (number for number, path in enumerate(experiment.call_paths) if path.region.first_line == 9)
    less, more = experiment.inclusive("cpu_time")[spot]
    assert 0 < less < more


def test_threads_are_sampled_but_not_on_small_stacks(tool) -> None:
    tool.write("a.c", THREADS)
    succeed(tool("gcc", "-g", "-O1", "a.c", "-o", "app", "-lpthread"))
    if tool("./app").returncode == 77:
        pytest.skip("stacks are larger on this processor")
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    experiment = load(tool.folder / "out" / "experiment.cube")
    names = {path.region.function for path in experiment.call_paths}
    assert "on_usual_stack" in names or "spin" in names
    assert "on_small_stack" not in names
    said = "no samples of 1 thread on a stack that is smaller than 32 KiB or of unknown size"
    assert said in experiment.notes.remarks


def test_a_plugin_that_waits_for_its_thread_while_it_is_loaded_goes_on(tool) -> None:
    tool.write("plugin.c", PLUGIN)
    tool.write("a.c", LOADS)
    succeed(tool("gcc", "-shared", "-fPIC", "plugin.c", "-o", "plugin.so", "-lpthread"))
    succeed(tool("gcc", "a.c", "-o", "app", "-ldl", "-lpthread"))
    ended = succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    assert b"42" in ended.stdout.split()


def test_threads_that_libraries_start_before_the_program_are_sampled(tool) -> None:
    tool.write("library.c", STARTS)
    tool.write("a.c", "int finish(void); int main(void) { return finish(); }")
    succeed(tool("gcc", "-g", "-O1", "-shared", "-fPIC", "library.c", "-o", "libpool.so", "-lpthread"))
    succeed(tool("gcc", "a.c", "-o", "app", "-L.", "-lpool", "-Wl,-rpath,$ORIGIN"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert len(experiment.locations) == 2
    assert "serve" in {path.region.function for path in experiment.call_paths}


@pytest.mark.parametrize(("way", "name", "least", "most"), [([], "early", 0.0, 0.5), (["hides"], "whole", 0.6, 1.1)])
def test_samples_of_a_thread_show_its_time_as_far_as_they_go(
    tool, way: list[str], name: str, least: float, most: float
) -> None:
    tool.write("a.c", PARTLY)
    succeed(tool("gcc", "-g", "-O1", "a.c", "-o", "app", "-lpthread"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app", *way))
    experiment = load(tool.folder / "out" / "experiment.cube")
    values = experiment.exclusive("cpu_time")[:, 0]
    own = [value for path, value in zip(experiment.call_paths, values, strict=True) if path.region.function == name]
    assert least < sum(own) / sum(values) < most


@pytest.mark.parametrize("name", ["pruning", "cg.solver", "perlin"])
def test_a_program_is_known_by_its_whole_name_and_every_command_shows_its_regions(tool, name: str) -> None:
    tool.write("a.c", SERIAL)
    succeed(tool("gcc", "-g", "-O1", "a.c", "-o", name, "-lm"))
    succeed(tool("autoanalyzer", "exec", "--sample", "auto", "-o", "out", "./" + name))
    succeed(tool("autoanalyzer", "info", "out"))
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert paths(experiment)["/work/loop@7"] > 0
    assert not any(path.region.kind == "line" for path in experiment.call_paths)


def test_threads_that_libraries_keep_ready_are_no_locations(tool) -> None:
    tool.write("library.c", IDLE)
    tool.write("a.c", "int ready(void); int main(void) { return ready(); }")
    succeed(tool("gcc", "-shared", "-fPIC", "library.c", "-o", "libpool.so", "-lpthread"))
    succeed(tool("aa-mpicc", "a.c", "-o", "app", "-L.", "-lpool", "-Wl,-rpath,$ORIGIN"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    assert len(load(tool.folder / "out" / "experiment.cube").locations) == 1


def test_a_helper_without_probes_is_no_process_of_a_run_with_probes(tool) -> None:
    tool.write("starter.c", STARTER)
    succeed(tool("gcc", "starter.c", "-o", "starter"))
    tool.build("int main(void) { return 0; }")
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./starter"))
    found = tool.findings()
    assert (found["experiment"]["program"], found["experiment"]["processes"]) == ("app", 1)
    assert not any("left out" in each for each in found["completeness"]["remarks"])


def test_a_program_that_is_not_here_is_not_said_to_be_stripped(tool) -> None:
    tool.write("a.c", SERIAL)
    succeed(tool("gcc", "-g", "-O1", "a.c", "-o", "app", "-lm"))
    succeed(tool("autoanalyzer", "exec", "--sample", "auto", "-o", "out", "./app"))
    (tool.folder / "app").unlink()
    succeed(tool("autoanalyzer", "info", "out"))
    remarks = load(tool.folder / "out" / "experiment.cube").notes.remarks
    assert any(
        each.endswith("/app is not on this machine; run autoanalyzer gather on a machine that has this file")
        for each in remarks
    )
    assert not any("stripped" in each for each in remarks)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("a.c", "a.c is newer than app, so functions, loops and lines may be wrong"),
        ("app", "app is newer than the run, so functions and lines may be those of another build"),
    ],
)
def test_files_that_changed_since_the_run_are_named(tool, file: str, said: str) -> None:
    tool.write("a.c", SERIAL)
    succeed(tool("gcc", "-g", "-O1", "a.c", "-o", "app", "-lm"))
    succeed(tool("autoanalyzer", "exec", "--sample", "auto", "-o", "out", "./app"))
    later = (tool.folder / "app").stat().st_mtime + 86400
    os.utime(tool.folder / file, (later, later))
    succeed(tool("autoanalyzer", "info", "out"))
    (remark,) = [each for each in load(tool.folder / "out" / "experiment.cube").notes.remarks if "newer" in each]
    assert remark.endswith(said)


def test_a_program_with_line_numbers_is_not_said_to_have_none(tool) -> None:
    tool.write("work.c", WORK.replace("static double work", "double work"))
    tool.write("a.c", "double work(int n); int main(void) { return work(30000000) < 0; }")
    succeed(tool("gcc", "-g0", "-O1", "-c", "work.c"))
    succeed(tool("gcc", "-g", "-O1", "a.c", "work.o", "-o", "app", "-lm"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert paths(experiment)["/work"] > 0
    assert not any("line numbers" in each for each in experiment.notes.remarks)


@pytest.mark.parametrize(
    ("option", "place", "said"),
    [
        ("-g0", "/work", "app has no line numbers, so samples show only functions; compile with -g"),
        ("-s", "", "app is stripped, so samples show no functions; compile with -g, and do not strip the program"),
    ],
)
def test_what_samples_cannot_show_is_said(tool, option: str, place: str, said: str) -> None:
    tool.write("a.c", SERIAL)
    succeed(tool("gcc", option, "-O1", "a.c", "-o", "app", "-lm"))
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    experiment = load(tool.folder / "out" / "experiment.cube")
    seconds = paths(experiment)
    assert seconds[place] > 0
    assert seconds.keys() <= {"", place, "/main", *(name for name in seconds if name.endswith(")"))}
    assert said in experiment.notes.remarks
