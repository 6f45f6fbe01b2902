"""Causes of planted bottlenecks, calculated by hand, and their limits."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.verdict import Kind, Why
from autoanalyzer.analyze.verdict.gain import gain_of_weight
from autoanalyzer.analyze.verdict.losses import losses
from autoanalyzer.experiment import Experiment, Notes
from autoanalyzer.view.verdict import verdict_lines

RANKS = 4
ALL = ("l1_miss_rate", "l2_miss_rate", "io_bytes", "mpi_bytes", "instructions")


def alike(value: float) -> list[float]:
    return [value] * RANKS


def counted(
    seconds: dict[str, Sequence[float]], rates: dict[str, tuple[float, float]] | None = None, ipc: float = 1.0
) -> dict[str, dict[str, list[float]]]:
    """Return counts proportional to regions' times; ``rates`` are ``(L1 rate, L2 rate)``, by default 2 % and 10 %."""
    counts: dict[str, dict[str, list[float]]] = {}
    for region, times in seconds.items():
        l1, l2 = (rates or {}).get(region, (0.02, 0.1))
        for name, each in (
            ("ref_cycles", 1.0),
            ("instructions", ipc),
            ("l1_accesses", ipc / 2),
            ("l1_misses", ipc / 2 * l1),
            ("l2_accesses", ipc / 2 * l1),
            ("l2_misses", ipc / 2 * l1 * l2),
        ):
            counts.setdefault(name, {})[region] = [1e9 * each * time for time in times]
    return counts


def position(findings: Findings, name: str) -> int:
    names = [findings.experiment.path_name(each.id) for each in findings.vectors.regions]
    return names.index(name)


def causes_of(findings: Findings, name: str) -> list[str]:
    return [each.attribute for each in findings.disparity_causes.causes[position(findings, name)]]


def waiting(findings: Findings) -> set[int]:
    return {culprit for culprit in findings.disparity.culprits if findings.explanation.seconds.waits[culprit]}


def small_calls(findings: Findings) -> set[int]:
    return {culprit for culprit in findings.disparity.culprits if findings.explanation.seconds.has_small_calls[culprit]}


def of_ranks(findings: Findings) -> list[str]:
    return [each.attribute for each in findings.dissimilarity_causes.differences]


# Disparity


def three_faults(make_experiment) -> Experiment:
    """One region has cache-hostile walks, one has disk I/O, one has message volume; the others have none of these."""
    seconds = {"walk": alike(3.0), "dump": alike(0.05), "swap": alike(0.05), "calm": alike(0.2), "other": alike(0.1)}
    counts = counted(seconds, {"walk": (0.9, 0.8)})
    return make_experiment(
        seconds,
        io_time={"dump": alike(3.0)},
        mpi_time={"swap": alike(3.0)},
        io_bytes={"dump": alike(4e8), "calm": alike(1e5)},
        mpi_bytes={"swap": alike(5e8), "other": alike(1e4)},
        **counts,
    )


def test_each_planted_region_has_its_own_cause(make_experiment):
    findings = analyze(three_faults(make_experiment), disparity_metric="wall_time")
    assert causes_of(findings, "walk") == ["l1_miss_rate", "l2_miss_rate"]
    assert causes_of(findings, "dump") == ["io_bytes"]
    assert causes_of(findings, "swap") == ["mpi_bytes"]


def test_a_cause_comes_with_the_regions_number_and_the_programs(make_experiment):
    findings = analyze(three_faults(make_experiment), disparity_metric="wall_time")
    cause = findings.disparity_causes.causes[position(findings, "dump")][0]
    assert (cause.value, cause.program, cause.elsewhere) == (1.6e9, 1.6e9 + 4e5, 4e5)
    walk = findings.disparity_causes.causes[position(findings, "walk")][0]
    assert walk.value == pytest.approx(0.9)
    assert walk.elsewhere == pytest.approx(0.02)


def test_critical_regions_that_are_no_culprits_are_no_objects(make_experiment):
    seconds = {"steps": alike(0.0), "steps/walk": alike(3.0), "calm": alike(0.25), "other": alike(0.2)}
    findings = analyze(make_experiment(seconds, **counted({"steps/walk": alike(3.0), "calm": alike(0.25)})))
    steps, walk = position(findings, "steps"), position(findings, "steps/walk")
    assert {steps, walk} <= set(findings.disparity.critical)
    assert set(findings.disparity.critical).difference(findings.disparity.culprits) == {steps}
    ids = [row.id for row in findings.disparity_causes.table.rows]
    assert findings.vectors.regions[steps].id not in ids
    assert len(ids) == len(findings.vectors.regions) - 1


def test_one_raised_attribute_is_the_one_cause(make_experiment):
    seconds = {"heavy": alike(4.0), "calm": alike(0.4), "other": alike(0.1)}
    findings = analyze(make_experiment(seconds, **counted(seconds)))
    assert findings.disparity_causes.table.reducts == (("instructions",),)
    assert causes_of(findings, "heavy") == ["instructions"]


def test_a_heavy_region_in_which_nothing_is_raised_has_no_cause(make_experiment):
    seconds = {"slow": alike(4.0), "calm": alike(0.4), "other": alike(0.4)}
    counts = counted({"slow": alike(0.01), "calm": alike(0.4), "other": alike(0.4)})
    findings = analyze(make_experiment(seconds, **counts))
    assert causes_of(findings, "slow") == []


def test_a_culprit_that_executes_as_fast_as_the_program_has_its_instructions_for_a_cause(make_experiment):
    """Other regions execute more, and never wait for a core."""
    seconds = {name: alike(time) for name, time in zip("abcde", (8.0, 4.0, 2.0, 1.0, 0.1), strict=True)}
    findings = analyze(make_experiment(seconds, off={"d": alike(7.0)}, **counted(seconds)))
    assert findings.disparity_causes.table.rows[3].values[-1] == 0
    assert causes_of(findings, "d") == ["instructions"]


def test_time_in_files_is_no_turn_of_others(make_experiment):
    seconds = {"write": alike(0.5), "work": alike(0.2)}
    made = make_experiment(seconds, io_time={"write": alike(9.0)}, io_bytes={"write": alike(1e9)}, **counted(seconds))
    busy = made.replaced(notes=Notes(run_delay={str(rank): 9.0 for rank in range(RANKS)}))
    assert causes_of(analyze(busy), "write") == ["io_bytes"]


def test_calls_that_last_longer_than_a_turn_are_waiting_and_not_small(make_experiment):
    seconds = {"halo": alike(0.1), "work": alike(0.3)}
    made = make_experiment(
        seconds, mpi_time={"halo": alike(0.3)}, mpi_calls={"halo": alike(360.0)}, mpi_bytes={"halo": alike(4e5)}
    )
    findings = analyze(made)
    assert position(findings, "halo") in waiting(findings)
    assert not small_calls(findings)


