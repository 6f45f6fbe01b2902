"""Each criterion that decides about a verdict is tested just below and just above its limit."""

from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.disparity.disparity import find_disparity
from autoanalyzer.analyze.run.code_regions import CodeRegion
from autoanalyzer.analyze.run.compute_time import part_by_noise
from autoanalyzer.analyze.run.criteria import CRITERIA, THRESHOLD, TICK, criterion_fields
from autoanalyzer.analyze.verdict import Finding, Kind, Wait
from autoanalyzer.analyze.verdict.ranking import each_place_once
from autoanalyzer.experiment import Region

CALM = {f"calm{number}": [1.0] * 4 for number in range(10)}
BOTH = pytest.mark.parametrize("side", [0.99, 1.01], ids=["just below", "just above"])


def alike(value: float) -> list[float]:
    return [value] * 4


def counts(seconds: dict[str, list[float]], **of_walk: list[float]) -> dict[str, dict[str, list[float]]]:
    """Return counts for 1 instruction per cycle at 1 GHz, half of them accesses; ``of_walk`` are those of ``walk``."""
    per_second = {"ref_cycles": 1e9, "instructions": 1e9, "l1_accesses": 5e8, "l1_misses": 5e5, "l2_accesses": 5e5}
    rates = per_second | {"l2_misses": 5e4}
    found = {
        name: {path: [rate * each for each in times] for path, times in seconds.items()} for name, rate in rates.items()
    }
    return found | {name: found[name] | {"walk": values} for name, values in of_walk.items()}


def names(findings: Findings) -> list[str]:
    regions = findings.vectors.regions
    return [findings.experiment.path_name(regions[culprit].id) for culprit in findings.dissimilarity.culprits]


def causes(findings: Findings, name: str) -> list[str]:
    found = findings.disparity_causes.causes
    regions = findings.run.weighed.regions
    return [
        cause.attribute
        for culprit, each in found.items()
        for cause in each
        if findings.experiment.path_name(regions[culprit].id) == name
    ]


def test_there_are_few_and_each_has_a_unit_a_reason_and_a_source():
    each = criterion_fields()
    assert len(each) <= 15
    assert all(field.metadata[key] for field in each for key in ("unit", "reason", "source"))


@BOTH
def test_least_gain_of_what_ranks_compute_is_worth_a_finding(make_experiment, side):
    excess = side * CRITERIA.least_gain * 10.2 / (3 / 4 - side * CRITERIA.least_gain / 4)
    findings = analyze(make_experiment({"a": [0.2 + excess, 0.2, 0.2, 0.2], **CALM}))
    assert findings.dissimilarity.exists == (side > 1)


@BOTH
def test_least_weight_of_the_run_is_critical(make_experiment, side):
    share = side * CRITERIA.least_weight
    others = {f"r{number}": alike((1 - share) / 97) for number in range(97)}
    findings = analyze(make_experiment({"a": alike(share), **others}))
    assert any(findings.run.weighed.regions[each].id == 1 for each in findings.disparity.critical) == (side > 1)


@BOTH
def test_part_of_a_regions_time_makes_a_cause(make_experiment, side):
    seconds = {"write": alike(1 - side * CRITERIA.part), "rest": alike(0.1)}
    made = make_experiment(seconds, io_time={"write": alike(side * CRITERIA.part)}, io_bytes={"write": alike(1e8)})
    assert (causes(analyze(made), "write") == ["io_bytes"]) == (side > 1)


@BOTH
def test_what_outweighs_others_is_heavy_without_a_cause(side):
    """The first region contains the second one and little else."""
    rest = 1 / (1 + side * CRITERIA.outweighs)
    regions = (CodeRegion(1, own_code=False, depth=1, children=(1,)), CodeRegion(2, own_code=False, depth=2))
    values = [0.09, 0.09 * (1 - rest)]
    found = find_disparity(
        (*regions, CodeRegion(3, own_code=False, depth=1)), values=[*values, 0.01], shares=[*values, 0.01], least=0.08
    )
    assert found.culprits == ((1,) if side > 1 else (0,))


