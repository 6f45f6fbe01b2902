"""Programs made up by chance, which say the same with the critical path and without it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import compiled, recorded

RANKS = 3


def assert_unchanged(mpi: tuple[str, str], folder: Path, *words: str) -> None:
    """Run the programs on several ranks with the path and without the library, and compare what they print."""
    launcher, compiler = mpi
    program = compiled(compiler, "random_messages.c", folder)
    oversubscribed = ["--oversubscribe"] if launcher == "mpirun.openmpi" else []
    command = ["timeout", "1500", launcher, *oversubscribed, "-n", str(RANKS), str(program), *words]
    plain = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=True).stdout
    with_path = recorded(command, folder, AUTOANALYZER_PATH="always")
    assert plain.splitlines() == with_path.output.splitlines()
    assert len(plain.splitlines()) == int(words[1]) - int(words[0]) + 1
    assert [shard.chains.state for shard in with_path.shards if shard.chains] == ["known"] * RANKS
    assert all(shard.chains.messages > 0 for shard in with_path.shards if shard.chains)


@pytest.mark.by_day(mpi=["openmpi"])
def test_five_programs_say_what_they_say_without_the_path(mpi: tuple[str, str], tmp_path: Path) -> None:
    assert_unchanged(mpi, tmp_path, "1", "5")


@pytest.mark.nightly
@pytest.mark.parametrize("threads", [(), ("threads",)], ids=["one_thread", "two_threads"])
def test_two_hundred_programs_say_what_they_say_without_the_path(
    threads: tuple[str, ...], mpi: tuple[str, str], tmp_path: Path
) -> None:
    assert_unchanged(mpi, tmp_path, "6", "205", *threads)