def test_a_high_miss_rate_of_a_region_with_few_accesses_is_none(make_experiment):
    seconds = {"slow": alike(4.0), "calm": alike(0.4), "other": alike(0.3)}
    counts = counted({"slow": alike(0.004), "calm": alike(0.4), "other": alike(0.3)}, {"slow": (0.9, 0.9)})
    assert "l1_miss_rate" not in causes_of(analyze(make_experiment(seconds, **counts)), "slow")


def test_a_miss_rate_under_one_percent_is_no_cause(make_experiment):
    seconds = {"heavy": alike(4.0), "calm": alike(4.0), "other": alike(0.1)}
    counts = counted(seconds, {"heavy": (0.009, 0.0), "calm": (0.0001, 0.0), "other": (0.0001, 0.0)})
    findings = analyze(make_experiment(seconds, **counts))
    assert "l1_miss_rate" not in causes_of(findings, "heavy")


@pytest.mark.parametrize(("rate", "blamed"), [(0.12, False), (0.9, True)], ids=["streams", "strides"])
def test_a_region_that_is_nearly_the_whole_program_is_compared_with_the_rest(make_experiment, rate, blamed):
    seconds = {"walk": alike(9.0), "calm": alike(0.2), "other": alike(0.1)}
    findings = analyze(make_experiment(seconds, **counted(seconds, {"walk": (rate, 0.9)})))
    assert ("l1_miss_rate" in causes_of(findings, "walk")) == blamed
    assert ("l2_miss_rate" in causes_of(findings, "walk")) == blamed


@pytest.mark.parametrize(("ipc", "bound"), [(0.25, True), (1.0, False)])
def test_code_that_brings_all_it_works_on_from_memory_is_bound_by_it_if_it_waits_for_it(make_experiment, ipc, bound):
    seconds = {name: alike(time) for name, time in (("stream", 4.0), ("more", 0.5), ("other", 0.3))}
    rates = dict.fromkeys(seconds, (0.12, 0.95))
    findings = analyze(make_experiment(seconds, **counted(seconds, rates, ipc=ipc)))
    assert ("l2_miss_rate" in causes_of(findings, "stream")) == bound


def mixed(*walks: tuple[str, float, float, float]) -> tuple[dict[str, list[float]], dict[str, dict[str, list[float]]]]:
    """Return regions of 1 s with ``(name, instructions per cycle, L1 rate, L2 rate)``, and code without misses."""
    seconds, counts = {"plain": alike(0.2)}, counted({"plain": alike(0.2)}, {"plain": (1e-4, 1.0)}, ipc=3.0)
    for name, ipc, l1, l2 in walks:
        seconds[name] = alike(1.0)
        for metric, values in counted({name: alike(1.0)}, {name: (l1, l2)}, ipc=ipc).items():
            counts[metric] |= values
    return seconds, counts


@pytest.mark.parametrize(
    ("walk", "blamed"),
    [(("walk", 1.2, 0.125, 1.0), False), (("ordered", 0.7, 0.0625, 0.05), False), (("links", 0.27, 0.88, 0.01), True)],
    ids=["a walk through a grid", "links in order", "scattered links"],
)
def test_misses_that_the_processor_hides_are_no_cause(make_experiment, walk, blamed):
    seconds, counts = mixed(walk)
    assert ("l1_miss_rate" in causes_of(analyze(make_experiment(seconds, **counts)), walk[0])) == blamed


def test_code_at_three_instructions_a_cycle_waits_for_no_cache(make_experiment):
    seconds, counts = mixed(("fast", 3.0, 0.3, 0.5))
    assert causes_of(analyze(make_experiment(seconds, **counts)), "fast") == ["instructions"]


def test_a_busy_machine_makes_no_other_causes(make_experiment):
    seconds, counts = mixed(("links", 0.27, 0.88, 0.01))
    made = make_experiment(
        seconds, off={name: [4 * each for each in times] for name, times in seconds.items()}, **counts
    )
    busy = made.replaced(notes=Notes(run_delay={str(rank): 4.8 for rank in range(RANKS)}))
    assert causes_of(analyze(busy), "links") == ["l1_miss_rate"]


@pytest.mark.parametrize(
    ("seconds", "polled", "waits"),
    [(1.5, 1.5, False), (4.0, 1.5, False), (40.0, 1.5, True)],
    ids=["idle", "busy", "full"],
)
def test_volume_is_a_cause_on_a_busy_machine_too_but_not_of_waiting(make_experiment, seconds, polled, waits):
    experiment = make_experiment(
        {"swap": alike(0.5), "work": alike(1.0)},
        mpi_time={"swap": alike(seconds)},
        mpi_cpu_time={"swap": alike(polled)},
        mpi_bytes={"swap": alike(1e8)},
    )
    findings = analyze(experiment)
    assert causes_of(findings, "swap") == ([] if waits else ["mpi_bytes"])
    assert (position(findings, "swap") in waiting(findings)) == waits


def test_many_small_writes_are_disk_io_all_the_same(make_experiment):
    seconds = {"log": alike(0.1), "heavy": alike(1.0), "other": alike(0.2)}
    experiment = make_experiment(seconds, io_time={"log": alike(3.0)}, io_bytes={"log": alike(2e6)}, **counted(seconds))
    assert causes_of(analyze(experiment), "log") == ["io_bytes"]


@pytest.mark.parametrize(("calls", "blamed"), [(20.0, False), (1e5, True)], ids=["collective", "small writes"])
def test_calls_for_files_that_poll_without_bytes_are_no_disk_io(make_experiment, calls, blamed):
    """Collective writes poll for other ranks; many small writes are really busy."""
    seconds = {"dump": alike(8.5), "heavy": alike(1.0), "other": alike(0.2)}
    made = make_experiment(
        seconds,
        off={"dump": alike(-8.5)},  # the calls contain the CPU time
        io_time={"dump": alike(9.0)},
        io_cpu_time={"dump": alike(8.5)},
        io_calls={"dump": alike(calls)},
        io_bytes={"dump": alike(2e6)},
    )
    findings = analyze(made)
    assert ("io_bytes" in causes_of(findings, "dump")) == blamed


def test_some_bytes_in_a_region_that_computes_are_no_cause(make_experiment):
    seconds = {"heavy": alike(4.0), "calm": alike(0.4), "other": alike(0.2)}
    findings = analyze(
        make_experiment(
            seconds,
            io_time={"heavy": alike(0.01)},
            mpi_time={"heavy": alike(0.01)},
            io_bytes={"heavy": alike(1e7)},
            mpi_bytes={"heavy": alike(1e7)},
            **counted(seconds),
        )
    )
    assert causes_of(findings, "heavy") == ["instructions"]


