from itertools import pairwise

import numpy as np
import pytest

from autoanalyzer.timelines.pursuit import Options, PursuitOverTime, index_of, pursue
from autoanalyzer.timelines.pursuit.index import index
from autoanalyzer.timelines.pursuit.points import outlying, sphered, trimmed
from autoanalyzer.timelines.pursuit.ranking import varimax
from autoanalyzer.timelines.pursuit.search import search
from autoanalyzer.view.pursuit import pursuit_report

FEW, MANY = 4, 100  # numbers of seeds


def outlying_ranks(count: int, seed: int) -> np.ndarray:
    """Return 64 normally distributed ranks with 12 metrics; some are eight deviations away in one metric, m5."""
    drawn = np.random.default_rng([count, seed])
    values = 100 + drawn.standard_normal((64, 12))
    values[drawn.choice(64, count, replace=False), 5] += 8
    return values


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_metric_in_which_a_few_ranks_lie_far_out_is_named(make_space, count, seeds):
    found = [pursue(make_space(outlying_ranks(count, seed)), seed=seed) for seed in range(seeds)]
    assert sum("m5" in each.metrics for each in found) >= 0.95 * seeds - (seeds == FEW)
    assert sum(each.ranking[0].metric == "m5" for each in found) >= 0.9 * seeds - (seeds == FEW)


