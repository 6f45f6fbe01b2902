from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Builder
from autoanalyzer.multivariate.hierarchy import Linkage, hierarchy
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.membership import grid_of, membership
from autoanalyzer.multivariate.partition import Partition, numbered, recursively, silhouette, variance_ratios


def _groups(make_space, sizes, *, metrics=4, seed=0):
    drawn = np.random.default_rng(seed)
    centres = np.repeat(np.arange(len(sizes)) * 10.0, sizes)
    return make_space({f"m{each}": centres + drawn.standard_normal(len(centres)) for each in range(metrics)})


@pytest.mark.parametrize("method", get_args(Linkage))
def test_every_linkage_finds_groups_that_are_far_apart(make_space, method):
    found = hierarchy(_groups(make_space, [7, 6, 12]), method=method)
    assert [len(rows) for rows in found.partition.members] == [7, 6, 12]
    assert (found.suggested, found.drop > 1.5) == (True, True)


@pytest.mark.parametrize("method", get_args(Linkage))
@pytest.mark.parametrize("count", [1, 2, 5, 20])
@pytest.mark.by_day(count=[1, 5])
def test_a_cut_leaves_as_many_clusters_as_are_wanted(make_space, method, count):
    found = hierarchy(_groups(make_space, [20], seed=count), method=method, clusters=count)
    assert found.partition.count == count


# scipy's cut_tree needs heights that never decrease.
@pytest.mark.parametrize("method", [each for each in get_args(Linkage) if each not in ("centroid", "median")])
@pytest.mark.parametrize("count", [1, 2, 5, 20])
@pytest.mark.by_day(count=[2, 20])
def test_a_cut_leaves_the_clusters_of_scipy(make_space, method, count):
    from scipy.cluster.hierarchy import cut_tree  # noqa: PLC0415 - takes half a second of each worker of pytest

    found = hierarchy(_groups(make_space, [20], seed=count), method=method, clusters=count)
    assert found.partition.labels.tolist() == numbered(cut_tree(found.merges, count)[:, 0]).tolist()


def test_equal_points_are_one_cluster_at_height_0(make_space):
    found = hierarchy(make_space({"a": [1, 1, 5, 5], "b": [2, 2, 3, 3]}))
    assert found.partition.labels.tolist() == [0, 0, 1, 1]
    assert found.partition.f_ratios.tolist() == [np.inf, np.inf]


def _exact_f_ratio(values, labels):
    exact = [Fraction(float(each)) for each in values]
    clusters = [[each for each, own in zip(exact, labels, strict=True) if own == label] for label in set(labels)]
    whole = sum(exact) / len(exact)
    means = [sum(each) / len(each) for each in clusters]
    between = sum(len(each) * (mean - whole) ** 2 for each, mean in zip(clusters, means, strict=True))
    within = sum((value - mean) ** 2 for each, mean in zip(clusters, means, strict=True) for value in each)
    return float(between / (len(clusters) - 1) / (within / (len(exact) - len(clusters))))


