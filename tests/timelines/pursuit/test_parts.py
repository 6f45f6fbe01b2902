"""Few ranks: the window's samples are divided into parts, which are the points; parts of one rank are dependent."""

import numpy as np
import pytest

from autoanalyzer.experiment.trace import Samples
from autoanalyzer.multivariate.metric_space import Point
from autoanalyzer.timelines.pursuit import Options, Period, PursuitOverTime, smoothed
from autoanalyzer.timelines.pursuit.rotation import Turning
from autoanalyzer.timelines.pursuit.window import Window

RANKS, SAMPLES, METRICS = 12, 8, 12  # the paper's example: four seconds, two samples per second
ALL_KINDS = {"level": 1.0, "keeps": 0.5, "common": 3.0}


def course(seed: int, *, level: float = 0.0, keeps: float = 0.0, common: float = 0.0) -> np.ndarray:
    """Draw ``[rank, sample, metric]``: autocorrelated normal noise, plus a level per rank and a common course."""
    drawn = np.random.default_rng([77, seed])
    noise = drawn.standard_normal((RANKS, SAMPLES + 30, METRICS))
    for number in range(1, noise.shape[1]):
        noise[:, number] = keeps * noise[:, number - 1] + np.sqrt(1 - keeps**2) * noise[:, number]
    levels = level * drawn.standard_normal((RANKS, 1, METRICS))
    return 100 + noise[:, -SAMPLES:] + levels + common * drawn.standard_normal((1, SAMPLES, METRICS))


def samples_of(values: np.ndarray) -> Samples:
    ranks, count, metrics = values.shape
    return Samples(
        tuple(f"m{each}" for each in range(metrics)),
        ("",) * metrics,
        [(each, 0) for each in range(ranks)],
        np.repeat(np.arange(count) / 2, ranks),
        np.tile(np.arange(ranks), count),
        values.transpose(1, 0, 2).reshape(-1, metrics),
    )


def pursued(values: np.ndarray, seed: int = 0, **options) -> tuple[Period, PursuitOverTime]:
    samples = samples_of(values)
    state = PursuitOverTime(Options(seed=seed, **options))
    (period,) = state.of_windows([Window(0.0, 4.0, samples, len(samples.times))])
    return period, state


@pytest.mark.parametrize("seeds", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("ranks", [1, 3, 4, 6])
@pytest.mark.parametrize("size", [10, 5])
@pytest.mark.by_day(ranks=[1, 6], size=[5])
def test_in_the_papers_setting_the_metric_of_ranks_that_differ_is_selected(ranks, size, seeds):
    for seed in range(seeds):
        values = course(seed)
        values[:ranks, :, 3] += size
        period, state = pursued(values, seed)
        assert (period.status, period.found.metrics[0]) == ("converged", "m3")
        assert "m3" in state.selected
        assert (period.found.locations, period.found.points) == (12, 96)


@pytest.mark.parametrize("seeds", [2, pytest.param(100, marks=[pytest.mark.nightly, pytest.mark.timeout(1200)])])
@pytest.mark.parametrize(
    "noise",
    [{}, {"level": 1.0}, {"level": 5.0}, {"keeps": 0.9}, ALL_KINDS],
    ids=["independent samples", "levels", "far levels", "samples that keep", "levels, keeping, common"],
)
@pytest.mark.by_day(noise=[{}, ALL_KINDS])
def test_normal_noise_is_no_structure_whatever_samples_of_a_rank_have_in_common(noise, seeds):
    worth = sum(pursued(course(seed, **noise), seed)[0].found.worth for seed in range(seeds))
    assert worth <= max(1, 0.05 * seeds + 2 * np.sqrt(0.05 * 0.95 * seeds))  # two standard errors of such a count


def test_enough_ranks_are_not_divided_and_a_sample_a_rank_cannot_be():
    drawn = np.random.default_rng(0)
    assert pursued(drawn.standard_normal((24, 8, 12)))[0].found.points == 24
    few, _ = pursued(drawn.standard_normal((12, 1, 12)))
    assert (few.status, few.found.points) == ("too-few", 12)


def test_parts_are_as_many_as_give_eight_points_a_metric():
    drawn = np.random.default_rng(0)
    assert pursued(drawn.standard_normal((12, 40, 12)))[0].found.points == 96
    assert pursued(drawn.standard_normal((12, 40, 7)))[0].found.points == 60


def test_what_all_ranks_do_from_part_to_part_makes_no_difference():
    values = course(3)
    one = pursued(values)[0].found
    values = values + 50 * np.sin(np.arange(SAMPLES))[:, None]
    moved = pursued(values)[0].found
    assert moved.index == pytest.approx(one.index, rel=1e-6)
    assert moved.camps.index == pytest.approx(one.camps.index, rel=1e-6)


@pytest.mark.parametrize("trimming", ["none", "remove", "log", "sqrt"])
def test_parts_can_be_trimmed(trimming):
    values = course(0)
    values[4, 2, 5] += 60
    period, _ = pursued(values, trimming=trimming)
    assert period.found.locations in (11, 12)
    assert period.status in ("converged", "no-structure")


def test_parts_are_means_of_as_many_samples_each_of_those_that_are_there():
    values = np.arange(20.0).reshape(2, 5, 2)
    values[0, 1, 0] = values[1, :, 1] = np.nan
    points, columns = smoothed(samples_of(values), 2)
    assert points == [Point(0, 0, 0), Point(0, 0, 1), Point(1, 0, 0), Point(1, 0, 1)]
    assert columns["m0"] == pytest.approx([2, 7, 11, 16])
    assert columns["m1"][:2] == pytest.approx([2, 7])
    assert np.isnan(columns["m1"][2:]).all()


def test_fewer_samples_than_parts_stand_for_several():
    points, columns = smoothed(samples_of(np.array([[[1.0], [5.0]]])), 4)
    assert len(points) == 4
    assert columns["m0"].tolist() == [1, 1, 5, 5]


def test_turning_ranks_keeps_all_that_their_samples_have_in_common():
    values = course(0, level=2.0, common=1.0)
    scaled = values.reshape(-1, METRICS)
    points = [Point(rank, 0, part) for rank in range(RANKS) for part in range(SAMPLES)]
    turned = Turning(scaled, points).drawn(np.random.default_rng(0)).reshape(values.shape)
    assert not np.allclose(turned, values)
    one, other = (each.reshape(RANKS, -1) for each in (values, turned))
    assert other.mean(axis=0) == pytest.approx(one.mean(axis=0))
    assert np.cov(other.T) == pytest.approx(np.cov(one.T), abs=1e-9)


def test_a_part_that_is_missing_stays_so():
    values = course(1)
    points = [Point(rank, 0, part) for rank in range(RANKS) for part in range(SAMPLES)]
    kept = [row for row in range(len(points)) if row != 17]
    turned = Turning(values.reshape(-1, METRICS)[kept], [points[row] for row in kept]).drawn(np.random.default_rng(0))
    assert turned.shape == (95, METRICS)
    assert np.isfinite(turned).all()
