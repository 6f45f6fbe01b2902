"""Each thread has its own tree, which a later thread may take over."""

from __future__ import annotations

from operator import add
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.critical_path import CriticalPath
from autoanalyzer.runtime.gather.shard import Shard, computing_of

from .conftest import SANITIZED, Record, Visits, recorder

LOOP = "|aa1|loop|loop|x.c|main|0|1|2"


def test_every_thread_has_a_tree_of_its_own(record: Record, visits: Visits) -> None:
    (shard,) = record("+main parallel 4 +f +g -g -f meet +f -f ; -main")
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


@pytest.mark.by_day(record=["preloaded"])
@pytest.mark.parametrize("count", [1500, pytest.param(5000, marks=pytest.mark.nightly)])
def test_thousands_of_threads_share_few_trees(record: Record, visits: Visits, count: int) -> None:
    (shard,) = record(f"+main thread {count} +f -f ; times 50 parallel 4 +f -f ; ; -main")
    assert len(shard.threads) <= 5
    assert sum(visits(shard, thread)["f"] for thread in range(1, len(shard.threads))) == count + 200
    assert sum(len(tree.nodes) for tree in shard.threads) <= 12


def test_a_team_goes_on_with_the_path_of_its_opener(linked: Record, visits: Visits) -> None:
    (shard,) = linked(f"+main +{LOOP} times 3 team 3 +f -f ; ; -{LOOP} -main")
    assert visits(shard, 0) == {"main": 1, "main/loop": 1, "main/loop/f": 3}
    assert visits(shard, 1) == visits(shard, 2) == {"main": 0, "main/loop": 3, "main/loop/f": 3}
    assert [tree.unmatched + tree.repairs for tree in shard.threads] == [0, 0, 0]


def test_only_constructs_are_entered_by_a_team(linked: Record, visits: Visits) -> None:
    (shard,) = linked("+main +f team 2 +g -g ; -f -main")
    assert visits(shard, 1) == {"main": 0, "main/f": 0, "main/f/g": 1}


def test_whoever_is_done_waits_for_the_others(tmp_path: Path, fake_linked_program: Path) -> None:
    """The program controls the clock: on a busy machine, the other thread may begin when the first one has ended."""
    record = recorder(tmp_path, [fake_linked_program], SANITIZED)
    (shard,) = record(f"+main +{LOOP} team 2 +f -f first others 1 first spin 100 ; -{LOOP} -main")
    waited = [float(tree.nodes["omp_wall"].sum()) for tree in shard.threads]
    assert waited[1] > 0.09 > waited[0]
    assert (shard.threads[1].nodes["omp_wall"] <= shard.threads[1].nodes["wall"]).all()


def test_teams_within_teams_take_further_trees(linked: Record, visits: Visits) -> None:
    (shard,) = linked(f"+main +{LOOP} team 2 +f team 2 +g -g ; -f ; -{LOOP} -main")
    trees = [visits(shard, thread) for thread in range(len(shard.threads))]
    assert len(trees) in {3, 4}  # one inner team may start after the other has ended
    assert sum(tree.get("main/loop/f/g", 0) for tree in trees) == 4


def test_a_region_left_open_in_a_team_ends_with_the_turn(linked: Record, visits: Visits) -> None:
    (shard,) = linked(f"+main +{LOOP} team 2 +f ; -{LOOP} -main")
    assert visits(shard, 0) == {"main": 1, "main/loop": 1, "main/loop/f": 1}
    assert [(tree.repairs, tree.current) for tree in shard.threads] == [(1, 0), (1, 0)]


def test_teams_do_not_race(raced: Record, visits: Visits) -> None:
    (shard,) = raced(f"+main +{LOOP} times 100 team 6 +f new 1 -f ; ; -{LOOP} times 50 team 3 +g -g ; ; -main")
    trees = [visits(shard, thread) for thread in range(len(shard.threads))]
    assert sum(tree["main/loop/f"] for tree in trees) == 600
    assert sum(tree.get("main/g", 0) for tree in trees) == 150


def test_threads_do_not_race(raced: Record, visits: Visits) -> None:
    (shard,) = raced("+main parallel 8 times 200 +f new 2 -f ; ; -main thread 20 +f -f ;")
    trees = [visits(shard, thread) for thread in range(1, len(shard.threads))]
    assert sum(tree["f"] for tree in trees) == 1620
    assert sum(count for tree in trees for path, count in tree.items() if "new" in path) == 3200


def test_threads_that_fork_at_once_do_not_race(raced: Record, visits: Visits) -> None:
    shards = raced("+main parallel 4 times 5 +f fork +g -g ; -f ; ; -main")
    children = [visits(shard) for shard in shards if shard.forked_from]
    assert children == [{"f": 0, "f/g": 1}] * 20