def test_time_in_mpi_without_volume_is_waiting(make_experiment):
    seconds = {"barrier": alike(0.0), "calm": alike(0.4), "other": alike(0.4)}
    plenty, little = alike(4e8), alike(1e5)
    for volume, waits in ((plenty, False), (little, True)):
        findings = analyze(
            make_experiment(
                seconds, mpi_time={"barrier": alike(4.0)}, mpi_bytes={"barrier": volume}, **counted(seconds)
            )
        )
        barrier = position(findings, "barrier")
        assert (barrier in waiting(findings)) == waits
        assert ("mpi_bytes" in causes_of(findings, "barrier")) != waits


def test_ranks_that_wait_in_calls_that_move_much_wait_all_the_same(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.0, 5.0], "sync": alike(0.0)}
    experiment = make_experiment(seconds, mpi_time={"sync": [4.0, 4.0, 4.0, 0.05]}, mpi_bytes={"sync": alike(5e7)})
    findings = analyze(experiment)
    sync = position(findings, "sync")
    assert (causes_of(findings, "sync"), findings.explanation.waiting.late) == ([], {sync: position(findings, "work")})


def test_nobody_is_waited_for_where_all_spend_the_same_time_in_mpi(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.0, 2.0], "first": alike(0.0), "second": alike(0.0)}
    waits = {"first": [1.0, 1.0, 1.0, 0.0], "second": [3.001, 3.0, 3.0, 3.0]}
    findings = analyze(make_experiment(seconds, mpi_time=waits, mpi_bytes={"second": alike(8.0)}))
    assert position(findings, "second") in waiting(findings)
    assert position(findings, "second") not in findings.explanation.waiting.late


def test_routines_that_move_alike_have_the_same_cause(make_experiment):
    seconds = {"rows": alike(0.1), "columns": alike(0.1), "work": alike(1.0)}
    findings = analyze(
        make_experiment(
            seconds,
            mpi_time={"rows": alike(1.5), "columns": alike(1.5)},
            mpi_bytes={"rows": alike(73e6), "columns": alike(70e6)},
            mpi_calls={"rows": alike(140.0), "columns": alike(140.0)},
        )
    )
    assert causes_of(findings, "rows") == causes_of(findings, "columns") == ["mpi_bytes"]
    assert not waiting(findings)


def test_who_waits_need_not_be_many(make_experiment):
    """Only rank 0 waits for rank 3, so there is almost no correlation over the ranks."""
    seconds = {"work": [1.0, 1.0, 1.0, 3.0], "receive": alike(0.0)}
    experiment = make_experiment(seconds, mpi_time={"receive": [2.0, 0.0, 0.0, 0.0]}, mpi_bytes={"receive": alike(8.0)})
    findings = analyze(experiment)
    assert findings.explanation.waiting.seconds[position(findings, "receive")] == 0.5
    assert late(findings) == {"receive": "work"}


def test_waiting_is_for_the_culprit_whose_ranks_come_late(make_experiment):
    seconds = {"a": [1.0, 1.0, 3.0, 3.0], "b": [1.0, 4.0, 1.0, 4.0], "sync": alike(0.0)}
    waits = [9.0 - one - other for one, other in zip(seconds["a"], seconds["b"], strict=True)]
    findings = analyze(make_experiment(seconds, mpi_time={"sync": waits}, mpi_bytes={"sync": alike(8.0)}))
    found, sync = findings.explanation.waiting, position(findings, "sync")
    assert found.late == {sync: position(findings, "b")}
    assert found.seconds[sync] == 2.5
    assert found.shares[sync] == {position(findings, "a"): 1.0, position(findings, "b"): 1.5}


def test_ranks_that_are_alike_wait_for_none(make_experiment):
    seconds = {"a": alike(1.0), "sync": alike(0.0)}
    findings = analyze(make_experiment(seconds, mpi_time={"sync": alike(3.0)}, mpi_bytes={"sync": alike(8.0)}))
    assert position(findings, "sync") in waiting(findings)
    assert findings.explanation.waiting.late == {}


def late(findings: Findings) -> dict[str, str]:
    """Return the regions in which ranks wait, each with the culprit whose ranks are late."""
    names = [findings.experiment.path_name(each.id) for each in findings.vectors.regions]
    return {names[region]: names[culprit] for region, culprit in findings.explanation.waiting.late.items()}


def test_no_more_is_waiting_than_the_ranks_that_came_before_were_late(make_experiment):
    seconds = {"edges": [1.0, 1.36], "broadcasts": [0.0, 0.0]}
    findings = analyze(
        make_experiment(
            seconds,
            mpi_time={"broadcasts": [4.0, 3.6]},
            mpi_bytes={"broadcasts": [2.9e7, 2.9e7]},
            mpi_calls={"broadcasts": [5.6e4, 5.6e4]},
        )
    )
    broadcasts = position(findings, "broadcasts")
    assert findings.dissimilarity.exists
    assert late(findings) == {}
    assert broadcasts in waiting(findings) & small_calls(findings)
    text = " ".join(" ".join(verdict_lines(findings)).split())
    assert "small messages: 3.8 s in 1.1e5 MPI calls that transfer 58 MB, 518 B per call try: pack" in text


@pytest.mark.parametrize(
    ("order", "entries", "names"),
    [
        (("work", "sync"), 1.0, {"sync": "work"}),
        (("sync", "work"), 1.0, {}),
        (("sync", "work"), 9.0, {"sync": "work"}),
        (("loop@1", "loop@1/sync", "loop@1/work"), 9.0, {"loop@1": "loop@1/work", "loop@1/sync": "loop@1/work"}),
        (("sync", "sync/inner", "work"), 1.0, {}),
        (("work", "sync", "sync/inner"), 1.0, {"sync": "work", "sync/inner": "work"}),
    ],
    ids=["before", "after", "again and again", "in one loop", "nested, after", "nested, before"],
)
def test_nobody_waits_for_what_comes_later_and_nested_regions_agree(make_experiment, order, entries, names):
    seconds = {name: [1.0, 1.0, 1.0, 3.0] if name.endswith("work") else alike(0.0) for name in order}
    seconds["calm"] = alike(1.0)
    waits = max((name for name in order if not name.endswith("work")), key=len)
    experiment = make_experiment(
        seconds,
        mpi_time={waits: [2.0, 2.0, 2.0, 0.0]},
        mpi_bytes={waits: alike(8.0)},
        visits={name: alike(entries if name != "loop@1" else 1.0) for name in order},
    )
    assert late(analyze(experiment)) == names


def test_a_master_waits_for_workers_that_never_enter_what_it_does(make_experiment):
    seconds = {"collect": alike(0.0), "work": [0.0, 1.0, 2.0, 3.0]}
    experiment = make_experiment(
        seconds,
        mpi_time={"collect": [3.0, 0.0, 0.0, 0.0]},
        mpi_bytes={"collect": [8.0, 0.0, 0.0, 0.0]},
        visits={"collect": [1.0, 0.0, 0.0, 0.0], "work": [0.0, 1.0, 1.0, 1.0]},
    )
    assert late(analyze(experiment)) == {"collect": "work"}


