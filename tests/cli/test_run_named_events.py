"""``run --counters papi:EVENT,…``: each event is a metric; events that do not fit into one run take several."""

import json
import shutil

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace import load_trace
from autoanalyzer.runtime.papi.kernel import may_count_all, paranoid_level
from autoanalyzer.view.caveats import how_counted
from autoanalyzer.view.counted_events import NOTHING

from ..perf_event import counts_events_of_the_kernel
from .conftest import refused

pytestmark = counts_events_of_the_kernel

# Each rank prints one line with the kernel's own counts for the thread in a region.
WORK = """
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void touch(long pages) {
    char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < pages; i++)
        memory[i * 4096] = 1;
}

static void pause_often(int times) {
    for (int i = 0; i < times; i++)
        usleep(50);
}

static double spin(long steps) {
    volatile double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += i;
    return sum;
}

static double seconds(struct timeval time) {
    return time.tv_sec + 1e-6 * time.tv_usec;
}

static void work(int rank) {
    struct rusage before, after;
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    getrusage(RUSAGE_THREAD, &before);
    touch(2000 * (rank + 1));
    pause_often(40 * (rank + 1)); /* few: what switching takes is in no event */
    spin(40000000L * (rank + 1));
    getrusage(RUSAGE_THREAD, &after);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("{\\"rank\\": %d, \\"faults\\": %ld, \\"switches\\": %ld, \\"seconds\\": %.6f, \\"wall\\": %.6f}\\n", rank,
           after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
           after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw,
           seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime),
           (ended.tv_sec - began.tv_sec) + 1e-9 * (ended.tv_nsec - began.tv_nsec));
}

int main(int argc, char **argv) {
    int rank;
    (void)argc;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(rank);
    MPI_Finalize();
    return 0;
}
"""

# There is no MPI, which takes long to start. The second run enters the region more often.
MOODY = """
#include <stdio.h>
static void region(void) { for (volatile int i = 0; i < 1000; i++) ; }
int main(int argc, char **argv) {
    (void)argv;
    FILE *ran = fopen("ran", "a");
    fputc('.', ran);
    for (int i = 0; i < 10 * ftell(ran); i++)
        region();
    fclose(ran);
    return argc > 1;
}
"""

EIGHT = [
    *("perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CPU-CLOCK", "perf::MINOR-FAULTS"),
    *("perf::FAULTS", "perf::PERF_COUNT_SW_TASK_CLOCK", "perf::PERF_COUNT_SW_PAGE_FAULTS"),
    "perf::PERF_COUNT_SW_CPU_CLOCK",
]


def run(tool, *options: str, command: tuple[str, ...] = ("./app",)):
    return tool("autoanalyzer", "run", "--no-calibrate", "-o", "out", *options, "--", *command)


@pytest.mark.parametrize(("compiler", "launcher"), [("mpicc", "mpirun"), ("mpicc.mpich", "mpirun.mpich")])
@pytest.mark.by_day(compiler=["mpicc"])
def test_what_events_of_the_kernel_come_to_is_what_the_kernel_says(tool, compiler, launcher):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    switches = ["perf::CONTEXT-SWITCHES"] if may_count_all() or int(paranoid_level()) < 2 else []
    tool.build(WORK, compiler=compiler)
    events = ["perf::PAGE-FAULTS", "perf::TASK-CLOCK", *switches]
    more = ("--oversubscribe",) if launcher == "mpirun" else ()
    options = ("--trace", "0.002", "--counters", f"papi:{','.join(events)}")
    done = run(tool, *options, command=(launcher, *more, "-n", "3", "./app"))
    assert done.returncode == 0, done.stderr
    told = sorted((json.loads(line) for line in done.stdout.decode().splitlines()), key=lambda each: each["rank"])
    found = load(tool.folder / "out" / "experiment.cube")
    (work,) = [row for row, path in enumerate(found.call_paths) if path.region.name == "work"]
    metrics = {metric.name: metric for metric in found.metrics}
    trace = load_trace(tool.folder / "out" / "trace.npz")
    lines = [*trace.lines()]
    for event, key in (("perf::PAGE-FAULTS", "faults"), *(("perf::CONTEXT-SWITCHES", "switches") for _ in switches)):
        between = 4  # between the entry of the region and the kernel's answer
        assert found.inclusive(event)[work] == pytest.approx([each[key] for each in told], rel=0.01, abs=between)
        assert metrics[event].unit == "occ"
    # The clock keeps running while the host takes the core away, which getrusage does not include.
    clock = found.inclusive("perf::TASK-CLOCK")[work] * 1e-9
    # Only one of the two includes context switches: a millisecond of some 100.
    for seconds, each in zip(clock, told, strict=True):
        assert 0.98 * each["seconds"] - 2e-3 < seconds < each["wall"] + 1e-3
    assert metrics["perf::TASK-CLOCK"].unit == "nsec"
    assert all(metrics[event].source.startswith(f"measured:papi:{event}") for event in events)
    for event in events:
        in_time = np.array([line.values[:, trace.column(event)].sum() for line in lines])
        assert (in_time >= found.exclusive(event).sum(axis=0)).all()  # time before main is in no region
    (start,) = [row for row, path in enumerate(found.call_paths) if path.region.name == "MPI_Init"]
    assert (found.inclusive("perf::PAGE-FAULTS")[start] > 0).all()  # MPI's own work is included
    assert how_counted(analyze(found)).startswith(f"{NOTHING}, only {', '.join(events)}")


