"""Chance clusters and planted clusters: few ranks, a common factor, skewed metrics."""

import numpy as np
import pytest

from autoanalyzer.multivariate.chance import POINTS, Chance, OneKind, _likelihood, against_chance
from autoanalyzer.multivariate.hierarchy import cuts, hierarchy
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.partition import LEVEL, WEAK, recursively
from autoanalyzer.multivariate.pca import pca
from autoanalyzer.view.statistics import hierarchy_report, kmeans_report, nested_report, pca_report


def _space(make_space, values):
    return make_space({f"m{column}": values[:, column] for column in range(values.shape[1])})


def _unrelated(drawn, points, metrics):
    return 100 + drawn.standard_normal((points, metrics))


def _common_factor(drawn, points, metrics):
    return 100 + 3 * drawn.standard_normal((points, 1)) + drawn.standard_normal((points, metrics))


def _exponential(drawn, points, metrics):
    return drawn.exponential(size=(points, metrics))


def _lognormal(drawn, points, metrics):
    return np.exp(drawn.standard_normal((points, metrics)))


def _groups(drawn, points, metrics, *, told=None, places=(0, 10)):
    """Plant groups of equal size in the first metrics; positions are in standard deviations of the noise."""
    values = _unrelated(drawn, points, metrics)
    values[:, : told or metrics] += np.array(places)[np.arange(points) * len(places) // points][:, None]
    return values


def _lone(drawn, points, metrics, *, told):
    values = _unrelated(drawn, points, metrics)
    values[0, :told] += 10
    return values


def _called_clusters(make_space, make, seeds, *shape, **options):
    """Count how often k-means, and how often the tree, report clusters."""
    means = trees = 0
    for seed in seeds:
        space = _space(make_space, make(np.random.default_rng(seed), *shape, **options))
        for report in (kmeans_report(kmeans(space)), hierarchy_report(hierarchy(space))):
            said = "one group" not in " ".join(report.sentences)
            means, trees = means + said * (report.document["analysis"] == "kmeans"), trees + said
    return means, trees - means


HUNDRED = pytest.param(range(100), marks=pytest.mark.nightly, id="100")


@pytest.mark.parametrize("seeds", [pytest.param(range(2), id="2"), HUNDRED])
@pytest.mark.parametrize("make", [_unrelated, _common_factor])
def test_8_ranks_of_one_kind_are_called_clusters_in_at_most_5_of_100(make_space, make, seeds):
    means, trees = _called_clusters(make_space, make, seeds, 8, 6)
    assert max(means, trees) <= len(seeds) / 20


@pytest.mark.nightly
@pytest.mark.parametrize("make", [_unrelated, _common_factor, _exponential, _lognormal])
@pytest.mark.parametrize("shape", [(4, 3), (8, 6), (12, 12), (16, 4), (64, 10), (300, 5)])
def test_points_of_one_kind_are_called_clusters_in_at_most_5_of_100(make_space, make, shape):
    means, trees = _called_clusters(make_space, make, range(100), *shape)
    assert max(means, trees) <= 5


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.by_day(seed=[0])
@pytest.mark.parametrize("told", [5, 6])
def test_half_of_8_ranks_apart_in_most_metrics_are_found(make_space, told, seed):
    space = _space(make_space, _groups(np.random.default_rng(seed), 8, 6, told=told))
    assert kmeans(space, clusters=2, seed=seed).partition.labels.tolist() == [0] * 4 + [1] * 4
    assert "one group" not in " ".join(kmeans_report(kmeans(space, seed=seed)).sentences)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "options", "least"),
    [
        (_groups, {"told": 3}, 60),
        (_groups, {"told": 4}, 95),
        (_groups, {"told": 6}, 100),
        (_groups, {"places": (0, 5, 15)}, 65),
        (_lone, {"told": 3}, 90),
    ],
)
def test_planted_groups_of_8_ranks_are_told_from_chance(make_space, make, options, least):
    found = 0
    for seed in range(100):
        space = _space(make_space, make(np.random.default_rng(seed), 8, 6, **options))
        found += not kmeans(space).partition.by_chance
    assert found >= least


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.by_day(seed=[0])
@pytest.mark.parametrize("size", [9, 15, 36])
def test_three_groups_are_found_where_two_and_three_clusters_have_nearly_the_same_silhouette(make_space, size, seed):
    space = _space(make_space, _groups(np.random.default_rng(seed), size, 6, places=(0, 5, 15)))
    found = kmeans(space)
    assert abs(found.scores[2] - found.scores[3]) < 0.15
    assert found.partition.labels.tolist() == np.repeat([0, 1, 2], size // 3).tolist()


def test_a_tie_that_the_gap_statistic_decided_is_told(make_space):
    spaces = [_space(make_space, _groups(np.random.default_rng(seed), 16, 6, places=(0, 5, 15))) for seed in range(9)]
    found = next(found for found in map(kmeans, spaces) if found.scores[2] > found.scores[3])
    assert "; 2 clusters scored 0." in kmeans_report(found).sentences[0]
    assert kmeans_report(found).sentences[0].endswith(", so the gap statistic decided).")
    clear = kmeans_report(kmeans(_space(make_space, _groups(np.random.default_rng(0), 16, 6))))
    assert "gap statistic" not in clear.sentences[0]


def test_metrics_over_hundreds_of_orders_of_magnitude_are_compared_with_chance(make_space):
    odd = np.arange(8) % 2
    space = make_space({"a": np.where(odd, 1.0, 3e300), "b": np.random.default_rng(0).standard_normal(8)})
    for found in (kmeans(space), hierarchy(space, clusters=3)):
        assert 0 < found.partition.chance <= 1


@pytest.fixture
def noise(make_space):
    """Return 8 ranks and 6 metrics that vary together, and have clusters with silhouettes above 0.25."""
    return _space(make_space, _common_factor(np.random.default_rng(0), 8, 6))


def test_clusters_that_may_be_chance_are_said_to_be_that_by_each_analysis(noise):
    found = kmeans(noise), pca(noise), hierarchy(noise, clusters=2)  # only the last two clusters are requested
    assert min(each.partition.silhouette for each in found) > WEAK
    reports = kmeans_report(found[0]), pca_report(found[1]), hierarchy_report(found[2])
    for report in reports:
        assert report.document["chance"] > LEVEL
        assert not any("separates them best" in each for each in report.sentences)
        said = report.sentences[0]
        assert said.startswith("The clusters may be due to chance: in ")
        assert said.endswith(
            " of 100 simulations, 8 locations of a single group looked just as clustered (the limit is 2.5). Treat them"
            " as one group, or add runs (stats --sample)."
        )
    tables = [[table.title.partition(" of ")[0] for table in each.tables] for each in reports]
    assert ["Clusters" in each for each in tables] == [False, False, True]


def test_components_are_coloured_by_clusters_that_are_no_chance_or_wanted(noise, make_space):
    names = [
        [series.name for series in pca_report(found).pictures()[0].marks[0].series]
        for found in (
            pca(noise),
            pca(noise, clusters=2),
            pca(_space(make_space, np.repeat([[1, 2], [5, 7]], 4, axis=0))),
        )
    ]
    assert names[0] == ["locations"]
    assert [len(each) for each in names] == [1, 2, 2]


def test_chance_is_not_analysed_further(make_space):
    drawn = np.random.default_rng(0)
    values = [100 + 3 * drawn.standard_normal((40, 1)) + 0.3 * drawn.standard_normal((40, 4)) for _ in range(9)]
    found = (recursively(_space(make_space, each), kmeans, lambda _, found: found.partition) for each in values)
    whole = next(each for each in found if each.result.partition.silhouette > 0.5 and each.result.partition.by_chance)
    assert whole.parts == ()
    said = nested_report(whole, kmeans_report).sentences[-1]
    assert " of 100 cases (the limit is 2.5)" in said


def test_two_locations_are_too_few_for_clusters(make_space):
    space = make_space({"a": [1.0, 2.0], "b": [5.0, 3.0]})
    for report in (kmeans_report(kmeans(space)), hierarchy_report(hierarchy(space))):
        assert report.sentences[-1] == "2 locations are too few for clusters: the table shows how they differ."


def test_equal_halves_are_as_rare_as_can_be_told():
    values = np.repeat([[1.0, 5.0], [2.0, 3.0]], 4, axis=0)
    found = against_chance(values, {2: np.repeat([0, 1], 4)}, cuts)
    assert found.likelihood == 0.005
    assert found == against_chance(values, {2: np.repeat([0, 1], 4)}, cuts)
    assert found != against_chance(values, {2: np.repeat([0, 1], 4)}, cuts, seed=1)


def test_what_is_rarest_by_one_of_two_statistics_is_as_rare_as_what_is_so_by_the_other():
    """Of four sets, the first has the largest silhouette, and the second the widest gap; so two of four are as rare."""
    silhouettes, logarithms = np.array([[0.9], [0.1], [0.5], [0.0]]), np.array([[0.0], [-2.0], [-1.0], [0.5]])
    assert _likelihood(silhouettes, logarithms) == 0.5
    assert _likelihood(silhouettes[::-1], logarithms[::-1]) == 1


@pytest.mark.parametrize("count", [1, 12, 40])
def test_one_cluster_one_a_point_and_very_many_are_not_compared(count):
    values = np.random.default_rng(0).standard_normal((12 if count < 40 else 200, 3))
    assert against_chance(values, {count: np.arange(len(values)) % count}, cuts) is None


def test_of_more_points_than_are_simulated_the_same_is_said(make_space):
    drawn = np.random.default_rng(0)
    assert kmeans(_space(make_space, _groups(drawn, 2 * POINTS, 5))).partition.chance == 0.005
    assert kmeans(_space(make_space, _common_factor(drawn, 2 * POINTS, 5))).partition.by_chance


@pytest.mark.parametrize(("more", "enough"), [(1.3, 2), (1.31, 3)])
def test_one_more_cluster_must_widen_the_gap_by_more_than_its_error(more, enough):
    found = Chance(0.01, {}, {2: 1.0, 3: more, 4: 1.5}, {2: 9.0, 3: 0.3, 4: 0.25})
    assert found.enough == enough


def test_no_number_of_clusters_is_enough_where_the_gap_widens_to_the_end():
    assert Chance(0.01, {}, {2: 1.0, 3: 2.0}, {2: 0.1, 3: 0.1}).enough is None


def test_two_points_of_one_kind_are_the_two_themselves():
    values = np.array([[1.0, -4.0], [3.0, -10.0]])
    drawn = OneKind.like(values).draw(np.random.default_rng(0), 2)
    assert sorted(drawn.tolist()) == [pytest.approx([1, -4]), pytest.approx([3, -10])]


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (200, 3)])
def test_points_of_one_kind_have_the_mean_and_the_covariance_of_those_given(shape):
    values = np.random.default_rng(1).standard_normal(shape) @ np.diag(np.arange(1.0, shape[1] + 1)) - 50
    drawn = OneKind.like(values).draw(np.random.default_rng(2), len(values))
    assert drawn.mean(axis=0) == pytest.approx(values.mean(axis=0))
    assert np.cov(drawn.T) == pytest.approx(np.cov(values.T), abs=1e-9)
    assert np.abs(drawn - values).max() > 0.1


