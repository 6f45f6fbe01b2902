"""Regions whose time goes to their parents, as measuring them costs too much."""

from __future__ import annotations

from .conftest import Record, Visits

TINY = "0.001%"
LOOP = "|aa1|loop|loop|x.c|main|0|1|2"


def test_every_way_into_a_region_is_throttled_at_once(record: Record, visits: Visits) -> None:
    words = "+main times 100 +f@2 -f@2 ; times 30000 +f -f ; times 30000 +f@2 -f@2 ; times 30000 +f@3 -f@3 ; -main"
    (shard,) = record(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 90100}
    assert list(shard.threads[0].throttled) == [2]
    assert shard.threads[0].throttled[2] < 30000


def test_what_a_library_calls_back_is_no_time_of_the_library(linked: Record, visits: Visits) -> None:
    words = "+main times 30000 +f -f ; times 10000 mpi{ +f -f }mpi ; mpi{ +f spin 300 -f }mpi -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    tree = shard.threads[0]
    assert visits(shard) == {"main": 1, "main/f": 40001}
    assert list(tree.throttled) == [2]
    assert tree.nodes["wall"][2] >= 0.3


def test_the_share_is_one_of_computing_whatever_libraries_take(linked: Record, visits: Visits) -> None:
    words = "+main mpi{ spin 1000 }mpi times 30000 +f -f ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD="1%")
    assert visits(shard) == {"main": 1, "main/f": 30000}
    assert list(shard.threads[0].throttled) == [2]


def test_a_region_that_only_a_library_calls_is_not_throttled(linked: Record, visits: Visits) -> None:
    (shard,) = linked("+main times 30000 mpi{ +f -f }mpi ; -main", AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 30000}
    assert shard.threads[0].throttled == {}


def test_where_a_task_goes_on_is_not_entered(linked: Record, visits: Visits) -> None:
    words = "+main times 4094 +f -f ; +f task +g times 2000 execute +h -h ; ; -g -f -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 4095, "main/f/g": 1, "main/f/h": 2000}
    assert shard.threads[0].throttled == {}


def test_a_team_counts_its_visits_to_the_construct_though_it_is_throttled(linked: Record, visits: Visits) -> None:
    words = f"+main times 9000 +{LOOP} team 2 ; -{LOOP} ; times 3 +{LOOP} team 2 +f -f ; -{LOOP} ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert list(shard.threads[0].throttled) == [2]
    assert visits(shard, 0) == {"main": 1, "main/loop": 9003, "main/f": 3}
    assert visits(shard, 1) == {"main": 0, "main/loop": 9003, "main/f": 3}


def test_errno_is_the_programs_though_the_file_cannot_grow(preloaded: Record) -> None:
    words = "+main crowd 850 1 unlink crowd 850 20000 -main"
    assert preloaded(words, AUTOANALYZER_MAX_OVERHEAD=TINY) == []


def test_the_child_of_a_fork_begins_anew(record: Record, visits: Visits) -> None:
    words = "+main crowd 850 4096 fork spin 600 times 20000 +f -f ; ; -main"
    shards = record(words, AUTOANALYZER_MAX_OVERHEAD="10%")
    (child,) = [shard for shard in shards if shard.forked_from]
    assert visits(child) == {"main": 0, "main/f": 20000}
    assert child.threads[0].throttled == {}


def test_the_child_of_a_fork_has_all_of_its_memory(preloaded: Record) -> None:
    deep = " ".join(f"+f{level}" for level in range(8)), " ".join(f"-f{level}" for level in reversed(range(8)))
    filling = f"times 2000 new 1 {deep[0]} new 5 {deep[1]} ;"
    shards = preloaded(f"+main {filling} fork {filling} ; -main", AUTOANALYZER_MAX_MEMORY="2M")
    (parent,) = [shard for shard in shards if not shard.forked_from]
    (child,) = [shard for shard in shards if shard.forked_from]
    assert child.deepest == parent.deepest
    assert len(child.threads[0].nodes) == len(parent.threads[0].nodes)