def test_who_is_compared_and_by_what_makes_no_waiting_volume(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.0, 4.0], "halo": alike(0.0)}
    experiment = make_experiment(
        seconds,
        mpi_time={"halo": [3.0, 3.0, 3.0, 0.1]},
        mpi_bytes={"halo": alike(2e7)},
        mpi_calls={"halo": alike(50.0)},
    )
    for options in ({}, {"metric": "wall_time"}, {"metric": "mpi_bytes"}, {"exclude_ranks": [3]}):
        findings = analyze(experiment, **options)
        assert position(findings, "halo") in waiting(findings)
        assert causes_of(findings, "halo") == []


@pytest.mark.parametrize(("misses", "blamed"), [(2e8, False), (3e8, True)], ids=["800 ms of 4 s", "1200 ms of 4 s"])
def test_misses_take_no_more_than_the_machine_was_calibrated_for(make_experiment, misses, blamed):
    seconds = {"heavy": alike(4.0), "calm": alike(3.0), "other": alike(0.2)}
    counts = counted(seconds, dict.fromkeys(seconds, (0.001, 0.1)), ipc=0.25)
    counts["l1_misses"]["heavy"] = counts["l2_accesses"]["heavy"] = alike(misses)
    counts["l2_misses"]["heavy"] = alike(1e4)
    prices = Notes(prices={"l1_miss_chased": 4e-9, "l2_miss_chased": 80e-9})
    findings = analyze(make_experiment(seconds, **counts).replaced(notes=prices))
    assert ("l1_miss_rate" in causes_of(findings, "heavy")) == blamed


def test_without_any_io_no_row_raises_it(make_experiment):
    seconds = {"heavy": alike(4.0), "calm": alike(0.4), "other": alike(0.2)}
    none = {"heavy": alike(0.0)}
    findings = analyze(make_experiment(seconds, io_bytes=none, mpi_bytes=none, **counted(seconds)))
    table = findings.disparity_causes.table
    assert table.attributes == ALL
    assert {row.values[2:4] for row in table.rows} == {(0, 0)}


def test_a_row_that_raises_none_of_the_reducts_shows_what_it_raises(make_experiment):
    """``a`` and ``b`` have high instruction counts, but so does a region that is no culprit."""
    seconds = {"a": alike(3.0), "b": alike(3.0), "busy": alike(0.5), "calm": alike(0.1), "other": alike(0.1)}
    counts = counted(seconds)
    counts["instructions"]["busy"] = counts["instructions"]["b"]
    findings = analyze(
        make_experiment(seconds, io_time={"a": alike(1.0)}, io_bytes={"a": alike(1e9)}, **counts),
        disparity_metric="wall_time",
    )
    assert findings.disparity_causes.table.reducts == (("io_bytes", "instructions"),)
    assert causes_of(findings, "b") == ["instructions"]


@pytest.mark.parametrize("keep", [(), ("instructions",), ("l1_accesses", "l1_misses"), ("ref_cycles",)])
def test_attributes_that_cannot_be_had_are_named_and_left_out(make_experiment, keep):
    seconds = {"heavy": [1.0, 1.0, 4.0, 4.0], "calm": alike(0.4), "other": alike(0.2)}
    counts = {name: values for name, values in counted(seconds).items() if name in keep}
    findings = analyze(make_experiment(seconds, **counts))
    had = tuple(
        name for name in ALL if name == "instructions" in keep or (name == "l1_miss_rate" and "l1_misses" in keep)
    )
    assert findings.disparity_causes.table.attributes == had
    assert findings.dissimilarity_causes.table.attributes == had
    assert findings.lacking == tuple(name for name in ALL if name not in had)


def test_an_attribute_with_a_missing_value_cannot_be_had(make_experiment):
    seconds = {"heavy": alike(4.0), "calm": alike(0.4)}
    counts = counted(seconds)
    counts["l2_misses"]["heavy"][2] = np.nan
    assert "l2_miss_rate" in analyze(make_experiment(seconds, **counts)).lacking


def test_ten_thousand_regions_get_their_causes(make_experiment):
    rng = np.random.default_rng(5)
    seconds = {f"r{number}": alike(float(rng.lognormal())) for number in range(10_000)}
    seconds["heavy"] = alike(20_000.0)
    findings = analyze(make_experiment(seconds, **counted(seconds)))
    assert causes_of(findings, "heavy") == ["instructions"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_region_has_no_disparity_and_empty_lists(make_experiment, ranks):
    seconds = {"": [1.0] * ranks}
    findings = analyze(make_experiment({"a": [0.0] * ranks}, own=1.0, **counted(seconds)))
    assert not findings.disparity.exists or findings.disparity_causes.causes
    assert not findings.dissimilarity.exists
    assert findings.dissimilarity_causes.table.rows == ()


def test_all_zero_is_no_bottleneck(make_experiment):
    zero = {"a": alike(0.0), "b": alike(0.0)}
    findings = analyze(make_experiment(zero, **counted(zero)))
    assert not findings.disparity.exists
    assert not findings.dissimilarity.exists
    assert findings.disparity_causes.table.reducts == ()


def test_regions_of_identical_values_have_no_disparity(make_experiment):
    seconds = {name: alike(1.0) for name in "abc"}
    findings = analyze(make_experiment(seconds, own=1.0, **counted({"": alike(1.0), **seconds})))
    assert not findings.disparity.exists


# Dissimilarity


def test_ranks_that_execute_more_differ_by_instructions(make_experiment):
    seconds = {"work": [1.0, 1.0, 2.0, 2.0], "calm": alike(1.0)}
    findings = analyze(make_experiment(seconds, **counted(seconds)))
    causes = findings.dissimilarity_causes
    assert causes.table.reducts == (("instructions",),)
    assert [(row.values, row.decision) for row in causes.table.rows] == [
        ((0, 0, 0), 0),
        ((0, 0, 0), 0),
        ((0, 0, 1), 1),
        ((0, 0, 1), 1),
    ]
    assert [(each.attribute, each.values) for each in causes.differences] == [("instructions", (1e9, 2e9))]
    assert not findings.same_work.everywhere


def test_a_large_region_elsewhere_does_not_hide_the_difference(make_experiment):
    seconds = {"work": [1.0, 1.0, 3.0, 3.0], "big": alike(2.0)}
    counts = counted(seconds)
    counts["instructions"]["big"] = alike(1e11)
    assert of_ranks(analyze(make_experiment(seconds, **counts))) == ["instructions"]


def test_ranks_with_equal_instructions_and_more_misses_differ_by_misses(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.0, 4.0], "calm": alike(0.5)}
    counts = counted({"work": alike(1.0), "calm": alike(0.5)})
    counts["l1_misses"]["work"][3] *= 20
    counts["l2_accesses"]["work"][3] *= 20
    counts["l2_misses"]["work"][3] *= 20
    findings = analyze(make_experiment(seconds, **counts))
    assert of_ranks(findings) == ["l1_miss_rate"]
    assert not findings.same_work.everywhere


