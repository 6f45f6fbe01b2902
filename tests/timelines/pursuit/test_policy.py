"""A monitoring system that records only what pursuit requests."""

from collections.abc import Iterator

import numpy as np
import pytest

from autoanalyzer.experiment.trace import Samples
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.timelines.pursuit import Options, Period, PursuitOverTime, SlidingWindow
from autoanalyzer.timelines.pursuit.selection import Turns

METRICS = tuple(f"m{each}" for each in range(12))


def leaving(seed: int, *, ranks: int = 64, seconds: int = 120) -> tuple[np.ndarray, str]:
    """Draw two samples per second; from second 40 to 80, rank 5 differs in a metric in which it was like the others."""
    drawn = np.random.default_rng([seed, ranks])
    values = 100 + drawn.standard_normal((2 * seconds, ranks, len(METRICS)))
    values[..., -1] = 5
    first, later = drawn.choice(len(METRICS) - 1, 2, replace=False)
    values[40:80, [3, 7], first] += 10
    values[80:160, 5, later] += 10
    return values, METRICS[later]


def obeyed(values: np.ndarray, state: PursuitOverTime, width: float) -> Iterator[Period]:
    """Record only the requested metrics of each sample, and pursue these."""
    ranks = np.arange(values.shape[1])
    windows = SlidingWindow(width)
    for number, sample in enumerate(values):
        asked = np.isin(METRICS, state.recorded) if state.metrics else np.ones(len(METRICS), dtype=bool)
        recorded = np.where(asked, sample, np.nan)
        times, places = np.full(len(ranks), number / 2), [(each, 0) for each in ranks.tolist()]
        samples = Samples(METRICS, ("",) * len(METRICS), places, times, ranks, recorded)
        yield from state.of_windows(windows.add(samples))
    yield from state.of_windows(windows.finish())


def finds(seed: int, *, probed: float, ranks: int = 64, width: float = 10.0) -> bool:
    values, metric = leaving(seed, ranks=ranks)
    state = PursuitOverTime(Options(seed=seed, probed=probed))
    for period in obeyed(values, state, width):
        found = period.found
        if found and found.worth and found.metrics[0] == metric and period.start < 80 < period.end + 40:
            assert metric in period.selected
            return True
    return False


@pytest.mark.parametrize("seeds", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("ranks", "width"), [(64, 10.0), (64, 20.0), (64, 4.0), (12, 10.0)])
@pytest.mark.by_day(ranks=[64], width=[10.0, 20.0])
def test_a_rank_that_leaves_in_a_metric_that_was_left_out_is_found_by_a_policy_that_is_obeyed(ranks, width, seeds):
    assert sum(finds(seed, probed=0.25, ranks=ranks, width=width) for seed in range(seeds)) >= 0.95 * seeds


@pytest.mark.parametrize("seeds", [2, pytest.param(4, marks=pytest.mark.nightly)])
def test_without_looking_at_the_others_it_is_found_only_where_luck_has_selected_its_metric(seeds):
    assert sum(finds(seed, probed=0.0) for seed in range(seeds)) <= 1


def test_each_metric_has_its_turn_in_as_many_periods_as_the_share_says():
    turns, seen = Turns(tuple("abcdefghijkl")), []
    for _ in range(3):
        turns = turns.after(frozenset("bcd"), 1 / 3)
        seen.append(turns.probed)
    assert seen == [("a", "e", "f"), ("g", "h", "i"), ("j", "k", "l")]
    assert turns.after(frozenset("aeg"), 1 / 3).probed == ("f", "h", "i")
    assert turns.after(frozenset("bcd"), 0).probed == ()
    assert turns.after(frozenset("abcdefghijkl"), 1 / 3).probed == ()


def test_what_is_looked_at_is_counted_in_what_is_saved():
    values, _ = leaving(0)
    state = PursuitOverTime(Options(probed=0.25))
    periods = list(obeyed(values, state, 10.0))
    first = next(number for number, period in enumerate(periods) if period.selected)
    assert {len(period.probed) for period in periods[first:]} == {3}
    kept = state.reduction.kept
    fresh = [100 if number < 1 else 10 for number in range(len(periods))]
    assert len(fresh) == len(periods)
    assert state.reduction.fields == 240 * 64 * 15
    all_of = sum(end <= periods[first].end for end, _ in state.reduction.course)
    before = 64 * (20 + 10 * (all_of - 1))
    assert kept == before * 15 + (240 * 64 - before) * (3 + 3 + 3)


def test_of_a_formula_all_parts_are_looked_at_together():
    values, _ = leaving(0, ranks=16, seconds=60)
    state = PursuitOverTime(
        Options(metrics=["m0", "m1", "m2", "m3", "m4"], derived=[Formula.parse("rate=m5/m6")], probed=0.01)
    )
    together = [set(state.recorded) for _ in obeyed(values, state, 4.0)]
    asked = [each for each in together if len(each) < 7]
    assert asked
    assert all(("m5" in each) == ("m6" in each) for each in asked)
