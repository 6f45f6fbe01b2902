"""MPI calls that also pass through other wrappers: linked or preloaded tools, and the programs' own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.detection import Mpi, find_mpi

from .conftest import by_rank, recorded

# Prints how often the program called, as mpiP, IPM and Darshan do.
TOOL = """
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c) {
    calls++;
    return PMPI_Allreduce(s, r, n, d, o, c);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    calls += 100;
    return PMPI_Wait(request, status);
}
int MPI_Finalize(void) {
    printf("tool: %d\\n", calls);
    fflush(stdout);
    return PMPI_Finalize();
}
"""

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, sum, token = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 3; k++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
"""

# Wraps the library's Fortran functions, in each of its bindings.
FORTRAN_TOOL = """
subroutine mpi_allreduce(s, r, n, d, o, c, ierror)
  integer :: s(*), r(*), n, d, o, c, ierror
  call pmpi_allreduce(s, r, n, d, o, c, ierror)
  print '(a)', "tool: called"
end subroutine
"""

FORTRAN_PROGRAM = """
program main
  include 'mpif.h'
  integer :: one(1) = 1, total(1), ierror
  call mpi_init(ierror)
  call mpi_allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call mpi_finalize(ierror)
end program
"""

# The program is not linked to MPI, like bindings of Julia, Rust and Python. Its own region is open from the start.
BY_NAME = """
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <mpi.h>
static void *found(void *library, const char *name) {
    dlerror();
    void *function = dlsym(library, name);
    assert(function && !dlerror());
    return function;
}
int main(int argc, char **argv) {
    static const char region[] = "aa1|user|all|program.c|main|1|1|1";
    void *(*enter)(const char *) = dlsym(RTLD_DEFAULT, "aa_probe_enter");
    enter(region);
    void *mpi = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    assert(mpi && !dlsym(mpi, "MPI_Nothing") && dlerror() && !dlsym(mpi, "PMPI_Nothing") && dlerror());
    int (*init)(int *, char ***) = found(mpi, "MPI_Init"), (*finalize)(void) = found(mpi, "MPI_Finalize");
    int (*barrier)(MPI_Comm) = found(mpi, "MPI_Barrier"), (*same)(MPI_Comm) = found(mpi, "PMPI_Barrier");
    int (*rank_of)(MPI_Comm, int *) = found(mpi, "MPI_Comm_rank"), rank;
#ifdef OPEN_MPI
    MPI_Comm world = found(mpi, "ompi_mpi_comm_world");
#else
    MPI_Comm world = MPI_COMM_WORLD;
#endif
    init(0, 0);
    rank_of(world, &rank);
    for (int k = 0; k < 3; k++)
        barrier(world);
    same(world);
    finalize();
    return 0;
}
"""

# The loader binds their first calls: with DEEP, to the MPI library, bypassing all preloaded ones.
LOADED_APART = """
#include <mpi.h>
void work(void) { MPI_Barrier(MPI_COMM_WORLD); }
"""

