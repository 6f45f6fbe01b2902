"""Regions whose time is added to their parents, because measuring them costs too much."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.experiment.throttling import folded_paths, untimed_paths
from autoanalyzer.runtime.counting.short_paths import write_short_paths
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import Shard

from .conftest import Record, Visits, compile_c

TINY = "0.001%"


@pytest.fixture
def library(fake_library: Path) -> Path:
    """Return a library whose probes cost 20 ns on every machine, so throttling depends on the words alone."""
    return fake_library


@pytest.fixture
def linked_program(fake_linked_program: Path) -> Path:
    """Return the program with the same core."""
    return fake_linked_program


LOOP = "|aa1|loop|loop|x.c|main|0|1|2"


def test_every_way_into_a_region_is_throttled_at_once(record: Record, visits: Visits) -> None:
    words = "+main times 100 +f@2 -f@2 ; times 30000 +f -f ; times 30000 +f@2 -f@2 ; times 30000 +f@3 -f@3 ; -main"
    (shard,) = record(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 90100}
    assert shard.threads[0].throttled == {2: 2 * 512 + 21 * 4}


def test_a_throttled_entry_is_priced_by_which_of_its_probes_call(record: Record, visits: Visits) -> None:
    words = "+main times 30000 +f ~f ; times 30000 +g -g ; times 29000 site ; times 1000 +h -h site ; -main"
    (shard,) = record(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    tree = shard.threads[0]
    untimed = [30_000 - tree.throttled[place] for place in (2, 3, 4)]
    assert visits(shard) == {"main": 1, **{f"main/{name}": 30_000 for name in ("f", "g", "site")}, "main/h": 1000}
    # opened after each check, once where h closes before another entry follows, and at every 64th of such visits
    assert (tree.left, tree.opened) == (untimed[0], 8 + 1 + 15)
    shard = replace(shard, passing_cost=1e-9, throttled_cost=4e-9, left_cost=10e-9, opened_cost=12e-9, slot_cost=2e-9)
    calling = tree.passed - tree.left - tree.opened
    alone = sum(untimed) - tree.passed
    nanoseconds = 4 * calling + 10 * tree.left + 12 * tree.opened + alone
    notes = merge_shards([shard], RunFacts()).notes
    assert calling < 31_000 < alone + 10_000 and notes.untimed == sum(untimed)
    assert notes.throttled_ns == pytest.approx(nanoseconds / sum(untimed))
    notes = merge_shards([replace(shard, threads=(replace(tree, slotted=10**9),))], RunFacts()).notes
    assert notes.throttled_ns == pytest.approx((nanoseconds + alone) / sum(untimed))


def test_timed_entries_by_the_stub_of_fortran_have_a_price_of_their_own(linked: Record) -> None:
    words = "+main times 90 +f -f ; times 30 <a <b >b >a ; times 2000 <c >c ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    tree = shard.threads[0]
    (timed,) = tree.throttled.values()
    assert tree.fortran == 60 + timed
    shard = replace(shard, pair_cost=20e-9, fortran_cost=25e-9)
    notes = merge_shards([shard], RunFacts()).notes
    assert notes.probe_ns == pytest.approx(20 + 5 * tree.fortran / (1 + 90 + tree.fortran))
    in_c = replace(shard, threads=(replace(tree, fortran=0),))
    assert merge_shards([in_c], RunFacts()).notes.probe_ns == pytest.approx(20)


def test_a_region_is_throttled_by_all_its_keys_though_one_was_unloaded(
    record: Record, visits: Visits, tmp_path: Path
) -> None:
    (tmp_path / "plug.c").write_text('const char descriptor[] = "aa1|function|f|x.c|f|0|1|2";\n')
    compile_c("-shared", "-fPIC", "-nostdlib", tmp_path / "plug.c", "-o", tmp_path / "plug.so")
    words = "+main +f -f plug{ -f +f@2 -f@2 }plug times 3000 +f -f ; times 3000 +f@2 -f@2 ; -main"
    (shard,) = record(words, AUTOANALYZER_MAX_OVERHEAD=TINY, PLUG=str(tmp_path / "plug.so"))
    assert visits(shard) == {"main": 1, "main/f": 6003}
    assert shard.threads[0].throttled == {2: 2 * 512 + 4}


def test_slots_of_fortran_programs_count_every_entry(linked: Record, visits: Visits) -> None:
    several = "times 3 <a >a ; <b >b <B >B <a <a >a >a"  # with two descriptors, and recursively
    mixed = "times 500 <a +g -g >a ; times 2000 <a <c >c >a ; times 50 <a =<a >a ;"
    words = f"+main times 30000 {several} ; {mixed} parallel 2 times 9000 <a >a ; ; {mixed} -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    entered: Counter[str] = Counter()
    for path, count in chain.from_iterable(visits(shard, thread.index).items() for thread in shard.threads):
        entered[path[-1]] += count
    assert entered == {"n": 1, "a": 155_100 + 18_000, "b": 60_000, "c": 4000, "g": 1000}
    tree = shard.threads[0]
    assert (tree.unmatched, tree.repairs) == (0, 0)
    assert 200_000 < tree.slotted < 220_000


# At 20.04 ns each, so many entries cost 5 % of 0.1 s, the shortest time that is judged; check 488 finds this. From then
# on, four of every 4096 visits are timed. Visit 303,104 is the first of such four, because it is number 74 × 4096.
TIMED = 61 * 4096
SHORT = "+main times 303103 +f -f ;"
LONG = f"{SHORT} times 4 +f spin 100 -f ;"


def of_first(record: Record, words: str, share: str = "5%") -> Shard:
    (shard,) = record(words, AUTOANALYZER_MAX_OVERHEAD=share)
    return shard


def test_what_takes_long_later_is_timed_again_from_then_on(record: Record, visits: Visits) -> None:
    shard = of_first(record, f"{LONG} times 9 +f spin 1 +g -g -f ; -main")
    tree = shard.threads[0]
    assert tree.timed_again == {2}
    assert visits(shard) == {"main": 1, "main/f": 303_116, "main/f/g": 9}
    assert tree.throttled == {2: TIMED + 13 * 4 + 9}
    reading_cpu = 3 * 10e-9 * tree.synchronised  # at most, if each of these was at an exit
    assert tree.nodes["wall"][2] == pytest.approx(0.409 + 10e-9 * tree.throttled[2], abs=reading_cpu)
    assert tree.repairs == 0


def test_what_is_timed_again_is_no_time_of_its_caller_unless_threads_differ(preloaded: Record) -> None:
    shard = of_first(preloaded, f"{LONG} times 9 +f spin 1 -f ; -main")
    tree = shard.threads[0]
    other = replace(tree, throttled={2: tree.throttled[2] + 1 + tree.throttled[2] // 100})
    nearly = replace(tree, throttled={2: tree.throttled[2] + tree.throttled[2] // 101})
    still = replace(tree, timed_again=frozenset())
    for second, is_folded in ((tree, False), (nearly, False), (other, True), (still, True)):
        ranks = [replace(shard, rank=rank, size=2, threads=(each,)) for rank, each in enumerate((tree, second))]
        experiment = merge_shards(ranks, RunFacts())
        assert experiment.exclusive("untimed_visits")[1].min() > 0
        assert (experiment.exclusive("wall_time")[1] > 0).tolist() == [not is_folded] * 2
        assert folded_paths(experiment).tolist() == [False, is_folded]
        assert untimed_paths(experiment).tolist() == [False, True]
        assert experiment.notes.throttled == {}
        said = [remark for remark in experiment.notes.remarks if remark.startswith("f seemed too small to measure")]
        assert len(said) == 1
        assert ("the region's whole time is attributed to its callers" in said[0]) == is_folded


def test_what_takes_long_once_between_samples_stays_throttled(record: Record, visits: Visits) -> None:
    words = f"{SHORT.replace('303103', '303102')} +f spin 400 -f +f -f +f -f -main"
    shard = of_first(record, words, share="0.2%")
    assert shard.threads[0].timed_again == frozenset()
    assert visits(shard)["main/f"] == 303_105


def test_one_visit_that_an_interrupt_made_long_tells_nothing(record: Record, visits: Visits) -> None:
    shard = of_first(record, f"{SHORT} +f spin 400 -f times 9 +f -f ; -main")
    assert shard.threads[0].timed_again == frozenset()
    assert shard.threads[0].throttled == {2: TIMED + 13 * 4}
    assert visits(shard)["main/f"] == 303_113


def test_a_loop_that_is_short_for_a_while_is_timed_on(record: Record, visits: Visits) -> None:
    words = "+main times 50 +f spin 30 +g -g -f ; times 600000 +h -h ; times 16000 +f +g -g -f ; -main"
    shard = of_first(record, words, share="0.5%")
    assert visits(shard) == {"main": 1, "main/f": 16_050, "main/f/g": 16_050, "main/h": 600_000}
    assert 2 not in shard.threads[0].throttled
    assert 4 in shard.threads[0].throttled


def test_regions_that_only_together_cost_too_much_are_throttled_at_any_look(preloaded: Record) -> None:
    """Each check may throttle every second region: 100 at the second check, 48 at the third, 24 at the fourth."""
    shard = of_first(preloaded, "+main spin 100 times 20000 crowd 200 1 ; -main")
    assert len(shard.threads[0].throttled) > 160


def test_hundreds_of_short_call_paths_keep_the_limit(preloaded: Record) -> None:
    """At 20.04 ns each, 249,501 entries cost 5 % of 0.1 s; each of the 200 call paths has only 4,000 entries."""
    shard = of_first(preloaded, "+main spin 100 times 4000 crowd 200 1 ; -main")
    tree = shard.threads[0]
    untimed = sum(int(tree.nodes["visits"][place]) - timed for place, timed in tree.throttled.items())
    assert int(tree.nodes["visits"].sum()) == 800_001
    assert 249_501 < 800_001 - untimed < 500_000


@pytest.mark.nightly
def test_throttling_takes_fewer_instructions_than_it_saves_though_the_tree_is_large(
    preloaded: Record, tmp_path: Path
) -> None:
    counted = []
    for share in (TINY, "0"):
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        counting = ("valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null")
        entered = " ".join(f"times 1600 <{name} >{name} ;" for name in "abc")
        preloaded(f"+main new 8000 {entered} -main", before=counting, AUTOANALYZER_MAX_OVERHEAD=share)
        counted.append(int(re.findall(r"Collected : (\d+)", (tmp_path / "stderr").read_text())[-1]))
    assert counted[0] < counted[1]


@pytest.mark.by_day(record=["preloaded"])  # millions of visits, which take three times as long with sanitizers
def test_what_is_short_once_more_is_throttled_once_more(record: Record, visits: Visits) -> None:
    shard = of_first(record, f"{LONG} times 4000000 +f -f ; -main")
    assert visits(shard)["main/f"] == 4_303_107
    assert shard.threads[0].timed_again == frozenset()
    assert TIMED < shard.threads[0].throttled[2] < 1_400_000


@pytest.mark.by_day(record=["preloaded"])  # millions of visits, which take three times as long with sanitizers
def test_what_goes_to_and_fro_is_throttled_ever_more_seldom(record: Record, tmp_path: Path) -> None:
    """Each time, twice as many visits are timed, although the cost would allow throttling much sooner."""
    timed = []
    for rounds in (1, 4):
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        words = f"+main times {rounds} times 2097151 +f -f ; times 4 +f spin 50 -f ; times 4093 +f -f ; ; -main"
        timed.append(of_first(record, words, share="1%").threads[0].throttled[2])
    assert timed[0] >= 8192
    # Each round times more visits than all before it: in all 11.5 times as many, or 6.7 times if only the cost decides.
    assert 4 * 2_101_248 > timed[1] >= 9 * timed[0]


def test_what_a_library_calls_back_is_no_time_of_the_library(linked: Record, visits: Visits) -> None:
    words = "+main times 30000 +f -f ; times 10000 mpi{ +f -f }mpi ; mpi{ +f spin 300 -f }mpi -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    tree = shard.threads[0]
    assert visits(shard) == {"main": 1, "main/f": 40001}
    assert list(tree.throttled) == [2]
    assert tree.nodes["wall"][2] >= 0.3


def test_the_share_is_one_of_computing_whatever_libraries_take(linked: Record, visits: Visits) -> None:
    words = "+main mpi{ spin 1000 }mpi times 100000 +f -f ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD="1%")
    assert visits(shard) == {"main": 1, "main/f": 100_000}
    assert list(shard.threads[0].throttled) == [2]


def test_a_region_that_only_a_library_calls_is_not_throttled(linked: Record, visits: Visits) -> None:
    (shard,) = linked("+main times 30000 mpi{ +f -f }mpi ; -main", AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 30000}
    assert shard.threads[0].throttled == {}


def test_where_a_task_goes_on_is_not_entered(linked: Record, visits: Visits) -> None:
    words = "+main times 1022 +f -f ; +f task +g times 1000 execute +h -h ; ; -g -f -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert visits(shard) == {"main": 1, "main/f": 1023, "main/f/g": 1, "main/f/h": 1000}
    assert shard.threads[0].throttled == {}


@pytest.mark.parametrize(("alone", "in_teams"), [(9000, 300), pytest.param(1, 9000, marks=pytest.mark.nightly)])
def test_a_team_counts_its_visits_to_the_construct_though_it_is_throttled(
    linked: Record, visits: Visits, alone: int, in_teams: int
) -> None:
    construct = f"times {in_teams} +{LOOP} team 2 ; -{LOOP} ; times {alone} +{LOOP} -{LOOP} ;"
    words = f"+main {construct} times 3 +{LOOP} team 2 +f -f ; -{LOOP} ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert list(shard.threads[0].throttled) == [2]
    assert visits(shard, 0) == {"main": 1, "main/loop": alone + in_teams + 3, "main/f": 3}
    assert visits(shard, 1) == {"main": 0, "main/loop": in_teams + 3, "main/f": 3}


@pytest.mark.parametrize("around", ["", "+f -f"])
def test_a_construct_that_is_throttled_before_its_first_team_is_known_from_the_next_one_on(
    linked: Record, visits: Visits, around: str
) -> None:
    words = f"+main {around} times 9000 +{LOOP} -{LOOP} ; times 300 +{LOOP} team 2 ; -{LOOP} ; times 9 team 2 ; ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD=TINY)
    assert len(shard.threads[0].throttled) == 1
    assert visits(shard, 0)["main/loop"] == 9300
    assert visits(shard, 1) == {"main": 0, "main/loop": 299}


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


def test_call_paths_that_another_run_has_throttled_are_so_from_the_start(record: Record, tmp_path: Path) -> None:
    def recorded(words: str, **variables: str) -> Shard:
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        (shard,) = record(words, **variables)
        return shard

    def merged(words: str, **variables: str) -> Experiment:
        return merge_shards([recorded(words, **variables)], RunFacts())

    def folded(experiment: Experiment) -> list[str]:
        return [experiment.path_name(place) for place in np.flatnonzero(folded_paths(experiment)).tolist()]

    more = " +main times 30000 +h -h ; -main"
    some, none = "+main times 2000 +f -f ; +h +f +g -g -f +f@2 -f@2 -h -main", str(tmp_path / "none")
    one, two = (merged(some.replace("2000", "30000") + each, AUTOANALYZER_MAX_OVERHEAD=TINY) for each in ("", more))
    assert (folded(one), folded(two)) == (["f"], ["f", "h"])
    for timings, expected in (([one], ["f"]), ([two], ["f", "h"]), ([two, one], ["f"])):
        known = write_short_paths(tmp_path / "known", timings)
        assert folded(merged(some, AUTOANALYZER_SHORT_PATHS=str(known))) == expected
    assert recorded(some, AUTOANALYZER_SHORT_PATHS=none).threads[0].throttled == {}
