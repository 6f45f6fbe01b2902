"""The communication matrix of real programs whose messages between each pair of ranks are known."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from autoanalyzer.experiment.messages import Messages
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.message_sums import MessageSums
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.mpi.detection import find_mpi

from .conftest import FORTRAN_MPI, compiled, compiled_fortran, recorded
from .test_fortran_mpi import BINDINGS

Pairs = dict[tuple[int, int], tuple[int, int]]


def added(*parts: Pairs) -> Pairs:
    pairs = {pair for part in parts for pair in part}
    found = {pair: [part[pair] for part in parts if pair in part] for pair in pairs}
    return {pair: (sum(each[0] for each in all_), sum(each[1] for each in all_)) for pair, all_ in found.items()}


# Messages of four ranks in messages.c: in a ring, on communicators of all ranks, and between even and odd ranks.
NEXT = {(rank, (rank + 1) % 4): (7 + 3, 4 * (28 + 3 * 8)) for rank in range(4)}
BEFORE = {(rank, (rank + 3) % 4): (2, 2 * 36) for rank in range(4)}
ENDS = {(0, 3): (3, 300), (3, 0): (3, 33)}
PARTNERS = {(rank, rank ^ 1): (1, 20) for rank in range(4)}
EXPECTED = added(NEXT, BEFORE, ENDS, PARTNERS)


def matrix(shards: Iterable[Shard]) -> Messages | None:
    sums = MessageSums()
    for shard in shards:
        sums.add(shard)
    return sums.matrix(waits=False)


def pairs(messages: Messages | None) -> Pairs:
    """Return the messages and bytes of each pair."""
    assert messages
    columns = (messages.senders, messages.receivers, messages.messages, messages.bytes)
    return {
        (sender, receiver): (count, size) for sender, receiver, count, size in zip(*map(list, columns), strict=True)
    }


@pytest.mark.by_day(mpi=["openmpi"])
def test_each_pair_of_ranks_has_its_messages(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "messages.c", tmp_path, "-w")
    shards = recorded([launcher, "-n", "4", str(program)], tmp_path).shards
    assert pairs(matrix(shards)) == EXPECTED
    assert [shard.messages_left_out for shard in shards] == [0] * 4


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_messages_of_killed_ranks_are_known(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "messages.c", tmp_path, "-w")
    library = probe_library(find_mpi([launcher]))
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path)}
    run = subprocess.run(
        [launcher, "-n", "4", str(program), "killed"], env=environment, capture_output=True, check=False
    )
    assert run.returncode != 0
    shards = [read_shard(path) for path in tmp_path.glob("*.shard")]
    assert {shard.state for shard in shards} == {"running"}
    assert pairs(matrix(shards)) == EXPECTED


@pytest.mark.parametrize("binding", ["mpi_f08", "mpi"])
@pytest.mark.by_day(mpi=["openmpi"])
def test_messages_of_fortran_are_counted(binding: str, mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    source = FORTRAN_MPI / "messages.F90"
    flags = ["-ffree-line-length-none", BINDINGS[binding]]
    program = compiled_fortran(compiler.replace("mpicc", "mpifort"), tmp_path, source, flags=flags)
    shards = recorded([launcher, "-n", "3", str(program)], tmp_path).shards
    ring = {(rank, (rank + 1) % 3): (3, 4 * 6) for rank in range(3)}
    back = {(rank, (rank + 2) % 3): (2, 4 * 8) for rank in range(3)}
    assert pairs(matrix(shards)) == added(ring, back, {(2, 0): (1, 24)})


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_messages_of_spawned_processes_are_left_out_and_said(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "messages_spawned.c", tmp_path)
    shards = recorded([launcher, "-n", "2", str(program)], tmp_path).shards
    notes = merge_shards([shard for shard in shards if shard.mpi_initialised is not None], RunFacts()).notes
    assert pairs(notes.messages) == {(0, 1): (1, 4)}
    (said,) = (each for each in notes.remarks if each.startswith("messages left out of the communication matrix"))
    assert said.endswith(": 5")


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_a_receiver_waits_for_the_sender_of_its_message(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "messages_late.c", tmp_path)
    shards = recorded([launcher, "-n", "2", str(program)], tmp_path, AUTOANALYZER_PATH="always").shards
    notes = merge_shards(shards, RunFacts()).notes
    assert pairs(notes.messages) == {(0, 1): (3, 12), (1, 0): (3, 12)}
    assert notes.messages
    assert notes.messages.waits is not None
    late, _ = notes.messages.waits
    assert late > 0.5 * notes.messages.waits.sum()
    by_messages = sum(each.by_messages for each in notes.delays)
    assert notes.messages.waits.sum() == pytest.approx(by_messages, rel=0.05)  # delays contain the known places only
