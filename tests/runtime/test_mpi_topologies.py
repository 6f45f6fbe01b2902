"""MPI topologies: the ranks' coordinates in the experiment, and on the map of clusters."""

from __future__ import annotations

import json
import os
import struct
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, Topology, load, save
from autoanalyzer.multivariate.membership import grid_of
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import Place
from autoanalyzer.runtime.gather.shard_layout import ALIGNMENT, HEADER_LAYOUT, TOPOLOGY_LAYOUT, TOPOLOGY_RECORD
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.gather.topologies import mpi_topologies, said_of_topologies
from autoanalyzer.runtime.mpi.detection import find_mpi

from ..conftest import Tool
from .conftest import FORTRAN_MPI, compiled, compiled_fortran, for_mpi4py, recorded

BINDINGS = {"mpi_f08": "-DUSE_MPI_F08", "mpi": "-DUSE_MPI", "mpif.h": "-DINCLUDE_MPIF"}
RANKS = 6

PYTHON = """
from mpi4py import MPI
world = MPI.COMM_WORLD
grid = world.Create_cart([2, world.size // 2], periods=[True, False])
backwards = world.Split(0, -world.rank)
graph = backwards.Create_graph([1, 2], [1, 0])
own, size = backwards.rank, backwards.size
ring = backwards.Create_dist_graph_adjacent([(own - 1) % size], [(own + 1) % size])
with open(f"said.{world.rank}", "w") as said:
    at = grid.Get_coords(grid.rank)
    print(1, "MPI_Cart_create", f"2,{world.size // 2}", "1,0", f"{at[0]},{at[1]}", sep="\\t", file=said)
    if graph:
        print(2, "nodes of MPI_Graph_create", 2, 0, graph.rank, sep="\\t", file=said)
    print(3, "nodes of MPI_Dist_graph_create", ring.size, 0, ring.rank, sep="\\t", file=said)
"""


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def said(folder: Path, ranks: int) -> list[Topology]:
    """Return the topologies that the program printed with MPI_Cart_coords, in the order of their numbers."""
    shapes: dict[int, tuple[str, tuple[tuple[str, int, bool], ...]]] = {}
    places: dict[int, dict[tuple[int, int], tuple[int, ...]]] = defaultdict(dict)
    for rank in range(ranks):
        for line in (folder / f"said.{rank}").read_text().splitlines():
            number, kind, sizes, periods, at = line.split("\t")
            axes = zip(numbers(sizes), numbers(periods), strict=True)
            shape = kind, tuple(("", size, bool(periodic)) for size, periodic in axes)
            assert shapes.setdefault(int(number), shape) == shape
            places[int(number)][rank, 0] = numbers(at)
    before: list[str] = []
    found = []
    for number, (kind, dimensions) in sorted(shapes.items()):
        before.append(kind)
        name = kind if before.count(kind) == 1 else f"{kind} {before.count(kind)}"
        found.append(Topology(name, dimensions, places[number]))
    return found


def oversubscribed(launcher: str) -> list[str]:
    return ["--oversubscribe"] if launcher == "mpirun.openmpi" else []


def gathered(launcher: str, program: list[str], folder: Path, ranks: int = RANKS, **variables: str) -> Experiment:
    """Run a program; return its experiment as read from the file."""
    command = [launcher, *oversubscribed(launcher), "-n", str(ranks), *program]
    mpi = find_mpi(command, {**os.environ, **variables})
    save(merge_shards(recorded(command, folder, mpi, **variables).shards, RunFacts()), folder / "run.cube")
    return load(folder / "run.cube")