@pytest.mark.parametrize("spread", [1e-1, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("size", [1.0, 3e9])
def test_f_ratios_of_nearly_equal_members_are_exact(make_space, spread, size):
    labels = np.repeat([0, 1, 2], [8, 3, 5])
    drawn = np.random.default_rng(3).standard_normal((16, 2))
    space = make_space({f"m{each}": size * (1.0 + 0.3 * labels + spread * drawn[:, each]) for each in range(2)})
    found = Partition.of(space, labels, space.scaled()).f_ratios
    expected = [_exact_f_ratio(column, labels.tolist()) for column in space.values.T]
    assert found == pytest.approx(expected, rel=1e-14 / spread)
    if spread == 1e-1:
        from sklearn.feature_selection import f_classif  # noqa: PLC0415 - takes a second of each worker of pytest
        from sklearn.metrics import calinski_harabasz_score  # noqa: PLC0415

        assert found == pytest.approx(f_classif(space.scaled(), labels)[0], rel=1e-10)
        together = calinski_harabasz_score(space.scaled(), labels)
        assert float(variance_ratios(space.scaled(), labels, together=True)) == pytest.approx(together, rel=1e-10)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.by_day(seed=[*range(5)])
def test_a_metric_whose_members_differ_by_roundings_parts_clusters_best(make_space, seed):
    drawn = np.random.default_rng(seed).standard_normal((16, 2))
    labels = np.repeat([0, 1], 8)
    space = make_space({"noisy": labels + 0.1 * drawn[:, 0], "exact": (1 + 0.3 * labels) * (1 + 2e-16 * drawn[:, 1])})
    found = Partition.of(space, labels, space.scaled())
    assert (found.f_ratios[1], found.by_f_ratio) == (np.inf, [1, 0])


def test_a_cluster_is_told_by_the_metrics_in_which_it_is_apart_itself(make_space):
    labels = np.repeat([0, 1, 2], 10)
    noise = 1e-3 * np.random.default_rng(0).standard_normal((30, 2))
    space = make_space({"first": 1.0 * (labels == 0) + noise[:, 0], "last": 1.0 * (labels == 2) + 9 * noise[:, 1]})
    found = Partition.of(space, labels, space.scaled())
    assert found.by_f_ratio == [0, 1]
    assert [found.by_deviation(each)[0] for each in range(3)] == [0, 0, 1]
    assert Partition.of(space, np.zeros(30), space.scaled()).by_deviation(0) == []


def test_clusters_of_equal_points_are_chosen_by_each_criterion(make_space):
    space = make_space({"x": np.repeat([0, 1, 5], 4), "y": np.repeat([3, 0, 1], 4)})
    for criterion in ("silhouette", "calinski-harabasz", "davies-bouldin"):
        assert kmeans(space, criterion=criterion).partition.count == 3, criterion


def test_points_that_differ_by_roundings_make_fewer_clusters_without_a_word(make_space):
    space = make_space({"a": [0, 1e-200, 1, 1, 1], "b": [0, 0, 1, 1, 1]})
    found = kmeans(space, clusters=3, scale="none").partition
    assert (found.count, found.f_ratios.tolist()) == (2, [np.inf, np.inf])
    assert set(kmeans(space, scale="none").scores) == {2}


@pytest.mark.parametrize("method", get_args(Linkage))
@pytest.mark.by_day(method=["single", "ward"])
def test_a_location_out_of_the_sample_that_is_far_from_all_in_it_is_listed(make_space, method):
    drawn = np.random.default_rng(0)
    values = drawn.standard_normal((10_500, 6))
    values[:, 0] += 8 * np.repeat([0, 1], 5250)
    values[-1] += 20
    found = hierarchy(make_space({f"m{each}": values[:, each] for each in range(6)}), method=method, clusters=2)
    assert 10_499 not in found.sample
    assert found.far.tolist() == [10_499]


def test_a_part_without_a_result_says_why(make_space):
    space = make_space({"a": [1] * 6 + [5] * 5 + [9] * 3, "b": [2] * 6 + [7, 8, 7, 8, 9] + [4] * 3})
    whole = recursively(space, kmeans, lambda _, found: found.partition)
    assert [part.path for part in whole.parts] == [(2,)]
    assert list(whole.without) == [1]
    assert "differs between the 6 locations, found none (a: constant: 1" in whole.without[1]
    assert whole.ended is None
    few = recursively(make_space({"a": [1, 1, 5, 5, 9, 9]}), kmeans, lambda _, found: found.partition)
    assert (few.parts, few.ended) == ((), "no cluster has at least 4 locations")
    noise = make_space({f"m{each}": np.random.default_rng(each).standard_normal(40) for each in range(5)})
    ended = recursively(noise, kmeans, lambda _, found: found.partition).ended
    assert ended.startswith("splitting needs a silhouette of at least 0.5, found 0.")


@pytest.mark.parametrize("criterion", ["silhouette", "calinski-harabasz", "davies-bouldin"])
def test_each_criterion_chooses_as_many_clusters_as_there_are(make_space, criterion):
    found = kmeans(_groups(make_space, [8, 9, 10]), criterion=criterion)
    assert found.partition.labels.tolist() == [0] * 8 + [1] * 9 + [2] * 10
    assert list(found.scores) == list(range(2, 11))


@pytest.mark.parametrize("size", [1, 2, 9])
def test_scores_are_scikit_learns_with_points_alone_and_equal_ones_too(make_space, size):
    from sklearn.metrics import davies_bouldin_score, silhouette_score  # noqa: PLC0415 - takes a second of each worker of pytest

    space = make_space({"a": [0, *range(1, size + 1), 20, 20, 30], "b": [5, *[7] * size, 1, 1, 2]})
    labels = np.array([0, *[1] * size, 2, 2, 3])
    assert silhouette(space.scaled(), labels) == pytest.approx(silhouette_score(space.scaled(), labels))
    given = davies_bouldin_score(space.scaled(), kmeans(space, clusters=3).partition.labels)
    assert kmeans(space, criterion="davies-bouldin").scores[3] == pytest.approx(given)


def test_no_more_clusters_than_different_points(make_space):
    space = make_space({"a": [1, 1, 1, 5, 5, 9]})
    assert kmeans(space).partition.count <= 3
    with pytest.raises(UsageError, match="expected 2 to 3 clusters"):
        kmeans(space, clusters=4)


def test_silhouettes_are_scikit_learns_and_of_many_points_near_to_them(make_space):
    from sklearn.metrics import silhouette_score  # noqa: PLC0415 - takes a second of each worker of pytest

    space = _groups(make_space, [30, 40])
    labels = np.repeat([0, 1], [30, 40])
    assert silhouette(space.scaled(), labels) == pytest.approx(silhouette_score(space.scaled(), labels))
    many = _groups(make_space, [500, 4000])
    labels = np.repeat([0, 1], [500, 4000])
    assert silhouette(many.scaled(), labels) == pytest.approx(silhouette_score(many.scaled(), labels), abs=0.01)


def test_values_of_huge_and_tiny_scales_are_clustered(make_space):
    space = make_space({"huge": [1e300, 1.1e300, 9e300, 9.1e300], "tiny": [1e-300, 1.1e-300, 9e-300, 9.1e-300]})
    assert kmeans(space, clusters=2).partition.labels.tolist() == [0, 0, 1, 1]
    assert hierarchy(space).partition.labels.tolist() == [0, 0, 1, 1]


def test_the_programs_own_grid_is_taken_before_a_guess():
    made = Builder()
    made.metric("visits", "occ")
    made.call_path("main")
    for rank in range(6):
        made.location(rank)
    assert (grid_of(made.experiment()).sizes, grid_of(made.experiment()).source) == ((2, 3), "guess")
    made.topology("ring", [("x", 6, True)], {(rank, 0): (5 - rank,) for rank in range(6)})
    grid = grid_of(made.experiment())
    assert (grid.sizes, grid.source, grid.name, grid.place(0, 3)) == ((6,), "topology", "ring", (5,))
    assert grid_of(made.experiment(), [3, 2]).place(3, 0) == (1, 1)
    with pytest.raises(UsageError, match="expected 6 positions, one per rank, found 8; try 2x3"):
        grid_of(made.experiment(), [2, 4])


def test_a_grid_need_not_have_places_for_ranks_that_are_left_out():
    made = Builder()
    made.metric("visits", "occ")
    made.call_path("main")
    for rank in range(5):
        made.location(rank)
    made.topology("workers", [("", 2, False), ("", 2, False)], {(rank, 0): divmod(rank - 1, 2) for rank in range(1, 5)})
    assert grid_of(made.experiment()).source == "guess"
    assert grid_of(made.experiment(), shown=range(1, 5)).name == "workers"


def test_the_last_columns_of_a_grid_are_named(make_space):
    rows, columns = np.divmod(np.arange(24), 6)
    space = make_space({"idle": np.where(columns >= 4, 2.0, 1.0) + 1e-3 * rows})
    made = Builder()
    made.metric("visits", "occ")
    made.call_path("main")
    for rank in range(24):
        made.location(rank)
    found = membership(hierarchy(space), grid_of(made.experiment(), [4, 6]))
    assert found.words == ("columns 0 to 3", "columns 4 to 5")
