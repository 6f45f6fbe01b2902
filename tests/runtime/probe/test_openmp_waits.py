"""Places where OpenMP threads wait for each other, and their locks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi.detection import Mpi

from ..conftest import PROGRAMS, recorded
from .conftest import Record


@pytest.fixture(scope="module")
def linked_program(fake_linked_program: Path) -> Path:
    """Return the program with the clock that it controls."""
    return fake_linked_program


def milliseconds(record: Record, words: str) -> list[tuple[int, int]]:
    """Return entries and waiting time in ms of each place, in the order of first entries."""
    (shard,) = record(f"+main task {words} -main")
    return [(wait.entries, round(wait.seconds * 1000)) for wait in shard.waits]


def test_a_wait_of_a_task_that_is_executed_during_another_wait_counts_once(linked: Record) -> None:
    inner = "execute spin 100 wait{ 2 spin 5 }wait spin 100 mpi{ spin 100 }mpi ;"
    assert milliseconds(linked, f"wait{{ 1 spin 10 {inner} spin 20 }}wait") == [(1, 30), (1, 5)]


def test_waits_in_one_place_of_tasks_inside_each_other_add_up(linked: Record) -> None:
    inner = "execute spin 100 wait{ 1 spin 5 execute wait{ 1 spin 2 }wait ; }wait spin 100 ;"
    assert milliseconds(linked, f"wait{{ 1 spin 10 {inner} spin 20 }}wait") == [(3, 37)]


def test_a_wait_inside_a_call_of_the_library_is_the_outer_one_s(linked: Record) -> None:
    assert milliseconds(linked, "wait{ 1 spin 10 wait{ 2 spin 5 }wait spin 20 }wait") == [(1, 35), (1, 0)]


def test_a_lock_given_back_by_who_was_not_seen_asking_has_a_queue_afterwards(linked: Record) -> None:
    (shard,) = linked("+main ask 1 give 1 give 1 ask 1 ask 1 -main")
    assert [(wait.entries, wait.contended) for wait in shard.waits] == [(3, 1)]


@pytest.mark.parametrize(
    "words",
    ["team 1 times 10 spin 1 wait{ 1 spin 1 }wait ; ;", "task wait{ 1 times 10 execute spin 1 ; ; }wait"],
    ids=["barriers", "tasks"],
)
def test_following_the_path_is_no_work_of_the_program(linked: Record, words: str) -> None:
    (shard,) = linked(f"+main +without {words} -without chains pass +followed {words} -followed -main")
    _, _, *nodes = shard.threads[0].nodes
    without, followed = (round((node["wall"] - node["omp_wall"]) * 1e9) for node in nodes)
    assert followed == without >= 10_000_000


def test_a_task_begins_without_the_lock_of_the_path(linked: Record) -> None:
    words = "+main chains pass +f task held times 3 execute spin 10 ; ; ; pass -f +g spin 10 -g pass -main"
    (shard,) = linked(words, before=("timeout", "1200"))
    assert shard.chains
    assert float(shard.chains.of_kind("chain")["length"].max()) == pytest.approx(40e6, rel=0.01)


def test_who_holds_a_nested_lock_counts_whether_it_has_call_paths_or_not(tmp_path: Path) -> None:
    words = ["gcc", "-O1", "-fopenmp", PROGRAMS / "openmp_locks.c", "-o", tmp_path / "locks", "-ldl"]
    subprocess.run(words, check=True)
    (shard,) = recorded([str(tmp_path / "locks")], tmp_path, Mpi(None)).shards
    assert [(wait.entries, wait.contended) for wait in shard.waits] == [(1, 0), (1, 1)]


def test_the_child_of_a_fork_meets_nobody_at_its_locks(linked: Record) -> None:
    shards = linked("+main ask 1 ask 1 fork +f ask 1 -f ; -main")
    assert sorted((wait.entries, wait.contended) for shard in shards for wait in shard.waits) == [(1, 0), (2, 1)]


def test_a_place_of_an_unloaded_library_is_none_of_another_at_its_address(linked: Record, plug: Path) -> None:
    (shard,) = linked("+main times 3 +f plug{ wait{ 0 }wait }plug -f ; -main", PLUG=str(plug))
    assert [wait.entries for wait in shard.waits] == [1, 1, 1]
