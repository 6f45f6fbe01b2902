"""Sources of the test programs. In each MPI program, every rank calls a function ten times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["BINDINGS", "CALLS", "CXX", "OPENMP", "C", "fortran_main", "fortran_part"]

CALLS: Final = 10

C: Final = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int exchange(int rank) {
    int all = 0;
    for (int i = 0; i < 2; i++)
        rank += i;
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    int rank, size, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(library, &length);
    for (int call = 0; call < 10; call++)
        exchange(rank);
    printf("rank %d of %d: %.*s\n", rank, size, (int)strcspn(library, "\n"), library);
    MPI_Finalize();
    return 0;
}
"""

CXX: Final = r"""
#include <iostream>
#include <mpi.h>
#include <stdexcept>
#include <vector>

template <typename Number> static Number exchange(std::vector<Number> values) {
    Number all = 0;
    for (Number &value : values)
        value += 1;
    MPI_Allreduce(values.data(), &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all < 0)
        throw std::runtime_error("a sum");
    return all;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int call = 0; call < 10; call++)
        exchange(std::vector<int>{rank});
    std::cout << "rank " << rank << " of " << size << ": \n";
    MPI_Finalize();
}
"""

OPENMP: Final = r"""
#include <omp.h>
#include <stdio.h>

int main(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    printf("threads %d\n", threads);
    return 0;
}
"""

BINDINGS: Final = {
    "mpif.h": ("by_mpif_h", "", "include 'mpif.h'"),
    "use mpi": ("by_use_mpi", "use mpi", ""),
    "use mpi_f08": ("by_use_mpi_f08", "use mpi_f08", ""),
}
"""MPI binding for Fortran → the name of the subroutine that tests it, and two lines of this subroutine."""


def fortran_part(binding: str) -> str:
    """Return the source of a Fortran subroutine that uses an MPI binding, such as ``use mpi``."""
    name, use, include = BINDINGS[binding]
    lines = [
        f"subroutine {name}",
        use,
        "implicit none",
        include,
        "integer :: rank, total, code, step",
        "call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)",
        "do step = 1, 2",
        "rank = rank + step",
        "end do",
        "call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)",
        f"end subroutine {name}",
    ]
    return "".join(f"      {line}\n" for line in lines if line)


def fortran_main(bindings: Sequence[str]) -> str:
    """Return the source of a Fortran main program that calls each binding's subroutine, but uses no binding itself."""
    lines = ["program doctor", "implicit none", "integer :: code, step", "external :: MPI_Init, MPI_Finalize"]
    lines += [f"external :: {BINDINGS[each][0]}" for each in bindings]
    lines += ["call MPI_Init(code)", f"do step = 1, {CALLS}"]
    lines += [f"call {BINDINGS[each][0]}" for each in bindings]
    lines += ["end do", "call MPI_Finalize(code)", "end program doctor"]
    return "".join(f"      {line}\n" for line in lines)
