"""Each wrapped function, called in each binding with known values."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.functions import LOCAL, mpi_functions

from .conformance.cases import Case, all_cases, kind_of
from .conformance.programs import c_program, fortran_program
from .conftest import (
    FORTRAN_MPI,
    PROGRAMS,
    assert_parts_add_up,
    by_rank,
    compiled_fortran,
    figures,
    fortran_symbols,
    preprocessed,
    recorded,
    times_by_kind,
)

# Other programs call these: test_mpi_bytes.py and test_fortran_mpi.py.
ELSEWHERE = frozenset(
    str.split(
        "Init Init_thread Finalize Abort Session_init Session_finalize Open_port Close_port Comm_accept Comm_connect"
        " Comm_join Comm_spawn Comm_spawn_multiple Publish_name Unpublish_name Lookup_name"
    )
)


def covered(compiler: str) -> set[str]:
    """Return the functions that are wrapped, without ``MPI_``."""
    return {function.name.removeprefix("MPI_") for function in mpi_functions(preprocessed(compiler)).covered}


def callable_cases(functions: set[str]) -> list[Case]:
    """Return the cases whose functions are available; assert that each function has one."""
    cases = [case for case in all_cases() if set(case.functions) <= functions | LOCAL]
    assert functions - ELSEWHERE - {name for case in cases for name in case.functions} == set()
    return cases


# MPICH 4.0 leaves the status of these unset, so it is that of an earlier request, perhaps of the library's own.
UNSET_STATUS = frozenset({"Isendrecv", "Isendrecv_c", "Isendrecv_replace", "Isendrecv_replace_c"})


def assert_exact(shard: Shard, cases: list[Case], ranks: int, unset: frozenset[str]) -> None:
    """Compare the calls and bytes of messages and files with those of the cases."""
    messages = figures(shard, "mpi_calls", "mpi_sent", "mpi_received")
    files = figures(shard, "io_calls", "io_read", "io_written")
    known = {"r": shard.rank, "n": ranks}
    for case in cases:
        if case.several and ranks == 1:
            continue
        sent, received, read, written = (
            eval(text, {}, known) for text in (case.sent, case.received, case.read, case.written)
        )
        found = messages.pop(case.name)
        received = found["in"] if case.name in unset else received
        assert found == Counter({"calls": case.mpi_calls, "out": sent, "in": received}), case
        assert files[case.name] == Counter({"calls": case.transfers, "out": read, "in": written}), case
    assert messages == {}
    assert_kinds(shard, cases, ranks)


def meetings(shard: Shard, case: Case) -> set[str]:
    """Return the kind of the calls in which processes of a file wait for each other, if there is a critical path."""
    has_files = any(name.startswith("File_") for name in case.functions)
    return {"other"} if has_files and shard.chains and shard.chains.state == "known" else set()


def assert_kinds(shard: Shard, cases: list[Case], ranks: int) -> None:
    """Compare the kinds of calls that took time, including those outside the cases, which have their own regions."""
    times = times_by_kind(shard)
    for case in cases:
        if not case.several or ranks > 1:
            assert times.pop(("user", case.name)) - meetings(shard, case) == case.kinds, case
    assert times.pop(("", "")) == set()
    assert times == {(kind, name): {kind_of(name.removeprefix("MPI_"))} for kind, name in times}
    assert {("mpi", "MPI_Init"), ("mpi", "MPI_Finalize"), ("mpi", "MPI_Comm_split")} <= times.keys()


# MPICH's ranks wait busily if they share a core; the wrappers are the same for both.
RANKS = {"mpirun.openmpi": (1, 2, 5), "mpirun.mpich": (1, 2)}


def assert_recorded(
    launcher: str, program: Path, cases: list[Case], *, unset: frozenset[str] = frozenset(), **variables: str
) -> list[Shard]:
    """Run the program on several numbers of ranks, compare the records with the cases, and return them."""
    shards = []
    for ranks in RANKS[launcher]:
        folder = program.with_name(str(ranks))
        folder.mkdir()
        run = recorded([launcher, "-n", str(ranks), str(program)], folder, **variables)
        assert sorted(by_rank(run.shards)) == list(range(ranks))
        for shard in run.shards:
            assert_exact(shard, cases, ranks, unset)
        assert_parts_add_up(merge_shards(run.shards, RunFacts()))
        shards += run.shards
    return shards


def compiled_c(compiler: str, cases: list[Case], folder: Path) -> Path:
    source = folder / "conformance.c"
    source.write_text(c_program(cases))
    program = folder / "conformance"
    subprocess.run([compiler, "-std=gnu11", "-w", f"-I{PROGRAMS}", str(source), "-o", str(program), "-ldl"], check=True)
    return program


@pytest.mark.by_day(mpi=["openmpi"])  # by day, MPICH runs with the path
def test_c(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    cases = callable_cases(covered(compiler))
    assert_recorded(launcher, compiled_c(compiler, cases, tmp_path), cases)


@pytest.mark.by_day(mpi=["mpich"])
def test_c_beside_the_critical_path(mpi: tuple[str, str], tmp_path: Path) -> None:
    """The library's own messages do not change the program's values."""
    launcher, compiler = mpi
    cases = callable_cases(covered(compiler))
    program = compiled_c(compiler, cases, tmp_path)
    unset = UNSET_STATUS if launcher == "mpirun.mpich" else frozenset()
    shards = assert_recorded(launcher, program, cases, unset=unset, AUTOANALYZER_PATH="always")
    assert {shard.chains.state for shard in shards if shard.chains} == {"known"}


def in_binding(functions: set[str], binding: str, symbols: set[str]) -> set[str]:
    """Return the functions that a Fortran binding has."""
    if binding != "mpi_f08":
        return {name for name in functions if f"mpi_{name.lower()}_" in symbols}
    ends = {True: ("_f08_large_", "_f08ts_large_", "_c_f08_", "_c_f08ts_"), False: ("_f08_", "_f08ts_")}
    return {
        name
        for name in functions
        for end in ends[name.endswith("_c")]
        if f"mpi_{name.removesuffix('_c').lower()}{end}" in symbols
    }


LARGE_FILE = """
use mpi_f08
integer :: part(6) = 1, error
type(MPI_File) :: file
call MPI_Init()
call MPI_File_open(MPI_COMM_WORLD, 'large', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
call MPI_File_write(file, part, 6_MPI_COUNT_KIND, MPI_INTEGER, MPI_STATUS_IGNORE, error)
if (error /= MPI_SUCCESS) error stop 'refused'
call MPI_File_close(file)
call MPI_Finalize()
end
"""


def has_large_files(launcher: str, compiler: str, folder: Path) -> bool:
    """Return whether files take large counts in mpi_f08; in MPICH 4.2, each such call is an internal error."""
    (folder / "large.f90").write_text(LARGE_FILE)
    built = subprocess.run([compiler, "large.f90", "-o", "large_file"], cwd=folder, check=False, capture_output=True)
    run = [launcher, "-n", "1", "./large_file"]
    return built.returncode == 0 and subprocess.run(run, cwd=folder, check=False, capture_output=True).returncode == 0


def compiled_cases(binding: str, mpi: tuple[str, str], folder: Path) -> tuple[Path, list[Case]]:
    """Return the program in a Fortran binding, and its cases."""
    launcher, compiler = mpi
    fortran = compiler.replace("mpicc", "mpifort")
    functions = in_binding(covered(compiler), binding, fortran_symbols(fortran, folder))
    if (binding, launcher) == ("mpi", "mpirun.mpich"):
        functions -= {"Parrived"}  # MPICH 4.0 declares its flag as an integer
    if (binding, launcher) == ("mpi_f08", "mpirun.openmpi"):
        # Open MPI 5.0 declares MPI_Psend_init without info, and crashes in it.
        functions -= {"Psend_init", "Precv_init", "Pready", "Pready_range", "Pready_list", "Parrived"}
    if binding == "mpi_f08" and not has_large_files(launcher, fortran, folder):
        functions -= {name for name in functions if name.startswith("File_") and name.endswith("_c")}
    cases = callable_cases(functions)
    source = folder / "conformance.f90"
    source.write_text(fortran_program(cases, binding))
    program = compiled_fortran(fortran, folder, FORTRAN_MPI / "cases.f90", source, flags=["-ffree-line-length-none"])
    return program, cases


@pytest.mark.parametrize("binding", ["mpif.h", "mpi", "mpi_f08"])
@pytest.mark.by_day(mpi=["mpich"], binding=["mpif.h", "mpi_f08"])  # the module mpi has the functions of mpif.h
def test_fortran(binding: str, mpi: tuple[str, str], tmp_path: Path) -> None:
    program, cases = compiled_cases(binding, mpi, tmp_path)
    assert_recorded(mpi[0], program, cases)


@pytest.mark.nightly
@pytest.mark.parametrize("binding", ["mpif.h", "mpi_f08"])
def test_fortran_beside_the_critical_path(binding: str, mpi: tuple[str, str], tmp_path: Path) -> None:
    program, cases = compiled_cases(binding, mpi, tmp_path)
    unset = UNSET_STATUS if mpi[0] == "mpirun.mpich" else frozenset()
    shards = assert_recorded(mpi[0], program, cases, unset=unset, AUTOANALYZER_PATH="always")
    assert {shard.chains.state for shard in shards if shard.chains} == {"known"}
