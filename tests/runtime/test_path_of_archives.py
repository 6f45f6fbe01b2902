"""A run's recorded critical path equals that of an archive with the same events."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards

from ..experiment.bridges.otf2_program import Step, collective, of_ranks, receive, run, send, work, write
from .conftest import recorded

# Each rank writes its events with its thread's CPU time so far. First, it writes the CPU time outside MPI before a
# barrier, after which the ranks begin the loop together.
CHAIN = """
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static FILE *out;
static volatile double sink;
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
static void note(const char *what) {
    fprintf(out, "%.9f %s\\n", used(), what);
}
static void work(long n) {
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}
int main(int argc, char **argv) {
    int rank, token = 0;
    char name[32];
    long n = 20000000;
    double before = used(), initialised;
    MPI_Init(&argc, &argv);
    initialised = used();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "events.%d", rank);
    out = fopen(name, "w");
    fprintf(out, "%.9f\\n", before + used() - initialised);
    MPI_Barrier(MPI_COMM_WORLD);
    note("begin");
    for (int step = 0; step < 4; step++) {
        work(n);
        if (rank == 1) {
            note("enter");
            MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            note("receive");
        }
        work(n / 2);
        if (rank == 0) {
            note("enter");
            MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            note("send");
        }
        note("enter");
        MPI_Barrier(MPI_COMM_WORLD);
        note("barrier");
    }
    fclose(out);
    return MPI_Finalize();
}
"""


def _program(file: Path) -> tuple[float, list[Step]]:
    """Read a rank's CPU time before the first barrier, and its calls with the work between them."""
    calls = {"send": send(1), "receive": receive(0), "barrier": collective("MPI_Barrier", (0, 1))}
    steps: list[Step] = []
    since = 0.0
    before, *lines = file.read_text().splitlines()
    for line in lines:
        seconds, what = line.split()
        if what == "enter":
            steps.append(work("work", float(seconds) - since))
        elif what in calls:
            steps.append(calls[what])
        since = float(seconds)
    return float(before), steps


def _sum(experiment: Experiment, metric: str) -> float:
    return float(np.asarray(experiment.exclusive(metric)).sum())


def test_an_archive_of_a_run_has_the_path_that_the_run_has_recorded(tmp_path: Path) -> None:
    """Both use CPU time, which other programs do not affect; the run also contains the time before the loop."""
    (tmp_path / "app.c").write_text(CHAIN)
    subprocess.run(["mpicc.openmpi", "-O1", "app.c", "-o", "app"], cwd=tmp_path, check=True)
    made = recorded(["mpirun.openmpi", "-n", "2", str(tmp_path / "app")], tmp_path, AUTOANALYZER_PATH="always")
    ran = merge_shards(made.shards, RunFacts())
    before, programs = zip(*(_program(tmp_path / f"events.{rank}") for rank in (0, 1)), strict=True)
    archive = load(write(tmp_path / "archive", of_ranks(run(programs))))
    apart = max(before) - min(before)
    for metric, more in (("path_time", max(before)), ("wait_time", apart), ("delay_time", apart)):
        assert _sum(ran, metric) == pytest.approx(_sum(archive, metric) + more, rel=0.1)
