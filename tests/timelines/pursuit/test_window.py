import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.trace import Samples
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.timelines.pursuit import Options, Outcome, PursuitOverTime, SlidingWindow, smoothed


def trace(times, places=None, values=None) -> Samples:
    count = len(times)
    places = np.zeros(count, dtype=int) if places is None else np.array(places)
    values = np.ones((count, 1)) if values is None else np.array(values, dtype=float).reshape(count, -1)
    names = tuple(f"m{each}" for each in range(values.shape[1]))
    locations = [(each, 0) for each in range(64)]
    return Samples(names, ("",) * len(names), locations, np.array(times, dtype=float), places, values)


def cut(samples: Samples, width: float, every: float | None = None) -> list:
    windows = SlidingWindow(width, every)
    return [*windows.add(samples), *windows.finish()]


def test_windows_overlap_by_half_and_the_last_one_ends_with_the_trace():
    found = cut(trace(np.arange(0, 10.5, 0.5)), 4)
    assert [(each.start, each.end) for each in found] == [(0, 4), (2, 6), (4, 8), (6, 10)]
    assert [len(each.samples.times) for each in found] == [8, 8, 8, 9]
    assert sum(each.fresh for each in found) == 21


def test_a_trace_that_ends_within_a_window_has_a_last_one_of_full_width():
    found = cut(trace(np.arange(0, 7.5, 0.5)), 4)
    assert [(each.start, each.end) for each in found] == [(0, 4), (2, 6), (3, 7)]


def test_without_a_width_the_whole_trace_is_one_window():
    found = cut(trace([5, 3, 4]), np.inf)
    assert [(each.start, each.end, each.fresh) for each in found] == [(3, 5, 3)]


def test_windows_without_samples_are_passed_over_however_many():
    windows = SlidingWindow(1.0, 1.0)
    found = [*windows.add(trace([0, 0.5, 1e9, 1e9 + 0.5])), *windows.finish()]
    assert [each.fresh for each in found] == [2, 2]
    assert windows.empty == 10**9 - 1


@pytest.mark.parametrize("step", [1, 7, 50])
def test_a_trace_that_comes_piece_by_piece_has_the_same_windows(step):
    drawn = np.random.default_rng(0)
    times = np.sort(drawn.uniform(0, 60, 300))
    places, values = drawn.integers(0, 5, 300), drawn.standard_normal((300, 2))
    whole = cut(trace(times, places, values), 10, 4)
    windows = SlidingWindow(10, 4)
    pieces = []
    for first in range(0, 300, step):
        part = slice(first, first + step)
        pieces += windows.add(trace(times[part], [*places[part]], values[part]))
    pieces += windows.finish()
    assert [(each.start, each.end, each.fresh) for each in pieces] == [
        (each.start, each.end, each.fresh) for each in whole
    ]
    assert all(
        np.array_equal(one.samples.values, other.samples.values) for one, other in zip(pieces, whole, strict=True)
    )
    assert windows.late == 0


def test_a_location_that_lags_is_waited_for_and_one_that_has_ended_is_not():
    windows = SlidingWindow(2.0, 2.0)
    assert not list(windows.add(trace([0, 0.5, 3.5], [0, 1, 0])))
    assert [each.fresh for each in windows.add(trace([1.5, 2.5], [1, 1]))] == [3]
    assert [each.end for each in windows.add(trace([5, 7], [0, 0]))] == [4]


def test_samples_that_come_after_their_window_are_counted():
    windows = SlidingWindow(2.0, 2.0)
    assert len(list(windows.add(trace([0, 3, 9])))) == 2
    assert not list(windows.add(trace([1])))
    assert windows.late == 1


@pytest.mark.parametrize("step", [1, 7, 400])
def test_windows_hold_what_lies_between_their_ends_in_the_order_of_time(step):
    drawn = np.random.default_rng(1)
    times = np.sort(drawn.uniform(0, 40, 400))
    times[250:] += 30  # some windows are empty
    for first in range(0, 400, step):
        drawn.shuffle(times[first : first + step])
    places, values = np.arange(400) % 5, np.arange(400.0)
    windows = SlidingWindow(8, 3)
    found = []
    for first in range(0, 400, step):
        part = slice(first, first + step)
        found += windows.add(trace(times[part], places[part], values[part]))
    found += windows.finish()
    passed = -np.inf
    for each in found:
        last = each is found[-1]
        inside = np.flatnonzero((times >= each.start) & ((times <= each.end) if last else (times < each.end)))
        inside = inside[np.argsort(times[inside])]
        assert each.samples.times.tolist() == times[inside].tolist()
        assert each.samples.values[:, 0].tolist() == inside.tolist()
        assert each.samples.places.tolist() == places[inside].tolist()
        assert each.fresh == (times[inside] >= passed).sum()
        passed = each.end
    assert (windows.late, sum(each.fresh for each in found)) == (0, 400)
    assert windows.empty > 0


@pytest.mark.parametrize("origin", [0.0, 0.1, -3.3, 1763745943.1])
def test_a_sample_between_two_windows_is_in_the_later_one_however_its_time_is_rounded(origin):
    times = np.array([float(f"{origin + each / 10:.1f}") for each in range(500)])
    found = cut(trace(times), 0.3, 0.3)
    assert {len(each.samples.times) for each in found[:-1]} == {3}
    assert sum(each.fresh for each in found) == 500
    assert {len(each.samples.times) for each in cut(trace(times), 0.4)[:-1]} == {4}