LOADS_APART = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv) {
    int level;
    MPI_Init(&argc, &argv);
    MPI_Query_thread(&level); /* which is not wrapped */
    void *library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL | (argc > 2 ? RTLD_DEEPBIND : 0));
    ((void (*)(void))dlsym(library, "work"))();
    return MPI_Finalize();
}
"""

# Forwards calls to an MPI library that it loads, with its own handles, as mukautuva does.
OTHER_TYPES = """
#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
static int (*finalize)(void);
int MPI_Init(int *argc, char ***argv) {
    void *mpi = dlopen(getenv("WRAPPED_MPI"), RTLD_NOW | RTLD_LOCAL);
    assert(mpi);
    int (*init)(int *, char ***) = dlsym(mpi, "MPI_Init");
    finalize = dlsym(mpi, "MPI_Finalize");
    return init(argc, argv);
}
int MPI_Comm_rank(char communicator, int *rank) {
    *rank = communicator;
    return 0;
}
int MPI_Finalize(void) {
    return finalize();
}
"""

OF_OTHER_TYPES = """
#include <stdio.h>
int MPI_Init(int *, char ***), MPI_Comm_rank(char, int *), MPI_Finalize(void);
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(7, &rank);
    printf("tool: %d\\n", rank);
    return MPI_Finalize();
}
"""

EXPECTED = {"MPI_Allreduce": 3, "MPI_Irecv": 1, "MPI_Send": 1, "MPI_Wait": 1, "MPI_Init": 1, "MPI_Finalize": 1}


def calls(shard: Shard) -> Mapping[str, int]:
    """Return how often each function was called outside all regions."""
    nodes = [node for tree in shard.threads for node in tree.nodes if node["region"] >= 0]
    return {shard.regions[node["region"]].name: int(node["mpi_calls"]) for node in nodes}


def built(compiler: str, folder: Path, name: str, text: str, *flags: str) -> Path:
    source = folder / f"{name}{'.f90' if 'mpifort' in compiler else '.c'}"
    source.write_text(text)
    output = folder / (f"lib{name}.so" if "-shared" in flags else name)
    subprocess.run([compiler, "-w", source, "-o", output, *flags], check=True, cwd=folder)
    return output


def said_by_tool(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("tool: ")]


@pytest.mark.parametrize(
    ("way", "mpi"),
    [
        *((way, "openmpi") for way in ("linked", "preloaded before", "preloaded behind")),
        ("linked", "mpich"),
        *(pytest.param(way, "mpich", marks=pytest.mark.nightly) for way in ("preloaded before", "preloaded behind")),
    ],
    indirect=["mpi"],
)
def test_a_tool_that_wraps_mpi_sees_the_calls_too(mpi: tuple[str, str], tmp_path: Path, way: str) -> None:
    launcher, compiler = mpi
    tool = built(compiler, tmp_path, "tool", TOOL, "-shared", "-fPIC")
    linking = [f"-L{tmp_path}", "-ltool", f"-Wl,-rpath,{tmp_path}"] if way == "linked" else []
    program = built(compiler, tmp_path, "program", PROGRAM, *linking)
    library = str(probe_library(find_mpi([launcher])))
    preloaded = {
        "linked": [library],
        "preloaded before": [str(tool), library],
        "preloaded behind": [library, str(tool)],
    }
    run = recorded([launcher, "-n", "2", str(program)], tmp_path, LD_PRELOAD=":".join(preloaded[way]))
    assert said_by_tool(run.output) == ["tool: 103", "tool: 103"]
    shards = by_rank(run.shards)
    assert sorted(shards) == [0, 1]
    assert [calls(shard) for shard in shards.values()] == [EXPECTED, EXPECTED]


def test_a_program_with_wrappers_of_its_own_spends_their_time_in_mpi(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = built(compiler, tmp_path, "program", TOOL + PROGRAM)
    run = recorded([launcher, "-n", "2", str(program)], tmp_path)
    assert said_by_tool(run.output) == ["tool: 103", "tool: 103"]
    for shard in by_rank(run.shards).values():
        assert calls(shard) == EXPECTED
        assert all(node["mpi_wall"] > 0 for node in shard.threads[0].nodes if node["mpi_calls"])
        assert shard.mpi_finalising is not None
        called_in = {region.function.rpartition("+")[0] for region in shard.regions if region.name == "MPI_Allreduce"}
        assert called_in == {str(program)}


@pytest.mark.parametrize(
    ("way", "mpi"),
    [
        *(("linked", "openmpi"), ("its own", "mpich")),
        *(pytest.param(*pair, marks=pytest.mark.nightly) for pair in (("its own", "openmpi"), ("linked", "mpich"))),
    ],
    indirect=["mpi"],
)
def test_wrappers_in_fortran_are_called_and_counted_once(mpi: tuple[str, str], tmp_path: Path, way: str) -> None:
    launcher, compiler = mpi
    compiler = compiler.replace("mpicc", "mpifort")
    if way == "linked":
        built(compiler, tmp_path, "tool", FORTRAN_TOOL, "-shared", "-fPIC")
        program = built(
            compiler, tmp_path, "program", FORTRAN_PROGRAM, f"-L{tmp_path}", "-ltool", f"-Wl,-rpath,{tmp_path}"
        )
    else:
        program = built(compiler, tmp_path, "program", FORTRAN_PROGRAM + FORTRAN_TOOL)
    run = recorded([launcher, "-n", "2", str(program)], tmp_path)
    assert said_by_tool(run.output) == ["tool: called", "tool: called"]
    expected = {"MPI_Allreduce": 1, "MPI_Init": 1, "MPI_Finalize": 1}
    assert [calls(shard) for shard in by_rank(run.shards).values()] == [expected, expected]


def test_functions_that_a_program_looks_up_by_name_are_seen(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = built(compiler, tmp_path, "program", BY_NAME, "-Wl,--as-needed", "-ldl")
    library = find_mpi([launcher]).library
    assert library is not None
    run = recorded([launcher, "-n", "2", str(program), str(library.path)], tmp_path)
    shards = by_rank(run.shards)
    assert sorted(shards) == [0, 1]
    for shard in shards.values():
        assert calls(shard) == {"all": 4, "MPI_Init": 1, "MPI_Finalize": 1}
        assert not shard.mpi_bypassed


def test_a_program_linked_to_a_library_that_loads_mpi_runs_unmeasured(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, _ = mpi
    built("gcc", tmp_path, "other_types", OTHER_TYPES, "-shared", "-fPIC", "-ldl")
    linking = [f"-L{tmp_path}", "-lother_types", f"-Wl,-rpath,{tmp_path}"]
    program = built("gcc", tmp_path, "program", OF_OTHER_TYPES, *linking)
    library = find_mpi([launcher]).library
    assert library is not None
    run = recorded([launcher, "-n", "2", str(program)], tmp_path, WRAPPED_MPI=str(library.path))
    assert said_by_tool(run.output) == ["tool: 7", "tool: 7"]
    assert run.output.count("for which the probe library was built; nothing is measured") == 2
    assert not run.shards


def test_a_process_knows_that_its_mpi_calls_were_not_seen(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = built(compiler, tmp_path, "program", BY_NAME, "-Wl,--as-needed", "-ldl")
    library = find_mpi([launcher]).library
    assert library is not None
    run = recorded([launcher, "-n", "2", str(program), str(library.path)], tmp_path, Mpi(None))
    for shard in by_rank(run.shards).values():
        assert calls(shard) == {"all": 0}
        assert shard.mpi_bypassed


def test_a_process_knows_that_calls_of_a_library_that_is_bound_apart_were_not_seen(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    launcher, compiler = mpi
    library = built(compiler, tmp_path, "library", LOADED_APART, "-shared", "-fPIC")
    program = built(compiler, tmp_path, "program", LOADS_APART, "-ldl")
    for words, bypass in (([], 0), (["deep"], 2)):
        folder = tmp_path / f"run{bypass}"
        folder.mkdir()
        (shard,) = by_rank(recorded([launcher, "-n", "1", str(program), str(library), *words], folder).shards).values()
        assert calls(shard) == {"MPI_Init": 1, "MPI_Finalize": 1} | ({} if bypass else {"MPI_Barrier": 1})
        assert shard.mpi_bypassed == bypass