@pytest.mark.parametrize("seeds", [2 * FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("size", [(64, 12), (24, 12), (300, 5), (40, 3)], ids=str)
def test_normal_points_have_no_structure(make_space, size, seeds):
    spaces = [make_space(np.random.default_rng([*size, seed]).standard_normal(size)) for seed in range(seeds)]
    found = [pursue(each, seed=seed).status for seed, each in enumerate(spaces)]
    assert found.count("no-structure") >= 0.9 * seeds - (seeds < MANY)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_fewer_than_two_points_a_metric_are_too_few(make_space, dimensions):
    drawn = np.random.default_rng(0)
    few = pursue(make_space(drawn.standard_normal((23, 12))), dimensions=dimensions)
    assert (few.status, len(few.metrics)) == ("too-few", 3)
    assert "23 locations for 12 metrics, but 24 are needed" in few.reason
    assert pursue(make_space(drawn.standard_normal((24, 12))), dimensions=dimensions).status != "too-few"


@pytest.mark.parametrize("points", [2, 3])
def test_without_a_fourth_k_statistic_metrics_come_by_how_much_they_differ(make_space, points):
    values = np.ones((points, 4))
    values[0] = [1.1, 3, 0, 2]
    found = pursue(make_space(values))
    assert (found.status, found.metrics) == ("too-few", ("m2", "m1", "m3"))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_all_metrics_are_ranked_once_in_rounds_of_an_index_that_falls_but_for_the_luck_of_the_search(
    make_space, dimensions
):
    found = pursue(make_space(outlying_ranks(2, 0)), dimensions=dimensions)
    assert sorted(each.metric for each in found.ranking) == sorted(found.space.metrics)
    rounds = [each.index for each in found.ranking][::dimensions]
    assert all(later <= 1.5 * before for before, later in pairwise(rounds))
    assert found.ranking[0].metric == "m5"


def test_two_metrics_in_which_different_ranks_lie_out_are_both_named(make_space):
    values = outlying_ranks(1, 3)
    values[[8, 9], 2] -= 9
    assert {each.metric for each in pursue(make_space(values)).ranking[:2]} == {"m2", "m5"}


@pytest.mark.parametrize("starts", [1, 5, 96])
def test_as_many_starts_are_followed_as_is_said_and_more_find_no_less(make_space, starts):
    space = make_space(np.random.default_rng(0).standard_normal((64, 12)))
    found = pursue(space, starts=starts)
    assert found.followed == max(1, starts // 4)
    assert pursue(space, starts=8 * starts).index >= found.index


def test_the_same_seed_gives_the_same_result(make_space):
    space = make_space(np.random.default_rng(0).standard_normal((30, 6)))
    assert pursue(space, seed=5).ranking == pursue(space, seed=5).ranking


def test_units_and_origins_do_not_matter(make_space):
    values = outlying_ranks(2, 1)
    scale = 10.0 ** np.arange(-6, 6)
    one, other = pursue(make_space(values)), pursue(make_space(values * scale + 3 * scale))
    assert other.metrics == one.metrics
    assert other.index == pytest.approx(one.index, rel=1e-6)


def test_a_metric_that_is_there_twice_changes_no_index(make_space):
    values = outlying_ranks(2, 1)
    one, other = pursue(make_space(values)), pursue(make_space(np.hstack([values, 7 * values[:, 5:6] - 1])))
    assert other.view.rank == one.view.rank == 12
    assert other.index == pytest.approx(one.index, rel=1e-6)
    assert other.ranking[0].metric in ("m5", "m12")


def test_sphered_points_have_unit_covariance_and_axes_near_the_metrics():
    drawn = np.random.default_rng(0)
    values = drawn.standard_normal((50, 4)) @ np.array([[1, 0.6, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    sphere = sphered(scaled)
    assert np.cov(sphere.values, rowvar=False) == pytest.approx(np.eye(4), abs=1e-12)
    near = np.corrcoef((sphere.values @ sphere.axes.T).T, scaled.T)[:4, 4:]
    assert (near.argmax(axis=1) == np.arange(4)).all()
    assert (np.diag(near) > 0.9).all()


def test_the_search_finds_the_best_plane_of_a_fine_grid(make_space):
    y = sphered(make_space(outlying_ranks(2, 0)[:, 4:7]).scaled()).values
    angles = np.linspace(0, np.pi, 361)
    tilts, turns = (each.ravel() for each in np.meshgrid(angles, angles))
    grid = np.array([np.sin(tilts) * np.cos(turns), np.sin(tilts) * np.sin(turns), np.cos(tilts)])
    best = max(index(y @ axis[:, None]) for axis in grid.T[::7])
    assert search(y, 1).index >= 0.999 * best


def test_of_very_many_points_a_sample_leads_to_the_maximum_of_all(make_space):
    values = np.random.default_rng(0).standard_normal((20_000, 5))
    values[[7, 13_000, 19_999], 3] += 30
    found = pursue(make_space(values), seed=1)
    assert (found.ranking[0].metric, found.status) == ("m3", "converged")
    assert {7, 13_000, 19_999} <= set(np.argsort(-np.abs(found.view.points[:, 0]))[:3]) | set(found.outliers)


def test_of_very_many_points_those_far_out_in_the_projection_are_drawn(make_space):
    drawn = np.random.default_rng(0)
    values = drawn.standard_normal((6000, 4))
    values[:, 0] = values[:, 1] + 0.02 * drawn.standard_normal(6000)
    values[3002, 0] = values[3002, 1] + 1  # neither the largest nor the smallest in any metric
    state = PursuitOverTime(Options())
    period = state.of_space(make_space(values), 1.0, 6000)
    *_, projection, best = pursuit_report([period], state).pictures()
    (points,) = projection.marks[0].series
    assert "3002" in points.labels
    assert sum(label != "" for label in points.labels) == 8
    said = f"{len(points.x)} of 6000 locations are drawn."
    assert said in projection.sentences
    assert said in best.sentences


def test_varimax_finds_the_axes_that_a_rotation_hid():
    simple = np.array([[1, 0], [0.8, 0], [0, 0.9], [0, 0.5]])
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    found = np.abs(simple @ turn @ varimax(simple @ turn))
    assert found[:, np.argsort(-found[0])] == pytest.approx(simple, abs=1e-6)


def test_varimax_leaves_axes_that_halve_the_angle_between_metrics():
    halved = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    assert np.sort(np.abs(halved @ varimax(halved)), axis=None) == pytest.approx([0, 0, 1, 1], abs=1e-9)


@pytest.mark.parametrize("seeds", [4 * FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_of_two_metrics_each_has_an_axis_and_the_one_with_an_outlying_rank_comes_first(make_space, seeds):
    for seed in range(seeds):
        values = np.random.default_rng(seed).standard_normal((32, 2))
        values[5, 1] += 8
        found = pursue(make_space(values), seed=seed)
        assert found.metrics == ("m1", "m0")
        assert np.sort(np.abs(found.view.loadings), axis=None) == pytest.approx([0, 0, 1, 1], abs=0.1)


@pytest.mark.parametrize("seeds", [2 * FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_of_five_metrics_the_one_without_an_outlying_rank_comes_last(make_space, seeds):
    wrong = 0
    for seed in range(seeds):
        values = np.random.default_rng(seed).standard_normal((32, 5))
        values[[1, 2, 3, 4], [0, 1, 2, 3]] += [14, 12, 10, 7]
        wrong += pursue(make_space(values), seed=seed).ranking[-1].metric != "m4"
    assert wrong <= 0.05 * seeds


def test_trimming_moves_a_far_point_by_the_papers_rules(make_space):
    values = np.random.default_rng(0).standard_normal((40, 2))
    values[7] += 100
    space = make_space(values)
    distance = outlying(space.scaled())
    assert np.flatnonzero(distance > 1).tolist() == [7]
    middle = np.median(values, axis=0)
    for how, to in (("log", 1 + np.log(distance[7])), ("sqrt", 3 - 2 / np.sqrt(distance[7]))):
        moved = trimmed(space, distance, how).values
        assert moved[7] - middle == pytest.approx((values[7] - middle) * to / distance[7])
        assert np.delete(moved, 7, axis=0) == pytest.approx(np.delete(values, 7, axis=0))
    assert len(trimmed(space, distance, "remove").points) == 39
    assert trimmed(space, distance, "none") is space


@pytest.mark.parametrize("how", ["none", "remove", "log", "sqrt"])
def test_outliers_are_named_whatever_is_done_to_them(make_space, how):
    values = outlying_ranks(1, 0)
    values[9] += 50
    assert 9 in pursue(make_space(values), trimming=how).outliers


def test_three_metrics_alone_have_one_index(make_space):
    space = make_space(outlying_ranks(3, 0))
    assert index_of(space, ("m5", "m1", "m2")) == pytest.approx(pursue(space.along(("m1", "m2", "m5"))).index)