@pytest.mark.by_day(mpi=["openmpi"])
def test_each_rank_stands_where_mpi_says(mpi: tuple[str, str], tmp_path: Path) -> None:
    """Grids of all, some, and half of the ranks, and graphs, also in communicators with another order of ranks."""
    launcher, compiler = mpi
    experiment = gathered(launcher, [str(compiled(compiler, "mpi_topologies.c", tmp_path))], tmp_path)
    known = said(tmp_path, RANKS)
    assert [len(each.coordinates) for each in known] == [6, 4, 3, 3, 5, 6, 6, 6]
    grids = [each for each in known if each.name.startswith("MPI_Cart_create")]
    found = list(experiment.topologies)
    assert found[:2] == grids[:2]
    assert sorted(map(shape_and_places, found)) == sorted(map(shape_and_places, known))
    assert [each.name for each in found] == [
        *("MPI_Cart_create", "MPI_Cart_create 2", "MPI_Cart_create 3", "MPI_Cart_create 4", "MPI_Cart_create 5"),
        *("nodes of MPI_Graph_create", "nodes of MPI_Dist_graph_create", "nodes of MPI_Dist_graph_create 2"),
    ]
    assert not any("topologies" in remark for remark in experiment.notes.remarks)
    grid = grid_of(experiment)
    assert (grid.source, grid.name, grid.sizes) == ("topology", "MPI_Cart_create", (RANKS // 2, 2))
    assert {(rank, 0): grid.place(rank, 0) for rank in range(RANKS)} == known[0].coordinates


def shape_and_places(topology: Topology) -> tuple[object, ...]:
    return topology.name.rstrip(" 2345"), topology.dimensions, sorted(topology.coordinates.items())


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.by_day(mpi=["openmpi"], binding=["mpi_f08", "mpif.h"])  # the module has the functions of mpif.h
def test_each_rank_of_a_fortran_program_stands_where_mpi_says(
    binding: str, mpi: tuple[str, str], tmp_path: Path
) -> None:
    launcher, compiler = mpi
    source = FORTRAN_MPI / "topologies.F90"
    flags = ["-ffree-line-length-none", BINDINGS[binding]]
    program = compiled_fortran(compiler.replace("mpicc", "mpifort"), tmp_path, source, flags=flags)
    experiment = gathered(launcher, [str(program)], tmp_path, ranks=4)
    known = said(tmp_path, 4)
    assert [len(each.coordinates) for each in known] == [4, 3, 4, 4]
    assert list(experiment.topologies) == known


@pytest.mark.by_day(mpi=["openmpi"])
def test_each_rank_of_a_python_program_stands_where_mpi_says(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, _ = mpi
    variables = for_mpi4py(launcher, tmp_path)
    experiment = gathered(launcher, [sys.executable, "-c", PYTHON], tmp_path, ranks=4, **variables)
    known = said(tmp_path, 4)
    assert [len(each.coordinates) for each in known] == [4, 2, 4]
    assert list(experiment.topologies) == known


VOLUME = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, sizes[] = {2, 2}, periods[] = {0, 0};
    static char out[100000], in[100000];
    MPI_Comm backwards, grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank ^ 1, &backwards);
    MPI_Cart_create(backwards, 2, sizes, periods, 0, &grid);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == atoi(argv[1]))
        raise(SIGKILL);
    int count = rank % 2 ? 1000 + rank : 100000 - rank;
    MPI_Sendrecv(out, count, MPI_BYTE, 0, 0, in, count, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
"""


@pytest.mark.by_day(mpi=["openmpi"])
def test_the_map_of_clusters_is_drawn_on_the_grid_of_the_program(mpi: tuple[str, str], tool: Tool) -> None:
    """Ranks 0 and 2 send much; the ranks in each row are swapped, so these are the second column."""
    launcher, compiler = mpi
    tool.build(VOLUME, compiler=compiler)
    done = tool("autoanalyzer", "run", "-o", "out", "--", launcher, *oversubscribed(launcher), "-n", "4", "./app")
    assert done.returncode == 0, done.stderr.decode()
    words = ("--metrics", "mpi_bytes_sent", "-k", "2", "--json", "map.json")
    shown = tool("autoanalyzer", "stats", "out", "map", *words).stdout.decode()
    assert "The grid is 2x2, the program's own topology (MPI_Cart_create)." in shown
    found = json.loads((tool.folder / "map.json").read_text())
    assert found["grid"] == {"sizes": [2, 2], "source": "topology", "name": "MPI_Cart_create"}
    assert {each["location"]: each["place"] for each in found["membership"]} == {
        **{0: [0, 1], 1: [0, 0]},
        **{2: [1, 1], 3: [1, 0]},
    }
    assert sorted(found["called"]) == ["column 0", "column 1"]


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_rank_that_is_killed_keeps_its_place(mpi: tuple[str, str], tool: Tool) -> None:
    launcher, compiler = mpi
    tool.build(VOLUME, compiler=compiler)
    command = (launcher, *oversubscribed(launcher), "-n", "4", "./app", "2")
    assert tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", *command).returncode != 0
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert 2 in experiment.notes.unfinished
    assert [dict(each.coordinates) for each in experiment.topologies] == [
        {(0, 0): (0, 1), (1, 0): (0, 0), (2, 0): (1, 1), (3, 0): (1, 0)}
    ]


def test_what_is_broken_of_a_place_is_told(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_topologies.c", tmp_path)
    path = recorded([launcher, "-n", "2", str(program), "1", "1"], tmp_path).shards[0].path
    data, start = path.read_bytes(), HEADER_LAYOUT.itemsize
    at = next(
        place
        for place in range(start, len(data), ALIGNMENT)
        if data[place : place + 4] == struct.pack("=HH", TOPOLOGY_RECORD, 1)
    )
    for offset, value, words in (
        (4, 3, "a topology at byte"),
        (16, 33, "a topology at byte"),
        (TOPOLOGY_LAYOUT.size, 0, "a place within the topology"),
        (TOPOLOGY_LAYOUT.size + 8, 2, "a place within the topology"),
    ):
        broken = bytearray(data)
        struct.pack_into("=I", broken, at + offset, value)
        path.write_bytes(broken)
        with pytest.raises(InputError, match=words):
            read_shard(path)


@pytest.mark.parametrize(
    ("made", "kept"), [((1, 16), range(1, 17)), ((1, 18), range(1, 17)), ((32, 32), [32]), ((33, 33), [])]
)
def test_a_remark_says_that_not_all_topologies_are_kept(
    made: tuple[int, int], kept: Sequence[int], tmp_path: Path
) -> None:
    """The topologies contain all ranks, and have the given number of dimensions."""
    program = [str(compiled("mpicc.openmpi", "mpi_topologies.c", tmp_path)), *map(str, made)]
    experiment = gathered("mpirun.openmpi", program, tmp_path, ranks=2)
    assert [len(each.dimensions) for each in experiment.topologies] == list(kept)
    remark = (
        "processes that were in more than 16 MPI topologies, or in one with more than 32 dimensions, so that some of "
        "their coordinates were not recorded: 2"
    )
    assert (remark in experiment.notes.remarks) == (len(kept) <= made[1] - made[0])


def test_a_topology_in_which_processes_share_places_is_left_out_and_named() -> None:
    """Two communicators of equal size, from sessions or spawned programs, cannot be distinguished."""

    def of(*places: Place) -> Any:
        return SimpleNamespace(places=places, spawned=False, topologies_left_out=0)

    def grid(at: int, members: int = 2) -> Place:
        return Place("grid", members, ((2, True),), (at,))

    processes = {0: of(grid(0), grid(0, 7)), 1: of(grid(0), grid(1, 7)), 2: of(grid(1)), 3: of(grid(1))}
    (kept,) = mpi_topologies(processes)
    assert kept.coordinates == {(0, 0): (0,), (1, 0): (1,)}
    assert list(said_of_topologies(processes)) == [
        "left out an MPI topology: MPI_Cart_create of 2, in which 4 processes have the same coordinates, so "
        "their communicators cannot be distinguished"
    ]
