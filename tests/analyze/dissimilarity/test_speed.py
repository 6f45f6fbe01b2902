"""Ranks that are slower in nearly all regions, possibly because of a slower core."""

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Doubt, Kind
from autoanalyzer.analyze.verdict.confidence import confidence_in_difference, is_slight_speed
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.view.causes import MAYBE_SPEED
from autoanalyzer.view.verdict import verdict_lines

# Times per loop of a program without faults: on the three other ranks, and on a rank that shared its core.
SHARED = {"energy": (77.1, 127.5), "balance": (79.7, 116.1), "react": (46.6, 52.0), "relax": (46.5, 49.5)}
UNEVEN = {name: (fast, 1.4 * fast) for name, (fast, _) in SHARED.items()}
LOCAL = {name: (fast, slow if name == "energy" else fast) for name, (fast, slow) in SHARED.items()}


def _text(lines):
    return " ".join(" ".join(lines).split())


def of(times):
    return {name: [1e-3 * fast] * 3 + [1e-3 * slow] for name, (fast, slow) in times.items()}


@pytest.mark.parametrize(("times", "speed"), [(SHARED, True), (UNEVEN, False), (LOCAL, False)])
def test_slower_nearly_everywhere_by_factors_that_vary_is_perhaps_a_matter_of_speed(make_experiment, times, speed):
    found = analyze(make_experiment(of(times)))
    assert found.dissimilarity.culprits
    assert {is_slight_speed(found, [culprit]) for culprit in found.dissimilarity.culprits} == {speed}
    lines = "\n".join(verdict_lines(found))
    assert ("IMBALANCE?" in lines) != speed


@pytest.mark.parametrize(("even", "speed"), [(46.6, True), (55.0, False)])
def test_most_of_what_ranks_compute_elsewhere_must_be_slower(make_experiment, even, speed):
    # The other regions' times add up to 382 or 399 ms; balance, with 195.8 ms, is more or less than half of that.
    times = SHARED | {"react": (even, even), "relax": (46.5, 46.5)}
    found = analyze(make_experiment(of(times)))
    names = [found.experiment.path_name(each.id) for each in found.vectors.regions]
    energy = names.index("energy")
    assert energy in found.dissimilarity.culprits
    assert is_slight_speed(found, [energy]) == speed


def test_it_is_no_finding_of_its_own_and_nothing_is_to_be_tried(make_experiment):
    found = analyze(make_experiment(of(SHARED)))
    confidence = confidence_in_difference(found, found.dissimilarity.culprits[:1])
    assert confidence.level == "low"
    assert confidence.reason.startswith("these ranks are slower nearly everywhere")
    assert {each.kind for each in found.verdict.findings} == {Kind.HOT_SPOT}
    lines = verdict_lines(found)
    (at,) = [number for number, line in enumerate(lines) if "energy" in line]
    assert lines[at + 1].strip() == "rank 3: 128 ms; ranks 0-2: 77.1 ms each"
    assert not any("try" in line for line in lines)


def test_counts_that_differ_leave_no_doubt(make_experiment):
    executed = {name: [3e8 * seconds for seconds in each] for name, each in of(SHARED).items()}
    found = analyze(make_experiment(of(SHARED), instructions=executed))
    assert not any(each.doubt for each in found.verdict.findings)


@pytest.mark.parametrize(("times", "title"), [(SHARED, "IMBALANCE?  "), (UNEVEN, "IMBALANCE   ")])
def test_what_takes_long_is_an_imbalance_though_perhaps(make_experiment, times, title):
    found = analyze(make_experiment(of({name: (10 * fast, 10 * slow) for name, (fast, slow) in times.items()})))
    culprit = found.dissimilarity.culprits[0]
    assert not is_slight_speed(found, [culprit])
    assert (found.verdict.findings[0].doubt is Doubt.SPEED) == (times is SHARED)
    lines = verdict_lines(found)
    assert lines[2].startswith(f"1 {title}app.c")
    assert (MAYBE_SPEED.format(who="rank") in _text(lines)) == (times is SHARED)


def test_seconds_are_no_matter_of_moments_however_small_a_part(make_experiment):
    long = {"energy": (100.0, 125.0), "balance": (80.0, 92.0), "react": (46.0, 48.0), "relax": (46.0, 47.0)}
    found = analyze(make_experiment(of({name: (1e3 * fast, 1e3 * slow) for name, (fast, slow) in long.items()})))
    lines = verdict_lines(found)
    assert "IMBALANCE?" in lines[2] and "saves up to 18.8 s (" in lines[2]
    assert f"uncertain: {MAYBE_SPEED.format(who='rank')}; counts will show" in _text(lines)
    assert not any("SLOW CORE" in line for line in lines)


def test_ranks_of_another_program_say_nothing_of_a_region():
    """Two ranks of one program differ a little; two ranks of another program never enter its region."""
    regions = [Region("function", name, "app.c", name, 0, line, line) for line, name in enumerate("aibj", start=1)]
    paths = [CallPath(each, parent) for each, parent in zip(regions, (None, 0, None, 2), strict=True)]
    cpu = np.array([[0.1, 0.1, 0, 0], [0.08, 0.13, 0, 0], [0, 0, 0.1, 0.1], [0, 0, 0.1, 0.1]])
    none = np.zeros_like(cpu)
    made = Experiment(
        metrics=[
            Metric("wall_time", "sec"),
            Metric("mpi_time", "sec", "wall_time"),
            Metric("cpu_time", "sec"),
            Metric("mpi_cpu_time", "sec", "cpu_time"),
        ],
        call_paths=paths,
        locations=[Location("machine", "node", rank, 0) for rank in range(4)],
        severities={"wall_time": cpu, "mpi_time": none, "cpu_time": cpu, "mpi_cpu_time": none},
    )
    found = analyze(made)
    assert found.dissimilarity.programs == 2
    assert found.dissimilarity.culprits
    assert found.differences.may_be_chance(found.dissimilarity.culprits)


@pytest.mark.parametrize(("slow", "speed"), [(2.9, True), (3.1, False)])
def test_no_processor_is_three_times_slower(make_experiment, slow, speed):
    found = analyze(make_experiment(of(SHARED | {"energy": (50.0, 50.0 * slow)})))
    assert found.differences.may_be_speed(found.dissimilarity.culprits[:1]) == speed
