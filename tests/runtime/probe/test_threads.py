"""Threads have trees of their own, which later threads take over."""

from __future__ import annotations

from collections.abc import Callable

from autoanalyzer.runtime.shard import Shard

Record = Callable[..., list[Shard]]
Visits = Callable[..., dict[str, int]]


def test_every_thread_has_a_tree_of_its_own(record: Record, visits: Visits) -> None:
    (shard,) = record("+main parallel 4 +f +g -g -f sleep 50 +f -f ; -main")
    assert len(shard.threads) == 5
    assert visits(shard, 0) == {"main": 1}
    for thread in range(1, 5):
        assert visits(shard, thread) == {"f": 2, "f/g": 1}
        assert shard.threads[thread].taken == 1
    assert {region.name for region in shard.regions} == {"main", "f", "g"}


def test_trees_of_ended_threads_are_taken_over(record: Record, visits: Visits) -> None:
    (shard,) = record("+main thread 1000 +f -f ; -main")
    assert len(shard.threads) == 2
    assert visits(shard, 1) == {"f": 1000}
    assert shard.threads[1].taken == 1000
    assert not shard.threads[1].alive


def test_a_thread_that_ends_in_the_middle_leaves_its_tree_in_order(record: Record, visits: Visits) -> None:
    (shard,) = record("+main thread 3 +f +g ; -main")
    assert visits(shard, 1) == {"f": 3, "f/g": 3}
    assert shard.threads[1].current == 0


def test_the_first_tree_is_the_main_threads_even_if_another_is_first(record: Record, visits: Visits) -> None:
    (shard,) = record("thread 1 +f -f ;")
    assert (shard.threads[0].taken, visits(shard, 0)) == (0, {})
    assert (shard.threads[1].taken, visits(shard, 1)) == (1, {"f": 1})


def test_a_main_thread_that_comes_late_owns_the_first_tree(record: Record, visits: Visits) -> None:
    (shard,) = record("thread 1 +f -f ; +main -main")
    assert visits(shard, 0) == {"main": 1}
    assert shard.threads[0].tid == shard.pid


def test_threads_do_not_race(raced: Record, visits: Visits) -> None:
    (shard,) = raced("+main parallel 8 times 200 +f new 2 -f ; ; -main thread 20 +f -f ;")
    trees = [visits(shard, thread) for thread in range(1, len(shard.threads))]
    assert sum(tree["f"] for tree in trees) == 1620
    assert sum(count for tree in trees for path, count in tree.items() if "new" in path) == 3200