def test_one_rank_that_writes_a_file_differs_by_io(make_experiment):
    seconds = {"dump": [2.0, 0.0, 0.0, 0.0], "calm": alike(1.0)}
    findings = analyze(
        make_experiment(
            seconds, io_bytes={"dump": [1e9, 0.0, 0.0, 0.0]}, **counted({"dump": alike(0.0), "calm": alike(1.0)})
        )
    )
    assert of_ranks(findings) == ["io_bytes"]
    assert findings.dissimilarity_causes.differences[0].values == (1e9, 0.0)


@pytest.mark.parametrize("misses", [9e6, 2e7], ids=["under one percent", "which takes little time"])
def test_a_line_of_text_and_a_low_rate_are_no_causes(make_experiment, misses):
    seconds = {"work": [1.0, 1.0, 2.0, 2.0]}
    counts = counted(seconds)
    counts["l1_misses"]["work"] = [1e5, 1e5, misses, misses]
    findings = analyze(make_experiment(seconds, io_bytes={"work": [80.0, 0.0, 0.0, 0.0]}, **counts))
    assert of_ranks(findings) == ["instructions"]


def test_ranks_that_do_nothing_in_a_region_have_no_miss_rate_there(make_experiment):
    seconds = {"work": [0.0, 2.0, 2.0, 2.0], "calm": alike(0.1)}
    assert of_ranks(analyze(make_experiment(seconds, **counted(seconds)))) == ["instructions"]


def test_the_widest_difference_comes_first(make_experiment):
    seconds = {"work": [1.0, 1.0, 2.0, 2.0]}
    counts = counted(seconds)
    findings = analyze(make_experiment(seconds, io_bytes={"work": [1e8, 1e8, 9e8, 9e8]}, **counts))
    assert findings.dissimilarity_causes.table.reducts == (("io_bytes",), ("instructions",))
    assert of_ranks(findings) == ["io_bytes", "instructions"]


def test_equal_work_at_different_speed_is_noise(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.6, 1.0], "calm": alike(0.5)}
    counts = counted({"work": [1.0, 1.005, 1.0, 0.999], "calm": alike(0.5)})
    findings = analyze(make_experiment(seconds, **counts))
    causes = findings.dissimilarity_causes
    assert findings.dissimilarity.exists
    assert findings.same_work.everywhere
    assert findings.same_work.culprits == frozenset(findings.dissimilarity.culprits)
    assert causes.differences == ()
    assert causes.table.reducts == ()


def test_instructions_that_differ_by_five_percent_are_not_called_the_same(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.6, 1.0]}
    counts = counted({"work": [1.0, 1.05, 1.0, 1.0]})
    findings = analyze(make_experiment(seconds, **counts))
    causes = findings.dissimilarity_causes
    assert not findings.same_work.everywhere
    assert causes.differences == ()


def test_without_counts_noise_is_not_claimed(make_experiment):
    findings = analyze(make_experiment({"work": [1.0, 1.0, 1.6, 1.0]}))
    causes = findings.dissimilarity_causes
    assert not findings.same_work.everywhere
    assert causes.table.attributes == ()


def test_waiting_is_not_taken_for_a_different_speed(make_experiment):
    seconds = {"work": [1.0, 1.0, 1.6, 1.0]}
    made = make_experiment(seconds, **counted({"work": alike(1.0)}))
    assert not analyze(made, metric="wall_time").same_work.everywhere


def test_workers_that_did_the_same_work_are_told_from_the_master(make_experiment):
    seconds = {"work": [0.0, 1.0, 1.6, 1.0]}
    findings = analyze(make_experiment(seconds, **counted({"work": [0.0, 1.0, 1.0, 1.0]})))
    causes = findings.dissimilarity_causes
    assert [each.attribute for each in causes.differences] == ["instructions"]
    assert findings.same_work.groups == ((1, 2, 3),)
    assert not findings.same_work.everywhere


def test_ranks_that_do_less_of_something_are_not_late_because_of_it(make_experiment):
    seconds = {"work": [1.0, 1.0, 2.0, 2.0]}
    counts = counted({"work": alike(1.0)})
    counts["l1_misses"]["work"] = [2e8, 2e8, 1e8, 1e8]
    findings = analyze(make_experiment(seconds, io_bytes={"work": [9e8, 9e8, 1e8, 1e8]}, **counts))
    assert of_ranks(findings) == []
    assert not findings.same_work.everywhere


def test_a_few_more_instructions_do_not_explain_much_more_time(make_experiment):
    seconds = {"work": [1.0, 1.0, 3.0, 3.0]}
    findings = analyze(make_experiment(seconds, **counted({"work": [1.0, 1.0, 1.15, 1.15]})))
    assert findings.dissimilarity_causes.table.reducts == ()
    assert of_ranks(findings) == []


@pytest.mark.parametrize(("level", "rates"), [("l1", (0.01, 0.15)), ("l2", (2e-4, 9.6e-3))])
def test_misses_that_cost_the_time_are_no_noise(make_experiment, level, rates):
    seconds = {"work": [1.0, 1.0, 1.8, 1.8]}
    counts = counted({"work": alike(1.0)}, ipc=4.0)
    accesses = np.array(counts["l1_accesses"]["work"])
    misses = (accesses * [rates[0], rates[0], rates[1], rates[1]]).tolist()
    counts[f"{level}_misses"]["work"] = misses
    if level == "l1":
        counts["l2_accesses"]["work"] = misses
    findings = analyze(make_experiment(seconds, **counts))
    assert f"{level}_miss_rate" in of_ranks(findings)
    assert not findings.same_work.everywhere


def test_what_parts_ranks_in_one_culprit_alone_is_its_cause(make_experiment):
    seconds = {"dump": [1.0, 2.0, 3.0, 4.0], "work": [1.0, 1.0, 3.0, 3.0]}
    counts = counted({"dump": alike(0.01), "work": [1.0, 1.0, 3.0, 3.0]})
    findings = analyze(make_experiment(seconds, io_bytes={"dump": [1e9, 2e9, 3e9, 4e9]}, **counts))
    assert findings.dissimilarity_causes.table.reducts == (("io_bytes",),)
    of_culprit = findings.dissimilarity_causes.of_culprit
    assert [each.attribute for each in of_culprit[position(findings, "work")]] == ["instructions"]


