import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.mpi.detection import find_mpi

from ..conftest import MPIS, for_several_programs, until_spawned
from .conftest import RANKS, assert_mpi_figures, by_rank, compiled, expectations, figures, preprocessed, recorded


def has_sessions(compiler: str) -> bool:
    """Return whether the MPI has sessions, as Open MPI 5 does, or is not installed, so that its test is skipped."""
    return not shutil.which(compiler) or "MPI_Session_init" in preprocessed(compiler)


WITH_SESSIONS = [name for name, (_, compiler) in MPIS.items() if has_sessions(compiler)]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("source", ["mpi_point_to_point.c", "mpi_collectives.c", "mpi_one_sided.c"])
@pytest.mark.by_day(mpi=["openmpi"])
def test_calls_and_bytes_are_those_of_the_rules(
    source: str, ranks: Sequence[int], mpi: tuple[str, str], tmp_path: Path
) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, source, tmp_path)
    assert_mpi_figures(launcher, program, tmp_path, ranks, more_than=12)


@pytest.mark.by_day(mpi=["openmpi"])
def test_requests_of_several_threads_are_not_mixed_up(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_threads.c", tmp_path, "-w")
    run = recorded([launcher, "-n", "2", str(program)], tmp_path)
    for rank, shard in by_rank(run.shards).items():
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expectations(tmp_path, rank)


@pytest.mark.parametrize("several", RANKS)
@pytest.mark.by_day(mpi=["openmpi"])
def test_mpi_io_is_file_io(several: Sequence[int], mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_file.c", tmp_path)
    for ranks in several:
        folder = tmp_path / str(ranks)
        folder.mkdir()
        run = recorded([launcher, "-n", str(ranks), str(program)], folder)
        for rank, shard in by_rank(run.shards).items():
            expected = expectations(folder, rank)
            assert len(expected) > 12
            assert figures(shard, "io_calls", "io_read", "io_written") == expected


def test_sessions_are_wrapped_only_of_an_mpi_that_has_them(mpi: tuple[str, str]) -> None:
    """Otherwise, programs would believe that the MPI has sessions."""
    launcher, compiler = mpi
    names = ["nm", "-D", "--defined-only", probe_library(find_mpi([launcher]))]
    wrapped = subprocess.run(names, capture_output=True, text=True, check=True).stdout
    assert "MPI_Init_thread" in wrapped
    assert ("MPI_Session_init" in wrapped) == has_sessions(compiler)


@pytest.mark.parametrize("mpi", WITH_SESSIONS, indirect=True)
def test_a_program_of_sessions_alone_is_measured_from_the_first_to_the_last(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_sessions.c", tmp_path)
    shards = by_rank(recorded([launcher, "-n", "2", str(program)], tmp_path, AUTOANALYZER_PATH="auto").shards)
    assert sorted(shards) == [0, 1]
    assert [shard.chains and shard.chains.state for shard in shards.values()] == ["sessions"] * 2
    for rank, shard in shards.items():
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expectations(tmp_path, rank)
        assert (shard.size, shard.state) == (2, "exited")
        assert {region.name for region in shard.regions if region.kind == "mpi"} == {
            "MPI_Init",
            "MPI_Comm_free",
            "MPI_Finalize",
        }
        assert shard.mpi_initialised < shard.mpi_finalising < shard.mpi_finalised


def test_processes_that_meet_are_measured(mpi: tuple[str, str], tmp_path: Path) -> None:
    """MPICH over UCX supports none of this, and reports it; then nothing is counted."""
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_connecting.c", tmp_path)
    several = for_several_programs(launcher) == launcher  # otherwise, MPI_Comm_spawn_multiple would end the launcher
    command = [launcher, "-n", "2", str(program), *([] if several else ["one"])]
    run = until_spawned(lambda: recorded(command, tmp_path), tmp_path / "shards")
    shards = by_rank([shard for shard in run.shards if shard.size == 2 and len(shard.regions) > 3])
    assert sorted(shards) == [0, 1]
    for rank, shard in shards.items():
        expected = expectations(tmp_path, rank)
        assert {"Comm_spawn", "Comm_join", *(["Comm_spawn_multiple"] if several else [])} <= set(expected)
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expected
