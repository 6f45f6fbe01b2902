from math import log

import numpy as np
import pytest

from autoanalyzer.timelines.pursuit import pursue
from autoanalyzer.timelines.pursuit.camps import parting, split
from autoanalyzer.timelines.pursuit.chance import critical_of_metrics, critical_of_projection
from autoanalyzer.timelines.pursuit.points import sphered

FEW, MANY = 3, 20  # numbers of seeds


def parted_ranks(ranks: int, metrics: int, share: float, seed: int) -> np.ndarray:
    """Draw normally distributed ranks; a share of them is shifted by ten deviations in one metric, m3."""
    drawn = np.random.default_rng([ranks, metrics, seed])
    values = 100 + drawn.standard_normal((ranks, metrics))
    values[drawn.choice(ranks, round(share * ranks), replace=False), 3] += 10
    return values


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("share", [1 / 4, 1 / 3, 1 / 2])
@pytest.mark.by_day(share=[1 / 4, 1 / 2])
@pytest.mark.parametrize("size", [(64, 12), (12, 12), (12, 4), (24, 12)], ids=str)
def test_ranks_in_two_camps_are_seen_and_their_metric_comes_first(make_space, size, share, seeds):
    found = [pursue(make_space(parted_ranks(*size, share, seed)), seed=seed) for seed in range(seeds)]
    assert sum(each.status == "converged" and each.camps.worth for each in found) >= 0.95 * seeds
    assert sum(each.camps.metric == "m3" for each in found) >= 0.95 * seeds
    assert sum(each.metrics[0] == "m3" for each in found) >= 0.9 * seeds


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_camps_that_no_metric_shows_alone_are_seen_in_a_projection(make_space, seeds):
    for seed in range(seeds):
        values = np.random.default_rng(seed).standard_normal((64, 12))
        values[:16] += 12 / np.sqrt(12)
        camps = pursue(make_space(values), seed=seed).camps
        assert (camps.worth, camps.alone) == (True, False)
        assert len(set(camps.smaller) ^ set(range(16))) <= 2


@pytest.mark.parametrize("seeds", [12, pytest.param(400, marks=[pytest.mark.nightly, pytest.mark.timeout(1200)])])
@pytest.mark.parametrize("size", [(64, 12), (24, 12), (12, 12), (12, 4), (40, 3)], ids=str)
@pytest.mark.by_day(size=[(64, 12), (12, 12), (40, 3)])
def test_both_indices_together_call_chance_structure_in_five_of_a_hundred(make_space, size, seeds):
    spaces = [make_space(np.random.default_rng([*size, 1, seed]).standard_normal(size)) for seed in range(seeds)]
    worth = sum(pursue(each, seed=seed).worth for seed, each in enumerate(spaces))
    assert worth <= max(1, 0.05 * seeds + 2 * np.sqrt(0.05 * 0.95 * seeds))  # two standard errors of such a count


def test_the_index_is_what_paper_and_pencil_say():
    # Each half of -3, -1, 1, 3 has a variance of 1; all four have a variance of 5.
    found = split(np.array([[3.0, -1.0, 1.0, -3.0], [0.0, 0.0, 0.0, 1.0]]))
    assert found.index[0] == pytest.approx(log(5) / 2 - log(2))
    assert found.upper[0].tolist() == [True, False, True, False]
    assert found.smaller[1].tolist() == [False, False, False, True]
    assert np.isfinite(found.index).all()


def test_scale_and_origin_of_a_line_do_not_matter():
    line = np.random.default_rng(0).standard_normal(30)
    found = split(np.array([line, 7 + 3 * line, -line]))
    assert found.index == pytest.approx(np.full(3, found.index[0]))
    assert (found.smaller == found.smaller[0]).all()


def test_no_direction_of_a_fine_grid_parts_points_better():
    values = np.random.default_rng(3).standard_normal((40, 2))
    values[:13] += [4, 4]
    points = sphered((values - values.mean(axis=0)) / values.std(axis=0)).values
    angles = np.linspace(0, np.pi, 2000)
    best = split(np.array([np.cos(angles), np.sin(angles)]).T @ points.T).index.max()
    assert parting(points).index >= best - 1e-3


def test_of_very_many_points_a_sample_leads_the_way():
    values = np.random.default_rng(0).standard_normal((20_000, 4))
    values[::3] += 4
    points = sphered((values - values.mean(axis=0)) / values.std(axis=0)).values
    found = parting(points)
    assert (found.smaller == (np.arange(20_000) % 3 == 0)).mean() > 0.999


def test_the_limit_of_a_metric_alone_is_that_of_normal_points():
    drawn = np.random.default_rng(0)
    for points in (5, 12, 64, 300):
        found = split(drawn.standard_normal((6000, points))).index
        assert (found > critical_of_metrics(points, 1)).mean() == pytest.approx(0.0125, abs=0.006)
        assert (found > critical_of_metrics(points, 10)).mean() <= 0.003
        assert (found > critical_of_metrics(points, 1, 0.05)).mean() == pytest.approx(0.05, abs=0.012)


def test_limits_fall_with_points_and_rise_with_metrics():
    assert critical_of_projection(64, 12) > critical_of_projection(128, 12) > critical_of_projection(10**6, 12) > 0
    assert critical_of_projection(640, 24) > critical_of_projection(640, 12)
    assert critical_of_metrics(64, 12) > critical_of_metrics(10**6, 12) > 0
