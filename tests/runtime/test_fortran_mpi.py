"""MPI calls in Fortran: every binding, with both MPI libraries."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.detection import find_mpi

from .conftest import (
    FORTRAN_MPI,
    RANKS,
    Recorded,
    assert_mpi_figures,
    compiled_fortran,
    fortran_symbols,
    recorded,
)

BINDINGS = {"mpi_f08": "-DUSE_MPI_F08", "mpi": "-DUSE_MPI", "mpif.h": "-DINCLUDE_MPIF"}


@pytest.fixture
def fortran_compiler(mpi: tuple[str, str]) -> str:
    """Return the Fortran compiler of the current MPI library."""
    return mpi[1].replace("mpicc", "mpifort")


def totals(shard: Shard) -> tuple[int, int, int]:
    """Return calls, bytes sent and bytes received of the whole process."""
    nodes = np.concatenate([tree.nodes for tree in shard.threads])
    calls, sent, received = (int(nodes[name].sum()) for name in ("mpi_calls", "mpi_sent", "mpi_received"))
    return calls, sent, received


def visits(shard: Shard, name: str) -> int:
    """Return the number of a region's visits."""
    nodes = np.concatenate([tree.nodes for tree in shard.threads])
    return sum(int(node["visits"]) for node in nodes if shard.regions[node["region"]].name == name)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.by_day(mpi=["openmpi"], binding=["mpi_f08", "mpi"])  # the module has the functions of mpif.h
