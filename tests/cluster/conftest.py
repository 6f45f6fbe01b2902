"""A cluster for the tests in this folder, and a program that runs on it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from .slurm import PROGRAMS, Cluster

SHARED = Path("/var/tmp")  # all nodes share this folder, but each has its own /tmp


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return a running cluster of four nodes; skip the tests if Slurm is not installed or the user is not root."""
    if os.geteuid() != 0 or any(shutil.which(program) is None for program in PROGRAMS):
        pytest.skip("a cluster takes root, and Debian's slurmctld, slurmd, slurm-client and munge")
    named = Path(os.environ["AUTOANALYZER_CACHE"])
    is_shared = named.is_relative_to(SHARED)
    folder = Path(mkdtemp(prefix="autoanalyzer-cluster-", dir=named.parent if is_shared else SHARED))
    cache = named if is_shared else folder / "cache"
    checkout = Path(__file__).parents[2]
    shown = {checkout, Path(sys.prefix), Path(sys.base_prefix)}  # the folders that contain the tool
    apart = [place for place in shown if not any(place.is_relative_to(other) for other in shown - {place})]
    made = Cluster(folder, [f"aa-node{number}" for number in range(1, 5)], cache, apart)
    try:
        made.up()
        yield made
    finally:
        made.down()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def app(cluster: Cluster) -> Path:
    """Return the folder of a program with probes, ``app-openmpi`` and ``app-mpich``.

    Rank 1 computes twice as long as the others. If ``SECONDS_OF_SLEEP`` is set, each rank creates the file
    ``begun-RANK`` after its first work, and sleeps for this time in all.
    """
    folder = cluster.folder / "app"
    folder.mkdir()
    (folder / "app.c").write_text(PROGRAM)
    for mpi in ("openmpi", "mpich"):
        words = ["aa-mpicc", "-g", "-O1", "app.c", "-o", f"app-{mpi}"]
        done = cluster.run(*words, folder=folder, more={"AUTOANALYZER_CC": f"mpicc.{mpi}"})
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def place(cluster: Cluster, app: Path, tmp_path: Path) -> Iterator[Path]:
    """Return a folder that all nodes share, with the program in it; after the test, wait until no job is left."""
    folder = cluster.folder / tmp_path.parents[1].name
    folder.mkdir()
    for program in app.glob("app-*"):
        (folder / program.name).hardlink_to(program)
    yield folder
    cluster.idle()
    cluster.tidy()


PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* CPU time, because other load on the machine must not be measured. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double work(double seconds) {
    double sum = 0, end = now() + seconds;
    while (now() < end)
        for (int i = 1; i < 2000; i++) /* so that probes in now() cost nothing */
            sum += 1.0 / i;
    return sum;
}

int main(int argc, char **argv) {
    int rank, size;
    const char *text = getenv("SECONDS_OF_SLEEP");
    unsigned seconds = text ? (unsigned)atoi(text) : 0;
    double sum = 0, total;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 4; step++) {
        sum += work(rank == 1 ? 0.04 : 0.02);
        if (seconds && step == 0) {
            snprintf(name, sizeof name, "begun-%d", rank);
            fclose(fopen(name, "w"));
        }
        sleep(seconds / 4); /* all ranks, because a rank that waits in MPI keeps a core busy */
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d ranks\n", size);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""
