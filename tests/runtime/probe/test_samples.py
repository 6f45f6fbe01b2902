"""Samples of what threads execute, taken by their CPU time."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.inside import said_of_errors, seen_inside
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.sample_sums import Samples, SampleSums
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard

from .conftest import PROGRAMS, Record, compile_c, spent

SAMPLED: Mapping[str, str] = {"AUTOANALYZER_SAMPLE": "1000"}
TICK = 0.01  # seconds that a program computes, at most, besides the words that report CPU time


def samples_of(shard: Shard) -> Samples:
    assert shard.samples is not None
    return shard.samples


def seconds_by_region(samples: Samples) -> dict[str, float]:
    found: Counter[str] = Counter()
    for (region, _), periods in samples.places.items():
        found[region.name if region else ""] += periods
    return {name: periods * samples.period for name, periods in found.items()}


def test_samples_are_where_the_processor_time_is(record: Record, tmp_path: Path) -> None:
    (shard,) = record("+main sleep 50 +f spin 160 ticks 1 -f spent +g spin 80 ticks 1 -g spent -main", **SAMPLED)
    in_f, in_g = spent(tmp_path)
    samples, found = samples_of(shard), seconds_by_region(samples_of(shard))
    assert (samples.states, samples.crowded) == ({"on": 1}, 0)
    assert 0 < found["f"] < in_f + TICK
    assert found["f"] < sum(found.values()) < in_f + in_g + 2 * TICK
    assert sum(found.values()) + samples.lost * samples.period == pytest.approx(samples.seconds)
    files = [place[0] for _, place in samples.places if place]
    assert files and all(files), "an address is in no object"


def test_every_thread_and_every_child_of_a_fork_has_samples_of_its_own(record: Record, tmp_path: Path) -> None:
    words = "+main parallel 2 +f spin 50 ticks 1 -f ; spent fork +g spin 50 ticks 1 -g spent ; -main"
    shards = record(words, **SAMPLED)
    in_threads, in_child = spent(tmp_path)
    found = [seconds_by_region(samples_of(shard)) for shard in shards]
    parent, child = sorted(found, key=lambda each: "g" in each)
    assert 0 < parent["f"] < in_threads + 2 * TICK
    assert 0 < child["g"] < in_child + TICK
    assert "f" not in child and "g" not in parent


def test_a_new_image_begins_anew(preloaded: Record) -> None:
    shards = preloaded("+main +f ticks 2 exec +g ticks 2 -g", **SAMPLED)
    first, second = (seconds_by_region(samples_of(shard)) for shard in shards)
    assert {*first} >= {"f"} and {*second} >= {"g"} and "f" not in second


def test_a_program_that_handles_the_signal_gets_it_alone(record: Record, tmp_path: Path) -> None:
    words = "+main caught spin 50 ticks 1 spent urgent spin 40 +f spin 40 -f parallel 2 +g spin 30 -g ; urgent -main"
    (shard,) = record(words, **SAMPLED)
    caught, took, *handled = (tmp_path / "stderr").read_text().split()
    assert (caught, handled) == ("other", ["default", "0", "own", "0"])
    samples = samples_of(shard)
    assert set(samples.states) == {"theirs"}
    assert 0 < samples.seconds < int(took) * 1e-9 + TICK


def test_a_handler_that_was_there_before_stays(record: Record, tmp_path: Path) -> None:
    (shard,) = record("urgent +main spin 30 -main urgent", **SAMPLED)
    assert (tmp_path / "stderr").read_text().split() == ["default", "0", "own", "0"]
    assert (samples_of(shard).signals, samples_of(shard).states) == (0, {"theirs": 1})


@pytest.mark.parametrize("how", ["bsd", "__sigaction"])
def test_a_handler_may_be_set_by_other_functions(preloaded: Record, tmp_path: Path, how: str) -> None:
    (shard,) = preloaded(f"+main spin 20 {how} spin 30 urgent -main", **SAMPLED)
    assert (tmp_path / "stderr").read_text().split() == ["own", "0"]
    assert samples_of(shard).states == {"theirs": 1}


def test_a_handler_does_not_get_a_sample_that_is_due(preloaded: Record, tmp_path: Path) -> None:
    preloaded("+main block spin 30 urgent unblock urgent -main", **SAMPLED)
    assert (tmp_path / "stderr").read_text().split() == ["default", "0", "own", "0"]


def test_samples_need_no_alternative_stack(preloaded: Record) -> None:
    (shard,) = preloaded("stack +main ticks 5 -main", **SAMPLED)
    assert samples_of(shard).signals > 0


def test_without_timers_there_are_no_samples(record: Record) -> None:
    (shard,) = record("deny timer +main spin 10 -main", **SAMPLED)
    assert (samples_of(shard).signals, samples_of(shard).states) == (0, {"refused": 1})


def test_threads_that_block_the_signal_have_no_samples(record: Record) -> None:
    (shard,) = record("block +main spin 30 -main", **SAMPLED)
    assert (samples_of(shard).signals, samples_of(shard).states) == (0, {"blocked": 1})


def test_time_in_which_the_signal_is_blocked_is_not_counted_where_it_comes(record: Record, tmp_path: Path) -> None:
    (shard,) = record("+main ticks 5 block spin 100 spent +f unblock spin 10 -f spent -main", **SAMPLED)
    samples = samples_of(shard)
    assert samples.lost * samples.period > 0.05
    assert seconds_by_region(samples).get("f", 0.0) < spent(tmp_path)[1] + 2 * TICK
    sums = SampleSums()
    sums.add(samples, None, "")
    (said,) = said_of_errors(sums)
    assert "% of the CPU time is not covered by samples, because signals came late: SIGURG was blocked" in said
    remarks = merge_shards([shard], RunFacts()).notes.remarks  # probes measured the regions' times
    assert not any("covered by samples" in each for each in remarks)
    _, of_all = seen_inside(sums)
    assert of_all["seconds"] * of_all["samples"] == pytest.approx(samples.seconds - sums.lost)


@pytest.mark.parametrize(("own", "said"), [(0.23, 0), (0.5, 0), (0.1, 1), (0.8, 1)])
def test_samples_that_are_not_where_clocks_show_the_time_are_biased(own: float, said: int) -> None:
    known = 0.5 if own == 0.5 else 0.25
    sums = SampleSums(signals=1000, seconds=4.0, own=own * 4.0, computed=known * 3.0, spent=3.0)
    found = [*said_of_errors(sums)]
    assert len(found) == said
    assert all(f"{100 * own:.0f} % of the samples, but 25 % of the CPU time, are outside MPI" in each for each in found)


def test_what_a_full_table_has_no_room_for_is_counted_without_its_place(preloaded: Record) -> None:
    regions = " ".join(f"+f{number} spin 1 -f{number}" for number in range(60))
    (shard,) = preloaded(f"+main {regions} ticks 2 -main", AUTOANALYZER_MAX_MEMORY="1M", AUTOANALYZER_SAMPLE="10000")
    samples = samples_of(shard)
    assert samples.signals > 0
    assert sum(seconds_by_region(samples).values()) + samples.lost * samples.period == pytest.approx(samples.seconds)


def test_a_library_at_the_address_of_an_unloaded_one_has_its_own_name(preloaded: Record, tmp_path: Path) -> None:
    names = [f"{tmp_path / 'plug.so'}.{number}" for number in range(2)]
    (tmp_path / "plug.c").write_text("int answer(void) { return 42; }\n")
    for name in names:
        compile_c("-shared", "-fPIC", "-nostdlib", tmp_path / "plug.c", "-o", name)
    (shard,) = preloaded("+main swaps 2 -main", PLUG=str(tmp_path / "plug.so"), **SAMPLED)
    recorded = shard.path.read_bytes()
    assert all(f"{name}\0".encode() in recorded for name in names)


@pytest.mark.parametrize("rate", ["", "0", "often", "10001"])
def test_nothing_is_sampled_unless_asked_for(preloaded: Record, tmp_path: Path, rate: str) -> None:
    (shard,) = preloaded("+main spin 20 caught urgent urgent -main", AUTOANALYZER_SAMPLE=rate)
    assert shard.samples is None
    *said, caught, first, before, second, after = (tmp_path / "stderr").read_text().split()
    assert (caught, first, before, second, after) == ("default", "default", "0", "own", "0")
    assert bool(said) == (rate in ("often", "10001"))


@pytest.mark.parametrize(
    ("case", "states"),
    [
        ("masks", {"on"}),
        ("waiter", {"blocked"}),
        ("descriptor", {"blocked"}),
        ("let_in", {"blocked"}),
        ("blocking", {"on"}),
        ("jumps", {"on"}),
        ("contexts", {"small_stack"}),
        ("own_contexts", {"small_stack"}),
        ("stacks", {"small_stack"}),
        ("endings", {"on"}),
        ("handlers", {"on"}),
        ("timers", {"on"}),
        ("processes", {"blocked"}),
        ("often", {"on"}),
        ("own signal", {"theirs"}),
        ("own sigaction", {"theirs"}),
        ("own sigset", {"theirs"}),
    ],
)
@pytest.mark.by_day(
    case=[
        "masks",
        "waiter",
        "blocking",
        "contexts",
        "own_contexts",
        "endings",
        "timers",
        "processes",
        "often",
        "own signal",
    ]
)
def test_signals_do_to_a_program_what_they_do_without_samples(
    tmp_path: Path, library: Path, built_once: Callable[..., Path], case: str, states: set[str]
) -> None:
    program = built_once("signals", "-O1", "-Wno-deprecated-declarations", PROGRAMS / "signals.c")
    sampled = {**os.environ, **SAMPLED, "AUTOANALYZER_SHARDS": str(tmp_path), "LD_PRELOAD": str(library)}
    plain, seen = (
        subprocess.run([program, *case.split()], env=each, capture_output=True, text=True, check=True, timeout=1200)
        for each in (None, sampled)
    )
    assert seen.stdout == plain.stdout
    assert seen.stderr == plain.stderr == ""
    (shard,) = map(read_shard, tmp_path.glob("*.shard"))
    assert set(samples_of(shard).states) == states
