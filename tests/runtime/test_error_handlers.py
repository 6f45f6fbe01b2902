"""MPI calls in error handlers, and jumps out of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from autoanalyzer.runtime.gather.shard import Shard

from .conftest import recorded

PROGRAM = """
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf before;
static void handle(MPI_Comm *comm, int *code, ...) {{
    {handle}
}}
int main(void) {{
    MPI_Errhandler handler;
    int value = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (!setjmp(before))
        MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}}
"""


def shard_of(handle: str, mpi: tuple[str, str], folder: Path) -> Shard:
    """Return the shard of a program whose first call fails and has this error handler."""
    launcher, compiler = mpi
    (folder / "failing.c").write_text(PROGRAM.format(handle=handle))
    subprocess.run([compiler, "failing.c", "-o", "failing"], cwd=folder, check=True)
    (shard,) = recorded([launcher, "-n", "1", str(folder / "failing")], folder).shards
    return shard


def visits(shard: Shard) -> dict[str, int]:
    return {shard.regions[node["region"]].name: int(node["visits"]) for node in shard.threads[0].nodes[1:]}


def test_the_end_of_mpi_within_a_handler_is_recorded(mpi: tuple[str, str], tmp_path: Path) -> None:
    shard = shard_of("MPI_Finalize(); exit(0);", mpi, tmp_path)
    assert shard.mpi_finalising is not None
    assert shard.state == "exited"
    assert visits(shard) == {"MPI_Init": 1, "MPI_Send": 1, "MPI_Finalize": 1}


def test_calls_after_a_jump_out_of_one_count(mpi: tuple[str, str], tmp_path: Path) -> None:
    shard = shard_of("longjmp(before, 1);", mpi, tmp_path)
    assert visits(shard) == {"MPI_Init": 1, "MPI_Send": 1, "MPI_Barrier": 5, "MPI_Finalize": 1}
    nodes = shard.threads[0].nodes
    assert nodes["mpi_calls"].tolist() == [0, 1, 0, 5, 1]
    assert (nodes["parent"][1:] == 0).all()
    assert sum(tree.repairs + tree.unmatched for tree in shard.threads) == 0
    assert shard.mpi_finalising is not None
