"""Each correlator compared with the paper's examples, other implementations, and invariants (section 5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autoanalyzer.multivariate.ranks import ranks
from autoanalyzer.timelines.correlators import segmented
from autoanalyzer.timelines.correlators.scores import (
    best_lag,
    best_splits,
    euclidean,
    manhattan,
    normalised,
    pearson,
    same_splits,
    signed_pearson,
    spearman,
    warping,
)

SEQUENCES = arrays(np.float64, 12, elements=st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
OF_ORDER_OR_VALUES = (pearson, spearman, euclidean, manhattan, warping)

LINE = np.arange(1.0, 7.0)
POWERS = 10.0 ** np.arange(1, 7)


def test_spearman_sees_what_is_not_linear() -> None:
    assert spearman(LINE, POWERS) == pytest.approx(1)
    assert pearson(LINE, POWERS) == pytest.approx(0.7, abs=0.05)


def test_spearman_takes_noise_for_growth() -> None:
    assert spearman(np.array([1000.0, 1002, 1003]), np.array([1.0, 100, 1000])) == pytest.approx(1)


def test_ranks_of_the_paper() -> None:
    assert ranks(np.array([10.0, 15, 9])).tolist() == [2, 3, 1]


@pytest.mark.parametrize("other", [[0, 0, 100, 0], [0, 100, 100, 0]])
def test_warping_sees_what_is_later_or_longer(other: list[float]) -> None:
    x, y = np.array([0.0, 100, 0, 0]), np.array(other, dtype=float)
    assert warping(x, x) == 1
    assert warping(x, y) > manhattan(x, y)


@given(SEQUENCES, SEQUENCES)
def test_second_implementations_agree(x: np.ndarray, y: np.ndarray) -> None:
    from scipy.spatial.distance import cityblock  # noqa: PLC0415 - takes half a second of each worker of pytest
    from scipy.spatial.distance import euclidean as straight  # noqa: PLC0415
    from scipy.stats import pearsonr, spearmanr  # noqa: PLC0415

    assume(np.ptp(x) >= 1e-3)
    assume(np.ptp(y) >= 1e-3)
    assert signed_pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(abs(spearmanr(x, y).statistic), abs=1e-9)
    a, b = normalised(x), normalised(y)
    assert euclidean(x, y) == pytest.approx(1 / (1 + min(straight(a, b), straight(a, -b))), rel=1e-9)
    assert manhattan(x, y) == pytest.approx(1 / (1 + min(cityblock(a, b), cityblock(a, -b))), rel=1e-9)


@given(SEQUENCES, SEQUENCES)
def test_scores_are_from_0_to_1_whatever_the_unit_and_the_sign(x: np.ndarray, y: np.ndarray) -> None:
    assume(np.ptp(x) >= 1)
    assume(np.ptp(y) >= 1)
    for score in OF_ORDER_OR_VALUES:
        found = score(x, y)
        assert 0 <= found <= 1
        assert score(x, -1000 * y + 7) == pytest.approx(found, abs=1e-6)
        assert score(x, x) == pytest.approx(1, abs=1e-6)


@given(SEQUENCES)
def test_what_is_constant_goes_with_nothing(x: np.ndarray) -> None:
    flat = np.full(len(x), 3.0)
    for score in (pearson, spearman):
        assert score(x, flat) == 0
    for score in (euclidean, manhattan, warping):
        assert np.isfinite(score(x, flat))


# Figures 6 to 8: the target falls and rises; one metric does so at the same time, another one later.
TIMES = np.arange(40.0)
TARGET = np.abs(TIMES - 12.5)
SAME = 5 - 0.1 * np.abs(TIMES - 12.5)
LATER = np.abs(TIMES - 26.5)


def test_same_splits_fit_what_bends_where_the_target_does() -> None:
    lines = segmented(TIMES, TARGET, 2)
    assert same_splits(lines, TIMES, SAME) == pytest.approx(1, abs=1e-6)
    assert same_splits(lines, TIMES, LATER) < 0.5


def test_best_splits_tell_how_far_boundaries_are_apart() -> None:
    mine, same, later = (segmented(TIMES, values, 2) for values in (TARGET, SAME, LATER))
    assert best_splits(mine, same, TIMES) == 1
    assert best_splits(mine, later, TIMES) == pytest.approx(1 / (1 + 14), rel=0.1)


def test_best_splits_without_a_boundary_are_as_far_as_can_be() -> None:
    mine, none = segmented(TIMES, TARGET, 2), segmented(TIMES, TARGET, 1)
    assert best_splits(mine, none, TIMES) == pytest.approx(1 / (1 + 39))


@pytest.mark.parametrize("seed", range(60))
def test_the_best_lag_is_that_of_all_lags_whose_overlap_has_the_largest_coefficient(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    walk, lag = np.cumsum(drawn.standard_normal(80)), int(drawn.integers(-5, 6))
    x, y = walk[10:70], walk[10 + lag : 70 + lag] + 0.3 * drawn.standard_normal(60)
    lags = range(-6, 7)
    found = [pearson(x[max(each, 0) : 60 + each], y[max(-each, 0) : 60 - each]) for each in lags]
    best = int(np.argmax(found))
    assert best_lag(x, y) == (lags[best] if found[best] > found[6] + 0.05 else 0)