def test_counts_of_ranks_that_did_other_work_when_counted_are_not_compared(make_experiment):
    seconds = {"work": [1.0, 1.0, 2.0, 2.0], "calm": alike(0.5)}
    counts = counted({"work": [0.01, 1.99, 1.0, 1.0], "calm": alike(0.5)})
    counts["ref_cycles"]["work"] = [1e9, 1e9, 2e9, 2e9]
    shared = make_experiment(seconds, **counts).replaced(notes=Notes(counts_by_rank=False))
    findings = analyze(shared)
    causes = findings.dissimilarity_causes
    assert (causes.differences, findings.same_work.everywhere, causes.table.attributes) == ((), False, ())
    assert analyze(shared).disparity.values[0] == pytest.approx(1.5 / 2 * 6 / 4)


def test_many_times_as_long_for_the_same_work_is_no_noise(make_experiment):
    seconds = {"work": [0.1, 0.1, 2.0, 0.1]}
    findings = analyze(make_experiment(seconds, **counted({"work": alike(1.0)})))
    causes = findings.dissimilarity_causes
    assert (causes.differences, findings.same_work.everywhere, findings.same_work.culprits) == ((), False, frozenset())


def test_many_times_as_long_for_equal_instructions_in_one_region_alone_comes_first(make_experiment):
    """The other regions differ in their work, so rank 3 is slower by time in most regions, but not per instruction."""
    uneven = {"ramp": [1.0, 1.5, 2.0, 2.5], "groups": [1.0, 2.0, 1.0, 2.0]}
    seconds = {"sort": [1.0, 1.0, 1.0, 2.7], **uneven, "calm": [0.4, 0.41, 0.4, 0.4], "rest": [0.3, 0.3, 0.31, 0.3]}
    executed = {name: alike(1e9 * max(each)) for name, each in seconds.items()}
    executed |= {name: [1e9 * time for time in each] for name, each in uneven.items()}
    found = analyze(make_experiment(seconds, instructions=executed))
    first = found.verdict.findings[0]
    assert (first.kind, first.doubt, first.slowest) == (Kind.IMBALANCE, None, (3,))
    assert [each.attribute for each in first.causes] == ["unexplained"]
    assert first.gain is not None
    assert [(each.why, each.before, each.after) for each in first.gain.parts] == [
        (Why.FASTEST, pytest.approx(2.7), pytest.approx(1.0))
    ]
    assert found.vectors.regions[losses(found)[0].region].id == first.region.id


def test_slow_ranks_of_one_region_that_are_the_fast_ones_of_another_did_not_do_the_same_work(make_experiment):
    seconds = {"first": [1.0, 2.6, 1.0, 2.6], "second": [2.6, 1.0, 2.6, 1.0]}
    findings = analyze(make_experiment(seconds, instructions={name: alike(1e9) for name in seconds}))
    same = findings.same_work
    assert (same.culprits, same.groups, same.everywhere) == (frozenset(), (), False)
    assert not any("same work" in line for line in verdict_lines(findings))


def test_what_one_rank_writes_is_shared_evenly_though_all_execute_equally_many_instructions(make_experiment):
    """The rank that writes 1 GB cannot become as fast as the others, but all can write a quarter each."""
    files = {"io_time": [0.8, 0.0, 0.0, 0.0], "io_cpu_time": [0.8, 0.0, 0.0, 0.0], "io_bytes": [1e9, 0.0, 0.0, 0.0]}
    seconds = {"dump": [1.8, 1.0, 1.0, 1.0], **{f"r{number}": alike(1.0) for number in range(4)}}
    executed = {name: alike(1e9) for name in seconds}
    run = make_experiment(seconds, instructions=executed, **{name: {"dump": each} for name, each in files.items()})
    (first, *_) = analyze(run).verdict.findings
    assert (first.kind, [each.attribute for each in first.causes]) == (Kind.IMBALANCE, ["io_bytes"])
    assert first.gain is not None
    assert (first.gain.parts[0].why, first.gain.seconds) == (Why.EVEN, pytest.approx(0.6))


def test_equal_work_spread_over_all_regions_is_noise_though_misses_were_counted(make_experiment):
    seconds = {f"r{number}": [1.0, 1.0, 1.3, 1.0] for number in range(20)} | {"MPI_Barrier": alike(0.0)}
    work = {name: alike(1.0 if name != "MPI_Barrier" else 0.0) for name in seconds}
    findings = analyze(make_experiment(seconds, **counted(work)))
    assert findings.dissimilarity.exists
    assert findings.same_work.everywhere


def test_two_culprits_have_their_own_causes(make_experiment):
    seconds = {"work": [1.0, 1.0, 3.0, 3.0], "dump": [0.0, 2.0, 0.0, 2.0], "calm": alike(0.2)}
    counts = counted({"work": [1.0, 1.0, 3.0, 3.0], "dump": alike(0.001), "calm": alike(0.2)})
    findings = analyze(make_experiment(seconds, io_bytes={"dump": [0.0, 1e9, 0.0, 1e9]}, **counts))
    of_culprit = findings.dissimilarity_causes.of_culprit
    names = {culprit: [each.attribute for each in differences] for culprit, differences in of_culprit.items()}
    assert names == {position(findings, "work"): ["instructions"], position(findings, "dump"): ["io_bytes"]}
    assert findings.dissimilarity_causes.table.reducts == (("io_bytes", "instructions"),)


def test_a_difference_spread_over_all_regions_has_causes_too(make_experiment):
    seconds = {name: [1.0, 1.0, 1.08, 1.08] for name in "abcd"}
    seconds["a"] = [1.0, 1.0, 1.25, 1.25]
    findings = analyze(make_experiment(seconds, **counted(seconds)))
    causes = findings.dissimilarity_causes
    assert set(causes.of_culprit) == set(findings.dissimilarity.culprits)


def test_two_ranks_that_differ_have_a_cause(make_experiment):
    seconds = {"work": [1.0, 2.0]}
    assert of_ranks(analyze(make_experiment(seconds, **counted(seconds)))) == ["instructions"]


def test_ranks_that_all_differ_are_told_apart(make_experiment):
    seconds = {"work": [1.0, 2.0, 4.0, 8.0]}
    causes = analyze(make_experiment(seconds, **counted(seconds))).dissimilarity_causes
    assert causes.table.reducts == (("instructions",),)
    assert causes.differences[0].values == (1e9, 2e9, 4e9, 8e9)


def test_ranks_that_are_left_out_are_no_objects(make_experiment):
    seconds = {"work": [0.0, 1.0, 2.0, 2.0]}
    causes = analyze(make_experiment(seconds, **counted(seconds)), exclude_ranks=[0]).dissimilarity_causes
    assert [row.id for row in causes.table.rows] == [1, 2, 3]


def test_counts_of_a_region_that_is_left_out_do_not_differ(make_experiment):
    seconds = {"manage": [3.0, 0.0, 0.0, 0.0], "work": [2.0, 2.0, 4.0, 4.0]}
    findings = analyze(make_experiment(seconds, **counted(seconds)), exclude_regions=["manage@0"])
    assert findings.dissimilarity.clusters == ((0, 1), (2, 3))
    assert of_ranks(findings) == ["instructions"]


