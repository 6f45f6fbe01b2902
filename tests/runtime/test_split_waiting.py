"""A barrier before each of a program's collectives measures waiting for other ranks, and changes nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.gather.shard import Shard

from ..conftest import Tool
from .conftest import (
    FORTRAN_MPI,
    assert_parts_add_up,
    by_rank,
    compiled,
    compiled_fortran,
    expectations,
    figures,
    recorded,
)

SPLIT = {"AUTOANALYZER_SPLIT_WAITING": "1"}

# Rank 1 leaves when rank 0 is about to wait, even if a busy machine delays this.
LATE = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(1000000);
    } else {
        MPI_Send(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\\n", sum);
    MPI_Finalize();
    return 3;
}
"""


def nodes_of(shard: Shard) -> Iterator[tuple[str, np.void]]:
    """Yield each call path's region name and values."""
    for tree in shard.threads:
        for node in tree.nodes[1:]:
            yield shard.regions[node["region"]].name, node


def total(shard: Shard, field: str) -> float:
    return sum(float(node[field]) for _, node in nodes_of(shard))


@pytest.mark.by_day(mpi=["openmpi"])
def test_ranks_wait_where_all_of_them_may_and_nothing_else_changes(mpi: tuple[str, str], tmp_path: Path) -> None:
    """Regions of the program are called ``split …`` if a barrier precedes their collective, otherwise ``whole …``."""
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_split.c", tmp_path)
    command = [launcher, "-n", "2", str(program)]
    (tmp_path / "plain").mkdir()
    (tmp_path / "split").mkdir()
    plain, split = recorded(command, tmp_path / "plain"), recorded(command, tmp_path / "split", **SPLIT)
    assert sorted(split.output.splitlines()) == sorted(plain.output.splitlines())
    assert not any(shard.barriers or total(shard, "mpi_wait") for shard in plain.shards)
    shards = by_rank(split.shards)
    assert sorted(shards) == [0, 1]
    for rank, shard in shards.items():
        expected = expectations(tmp_path / "split", rank)
        assert len(expected) > 15
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expected
        collectives = {name: counts["calls"] for name, counts in expected.items() if name.startswith("split ")}
        assert shard.barriers == sum(collectives.values())
        waited = {name for name, node in nodes_of(shard) if node["mpi_wait"] > 0}
        assert waited == set(collectives)
    early, late = (dict(nodes_of(shards[rank]))["split barrier"] for rank in (0, 1))
    assert early["mpi_wait"] > late["mpi_wait"]
    assert early["mpi_wait"] > early["mpi_barrier"] > 0


def test_collectives_of_all_forms_count_as_without_barriers(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_collectives.c", tmp_path)
    shards = by_rank(recorded([launcher, "-n", "2", str(program)], tmp_path, **SPLIT).shards)
    for rank, shard in shards.items():
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expectations(tmp_path, rank)
    assert shards[0].barriers == shards[1].barriers > 10


@pytest.mark.parametrize("binding", ["USE_MPI_F08", "USE_MPI", "INCLUDE_MPIF"])
@pytest.mark.by_day(mpi=["openmpi"], binding=["USE_MPI_F08", "USE_MPI"])  # the module has the functions of mpif.h
def test_every_binding_of_fortran_is_split(binding: str, mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    fortran = compiler.replace("mpicc", "mpifort")
    program = compiled_fortran(fortran, tmp_path, FORTRAN_MPI / "split.F90", flags=[f"-D{binding}"])
    run = recorded([launcher, "-n", "2", str(program)], tmp_path, **SPLIT)
    assert run.output.split() == ["1", "2", "2"]
    for shard in by_rank(run.shards).values():
        entered = {name: int(node["visits"]) for name, node in nodes_of(shard) if name.startswith("MPI_")}
        assert shard.barriers == 5  # none on MPI_COMM_SELF
        assert total(shard, "mpi_calls") == 6 + 4  # plus Init, Comm_split, Barrier and Finalize
        assert entered["MPI_Barrier"] == 1
        assert total(shard, "mpi_wait") > 0 < total(shard, "mpi_all_to_all")


def split_run(tool: Tool) -> Experiment:
    """Return the experiment in ``out``; assert that waiting time is part of MPI time."""
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert_parts_add_up(experiment)
    assert experiment.metric("mpi_wait_time").parent == "mpi_time"
    return experiment


def test_a_run_says_what_ranks_waited_and_that_its_time_is_not_the_programs(tmp_path: Path) -> None:
    tool = Tool(tmp_path)
    tool.write("late.c", LATE)
    subprocess.run(["mpicc", "late.c", "-o", "late"], cwd=tmp_path, check=True)
    command = ("mpirun", "-n", "2", "./late")
    done = tool("autoanalyzer", "run", "--split-waiting", "-o", "out", "--", *command)
    assert (done.returncode, done.stdout) == (1, b"8\n")
    said = done.stderr.decode()
    assert "the program ended with exit status 3" in said
    assert "times include added barriers: --split-waiting inserts one before each collective" in said
    experiment = split_run(tool)
    early, late = experiment.inclusive("mpi_wait_time")[0]
    assert early > late
    (path,) = (each for each, at in enumerate(experiment.call_paths) if at.region.name.startswith("MPI_Allreduce"))
    assert [experiment.exclusive(name)[path].tolist() for name in ("mpi_calls", "visits")] == [[5, 5], [5, 5]]
    costs = {each["name"].partition(" ")[0]: each for each in tool.findings("--tree", "--account")["costs"]}
    assert costs["MPI_Allreduce"]["mpi_wait_time"] == pytest.approx((early + late) / 2)
    found = analyze(experiment)
    (region,) = (index for index, each in enumerate(found.run.weighed.regions) if each.id == path)
    waited = float(found.explanation.waiting.seconds[region])
    assert (early - late) / 2 * (1 - 1e-9) <= waited <= (early + late) / 2


def test_exec_splits_too(tmp_path: Path) -> None:
    tool = Tool(tmp_path)
    tool.write("late.c", LATE)
    subprocess.run(["mpicc", "late.c", "-o", "late"], cwd=tmp_path, check=True)
    done = tool("mpirun", "-n", "2", "autoanalyzer", "exec", "--split-waiting", "-o", "out", "./late")
    assert (done.returncode, done.stdout) == (3, b"8\n")
    assert tool("autoanalyzer", "analyze", "out").returncode == 0
    assert split_run(tool).inclusive("mpi_wait_time")[0].min() > 0
