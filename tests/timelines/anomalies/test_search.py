"""Each kind of anomaly, planted in a program of steps: its interval, ranks and cause; without one, nothing is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.experiment import Metric
from autoanalyzer.experiment.trace import TimeLine
from autoanalyzer.timelines.anomalies import Anomaly, Run, find_anomalies

from .work import RANKS, STEPS, nothing, run

SEEDS = range(4)


def moment(of: Run, step: int, ranks: range | tuple[int, ...] = range(RANKS)) -> float:
    """Return when a step begins in a run."""
    found = []
    for rank in ranks:
        line = of.trace.line(rank)
        mine = line.paths == 1
        done = np.concatenate([[0], np.cumsum(np.bincount(line.samples[mine], line.visits[mine], len(line)))])
        found.append(np.interp(step, done, np.concatenate([line.begin[:1], line.end])))
    return float(np.median(found))


def only(runs: list[Run]) -> Anomaly:
    found = find_anomalies(runs).anomalies
    assert len(found) == 1, [(each.kind, each.start, each.end) for each in found]
    return found[0]


def spans(of: Run, found: Anomaly, first: int, last: int) -> bool:
    """Return whether an anomaly has an interval, with a tolerance of a twentieth of the run."""
    near = 0.05 * (moment(of, STEPS) - moment(of, 0))
    return abs(found.start - moment(of, first)) < near and abs(found.end - moment(of, last)) < near


def ramp(step: int) -> float:
    return float(np.clip((step / STEPS - 0.3) / 0.4, 0, 1))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.by_day(seed=[*range(4)])
@pytest.mark.parametrize("runs", [1, 3])
def test_a_program_without_changes(seed, runs):
    assert find_anomalies([run(10 * seed + each, noise=0.1, stolen=0.2) for each in range(runs)]).anomalies == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gradual_change_and_its_cause_in_another_run(seed):
    def misses(_rank, step):
        return 1e5 * ramp(step)

    one = run(seed, slower=lambda _rank, step: ramp(step))
    counting = run(seed + 50, misses=misses, timed=False, pace=0.05)
    found = only([one, counting])
    assert (found.kind, found.metric, found.ranks) == ("gradual change", "compute_time", (0, 1, 2, 3))
    assert spans(one, found, 120, 280)
    assert found.path == 1
    assert found.factor == pytest.approx(2, rel=0.1)
    assert (found.goes_with[0].metric, found.goes_with[0].sign) == ("l2_misses", "+")
    assert found.goes_with[0].source == "run" + str(seed + 50)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sudden_change(seed):
    one = run(seed, slower=lambda _rank, step: 0.6 * (step >= 150), faults=lambda _rank, step: 5 * (step >= 150))
    found = only([one])
    assert found.kind == "sudden change"
    assert spans(one, found, 150, STEPS)
    assert found.goes_with[0].metric == "page_faults"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_level_shift(seed):
    one = run(seed, slower=lambda _rank, step: 0.6 * (120 <= step < 240))
    found = only([one])
    assert found.kind == "level shift"
    assert spans(one, found, 120, 240)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_region_that_becomes_faster(seed):
    found = only([run(seed, slower=lambda _rank, step: 1.0 * (step < 150))])
    assert found.kind == "sudden change"
    assert found.factor == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rank_that_leaves_the_others(seed):
    one = run(seed, slower=lambda rank, step: 0.5 * (rank == 2 and step >= 200))
    found = only([one])
    assert (found.kind, found.ranks) == ("rank leaves the others", (2,))
    assert abs(found.start - moment(one, 200, (2,))) < 0.05 * moment(one, STEPS, (2,))


@pytest.mark.parametrize("seed", SEEDS)
def test_dips_before_an_event(seed):
    def before(_rank, step):
        return float(step % 40 >= 34)

    one = run(seed, slower=before, faults=lambda rank, step: 50 * before(rank, step), events=range(39, STEPS, 40))
    found = only([one])
    assert (found.kind, found.path, found.before) == ("dip before an event", 1, 2)
    assert spans(one, found, 34, STEPS)
    assert found.goes_with[0].metric == "page_faults"
    assert found.period == pytest.approx((moment(one, 360) - moment(one, 40)) / 8, rel=0.1)


def test_slow_entries_after_an_event_are_no_dips_before_it():
    one = run(1, slower=lambda _rank, step: float(step % 40 < 6), events=range(39, STEPS, 40))
    assert find_anomalies([one]).anomalies == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_periodic_io(seed):
    one = run(seed, io=lambda _rank, step: 0.04 * (step % 25 == 24 and 100 <= step < 300), stolen=0)
    found = only([one])
    assert (found.kind, found.metric, found.path) == ("period", "io_time", 3)
    assert spans(one, found, 100, 300)
    assert {each.metric for each in found.goes_with} >= {"io_bytes"}


def test_io_without_a_period_is_none():
    times = {12, 31, 100, 104, 190, 333}
    assert find_anomalies([run(1, io=lambda _rank, step: 0.04 * (step in times))]).anomalies == ()


def test_memory_that_grows():
    found = only([run(1, memory=lambda step: 1e8 * (1 + step / STEPS))])
    assert (found.kind, found.metric, found.path) == ("gradual change", "resident_memory", None)


def test_what_one_run_alone_shows_is_not_the_program_s():
    def small(_rank, step):
        return 0.2 * (step >= 150)

    calm = [run(seed) for seed in (1, 2)]
    assert find_anomalies([run(3, slower=small), *calm]).anomalies == ()
    assert find_anomalies([run(3, slower=small)]).anomalies == ()
    together = only([run(seed, slower=small) for seed in (3, 4, 5)])
    assert (together.kind, together.runs) == ("sudden change", 3)


def test_what_begins_as_others_take_the_cores_is_of_the_machine_unless_it_is_so_in_other_runs():
    def loaded(step):
        return 0.5 * (step >= 150)

    def slower(_rank, step):
        return 0.6 * (step >= 150)

    search = find_anomalies([run(1, slower=slower, stolen=loaded)])
    assert (search.anomalies, [each.kind for each in search.uncertain]) == ((), ["sudden change"])
    assert only([run(seed, slower=slower, stolen=loaded) for seed in (1, 2)]).kind == "sudden change"
    assert only([run(1, slower=slower, stolen=0.5)]).kind == "sudden change"  # more waiting, but as much per second


@pytest.mark.parametrize("instructions", [0.0, 0.6])
def test_where_counts_are_known_they_must_change_too(instructions):
    one = run(1, slower=lambda _rank, step: 0.6 * (step >= 150))
    counted = counting({"instructions": instructions, "l1_misses": 0.0}, {"instructions": 1.4, "l1_misses": 1.0})
    assert len(find_anomalies([one, counted]).anomalies) == (instructions > 0)


@pytest.mark.parametrize(("share", "count"), [(0.07, 0), (0.14, 1)])
def test_a_tenth_is_a_change(share, count):
    runs = [run(seed, slower=lambda _rank, step: share * (step >= 150)) for seed in (1, 2, 3)]
    assert len(find_anomalies(runs).anomalies) == count


def counting(extra: dict[str, float], inside: dict[str, float]) -> Run:
    """Count instructions and misses, of which other regions have ten times as many as step."""
    one = run(2, timed=False, pace=0.05)
    names = ("instructions", "l1_misses")
    base = {"instructions": 1e7, "l1_misses": 1e5}
    metrics = [*one.trace.metrics, *(Metric(name, "occ") for name in names)]
    lines = []
    for line in one.trace.lines():
        mine = line.paths == 1
        entered = np.bincount(line.samples[mine], line.visits[mine], len(line))
        later = np.cumsum(entered) > 150
        counts = [entered * base[name] * (10 + 1 + extra[name] * later) for name in names]
        lines.append(replace(line, values=np.column_stack([line.values, *counts])))
    trace = replace(one.trace, metrics=metrics, read=lines.__getitem__)
    totals = {name: np.array([11.0, inside[name], 0, 0]) * base[name] * STEPS * RANKS for name in names}
    return replace(one, trace=trace, counts=totals)


def test_counts_are_judged_by_what_the_region_has_of_them_not_by_all_that_passes():
    one = run(1, slower=lambda _rank, step: 0.6 * (step >= 150))
    known = counting({"instructions": 0.6, "l1_misses": 0.0}, {"instructions": 1.4, "l1_misses": 1.0})
    assert [each.metric for each in only([one, known]).goes_with][:1] == ["instructions"]
    unknown = replace(known, counts={})
    assert "instructions" not in {each.metric for each in only([one, unknown]).goes_with}


def test_misses_of_more_work_come_after_the_work():
    one = run(1, slower=lambda _rank, step: 0.6 * (step >= 150))
    inside = {"instructions": 1.4, "l1_misses": 1.4}
    more = only([one, counting({"instructions": 0.6, "l1_misses": 0.6}, inside)])
    assert more.goes_with[0].metric == "instructions"
    worse = only([one, counting({"instructions": 0.6, "l1_misses": 6.0}, inside)])
    assert {each.metric for each in worse.goes_with[:2]} == {"instructions", "l1_misses"}


def test_too_few_misses_explain_nothing():
    one = run(1, slower=lambda _rank, step: ramp(step))
    counting = run(2, misses=lambda _rank, step: 3000 * ramp(step), timed=False, pace=0.05)
    assert "l2_misses" not in {each.metric for each in only([one, counting]).goes_with}


def test_a_run_that_entered_regions_otherwise_is_not_compared():
    def step(_rank, number):
        return 0.6 * (number >= 150)

    found = only([run(1, slower=step), run(2, steps=350)])
    assert found.runs == 1


def test_regions_that_are_entered_seldom_are_said():
    found = find_anomalies([run(1, steps=30)])
    assert found.anomalies == ()
    assert (found.examined, found.seldom) == ((), (1,))


@pytest.mark.parametrize("steps", [1, 2, 5, 20])
def test_traces_of_few_samples(steps):
    assert find_anomalies([run(1, steps=steps)]).anomalies == ()


def of_lines(one: Run, change: Callable[[int, TimeLine], TimeLine]) -> Run:
    """Return a run with changed lines."""
    lines = [change(number, line) for number, line in enumerate(one.trace.lines())]
    return replace(one, trace=replace(one.trace, counts=[*map(len, lines)], read=lines.__getitem__))


NO_SAMPLES = TimeLine(
    *np.zeros((2, 0)),
    np.zeros((0, 7)),
    np.zeros(1, np.intp),
    np.zeros(0, np.intp),
    np.zeros(0, np.int64),
    *np.zeros((2, 0)),
)


def test_ranks_without_samples():
    one = run(1, slower=lambda _rank, step: 0.6 * (step >= 150))
    found = only([of_lines(one, lambda number, line: NO_SAMPLES if number == 3 else line)])
    assert found.ranks == (0, 1, 2)
    assert find_anomalies([of_lines(one, lambda _number, _line: NO_SAMPLES)]).anomalies == ()


def test_dips_on_ranks_of_which_the_first_has_no_samples():
    slow = run(1, slower=lambda _rank, step: float(step % 40 >= 34), events=range(39, STEPS, 40))
    found = only([of_lines(slow, lambda number, line: NO_SAMPLES if number == 0 else line)])
    assert (found.kind, found.ranks) == ("dip before an event", (1, 2, 3))


def test_the_place_of_periodic_io_is_not_where_most_was_read():
    one = run(1, io=lambda _rank, step: 0.04 * (step % 25 == 24 and 100 <= step < 300), stolen=0, events=(2,))
    assert only([replace(one, io=np.array([0.0, 0, 9, 1]))]).path == 3


def test_missing_values_explain_nothing():
    def missing(_number, line):
        values = line.values.copy()
        values[:, 4] = np.nan
        values[::2, 6] = np.nan
        return replace(line, values=values)

    one = run(1, slower=lambda _rank, step: 0.6 * (step >= 150), misses=lambda _rank, step: 1e5 * (step >= 150))
    found = only([of_lines(one, missing)])
    assert found.kind == "sudden change"
    assert "l2_misses" not in {each.metric for each in found.goes_with}


def test_the_same_data_give_the_same_findings():
    one = run(1, slower=lambda _rank, step: ramp(step))
    assert find_anomalies([one]) == find_anomalies([one])
    assert nothing(0, 0) == 0


def test_counts_tell_more_exactly_than_times_when_something_grows() -> None:
    def grown(step: int, last: float) -> float:
        return min(max((step / STEPS - 0.3) / (last - 0.3), 0.0), 1.0)

    timed = [run(seed, slower=lambda _rank, step: grown(step, 0.56)) for seed in range(2)]  # like disturbed runs
    counted = run(2, misses=lambda _rank, step: 1e5 * grown(step, 0.7), timed=False, pace=0.05)
    assert spans(timed[0], only(timed), 3 * STEPS // 10, 56 * STEPS // 100)
    found = only([*timed, counted])
    assert found.kind == "gradual change"
    assert spans(timed[0], found, 3 * STEPS // 10, 7 * STEPS // 10)
    elsewhere = run(3, misses=lambda _rank, step: 1e5 * (step >= STEPS // 2), timed=False, pace=0.05)
    assert spans(timed[0], only([*timed, elsewhere]), 3 * STEPS // 10, 56 * STEPS // 100)
