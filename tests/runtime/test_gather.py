"""Gathering what a run left that was not started as its program wants to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.runtime.measure import measure

from .conftest import compiled

PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *rank = getenv(argc > 1 ? argv[1] : "");
    if (rank && atoi(rank) < atoi(argv[2])) {
        ((void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter"))("aa1|user|early|||0|0|0");
        _exit(0);
    }
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
"""


@pytest.mark.parametrize(
    ("early", "remark"),
    [
        (1, "2 processes, each alone in its MPI_COMM_WORLD"),
        (2, "the gather by MPI failed (3 processes in one MPI_COMM_WORLD wanted, found each alone)"),
    ],
)
def test_ranks_under_the_launcher_of_another_mpi_do_not_gather_against_each_other(
    early: int, remark: str, mpi: tuple[str, str], tmp_path: Path
) -> None:
    """Some end before they have initialised MPI, so that ranks seem to be missing here."""
    launcher, compiler = mpi
    other = {"mpirun.openmpi": "mpirun.mpich", "mpirun.mpich": "mpirun.openmpi"}[launcher]
    variable = {"mpirun.openmpi": "OMPI_COMM_WORLD_RANK", "mpirun.mpich": "PMI_RANK"}[other]
    (tmp_path / "alone.c").write_text(PROGRAM)
    program = compiled(compiler, str(tmp_path / "alone.c"), tmp_path)
    command = [other, "-n", "3", str(program), variable, str(early)]
    experiment = measure(command, tmp_path / "out", say=print).experiment
    assert experiment is not None
    assert len(experiment.locations) == 3
    assert remark in "\n".join(experiment.notes.remarks)
    assert not any("No such file" in each for each in experiment.notes.remarks)
