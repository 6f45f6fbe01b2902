"""Messages beside those of programs in which not everybody takes part: none is awaited that nobody sends."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .conftest import recorded

MERGED = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Comm parent, children, all;
    int one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(parent == MPI_COMM_NULL ? children : parent, parent != MPI_COMM_NULL, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    printf("%d together\\n", sum);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &children : &parent);
    return MPI_Finalize();
}
"""

ONE_WAY = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, other[1], weights[1] = {1}, received = -1;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other[0] = 1 - rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1, other, weights, rank == 0, other, weights,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph);
    printf("%d from %d\\n", rank, received);
    MPI_Comm_free(&graph);
    return MPI_Finalize();
}
"""


def said(launcher: str, compiler: str, text: str, folder: Path) -> tuple[list[str], list[str]]:
    """Give what two ranks print, and how each process of MPI_COMM_WORLD knows the path."""
    (folder / "app.c").write_text(text)
    subprocess.run([compiler, "-w", "app.c", "-o", "app"], cwd=folder, check=True)
    run = recorded(["timeout", "100", launcher, "-n", "2", str(folder / "app")], folder, AUTOANALYZER_PATH="always")
    states = [shard.chains.state for shard in run.shards if shard.chains and not shard.spawned]
    return sorted(run.output.splitlines()), states


def test_collectives_with_spawned_processes_are_left_alone(tmp_path: Path) -> None:
    """MPICH as Debian has it cannot spawn."""
    output, states = said("mpirun.openmpi", "mpicc.openmpi", MERGED, tmp_path)
    assert output == ["3 together"] * 3
    assert states == ["known"] * 2


def test_neighbours_that_receive_from_nobody_still_send(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, states = said(*mpi, ONE_WAY, tmp_path)
    assert output == ["0 from -1", "1 from 0"]
    assert states == ["known"] * 2