def test_a_region_that_computes_a_quarter_of_the_program_is_named_however_swift_it_is(make_experiment):
    seconds = {"swift": alike(1.0), "stalls": alike(0.4), "a": alike(0.4), "b": alike(0.4), "c": alike(0.4)}
    counts = counted(seconds)
    counts["instructions"]["swift"] = alike(4e9)
    counts["instructions"]["stalls"] = alike(0.1e9)
    findings = analyze(make_experiment(seconds, **counts))
    assert position(findings, "swift") not in findings.disparity.critical
    assert position(findings, "swift") in findings.disparity.culprits
    assert causes_of(findings, "swift") == ["instructions"]


@pytest.mark.parametrize(("computed", "is_culprit"), [(0.4, True), (0.18, False)])
def test_regions_that_compute_most_are_named_though_one_that_waits_for_a_turn_is_classed_above(
    make_experiment, computed, is_culprit
):
    work = {name: alike(computed) for name in "ab"}
    parts = {f"part {number}": alike((0.8 - 2 * computed) / 4) for number in range(4)}
    work |= {name: seconds for name, seconds in parts.items() if seconds[0]}
    calls = {"halo": alike(4.0)}
    made = make_experiment(
        work | {"halo": alike(0.001)}, mpi_time=calls, mpi_cpu_time={"halo": alike(0.01)}, **counted(work)
    )
    findings = analyze(made.replaced(notes=replace(made.notes, processors=2)))
    assert findings.disparity.culprits[-1] == position(findings, "halo")
    assert ({position(findings, name) for name in "ab"} <= {*findings.disparity.culprits}) == is_culprit
    if is_culprit:
        assert causes_of(findings, "a") == ["instructions"]


def test_what_a_region_below_is_named_for_is_no_cause_of_the_one_around_it(make_experiment):
    seconds = {"outer": alike(0.6), "outer/dump": alike(0.02), "calm": alike(0.1), "rest": alike(0.1)}
    files = {"io_time": {"outer/dump": alike(0.4)}, "io_bytes": {"outer/dump": alike(1e9)}}
    findings = analyze(make_experiment(seconds, **files, **counted(seconds)))
    assert causes_of(findings, "outer/dump") == ["io_bytes"]
    assert causes_of(findings, "outer") == ["instructions"]


@pytest.mark.parametrize(("processors", "is_small"), [(RANKS, True), (2, False)])
def test_calls_that_hardly_take_a_processor_are_no_cause_where_ranks_take_turns(make_experiment, processors, is_small):
    seconds = {"work": alike(1.0), "halo": alike(0.0)}
    experiment = make_experiment(
        seconds,
        mpi_time={"halo": alike(0.15)},
        mpi_cpu_time={"halo": alike(0.15 if is_small else 0.001)},
        mpi_calls={"halo": alike(20e3)},
        mpi_bytes={"halo": alike(160e3)},
    )
    findings = analyze(experiment.replaced(notes=replace(experiment.notes, processors=processors)))
    halo = position(findings, "halo")
    assert (halo in small_calls(findings)) == is_small


@pytest.mark.parametrize(("rate", "raised"), [(0.007, 0), (0.015, 1)])
def test_a_miss_rate_below_a_hundredth_is_never_high(make_experiment, rate, raised):
    seconds = {"slow": alike(3.0), "a": alike(1.0), "b": alike(1.0), "c": alike(0.9)}
    rates = {"slow": (rate, 0.5), **dict.fromkeys("abc", (0.0001, 0.1))}
    table = analyze(make_experiment(seconds, **counted(seconds, rates, ipc=0.3))).disparity_causes.table
    assert table.attributes[0] == "l1_miss_rate"
    assert table.rows[0].values[0] == raised


# Eight cache misses and copies per message: 8 x (20e3 x 0.5 us + 160 kB / 64 B x 0.5 us)
@pytest.mark.parametrize(("prices", "took"), [({}, 0.1), ({"l2_miss_chased": 5e-7, "memory_streamed": 5e-7}, 0.09)])
def test_many_small_calls_take_what_the_fastest_rank_does_on_a_processor(make_experiment, prices, took):
    seconds = {"work": alike(1.0), "halo": alike(0.0)}
    in_calls = [0.15, 0.2, 0.1, 0.2]
    experiment = make_experiment(
        seconds,
        mpi_time={"halo": in_calls},
        mpi_cpu_time={"halo": in_calls},
        mpi_calls={"halo": alike(20e3)},
        mpi_bytes={"halo": alike(160e3)},
    )
    findings = analyze(experiment.replaced(notes=replace(experiment.notes, processors=RANKS, prices=prices)))
    assert findings.explanation.seconds.small_calls[position(findings, "halo")] == pytest.approx(took)
    assert any(
        line.startswith(f"    why: small messages: {1e3 * took:.0f} ms in 8.0e4 MPI calls")
        for line in verdict_lines(findings)
    )


def test_calls_that_only_test_requests_are_polling_and_no_small_messages(make_experiment):
    seconds = {"work": alike(1.0), "sweep": alike(0.0)}
    of_calls = {"mpi_time": {"sweep": alike(0.4)}, "mpi_cpu_time": {"sweep": alike(0.4)}}

    def said(bytes_moved: float, tested: float | None, calls: float = 2e7) -> str:
        known = {} if tested is None else {"mpi_request_time": {"sweep": alike(tested)}}
        counts = {"mpi_calls": {"sweep": alike(calls)}, "mpi_bytes": {"sweep": alike(bytes_moved)}}
        made = make_experiment(seconds, **of_calls, **counts, **known)
        findings = analyze(made.replaced(notes=replace(made.notes, processors=RANKS)))
        sweep = position(findings, "sweep")
        assert sweep in small_calls(findings)
        assert findings.parts.kind(sweep) is Kind.MESSAGES
        return " ".join(" ".join(verdict_lines(findings)).split())

    polling = said(4e6, 0.39)
    assert "400 ms per rank in polling" in polling
    why = "why: polling: 400 ms in 8.0e7 MPI calls that test or complete requests"
    assert f"{why}, 0 B per call try: test requests less often, outside the inner loop, or wait for them" in polling
    assert "messages:" not in polling
    assert "pack messages" not in polling
    assert f"{why}, 0 B per call try: test" in said(0.0, 0.39)
    # A few large messages: each call takes 20 ns, too short to start a message.
    assert f"{why}, 100 B per call try: test" in said(2e9, 0.39)
    # Isend, Irecv and Waitall of 8 B: 16 B in three calls, and nearly all time may be in Waitall; or sends take part of
    # the time; or the file does not contain the time of requests.
    for calls, moved, tested in ((1e6, 16e6 / 3, 0.39), (1e6, 1e6 / 3, 0.39), (2e7, 4e6, 0.2), (2e7, 4e6, None)):
        text = said(moved, tested, calls)
        assert f"why: small messages: 400 ms in {4 * calls:.1e} MPI calls".replace("e+0", "e") in text
        assert "try: pack messages to the same rank into one" in text
        assert "polling" not in text


