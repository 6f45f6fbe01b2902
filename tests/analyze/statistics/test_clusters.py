import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree
from sklearn.metrics import silhouette_score

from autoanalyzer.analyze.statistics import LINKAGES, grid_of, hierarchy, kmeans, membership
from autoanalyzer.analyze.statistics.partition import numbered, silhouette
from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Builder


def _groups(make_space, sizes, *, metrics=4, seed=0):
    drawn = np.random.default_rng(seed)
    centres = np.repeat(np.arange(len(sizes)) * 10.0, sizes)
    return make_space({f"m{each}": centres + drawn.standard_normal(len(centres)) for each in range(metrics)})


@pytest.mark.parametrize("method", LINKAGES)
def test_every_linkage_finds_groups_that_are_far_apart(make_space, method):
    found = hierarchy(_groups(make_space, [7, 6, 12]), method=method)
    assert [len(rows) for rows in found.partition.members] == [7, 6, 12]
    assert (found.suggested, found.drop > 1.5) == (True, True)


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_a_cut_leaves_as_many_clusters_as_are_wanted_and_scipys(make_space, method, count):
    found = hierarchy(_groups(make_space, [20], seed=count), method=method, clusters=count)
    assert found.partition.count == count
    if method in ("centroid", "median"):
        return  # scipy's cut_tree wants heights that never fall
    assert found.partition.labels.tolist() == numbered(cut_tree(found.merges, count)[:, 0]).tolist()


def test_equal_points_are_one_cluster_at_height_0(make_space):
    found = hierarchy(make_space({"a": [1, 1, 5, 5], "b": [2, 2, 3, 3]}))
    assert found.partition.labels.tolist() == [0, 0, 1, 1]
    assert found.partition.f_ratios.tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("criterion", ["silhouette", "calinski-harabasz", "davies-bouldin"])
def test_each_criterion_chooses_as_many_clusters_as_there_are(make_space, criterion):
    found = kmeans(_groups(make_space, [8, 9, 10]), criterion=criterion)
    assert found.partition.labels.tolist() == [0] * 8 + [1] * 9 + [2] * 10
    assert list(found.scores) == list(range(2, 11))


def test_no_more_clusters_than_different_points(make_space):
    space = make_space({"a": [1, 1, 1, 5, 5, 9]})
    assert kmeans(space).partition.count <= 3
    with pytest.raises(UsageError, match="clusters from 2 to 3 wanted"):
        kmeans(space, clusters=4)


def test_silhouettes_are_scikit_learns_and_of_many_points_near_to_them(make_space):
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
    with pytest.raises(UsageError, match="6 places, a rank each, wanted, found 8; try 2x3"):
        grid_of(made.experiment(), [2, 4])


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