@pytest.mark.parametrize(("width", "last"), [(1e-310, 20.0), (1.0, 1e16)])
def test_windows_narrower_than_the_digits_of_times_are_refused(width, last):
    windows = SlidingWindow(width)
    with pytest.raises(InputError, match="too few digits for windows"):
        list(windows.add(trace([0, last])))


def test_smoothing_is_the_mean_of_each_location_and_a_missing_sample_is_none():
    points, columns = smoothed(trace([0, 1, 2, 3], [1, 0, 1, 0], [[1, np.nan], [2, np.nan], [5, 8], [3, np.nan]]))
    assert [point.process for point in points] == [0, 1]
    assert columns["m0"].tolist() == [2.5, 3]
    assert np.array_equal(columns["m1"], [np.nan, 8], equal_nan=True)


def test_the_mean_of_huge_values_is_one():
    assert smoothed(trace([0, 1], None, [1.7e308, 1.7e308]))[1]["m0"][0] == pytest.approx(1.7e308)


def periods(values_over_time: list[np.ndarray], **options) -> tuple[list, PursuitOverTime]:
    """Pursue metrics with one sample per rank and second."""
    ranks = len(values_over_time[0])
    times = np.repeat(np.arange(len(values_over_time), dtype=float), ranks)
    samples = trace(times, np.tile(np.arange(ranks), len(values_over_time)), np.concatenate(values_over_time))
    state = PursuitOverTime(Options(**options))
    windows = SlidingWindow(0.5, 1.0)
    return [*state.of_windows(windows.add(samples)), *state.of_windows(windows.finish())], state


def outlying(metrics: list[int], size: float, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal((64, 8))
    for place, metric in enumerate(metrics):
        values[3 + place, metric] += size
    return values


def test_a_selection_changes_with_what_stands_out_and_stays_where_nothing_does():
    course = [outlying([1], 30), outlying([], 0, 5), outlying([6], 40)]
    found, _ = periods(course)
    assert [each.status for each in found] == ["converged", "no-structure", "converged"]
    assert found[0].selected == found[1].selected
    assert "m1" in found[0].selected
    assert "m6" in found[2].selected


def test_a_selection_stays_if_another_is_better_by_less_than_the_threshold():
    course = [outlying([1, 2, 3], 40), outlying([1, 2, 3, 4], 40)]
    steady, _ = periods(course, jitter=0.5)
    assert steady[0].selected == steady[1].selected
    far, _ = periods([outlying([1, 2, 3], 40), outlying([5, 6, 7], 40)], jitter=0.5)
    assert set(far[1].selected) == {"m5", "m6", "m7"}


def test_data_are_saved_from_the_first_selection_on():
    found, state = periods([outlying([1], 30)] * 4)
    assert [each.status for each in found] == ["converged"] * 4
    reduction = state.reduction
    assert (reduction.records, reduction.fields) == (4 * 64, 4 * 64 * 11)
    assert reduction.kept == 64 * 11 + 3 * 64 * (3 + 3 + 2)
    assert reduction.course[-1] == (3.0, reduction.share)


def test_of_a_derived_metric_what_it_is_made_of_is_a_field():
    course = [outlying([1], 30) + 100] * 2
    found, state = periods(course, metrics=["m2", "m3"], derived=[Formula.parse("rate=m1/m0")])
    assert set(found[0].selected) == {"rate", "m2", "m3"}
    assert set(state.measured(state.selected)) == {"m0", "m1", "m2", "m3"}
    assert state.reduction.share == 0
    _, state = periods(course, derived=[Formula.parse("rate=m1/m0")])
    assert state.reduction.fields == 2 * 64 * 11


def test_points_are_kept_of_the_period_that_tells_most():
    course = [outlying([1], 30), outlying([2], 60), outlying([], 0, 5)]
    found, state = periods(course)
    assert [type(each.found) for each in found] == [Outcome] * 3
    assert state.telling.period == found[1]
    assert state.telling.found.space.values.shape == (64, 8)
    found, state = periods(course[2:] * 2)
    assert (state.telling.period, found[1].status) == (found[1], "no-structure")


@pytest.mark.parametrize(
    ("values", "options", "status"),
    [
        ([[1, 2], [3, 4], [5, 7]], {"exclude_ranks": [0, 1]}, "too-few"),
        ([[1, 2]] + [[np.nan, np.nan]] * 5, {}, "too-few"),
        ([[7, 7]] * 9, {}, "no-structure"),
        ([[10, 7]] * 3 + [[30, 7]] + [[10, 7]] * 16, {"trimming": "remove"}, "no-structure"),
    ],
    ids=["one rank is not excluded", "one rank has values", "nothing differs", "nothing differs after trimming"],
)
def test_without_a_result_the_status_says_what_is_lacking(values, options, status):
    (period,), _ = periods([np.array(values, dtype=float)], **options)
    assert (period.status, period.found) == (status, None)


def test_before_any_selection_nothing_is_saved():
    found, state = periods([outlying([], 0)[:6]] * 3)
    assert {each.status for each in found} == {"too-few"}
    assert (state.selected, state.reduction.share) == ((), 0.0)


def test_a_sample_near_time_0_of_a_trace_that_begins_before_is_in_one_window():
    times = np.round(np.arange(-28, 2)) / 10
    assert sum(each.fresh for each in cut(trace(times), 0.1, 0.1)) == len(times)
