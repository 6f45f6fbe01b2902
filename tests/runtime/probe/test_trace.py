"""Time lines: samples add up to the nodes' values, whatever happens to threads, memory and the process."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.runtime.gather.samples import ThreadSamples, read_samples
from autoanalyzer.runtime.gather.shard import NODE, Shard, computing_of
from autoanalyzer.runtime.gather.shard_layout import SYSTEM_VALUES

from .conftest import Record

EACH_MILLISECOND = "0.001"


@pytest.fixture
def library(fake_library: Path) -> Path:
    """Return a library for which the program controls the time, so that samples are the same on every machine."""
    return fake_library


@pytest.fixture
def linked_program(fake_linked_program: Path) -> Path:
    """Return the program with the same core."""
    return fake_linked_program


def traced(record: Record, words: str, **more: str) -> list[tuple[Shard, list[ThreadSamples]]]:
    variables = {"AUTOANALYZER_TRACE": EACH_MILLISECOND, **more}
    status = int(variables.pop("status", "0"))
    return [(shard, read_samples(shard)) for shard in record(words, status=status, **variables)]


def check(shard: Shard, lines: list[ThreadSamples], apart: float = 1e-6) -> None:
    """Assert that samples follow each other, and add up to the nodes of their threads; so do their parts, node by node.

    If a signal handler comes between the reading of a clock and its booking, a part has a negative time and no CPU
    share. The sums of CPU time may therefore differ by ``apart``.
    """
    assert len(lines) == len(shard.threads)
    for tree, line in zip(shard.threads, lines, strict=True):
        assert (line.begin <= line.end).all()
        assert (line.end[:-1] <= line.begin[1:] + 1e-9).all()
        for name in set(NODE.names or ()) - {"parent", "region"}:
            assert line.values[name].sum() == pytest.approx(tree.nodes[name].sum(), rel=1e-6, abs=1e-6), name
        if (line.nodes >= 0).all():
            visits = np.bincount(line.nodes, line.visits, len(tree.nodes))
            seconds = np.bincount(line.nodes, line.seconds, len(tree.nodes))
            assert visits.tolist() == tree.nodes["visits"].tolist()
            assert seconds == pytest.approx(tree.nodes["wall"], abs=1e-6)
            computing = np.bincount(line.nodes, line.computing, len(tree.nodes))
            assert computing == pytest.approx(computing_of(tree.nodes), abs=apart)
        assert (line.computing <= np.maximum(line.seconds, 0) * (1 + 1e-9)).all()
        of_samples = np.add.reduceat(np.append(line.seconds, 0.0), line.first[:-1]) if len(line.end) else np.empty(0)
        assert of_samples[np.diff(line.first) > 0].sum() == pytest.approx(line.seconds.sum())


def test_samples_add_up_to_the_nodes(linked: Record) -> None:
    ((shard, lines),) = traced(linked, "+main times 40 +f spin 1 +g -g -f mpi 3 ; io 7 -main")
    check(shard, lines)
    assert shard.tracing is not None
    assert shard.tracing.merged == shard.tracing.lost == 0
    assert len(lines[0].end) > 20
    assert lines[0].values["visits"].sum() == 81


def test_what_happened_when_is_seen(record: Record) -> None:
    ((shard, lines),) = traced(record, "+main times 30 +f spin 1 -f ; times 30 +g spin 1 -g ; -main")
    names = {
        node: shard.regions[region].name for node, region in enumerate(shard.threads[0].nodes["region"]) if region >= 0
    }
    line = lines[0]
    samples = np.repeat(np.arange(len(line.end)), np.diff(line.first))
    visits = {
        name: samples[(line.nodes == node) & (line.visits > 0)] for node, name in names.items() if name in ("f", "g")
    }
    assert len(set(visits["f"].tolist())) > 15
    assert visits["f"].max() <= visits["g"].min() + 1


def test_without_the_variable_there_are_no_samples(record: Record) -> None:
    ((shard, lines),) = traced(record, "+main times 20 +f spin 1 -f ; -main", AUTOANALYZER_TRACE="")
    assert shard.tracing is None
    assert [len(line.end) for line in lines] == [1]  # only the last sample, which contains everything


@pytest.mark.parametrize("wrong", ["0", "1e-4", "4000", "ten", "0.01s", "nan", "-1"])
@pytest.mark.by_day(wrong=["1e-4", "4000", "ten", "nan"])
def test_an_interval_that_cannot_be_is_said_and_the_program_runs(record: Record, tmp_path: Path, wrong: str) -> None:
    ((shard, _),) = traced(record, "+main -main", AUTOANALYZER_TRACE=wrong)
    assert shard.tracing is None
    assert (
        f"AUTOANALYZER_TRACE: expected a number of seconds from 0.001 to 3600, found '{wrong}'"
        in (tmp_path / "stderr").read_text()
    )


@pytest.mark.parametrize("wrong", ["1K", "-4M", "17G", "8MB"])
@pytest.mark.by_day(wrong=["1K", "17G", "8MB"])
def test_a_memory_that_cannot_be_is_said_and_replaced(record: Record, tmp_path: Path, wrong: str) -> None:
    ((shard, _),) = traced(record, "+main -main", AUTOANALYZER_TRACE_MEMORY=wrong)
    assert shard.tracing is not None
    assert f"expected a size from 1M to 16G, found '{wrong}'; using 8M" in (tmp_path / "stderr").read_text()


def test_memory_is_bounded_pairs_are_merged_and_nothing_is_lost(record: Record) -> None:
    words = "+main times 120 crowd 900 1 spin 1 ; -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_TRACE_MEMORY="1M")
    check(shard, lines)
    assert shard.tracing is not None
    assert shard.tracing.merged >= 1
    assert shard.tracing.lost == 0
    assert shard.tracing.slowed == 0
    assert shard.tracing.interval == pytest.approx(0.001 * 2**shard.tracing.merged)
    assert shard.path.stat().st_size < 8 << 20
    resident = SYSTEM_VALUES.index("resident")
    assert shard.system[resident] / 2 < np.nanmax(lines[0].system[:, resident]) < 1.2 * shard.system[resident]


def test_samples_take_no_memory_from_call_paths(record: Record) -> None:
    deep = "+a +b +c +d +e +f +g +h times 30 new 20 ; -h -g -f -e -d -c -b -a"
    words = f"+main times 1500 crowd 200 1 spin 1 ; {deep} -main"
    found = [
        shard
        for trace in ("", "0.001")
        for shard, _ in traced(
            record, words, AUTOANALYZER_TRACE=trace, AUTOANALYZER_MAX_MEMORY="1M", AUTOANALYZER_TRACE_MEMORY="4M"
        )
    ]
    assert [len(shard.threads[0].nodes) for shard in found] == [1 + 1 + 200 + 8 + 600] * len(found)
    assert {shard.deepest for shard in found} == {None}


def test_of_very_many_parts_those_that_took_least_are_together(record: Record) -> None:
    ((shard, lines),) = traced(record, "+main times 2 new 3000 spin 600 ; +f -f -main", AUTOANALYZER_TRACE="0.5")
    check(shard, lines)
    parts = np.diff(lines[0].first)
    assert 0 < parts[:-1].max() <= 2048
    assert (lines[0].nodes < 0).any()
    assert lines[0].visits.sum() == shard.threads[0].nodes["visits"].sum()


def test_each_thread_has_its_line(record: Record) -> None:
    words = "+main parallel 3 times 20 +f spin 1 meet -f ; ; thread 3 times 5 +g spin 1 -g ; ; -main"
    ((shard, lines),) = traced(record, words)
    check(shard, lines)
    assert sum(len(line.end) > 5 for line in lines) == 3


def test_a_team_has_its_lines(linked: Record) -> None:
    ((shard, lines),) = traced(linked, "+main times 5 team 3 times 8 +f spin 1 -f ; ; ; -main")
    check(shard, lines)
    assert sum(len(line.end) > 5 for line in lines) == 3


def test_merging_has_room_for_all_threads(record: Record) -> None:
    words = "+main parallel 4 times 60 crowd 700 1 spin 1 meet ; ; -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_TRACE_MEMORY="1M")
    check(shard, lines)
    assert shard.tracing is not None
    assert shard.tracing.merged >= 1


@pytest.mark.nightly  # a sanitizer, as in `make sanitize`
def test_threads_race_for_nothing(raced: Record) -> None:
    words = "+main parallel 4 times 100 +f spin 1 +g -g -f ; ; -main"
    ((shard, lines),) = traced(raced, words, AUTOANALYZER_TRACE_MEMORY="1M")
    check(shard, lines)


def test_the_child_of_a_fork_begins_anew(record: Record) -> None:
    words = "+main times 10 +f spin 1 -f ; fork times 10 +g spin 1 -g ; ; times 5 +h spin 1 -h ; -main"
    found = traced(record, words)
    assert len(found) == 2
    for shard, lines in found:
        check(shard, lines)
        assert len(lines[0].end) > 5


def test_throttled_regions_have_their_visits_in_time(record: Record) -> None:
    words = "+main times 20 times 20000 +f -f ; ; spin 20 +g -g -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_MAX_OVERHEAD="0.001%")
    check(shard, lines)
    assert shard.threads[0].throttled
    assert len(lines[0].end) > 3


def test_a_probe_has_the_same_price_with_samples(record: Record, tmp_path: Path) -> None:
    prices = []
    for trace in ("", EACH_MILLISECOND):
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        prices += [shard.pair_cost for shard, _ in traced(record, "+main -main", AUTOANALYZER_TRACE=trace)]
    assert prices == [pytest.approx(20e-9, rel=0.1)] * 2


def test_a_killed_process_keeps_its_samples_and_the_rest(record: Record) -> None:
    ((shard, lines),) = traced(record, "+main times 20 +f spin 1 -f ; +g spin 3 +h kill", status="-9")
    check(shard, lines)
    assert len(lines[0].end) > 10


def test_a_stretch_without_an_event_is_one_long_sample(record: Record) -> None:
    ((_, lines),) = traced(record, "+main +f -f spin 30 +f -f spin 2 +f -f -main")
    assert (lines[0].end - lines[0].begin).max() >= 0.03


def test_the_system_is_asked(record: Record) -> None:
    ((_, lines),) = traced(record, "+main times 20 +f sleep 1 -f ; -main")
    system = dict(zip(SYSTEM_VALUES, lines[0].system[:-1].T, strict=True))
    assert system["voluntary_switches"].sum() >= 15
    assert (system["resident"] > 1 << 20).all()
    assert np.isnan(lines[0].system[-1]).all()  # the last sample contains the rest


def test_page_faults_of_the_first_sample_count_too(record: Record) -> None:
    ((_, lines),) = traced(record, "+main touch 16 spin 50 +f -f spin 50 +f -f -main", AUTOANALYZER_TRACE="0.05")
    faults = lines[0].system[:, SYSTEM_VALUES.index("minor_faults")]
    assert np.nansum(faults) >= 16 * 256


def test_threads_too_short_for_a_sample_share_one_that_is_as_long(record: Record) -> None:
    words = "+main thread 40 +g spin 1 -g ; thread 1 times 20 +g spin 1 -g ; ; -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_TRACE="0.01")
    check(shard, lines)
    line = max(lines, key=lambda each: each.values["visits"].sum() if len(each.end) else 0)
    assert len(line.end) > 3
    assert (line.values["wall"] <= line.end - line.begin + 1e-6).all()


def test_what_threads_before_did_to_the_system_is_not_lost(record: Record) -> None:
    words = "+main thread 4 +g touch 4 -g ; thread 1 times 20 +g spin 1 -g ; ; -main"
    ((_, lines),) = traced(record, words, AUTOANALYZER_TRACE="0.01")
    faults = [np.nansum(line.system[:, SYSTEM_VALUES.index("minor_faults")]) for line in lines]
    assert max(faults) >= 16 * 256


def test_little_memory_costs_many_threads_parts_of_samples_and_nothing_else(record: Record) -> None:
    words = "+main parallel 48 times 6 crowd 900 1 spin 1 meet ; ; -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_TRACE="0.01", AUTOANALYZER_TRACE_MEMORY="1M")
    assert len(lines) == len(shard.threads) == 1 + 48
    assert shard.tracing is not None
    assert shard.tracing.interval <= 1
    assert shard.tracing.lost == 0
    assert sum(tree.nodes["visits"].sum() for tree in shard.threads) == 48 * 6 * 900 + 1