@BOTH
def test_same_work_is_equal_counts(make_experiment, side):
    seconds = {"work": [1.0, 1.0, 1.6, 1.0], "calm": alike(0.5)}
    made = counts({"work": alike(1.0), "calm": alike(0.5)})
    made["instructions"]["work"] = [1e9, 1e9, 1e9, 1e9 * (1 - side * CRITERIA.same_work)]
    assert analyze(make_experiment(seconds, **made)).same_work.everywhere == (side < 1)


@BOTH
def test_resolution_is_no_difference_of_a_short_region(make_experiment, side):
    calm = {f"calm{number}": alike(0.03) for number in range(10)}
    findings = analyze(make_experiment({"a": [0.02 + side * CRITERIA.resolution, 0.02, 0.02, 0.02], **calm}))
    assert findings.dissimilarity.exists == (side > 1)


@BOTH
def test_noise_is_so_many_deviations_of_what_other_regions_part_by(side):
    deviation = side * THRESHOLD / CRITERIA.noise
    assert (part_by_noise(deviation) > THRESHOLD) == (side > 1)


@BOTH
def test_most_noise_is_its_limit_and_that_of_speed(make_experiment, side):
    assert part_by_noise(10.0) == CRITERIA.most_noise
    seconds = {"work": [1.0, 1.0, 1.0, 1 / (1 - side * CRITERIA.most_noise)], "calm": [0.5, 0.5, 0.5, 0.7]}
    made = make_experiment(seconds, **counts({"work": alike(1.0), "calm": alike(0.5)}))
    assert analyze(made).same_work.everywhere == (side < 1)


@BOTH
@pytest.mark.parametrize("elsewhere", [1.0, 1.3])
def test_what_outweighs_the_others_in_one_region_alone_is_no_slower_core(make_experiment, side, elsewhere):
    seconds = {"work": [1.0, 1.0, 1.0, side * CRITERIA.outweighs], "calm": [0.5, 0.5, 0.5, 0.5 * elsewhere]}
    made = make_experiment(seconds, **counts({"work": alike(1.0), "calm": alike(0.5)}))
    assert analyze(made).same_work.everywhere == (side < 1 or elsewhere > 1)


@BOTH
def test_unknown_noise_is_no_difference_where_few_regions_tell_it(make_experiment, side):
    slowest = 1 / (1 - side * CRITERIA.unknown_noise)
    findings = analyze(make_experiment({"work": [1.0, 1.0, 1.0, slowest], "rest": alike(0.5)}))
    assert findings.differences.may_be_chance([0]) == (side < 1)


@BOTH
def test_burst_is_doubtful_by_times_alone(make_experiment, side):
    seconds = side * CRITERIA.burst
    findings = analyze(make_experiment({"work": [0.2 + seconds, 0.2, 0.2, 0.2], "rest": alike(0.3)}))
    assert names(findings) == ["work"]
    assert findings.differences.may_be_chance(findings.dissimilarity.culprits) == (side < 1)


@BOTH
def test_a_tenth_of_a_difference_elsewhere_is_that_of_a_slower_processor(make_experiment, side):
    longer = 1 + 0.5 * side * THRESHOLD
    rest = {f"rest{number}": [0.1 * longer, 0.1, 0.1, 0.1] for number in range(3)}
    findings = analyze(make_experiment({"work": [0.15, 0.1, 0.1, 0.1], **rest}))
    work = findings.dissimilarity.culprits[names(findings).index("work")]
    assert findings.differences.may_be_speed([work]) == (side > 1)


@BOTH
@pytest.mark.parametrize(("per_access", "cycles"), [(0.9, CRITERIA.swift), (0.125, CRITERIA.dependent)])
def test_swift_and_dependent_code_takes_so_long_without_a_miss(make_experiment, side, per_access, cycles):
    """The time left for misses is just below, or just above, the share that makes them a cause."""
    seconds = {"walk": alike(1.0), "calm": alike(0.4), "rest": alike(0.3)}
    executed = (1 - CRITERIA.part * side) * 1e9 / cycles
    made = counts(seconds, instructions=alike(executed), l1_accesses=alike(1e8), l1_misses=alike(per_access * 1e8))
    assert ("l1_miss_rate" in causes(analyze(make_experiment(seconds, **made)), "walk")) == (side > 1)


