"""Libraries that are unloaded while their regions are known, or even open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Record, Visits

ONCE = {"main": 1, "main/f": 1, "main/f/plug": 1, "main/g": 1}


def test_a_region_that_a_jump_left_open_may_be_unloaded(record: Record, visits: Visits, plug: Path) -> None:
    (shard,) = record("+main +f plug{ }plug -f +g -g -main", PLUG=str(plug))
    assert visits(shard) == ONCE
    assert shard.threads[0].repairs == 1


def test_another_thread_may_unload_it(record: Record, visits: Visits, plug: Path) -> None:
    (shard,) = record("+main +f plug{ thread 1 }plug ; -f +g -g -main", PLUG=str(plug))
    assert visits(shard) == ONCE
    assert shard.threads[0].repairs == 1


def test_the_child_of_a_fork_may_unload_it(record: Record, visits: Visits, plug: Path) -> None:
    parent, child = sorted(
        record("+main +f plug{ fork }plug +g -g -f +h -h ; -f -main", PLUG=str(plug)),
        key=lambda shard: shard.forked_from is not None,
    )
    assert visits(parent) == {"main": 1, "main/f": 1, "main/f/plug": 1}
    assert visits(child) == {"main": 0, "main/f": 0, "main/f/g": 1, "main/h": 1}
    assert (child.refused, child.threads[0].unmatched) == (0, 0)


def test_a_task_outlives_the_library_that_made_it(linked: Record, visits: Visits, plug: Path) -> None:
    (shard,) = linked("+main +f plug{ task -f }plug execute +g -f -g ; -main", PLUG=str(plug))
    assert visits(shard) == {"main": 1, "main/f": 1, "main/f/plug": 1, "main/f/plug/g": 1}
    assert (shard.threads[0].repairs, shard.threads[0].unmatched) == (1, 1)


def test_of_thousands_of_libraries_any_may_be_unloaded(preloaded: Record, visits: Visits, plug: Path) -> None:
    for number in range(1100):
        shutil.copy(plug, f"{plug}.{number}")
    (shard,) = preloaded("plugs 1100 +main +f plug{ }plug -f +g -g -main", PLUG=str(plug))
    assert visits(shard) == ONCE


@pytest.mark.parametrize("times", [300, pytest.param(1000, marks=pytest.mark.nightly)])
def test_handlers_may_interrupt_the_unloading(preloaded: Record, visits: Visits, plug: Path, times: int) -> None:
    (shard,) = preloaded(f"+main new 4000 surprises times {times} plug ; calm -main", PLUG=str(plug))
    assert visits(shard)["main/plug"] == times


@pytest.mark.nightly  # a sanitizer, as in `make sanitize`
@pytest.mark.parametrize("times", [500, 3000])
def test_unloading_does_not_race_with_the_threads_that_go_on(
    raced: Record, visits: Visits, plug: Path, times: int
) -> None:
    (shard,) = raced(f"+main parallel 4 times 40 new 20 plug *{times} +f *{times} -f ; ; -main", PLUG=str(plug))
    trees = [visits(shard, thread) for thread in range(1, len(shard.threads))]
    assert sum(tree["plug"] for tree in trees) == 160
    assert sum(tree["f"] for tree in trees) == 160 * times