def test_a_few_of_many_points_have_about_their_covariance():
    values = np.random.default_rng(1).standard_normal((5000, 2)) @ np.array([[1.0, 0.9], [0.0, 0.4]]) - 50
    drawn = OneKind.like(values).draw(np.random.default_rng(2), POINTS)
    assert np.cov(drawn.T, bias=True) == pytest.approx(np.cov(values.T), rel=1e-3)


def test_a_skewed_metric_is_raised_to_the_power_that_makes_it_normal():
    drawn = np.random.default_rng(0).standard_normal(2000)
    powers = {0.0: np.exp(drawn), 0.5: (5 + drawn) ** 2, 1.0: 9 + drawn}
    found = OneKind.like(np.stack([*powers.values(), -np.exp(drawn)], axis=1))
    assert found.powers.tolist() == [*powers, 1.0]


def test_huge_and_tiny_metrics_are_drawn_as_they_are():
    values = np.stack([1e300 * (2 + np.arange(8.0)), 1e-300 * (2 + np.arange(8.0)) ** 2], axis=1)
    drawn = OneKind.like(values).draw(np.random.default_rng(0), 8) / np.abs(values).max(axis=0)
    assert np.isfinite(drawn).all()
    assert np.abs(drawn).max() < 10
    assert np.corrcoef(drawn.T)[0, 1] > 0.9