@pytest.mark.parametrize(("moved", "in_barriers"), [(0.0, None), (8e6, 0.38)])
def test_calls_without_data_cannot_be_packed(make_experiment, moved, in_barriers):
    known = {} if in_barriers is None else {"mpi_barrier_time": {"storm": alike(in_barriers)}}
    in_calls = {name: {"storm": alike(0.4)} for name in ("mpi_time", "mpi_cpu_time")}
    counts = {"mpi_calls": {"storm": alike(1e6)}, "mpi_bytes": {"storm": alike(moved)}}
    made = make_experiment({"work": alike(1.0), "storm": alike(0.0)}, **in_calls, **counts, **known)
    text = " ".join(" ".join(verdict_lines(analyze(made))).split())
    assert "400 ms per rank in calls without data" in text
    assert "why: barriers and other calls without data: 400 ms in 4.0e6 MPI calls" in text
    assert "try: call MPI less often: remove barriers" in text
    assert "messages:" not in text
    assert "pack messages" not in text


def test_page_faults_have_a_remedy_only_if_memory_can_be_reused(make_experiment):
    seconds = {"set_up": alike(1.0), "set_up/loop@9": alike(1.0), "rest": alike(1.0)}
    loop = "set_up/loop@9"

    def found(visits: dict[str, list[float]], peak: float | None = None) -> tuple[Kind, float, str]:
        known = {} if peak is None else {"peak_memory": {"": alike(peak)}}
        made = make_experiment(
            seconds,
            page_faults={loop: alike(2.5e5)},
            system_time={loop: alike(0.7)},
            visits={"": alike(1.0), "set_up": alike(1.0), loop: alike(1.0), "rest": alike(1.0)} | visits,
            **known,
        )
        findings = analyze(made.replaced(notes=replace(made.notes, prices={"page_fault": 2.8e-6})))
        at = position(findings, loop)
        assert "page_faults" in {each.attribute for each in findings.parts.causes(at)}
        saved = sum(each.before for each in findings.parts.remedies(at).values())
        text = " ".join(" ".join(verdict_lines(findings)).split())
        assert "page faults: 1.0e6 (at least 4.1 GB touched for the first time)" in text
        return findings.parts.kind(at), saved, text

    reuse = "try: allocate memory once, outside the loop, and reuse it"
    for visits, peak in (({}, None), ({}, 1.1e9), ({"rest": alike(9.0)}, None)):  # the loop is entered once
        kind, saved, text = found(visits, peak)
        assert (kind, saved) == (Kind.HOT_SPOT, 0.0)
        assert reuse not in text
        assert "PAGE FAULTS" not in text
    # The loop or the code around it is entered again, or the pages together exceed the memory in use.
    for visits, peak in (({loop: alike(2.0)}, None), ({"set_up": alike(2.0)}, None), ({}, 2e8)):
        kind, saved, text = found(visits, peak)
        assert (kind, saved) == (Kind.PAGE_FAULTS, pytest.approx(0.7))
        assert reuse in text


def test_waiting_for_others_turns_promises_nothing(make_experiment):
    seconds = {"work": alike(1.0), "halo": alike(0.0)}
    calls = {"mpi_time": {"halo": alike(2.0)}, "mpi_calls": {"halo": alike(100.0)}, "mpi_bytes": {"halo": alike(800.0)}}
    experiment = make_experiment(seconds, **calls)
    gains = []
    for delay in (0.0, 1.5):
        notes = replace(experiment.notes, processors=RANKS, run_delay={str(rank): delay for rank in range(RANKS)})
        findings = analyze(experiment.replaced(notes=notes))
        halo = position(findings, "halo")
        assert halo in waiting(findings)
        gains.append(gain_of_weight(findings, halo))
    assert gains[0] is not None
    assert gains[1] is None
    made_of_others = analyze(experiment.replaced(notes=replace(notes, history=("difference",))))
    assert not made_of_others.explanation.seconds.turns


def test_a_few_bytes_take_long_only_where_others_have_the_processor(make_experiment):
    """If a line is printed while another program has the core, the disk is not the reason."""
    seconds = {"work": alike(1.0), "print": alike(0.0)}
    files = {"io_time": 0.5, "io_cpu_time": 1e-5, "io_calls": 1.0, "io_bytes": 500.0}
    experiment = make_experiment(seconds, **{name: {"print": alike(each)} for name, each in files.items()})
    for delay, expected in ((0.0, ["io_bytes"]), (0.6, [])):
        notes = replace(experiment.notes, processors=RANKS, run_delay={str(rank): delay for rank in range(RANKS)})
        findings = analyze(experiment.replaced(notes=notes))
        assert [each.attribute for each in findings.disparity_causes.causes[position(findings, "print")]] == expected


@pytest.mark.parametrize(
    ("prices", "moves"), [({}, True), ({"memory_streamed": 2.4e-9, "l2_miss_chased": 200e-9}, False)]
)
def test_within_a_node_a_byte_takes_no_longer_than_its_memory_copies_it_eight_times(make_experiment, prices, moves):
    """4 MB take 40 ms: polling while the other rank has no core does not count as transfer."""
    seconds = {"work": alike(0.5), "halo": alike(0.04)}
    calls = {"mpi_time": 0.04, "mpi_cpu_time": 0.04, "mpi_calls": 200.0, "mpi_bytes": 4e6}
    experiment = make_experiment(seconds, **{name: {"halo": alike(each)} for name, each in calls.items()})
    findings = analyze(experiment.replaced(notes=replace(experiment.notes, processors=RANKS, prices=prices)))
    causes = findings.disparity_causes.causes.get(position(findings, "halo"), ())
    assert ("mpi_bytes" in [each.attribute for each in causes]) == moves


@pytest.mark.parametrize("poll", [0.03, 0.9])
def test_volume_is_a_cause_however_long_the_other_ranks_poll_for_one_without_a_core(make_experiment, poll):
    """The fastest rank's time is transfer; beyond it, ranks wait for one that has no core."""
    polled = [0.03, *(poll for _ in range(RANKS - 1))]
    calls = {"mpi_time": alike(1.0), "mpi_cpu_time": polled, "mpi_calls": alike(100.0), "mpi_bytes": alike(4e8)}
    experiment = make_experiment(
        {"swap": [0.01 + each for each in polled]}, **{name: {"swap": each} for name, each in calls.items()}
    )
    notes = replace(experiment.notes, run_delay={str(rank): 0.9 for rank in range(RANKS)})
    findings = analyze(experiment.replaced(notes=notes))
    assert causes_of(findings, "swap") == ["mpi_bytes"]