def test_calls_and_bytes_are_those_of_the_rules(
    binding: str, ranks: Sequence[int], mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    launcher, _ = mpi
    flags = ["-ffree-line-length-none", BINDINGS[binding]]
    if (binding, launcher) == ("mpi_f08", "mpirun.mpich"):
        flags.append("-DLARGE_COUNT")
    sources = [FORTRAN_MPI / "cases.f90", FORTRAN_MPI / "odd_calls.F90"]
    program = compiled_fortran(fortran_compiler, tmp_path, *sources, flags=flags)
    assert_mpi_figures(launcher, program, tmp_path, ranks, more_than=30)


@pytest.mark.by_day(mpi=["mpich"])
def test_a_program_of_fortran_77_is_measured_as_a_whole(
    mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    launcher, _ = mpi
    program = compiled_fortran(fortran_compiler, tmp_path, FORTRAN_MPI / "ring.f")
    assert_ring(recorded([launcher, "-n", "2", str(program)], tmp_path))


def test_names_with_a_second_underscore_are_wrapped(tmp_path: Path) -> None:
    """Only MPICH has such names: the common blocks of Open MPI's ``mpif.h`` have one name only."""
    if "mpi_init__" not in fortran_symbols("mpifort.mpich", tmp_path):
        pytest.skip("this MPICH has no names with a second underscore")
    program = compiled_fortran("mpifort.mpich", tmp_path, FORTRAN_MPI / "ring.f", flags=["-fsecond-underscore"])
    assert_ring(recorded(["mpirun.mpich", "-n", "2", str(program)], tmp_path))


def assert_ring(run: Recorded) -> None:
    """Assert the calls: Init, a Sendrecv and an Allreduce per round, a Bcast, Finalize."""
    rounds, part = 10, 8 * 100
    for shard in run.shards:
        sent, received = (part, 0) if shard.rank == 0 else (0, part)
        assert totals(shard) == (2 * rounds + 3, rounds * (part + 8) + sent, rounds * (part + 8) + received)
        assert [visits(shard, name) for name in ("MPI_Init", "MPI_Finalize")] == [1, 1]
        assert (shard.size, shard.state) == (2, "exited")
        assert shard.mpi_initialised is not None
        assert shard.mpi_finalising is not None


@pytest.mark.parametrize(
    ("binding", "mpi"),
    [
        *(("mpi_f08", "openmpi"), ("mpi", "mpich")),
        *(pytest.param(*pair, marks=pytest.mark.nightly) for pair in (("mpi", "openmpi"), ("mpi_f08", "mpich"))),
    ],
    indirect=["mpi"],
)
def test_threads_are_asked_for_and_an_abort_is_noted(
    binding: str, mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    launcher, _ = mpi
    source = tmp_path / "aborting.F90"
    source.write_text(
        f"use {binding}\ninteger :: provided, error\ncall MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)\n"
        "call MPI_Barrier(MPI_COMM_WORLD, error)\ncall MPI_Abort(MPI_COMM_WORLD, 7, error)\nend\n"
    )
    program = compiled_fortran(fortran_compiler, tmp_path, source)
    with pytest.raises(AssertionError):
        recorded([launcher, "-n", "1", str(program)], tmp_path)
    (shard,) = recorded(["true"], tmp_path).shards
    assert (shard.state, shard.exit_code, shard.size) == ("aborted", 7, 1)
    assert totals(shard)[0] == 2


def test_fortran_within_a_program_of_c_counts_the_same(
    mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    """The first call, with an ignored status and a buffer in place, initialises the library's Fortran side."""
    launcher, compiler = mpi
    (tmp_path / "main.c").write_text(
        "#include <mpi.h>\nvoid work_(void);\nvoid second_(void);\n"
        "int main(int argc, char **argv) { MPI_Init(&argc, &argv); work_(); MPI_Barrier(MPI_COMM_WORLD);"
        " MPI_Finalize(); return 0; }\n"
    )
    (tmp_path / "work.f90").write_text(
        "subroutine work()\nuse mpi\ninteger :: x(4), request, error\nx = 1\n"
        "call MPI_Isend(x, 2, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, error)\n"
        "call MPI_Recv(x(3), 2, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, error)\n"
        "call MPI_Wait(request, MPI_STATUS_IGNORE, error)\n"
        "call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, x, 4, MPI_INTEGER, MPI_COMM_SELF, error)\n"
        "if (any(x /= 1)) error stop\nend subroutine\n"
    )
    subprocess.run([compiler, "-c", "main.c"], cwd=tmp_path, check=True)
    program = compiled_fortran(fortran_compiler, tmp_path, tmp_path / "main.o", tmp_path / "work.f90")
    (shard,) = recorded([launcher, "-n", "1", str(program)], tmp_path).shards
    assert totals(shard) == (7, 8 + 16, 8)


def of_a_private_library(launcher: str, fortran_compiler: str, folder: Path, calls: str, source: str) -> Shard:
    """Return the shard of a C program that calls functions of a privately loaded library."""
    (folder / "main.c").write_text(
        "#include <dlfcn.h>\n"
        'int main(void) { int error = 0; void *library = dlopen("./libwork.so", RTLD_LAZY | RTLD_LOCAL);'
        f" {calls} return error; }}\n"
    )
    (folder / "work.f90").write_text(source)
    words = [fortran_compiler, "-O2", "-shared", "-fPIC", "work.f90", "-o", "libwork.so"]
    subprocess.run(words, cwd=folder, check=True)
    subprocess.run(["gcc", "main.c", "-o", "main", "-ldl"], cwd=folder, check=True)
    (shard,) = recorded([launcher, "-n", "1", str(folder / "main")], folder).shards
    return shard


def test_a_library_that_is_loaded_privately_is_found_by_its_caller(
    mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    """Python loads modules by f2py in this way."""
    calls = '((void (*)(void))dlsym(library, "work_"))();'
    source = (
        "subroutine work()\nuse mpi\ninteger :: x(4), error\ncall MPI_Init(error)\nx = 1\n"
        "call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, x, 4, MPI_INTEGER, MPI_COMM_SELF, error)\n"
        "open (10, file='work.txt')\nwrite (10, '(i3)') x\nclose (10)\n"
        "call MPI_Finalize(error)\nend subroutine\n"
    )
    shard = of_a_private_library(mpi[0], fortran_compiler, tmp_path, calls, source)
    assert totals(shard) == (3, 16, 0)
    assert int(shard.threads[0].nodes["io_written"].sum()) == 16


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_caller_that_jumps_from_a_private_library_is_served(
    mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    """A tail call returns to the caller's caller, which does not use MPI."""
    calls = "".join(f'((void (*)(int *))dlsym(library, "{name}_"))(&error);' for name in ("begin", "finish"))
    source = (
        "subroutine begin(error)\nuse mpi\ninteger :: error\ncall MPI_Init(error)\nend subroutine\n"
        "subroutine finish(error)\nuse mpi\ninteger :: error\ncall MPI_Finalize(error)\nend subroutine\n"
    )
    shard = of_a_private_library(mpi[0], fortran_compiler, tmp_path, calls, source)
    assert [visits(shard, name) for name in ("MPI_Init", "MPI_Finalize")] == [1, 1]


def test_a_serial_program_on_a_stub_of_mpi_runs(mpi: tuple[str, str], tmp_path: Path) -> None:
    """A stub has only the Fortran names."""
    (tmp_path / "stub.f90").write_text(
        "subroutine mpi_init(error)\ninteger :: error\nerror = 3\nend subroutine\n"
        "subroutine mpi_barrier(comm, error)\ninteger :: comm, error\nerror = comm + 1\nend subroutine\n"
        "subroutine mpi_abort(comm, code, error)\ninteger :: comm, code, error\nprint *, 'aborted', code\n"
        "stop\nend subroutine\n"
    )
    (tmp_path / "program.f90").write_text(
        "integer :: error\ncall mpi_init(error)\nprint *, error\ncall mpi_barrier(4, error)\nprint *, error\n"
        "call mpi_abort(0, 7, error)\nend\n"
    )
    subprocess.run(["gfortran", "-shared", "-fPIC", "stub.f90", "-o", "libmpiseq.so"], cwd=tmp_path, check=True)
    words = ["gfortran", "program.f90", "-o", "program", "-L.", "-lmpiseq", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(words, cwd=tmp_path, check=True)
    run = recorded([str(tmp_path / "program")], tmp_path, find_mpi([mpi[0]]))
    assert run.output.split() == ["3", "5", "aborted", "7"]