def on_path_and_longest(shard: Shard) -> tuple[float, float]:
    """Return the work on a process's critical path, and the length of its longest chain, in seconds."""
    assert shard.chains
    path = CriticalPath({0: shard.chains})
    return float(path.of(0)["path"].sum()), float(shard.chains.of_kind("chain")["length"].max()) * 1e-9


def test_threads_with_chains_do_not_race(raced: Record) -> None:
    (shard,) = raced("+main chains ranks 2 parallel 4 times 50 +f new 1 pass to 1 3 -f pass gather +g -g all ; ; -main")
    on_path, longest = on_path_and_longest(shard)
    assert on_path == pytest.approx(longest)


@pytest.mark.parametrize("threads", ["thread 3", "parallel 3"])
def test_threads_that_begin_are_not_after_what_they_or_others_did_meanwhile(linked: Record, threads: str) -> None:
    (shard,) = linked(f"+main chains {threads} +f spin 5 -f pass ; -main")
    worked = [float(computing_of(tree.nodes[1:]).sum()) for tree in shard.threads[1:]]
    assert on_path_and_longest(shard)[1] == pytest.approx(max(worked), rel=0.01)


def test_work_beside_a_meeting_of_all_is_not_after_it(linked: Record) -> None:
    """Neither thread's work in a region follows the other's, so the slower thread of each region is on the path."""
    (shard,) = linked("+main chains parallel 2 +f pass meet spin 20 -f +g gather all meet spin 20 -g ; -main")
    in_f, in_g = zip(*(computing_of(tree.nodes[1:]) for tree in shard.threads[1:]), strict=True)
    longest = on_path_and_longest(shard)[1]
    assert max(map(add, in_f, in_g)) * 0.99 < longest < (max(in_f) + max(in_g)) * 1.01


def test_a_thread_does_not_go_on_with_the_work_of_one_that_had_its_tree(linked: Record) -> None:
    (shard,) = linked("+main chains thread 1 +f pass -f ; thread 1 +f spin 20 -f ; thread 1 +g spin 5 -g pass ; -main")
    names = ["", *(shard.regions[node["region"]].name for node in shard.threads[1].nodes[1:])]
    worked = float(computing_of(shard.threads[1].nodes)[names.index("g")])
    assert on_path_and_longest(shard)[1] == pytest.approx(worked, rel=0.1)


def test_what_a_chain_had_before_all_met_is_nobodys_fault(linked: Record) -> None:
    """Since then, the main thread has worked more in f, and waits only for h."""
    words = "+main chains +f spin 5 -f gather thread 1 +h pass spin 60 -h pass ; all +f spin 30 -f pass -main"
    (shard,) = linked(words)
    assert shard.chains
    late = shard.chains.place(shard.chains.entries("message_delay")["node"])
    nodes = [shard.threads[thread].nodes[node] for thread, node in late]
    assert {shard.regions[node["region"]].name for node in nodes} == {"h"}


def test_work_after_a_recursive_call_is_on_the_path(tmp_path: Path, fake_linked_program: Path) -> None:
    """The path contains it although its call path is not entered again and does not contain the recursive call."""
    record = recorder(tmp_path, [fake_linked_program], SANITIZED)
    (shard,) = record("+main chains +f +g +f pass -f spin 10 -g pass -f pass -main")
    assert on_path_and_longest(shard)[1] == pytest.approx(0.01, rel=0.01)


def test_work_for_which_a_chain_has_no_memory_is_in_one_entry(linked: Record) -> None:
    (shard,) = linked("+main chains pass times 60 crowd 300 1 pass ; -main", AUTOANALYZER_MAX_MEMORY="1M")
    assert shard.chains and shard.chains.lost
    assert shard.chains.entries("chain")["rank"].tolist().count(0xFFFFFFFF) == 1


def test_the_child_of_a_fork_has_none_of_its_parents_chains(linked: Record) -> None:
    shards = linked("+main chains +f spin 5 gather all fork +g chains spin 3 -g gather all ; -f -main")
    assert [shard.forked_from is not None for shard in shards].count(True) == len(shards) - 1 == 1
    for shard in shards:
        worked = float(computing_of(shard.threads[0].nodes[1:]).sum())
        assert on_path_and_longest(shard) == pytest.approx((worked, worked), rel=0.01)


def test_a_chain_that_was_sent_before_all_met_is_not_on_the_path_twice(linked: Record) -> None:
    (shard,) = linked("+main chains +f spin 5 -f gather thread 1 +f pass spin 5 -f pass ; all pass -main")
    on_path, longest = on_path_and_longest(shard)
    assert on_path == pytest.approx(longest)