@BOTH
def test_part_of_accesses_that_miss_is_no_walk(make_experiment, side):
    seconds = {"walk": alike(1.0), "calm": alike(0.4), "rest": alike(0.3)}
    rate = side * CRITERIA.part / (1 - THRESHOLD)
    made = counts(seconds, l1_accesses=alike(1e8), l1_misses=alike(rate * 1e8))
    assert ("l1_miss_rate" in causes(analyze(make_experiment(seconds, **made)), "walk")) == (side > 1)


@BOTH
def test_miss_takes_no_longer(make_experiment, side):
    seconds = {"walk": alike(1.0), "calm": alike(0.4), "rest": alike(0.3)}
    misses = side * CRITERIA.part / CRITERIA.miss
    made = counts(seconds, instructions=alike(1e6), l1_accesses=alike(2 * misses), l1_misses=alike(misses))
    assert ("l1_miss_rate" in causes(analyze(make_experiment(seconds, **made)), "walk")) == (side > 1)


@BOTH
def test_call_that_takes_longer_waits(make_experiment, side):
    made = make_experiment(
        {"halo": alike(0.1), "work": alike(0.3)},
        mpi_time={"halo": alike(side * CRITERIA.call * 10e3)},
        mpi_calls={"halo": alike(10e3)},
        mpi_bytes={"halo": alike(10e3)},
    )
    assert bool(analyze(made).explanation.seconds.has_small_calls.any()) == (side < 1)


@BOTH
def test_byte_that_takes_longer_waits(make_experiment, side):
    took = 1.0
    moved = side * CRITERIA.part * took / CRITERIA.byte
    made = make_experiment(
        {"swap": alike(0.0), "work": alike(0.3)}, mpi_time={"swap": alike(took)}, mpi_bytes={"swap": alike(moved)}
    )
    assert (causes(analyze(made), "swap") == ["mpi_bytes"]) == (side > 1)


@BOTH
def test_what_takes_less_than_a_tick_is_no_finding_nor_are_ranks_said_to_wait_for_it(make_experiment, side):
    swap = {"mpi_time": {"swap": alike(side * TICK)}, "mpi_bytes": {"swap": alike(1e6)}}
    found = analyze(make_experiment({"swap": alike(0.0), "work": alike(0.03)}, **swap))
    assert [each.region.id for each in found.verdict.findings if each.region] == ([1, 2] if side > 1 else [2])
    late = Finding(
        Kind.LATE, found.run.weighed.regions[1], share=1.0, waits=(Wait(Region("mpi", "MPI_Recv"), side * TICK),)
    )
    (kept,) = each_place_once(found, [late])
    assert len(kept.waits) == (side > 1)


@BOTH
def test_waiting_in_mpi_shorter_than_a_tick_is_not_said(make_experiment, side):
    made = make_experiment(
        {"sync": alike(0.0), "work": alike(0.03)}, mpi_time={"sync": alike(side * TICK)}, mpi_bytes={}
    )
    assert bool(analyze(made).explanation.seconds.waits.any()) == (side > 1)


@BOTH
def test_ranks_of_the_same_work_are_not_said_to_differ_by_less_than_a_tick(make_experiment, side):
    times = {"work": [2.0, 1.0, 1.0, 1.0], "calm": alike(1.0)}
    executed = {"work": [2e9, 1e9, 1e9, 1e9], "calm": alike(1e9)}
    found = analyze(make_experiment(times, instructions=executed))
    values = found.vectors.values + np.array([0.0, 0.0, 0.0, side * TICK])
    work = replace(found.work, vectors=replace(found.vectors, values=values))
    (place,) = found.dissimilarity.culprits
    apart = [*work._alike([[0], [1, 2], [3]], [place])]
    assert apart == ([(1, 2, 3)] if side > 1 else [])
