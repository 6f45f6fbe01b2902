"""Which MPI functions are covered."""

from __future__ import annotations

import subprocess

import pytest

from autoanalyzer.runtime.mpi.functions import LOCAL, mpi_functions
from autoanalyzer.runtime.mpi.prototypes import read_declared, read_prototypes
from autoanalyzer.runtime.mpi.wrapped_functions import wrapped_functions

from ..conftest import preprocessed


def exported(library: str) -> set[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in listing.stdout.splitlines()}


def test_every_function_is_wrapped_or_known_to_be_local(mpi: tuple[str, str]) -> None:
    text = preprocessed(mpi[1])
    functions = mpi_functions(text)
    covered = {function.name.removeprefix("MPI_") for function in functions.covered}
    assert functions.uncovered == ()
    assert covered & LOCAL == set()
    assert covered <= read_declared(text)


def test_a_chain_is_put_where_processes_share_memory_by_those_that_take_the_others(mpi: tuple[str, str]) -> None:
    """A non-blocking collective would leave its chain in shared memory for the next blocking one."""
    functions = list(wrapped_functions(read_prototypes(preprocessed(mpi[1]))))
    put = {each.prototype.name for each in functions if any("aa_path_enters(" in line for line in each.before)}
    taken = {each.prototype.name for each in functions if any("aa_path_leaves(" in line for line in each.after)}
    assert {"Allreduce", "Barrier"} <= put == taken


@pytest.mark.parametrize(("compiler", "library"), [("mpicc.openmpi", "libmpi.so"), ("mpicc.mpich", "libmpich.so")])
def test_no_declaration_is_overlooked(compiler: str, library: str) -> None:
    """All functions that the library exports are declared, except those removed by MPI 3 and handed-over ones."""
    path = subprocess.run([compiler, f"-print-file-name={library}"], capture_output=True, text=True, check=True).stdout
    names = {name.removeprefix("PMPI_") for name in exported(path.strip()) if name.startswith("PMPI_")}
    removed = {"Errhandler_create", "Errhandler_get", "Errhandler_set", "Address"}
    removed |= {f"Type_{name}" for name in ("extent", "hindexed", "hvector", "lb", "struct", "ub")}
    assert names - read_declared(preprocessed(compiler)) <= removed | LOCAL


def test_functions_of_a_later_standard_are_not_covered() -> None:
    functions = mpi_functions("int MPI_Teleport(void *buf, int to);\nint MPI_Comm_rank(MPI_Comm comm, int *rank);")
    assert functions.uncovered == ("MPI_Teleport",)
    assert functions.covered == ()