def test_more_events_than_a_run_counts_take_several_and_become_one_experiment(tool):
    tool.build(MOODY.replace("10 * ftell(ran)", "10"))
    done = run(tool, "--per-run", "3", "--trace", "--no-analyze", "--counters", f"papi:{','.join(EIGHT)}")
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert "run 1 of 3 counts perf::TASK-CLOCK, perf::PAGE-FAULTS, perf::CPU-CLOCK" in said
    assert "run 3 of 3 counts perf::PERF_COUNT_SW_PAGE_FAULTS, perf::PERF_COUNT_SW_CPU_CLOCK" in said
    found = load(tool.folder / "out" / "experiment.cube")
    assert [metric.name for metric in found.metrics if metric.source.startswith("measured:papi:")] == EIGHT
    totals = {name: found.exclusive(name).sum() for name in EIGHT}
    assert all(value > 0 for value in totals.values())
    assert totals["perf::MINOR-FAULTS"] <= totals["perf::FAULTS"]  # both are from the same run
    first = load(tool.folder / "out" / "run-1" / "experiment.cube")
    assert np.array_equal(found.exclusive("wall_time"), first.exclusive("wall_time"))
    (where,) = [each for each in found.notes.remarks if each.startswith("metrics come from ")]
    assert "perf::PERF_COUNT_SW_CPU_CLOCK from run-3, all others from run-1, whose time lines are in trace.npz" in where
    shown, own = (load_trace(tool.folder / "out" / each / "trace.npz") for each in (".", "run-1"))
    assert [metric.name for metric in shown.metrics if metric.name in EIGHT] == EIGHT[:3]
    assert np.array_equal(shown.line(0).values, own.line(0).values, equal_nan=True)
    assert not any("did not enter" in each for each in found.notes.remarks)


def test_runs_that_do_not_do_the_same_are_doubted_and_one_that_fails_ends_them(tool):
    tool.build(MOODY)
    events = ("--per-run", "1", "--counters", "papi:perf::TASK-CLOCK,perf::PAGE-FAULTS")
    assert run(tool, *events).returncode == 0
    remarks = load(tool.folder / "out" / "experiment.cube").notes.remarks
    regions = "loop@8/region, loop@8/region/loop@3"
    assert (
        f"run-2 entered some call paths more or less often than run-1, which affects the counts: {regions}" in remarks
    )
    done = run(tool, *events, command=("./app", "fail"))
    assert done.returncode == 1
    assert "stopped after 0 of 2 runs; the recorded data are in out" in done.stderr.decode()
    assert not (tool.folder / "out" / "experiment.cube").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["papi:perf::TASK-CLOCK,NO_SUCH"],
            "NO_SUCH cannot be counted: PAPI has no such event on this machine; autoanalyzer counters lists",
        ),
        (["papi:"], "expected papi:EVENT,…, such as papi:perf::PAGE-FAULTS"),
        (["papi:A,A"], "expected each event once, found A twice"),
        ([f"papi:{'E' * 82}"], "with events of at most 81 characters"),
        (["many"], "invalid choice: 'many'"),
        (["papi:perf::TASK-CLOCK", "--per-run", "7"], "expected a number from 1 to 6, found '7'"),
        (
            ["papi:" + ",".join(EIGHT), "--repeat", "2"],
            "--repeat counts all named events in the same run, but these 8 events need 2 runs",
        ),
    ],
)
def test_events_that_cannot_be_are_refused_before_anything_runs(words, said, here):
    assert said in refused(here("run", "--counters", *words, "--", "mpirun", "-n", "2", "./none"))
