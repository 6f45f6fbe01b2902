"""MPI calls of Fortran: every binding, under both MPI libraries."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import expectations, figures, recorded

PROGRAMS = Path(__file__).parents[1] / "programs" / "fortran_mpi"

BINDINGS = {"mpi_f08": "-DUSE_MPI_F08", "mpi": "-DUSE_MPI", "mpif.h": "-DINCLUDE_MPIF"}


@pytest.fixture
def fortran_compiler(mpi: tuple[str, str]) -> str:
    """The Fortran compiler of the MPI library at hand."""
    return mpi[1].replace("mpicc", "mpifort")


def compiled_fortran(compiler: str, folder: Path, *sources: str, flags: tuple[str, ...] = ()) -> Path:
    """A program from ``tests/programs/fortran_mpi``."""
    program = folder / Path(sources[-1]).stem
    words = [compiler, "-w", "-fallow-argument-mismatch", "-ffree-line-length-none", "-J", str(folder), *flags]
    subprocess.run([*words, *(str(PROGRAMS / source) for source in sources), "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("binding", BINDINGS)
def test_calls_and_bytes_are_those_of_the_rules(
    binding: str, mpi: tuple[str, str], fortran_compiler: str, tmp_path: Path
) -> None:
    launcher, _ = mpi
    flags = [BINDINGS[binding]]
    if (binding, launcher) == ("mpi_f08", "mpirun.mpich"):
        flags.append("-DLARGE_COUNT")
    program = compiled_fortran(fortran_compiler, tmp_path, "cases.f90", "every_call.F90", flags=tuple(flags))
    for ranks in (1, 2, 5):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        run = recorded([launcher, "-n", str(ranks), str(program)], folder)
        assert sorted(shard.rank for shard in run.shards if shard.rank is not None) == list(range(ranks))
        for shard in run.shards:
            assert shard.rank is not None
            expected = expectations(folder, shard.rank)
            assert len(expected) > 60
            assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expected
