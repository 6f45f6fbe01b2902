"""Call sites of MPI in programs without probes: the places that regions and verdicts name."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

import numpy as np
import pytest

from autoanalyzer.experiment import load

C = """
#include <mpi.h>

static char from[1 << 16], to[1 << 16];

__attribute__((noinline)) static int solve(int count) {
    for (int i = 0; i < count; i++)
        MPI_Allreduce(from, to, 1 << 16, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
    return to[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int found = solve(20) + solve(10);
    MPI_Barrier(MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return found;
}
"""

FORTRAN = """
module work
contains
  subroutine solve(n)
    use mpi
    integer :: n, i, e
    do i = 1, n
      call mpi_barrier(MPI_COMM_WORLD, e)
    end do
    n = 0
  end subroutine
end module
subroutine plain(n)
  include 'mpif.h'
  integer :: n, e, request, status(MPI_STATUS_SIZE)
  call mpi_irecv(n, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, e)
  call mpi_send(1, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, e)
  call mpi_wait(request, status, e)
  n = n + 1
end subroutine
program app
  use mpi
  use work
  integer :: e, n = 5
  call mpi_init(e)
  call solve(n)
  call plain(n)
  call mpi_finalize(e)
end program
"""

CXX = """
#include <mpi.h>
template <class T> struct Grid {
    __attribute__((noinline)) int step(T more) {
        MPI_Barrier(MPI_COMM_WORLD);
        return more + 1;
    }
};
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int found = Grid<int>().step(-1) + Grid<double>().step(-1);
    MPI_Finalize();
    return found;
}
"""

PLUGINS = """
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 1; i <= 2; i++) {
        void *plugin = dlopen(i == 1 ? "./one.so" : "./two.so", RTLD_NOW);
        ((void (*)(void))dlsym(plugin, "work"))();
        dlclose(plugin);
    }
    return MPI_Finalize();
}
"""


def visits(tool: Any) -> dict[tuple[str, str, str, int], int]:
    """Return the visits of each MPI function on one rank, by its region's name, function, file and line."""
    found = load(tool.folder / "out" / "experiment.cube")
    counts = np.nan_to_num(found.exclusive("visits"))[:, 0]
    regions = [(path.region, int(count)) for path, count in zip(found.call_paths, counts, strict=True)]
    return {
        (region.name, region.function, region.file, region.first_line): count
        for region, count in regions
        if region.kind == "mpi" and region.name not in {"MPI_Init", "MPI_Finalize"}
    }


def tree(tool: Any) -> str:
    shown: str = tool("autoanalyzer", "analyze", "--tree", "out").stdout.decode()
    return shown


def compiled(tool: Any, text: str, name: str, *command: str) -> None:
    tool.write(name, text)
    done = tool(*command, name)
    assert done.returncode == 0, done.stderr.decode()


def run(tool: Any, launcher: str, **kinds: Any) -> Any:
    done = tool("autoanalyzer", "run", "-o", "out", "--", launcher, "-n", "2", "./app", **kinds)
    assert done.returncode == 0, done.stderr.decode()
    return done


@pytest.mark.by_day(mpi=["openmpi"])
def test_calls_have_the_lines_of_their_places(tool, mpi):
    launcher, compiler = mpi
    compiled(tool, C, "app.c", compiler, "-O1", "-g", "-o", "app")
    done = run(tool, launcher)
    assert visits(tool) == {("MPI_Allreduce@8", "solve", "app.c", 8): 30, ("MPI_Barrier@15", "main", "app.c", 15): 2}
    assert re.search(r"MPI_Allreduce in solve +app\.c:8", tree(tool))
    assert "not instrumented: app: no probes" in done.stderr.decode()


@pytest.mark.by_day(mpi=["openmpi"])
def test_without_debug_information_functions_are_named_and_stripped_nothing(tool, mpi):
    launcher, compiler = mpi
    compiled(tool, C, "app.c", compiler, "-O1", "-no-pie", "-o", "app")
    run(tool, launcher)
    assert visits(tool) == {("MPI_Allreduce", "solve", "", 0): 30, ("MPI_Barrier", "main", "", 0): 2}
    assert re.search(r"MPI_Allreduce in solve\s", tree(tool))
    subprocess.run(["strip", "app"], cwd=tool.folder, check=True)
    run(tool, launcher)
    assert visits(tool) == {("MPI_Allreduce", "", "", 0): 30, ("MPI_Barrier", "", "", 0): 2}


@pytest.mark.by_day(mpi=["openmpi"])
def test_without_binutils_calls_of_a_function_are_one_region(tool, mpi):
    launcher, compiler = mpi
    compiled(tool, C, "app.c", compiler, "-g", "-o", "app")
    tool.write("bin/addr2line", "#!/bin/sh\nexit 1\n").chmod(0o755)
    run(tool, launcher, env={"PATH": f"{tool.folder}/bin:{os.environ['PATH']}"})
    assert visits(tool) == {("MPI_Allreduce", "", "", 0): 30, ("MPI_Barrier", "", "", 0): 2}


@pytest.mark.by_day(mpi=["openmpi"])
def test_fortrans_calls_are_in_its_procedures(tool, mpi):
    launcher, compiler = mpi
    compiled(tool, FORTRAN, "app.f90", compiler.replace("mpicc", "mpifort"), "-g", "-o", "app")
    run(tool, launcher)
    assert visits(tool) == {
        ("MPI_Barrier@8", "work::solve", "app.f90", 8): 5,
        ("MPI_Irecv@16", "plain", "app.f90", 16): 1,
        ("MPI_Send@17", "plain", "app.f90", 17): 1,
        ("MPI_Wait@18", "plain", "app.f90", 18): 1,
    }


@pytest.mark.by_day(mpi=["openmpi"])
def test_instances_of_a_template_are_one_place(tool, mpi):
    launcher, compiler = mpi
    compiled(tool, CXX, "app.cpp", compiler.replace("mpicc", "mpicxx"), "-O1", "-g", "-o", "app")
    run(tool, launcher)
    assert visits(tool) == {("MPI_Barrier@5", "Grid::step", "app.cpp", 5): 2}


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_library_in_the_place_of_another_is_told_apart(tool, mpi):
    launcher, compiler = mpi
    for name in ("one", "two"):
        text = "#include <mpi.h>\nvoid work(void) { MPI_Barrier(MPI_COMM_WORLD); }\n"
        compiled(tool, text, f"{name}.c", compiler, "-g", "-fPIC", "-shared", "-o", f"{name}.so")
    compiled(tool, PLUGINS, "app.c", compiler, "-o", "app", "-ldl")
    run(tool, launcher, env={"UCX_MEM_EVENTS": "n"})  # UCX 1.18 replaces dlclose, bypassing every preloaded library
    assert visits(tool) == {("MPI_Barrier@2", "work", f"{name}.c", 2): 1 for name in ("one", "two")}
