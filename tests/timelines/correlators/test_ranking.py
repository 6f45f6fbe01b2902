"""The ranking of metrics against a target: the first metric, and which metrics are left out, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.trace import Series
from autoanalyzer.timelines.correlators import CORRELATORS, rank

COUNT = 300
AT = np.arange(COUNT) / 10
STEP = np.where((AT > 10) & (AT < 20), 5.0, 2.0)
CHANCE = np.random.default_rng(3)


def series(name: str, values: np.ndarray, *, source: str = "a", times: np.ndarray = AT) -> Series:
    step = times[1] - times[0]
    return Series(name, "", False, source, times - step, times, np.asarray(values, dtype=float))


def noise() -> np.ndarray:
    return CHANCE.normal(size=COUNT)


def metrics() -> list[Series]:
    return [
        series("noise", noise()),
        series("cause", STEP * 1e6 + 1e5 * noise()),
        series("against", -STEP + noise(), source="b"),
        series("slow", np.sin(AT / 7), source="b"),
    ]


TARGET = series("speed", STEP + 0.2 * noise())


def test_the_cause_is_first_and_noise_is_last() -> None:
    found = rank(TARGET, metrics())
    assert [each.metric for each in found.ranked[:2]] == ["cause", "against"]
    assert found.ranked[-1].metric == "noise"
    assert [each.sign for each in found.ranked[:2]] == ["+", "-"]
    assert [each.source for each in found.ranked[:2]] == ["a", "b"]
    assert [each.rank for each in found.ranked] == [1, 2, 3, 4]
    assert found.segments == 3


@pytest.mark.parametrize("by", ["pearson", "spearman", "euclidean", "manhattan", "dtw", "mlp", "combined"])
def test_any_correlator_may_decide(by: str) -> None:
    found = rank(TARGET, metrics(), by=by)
    assert found.ranked[0].metric == "cause"
    scores = [each.scores[by] for each in found.ranked]
    assert scores == sorted(scores, reverse=True)


def test_all_scores_are_there_and_finite() -> None:
    for each in rank(TARGET, metrics()).ranked:
        assert set(each.scores) == {*CORRELATORS, "combined"}
        assert all(0 <= score <= 1 for score in each.scores.values())


def test_the_target_is_not_ranked_from_whichever_trace() -> None:
    found = rank(TARGET, [*metrics(), TARGET, series("speed", noise(), source="b")])
    assert "speed" not in [each.metric for each in found.ranked]


def test_what_cannot_be_compared_is_named() -> None:
    empty, few = np.full(COUNT, np.nan), np.full(COUNT, np.nan)
    few[:5] = 1, 2, 3, 4, 5
    less = np.where(AT < 10, AT, np.nan)
    given = {"flat": np.full(COUNT, 7.0), "empty": empty, "few": few, "less": less}
    found = rank(TARGET, [series(name, values) for name, values in given.items()])
    assert not found.ranked
    assert found.omitted == (
        ("flat", "a", "constant"),
        ("empty", "a", "only 0 samples; at least 8 are needed"),
        ("few", "a", "only 5 samples; at least 8 are needed"),
        ("less", "a", "known in only 100 of 300 samples"),
    )


def test_half_a_metric_is_compared_where_it_is_known() -> None:
    half = STEP.copy()
    half[:150] = np.nan
    (found,) = rank(TARGET, [series("half", half)]).ranked
    assert found.scores["pearson"] > 0.9


@pytest.mark.parametrize("intervals", [[(8, 22)], [(8, 12), (18, 22)]])
def test_parts_of_the_target_alone(intervals: list[tuple[float, float]]) -> None:
    outside = np.where((AT > 5) & (AT < 25), STEP, 100 * noise())
    found = rank(TARGET, [*metrics(), series("there", outside)], intervals=intervals, by="pearson")
    assert {each.metric for each in found.ranked[:2]} == {"cause", "there"}
    whole = rank(TARGET, [*metrics(), series("there", outside)], by="pearson")
    assert {each.metric for each in whole.ranked[-2:]} == {"there", "noise"}
    assert all(any(start <= at <= end for start, end in intervals) for at, _ in found.pattern)


def test_a_lag_is_found() -> None:
    ahead = np.interp(AT + 1.5, AT, STEP)
    found = rank(TARGET, [series("ahead", ahead + 0.1 * noise()), series("cause", STEP + 0.1 * noise())])
    lags = {each.metric: each.lag for each in found.ranked}
    assert lags["ahead"] == pytest.approx(1.5, abs=0.1)
    assert lags["cause"] == 0


def test_a_drawn_pattern_decides() -> None:
    found = rank(TARGET, [series("ramp", AT), series("cause", STEP)], pattern=[(0, 0), (30, 3)], by="mlp")
    assert [each.metric for each in found.ranked] == ["ramp", "cause"]
    assert found.ranked[0].scores["mlp"] == pytest.approx(1)


def test_metrics_of_another_length_are_means_over_the_target_s_samples() -> None:
    fine = np.arange(3000) / 100
    (found,) = rank(TARGET, [series("fine", np.interp(fine, AT, STEP), times=fine)]).ranked
    assert found.scores["pearson"] > 0.98


def test_long_targets_are_warped_as_means_and_that_is_said() -> None:
    times = np.arange(2500.0)
    values = np.where(times < 1000, 1.0, 2.0)
    found = rank(series("long", values, times=times), [series("same", values, times=times)])
    assert found.notes == ("dtw: 2500 samples were averaged to 2000 values before warping",)
    assert found.ranked[0].scores["dtw"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("target", "intervals", "message"),
    [
        (series("flat", np.ones(COUNT)), [], r"expected a target that varies, found flat \(constant\)"),
        (series("few", AT[:5], times=AT[:5]), [], r"expected a target that varies, found few \(only 5 samples"),
        (TARGET, [(40, 50)], r"expected intervals with samples of speed, .*-0.1 to 29.9 s, found 40:50"),
    ],
)
def test_a_target_that_cannot_be_compared(
    target: Series, intervals: Sequence[tuple[float, float]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        rank(target, metrics(), intervals=intervals)


def test_the_same_data_give_the_same_ranking() -> None:
    given = metrics()
    assert rank(TARGET, given).ranked == rank(TARGET, given).ranked
    backwards = rank(TARGET, given[::-1])
    assert [each.metric for each in backwards.ranked] == [each.metric for each in rank(TARGET, given).ranked]
