"""Random programs that print the same with and without the critical path."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.critical_path import CriticalPath, PathRecords

from .conftest import compiled, recorded


def assert_path_adds_up(processes: list[PathRecords]) -> None:
    """Assert that the time on the path over all ranks and call paths equals the longest chain."""
    path = CriticalPath(dict(enumerate(processes)))
    on_path = sum(float(path.of(rank)["path"].sum()) for rank in range(len(processes)))
    longest = max(float(record["length"]) for each in processes for record in each.of_kind("chain"))
    assert on_path == pytest.approx(longest * 1e-9, rel=1e-9)


def assert_unchanged(mpi: tuple[str, str], ranks: int, folder: Path, *words: str) -> None:
    """Assert that the programs print the same with the path as without the library."""
    launcher, compiler = mpi
    program = compiled(compiler, "random_messages.c", folder)
    oversubscribed = ["--oversubscribe"] if launcher == "mpirun.openmpi" else []
    command = ["timeout", "1500", launcher, *oversubscribed, "-n", str(ranks), str(program), *words]
    plain = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=True).stdout
    with_path = recorded(command, folder, AUTOANALYZER_PATH="always")
    assert plain.splitlines() == with_path.output.splitlines()
    assert len(plain.splitlines()) == int(words[1]) - int(words[0]) + 1
    processes = [shard.chains for shard in with_path.shards if shard.chains]
    assert [each.state for each in processes] == ["known"] * ranks
    assert all(each.messages > 0 for each in processes)
    assert_path_adds_up(processes)


@pytest.mark.by_day(mpi=["openmpi"])
def test_five_programs_say_what_they_say_without_the_path(mpi: tuple[str, str], tmp_path: Path) -> None:
    assert_unchanged(mpi, 3, tmp_path, "1", "5")


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize("threads", [(), ("threads",)], ids=["one_thread", "two_threads"])
def test_a_thousand_programs_say_what_they_say_without_the_path(
    threads: tuple[str, ...], ranks: int, mpi: tuple[str, str], tmp_path: Path
) -> None:
    """On each number of ranks, with each library, with one and two threads: twelve times 84 programs."""
    assert_unchanged(mpi, ranks, tmp_path, "6", "89", *threads)
