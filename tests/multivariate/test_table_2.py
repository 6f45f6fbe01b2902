"""Paper 003, Table 2: results equal those of scipy and scikit-learn."""

import numpy as np
import pytest

from autoanalyzer.multivariate.correlation import correlation
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.pca import pca


def test_correlations_are_scipys(table_2):
    from scipy import stats  # noqa: PLC0415 - takes a second of each worker of pytest

    found = correlation(table_2).matrix
    expected = [[stats.pearsonr(a, b).statistic for b in table_2.values.T] for a in table_2.values.T]
    assert np.abs(found - expected).max() < 1e-10


def test_f_ratios_are_scipys_and_scikit_learns(table_2):
    from scipy import stats  # noqa: PLC0415 - takes a second of each worker of pytest
    from sklearn.feature_selection import f_classif  # noqa: PLC0415 - takes a second of each worker of pytest

    found = kmeans(table_2, clusters=2).partition
    sides = [table_2.values[found.labels == each] for each in range(2)]
    # scikit-learn subtracts squares of sums, so without centring, only eight digits of a small ratio would remain.
    centred = f_classif(table_2.values - table_2.values.mean(axis=0), found.labels)[0]
    for expected in (stats.f_oneway(*sides).statistic, centred):
        assert np.abs(found.f_ratios / expected - 1).max() < 1e-10


def test_components_are_scikit_learns(table_2):
    from sklearn.decomposition import PCA  # noqa: PLC0415 - takes a second of each worker of pytest
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    found = pca(table_2, clusters=2)
    data = StandardScaler().fit_transform(table_2.values)
    expected = PCA().fit(data)
    assert np.abs(found.explained - expected.explained_variance_ratio_).max() < 1e-10
    signs = np.sign((found.components * expected.components_).sum(axis=1))
    sure = expected.explained_variance_ratio_ > 1e-12
    assert np.abs(found.components - signs[:, None] * expected.components_)[sure].max() < 1e-10
    assert np.abs(found.scores - signs * expected.transform(data))[:, sure].max() < 1e-10


def test_the_instances_part_by_their_divisions(table_2):
    best = kmeans(table_2, clusters=2).partition
    assert best.labels.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert table_2.metrics[best.by_f_ratio[0]] == "fp_divisions"


def test_metrics_that_say_the_same_are_grouped(table_2):
    found = {group.representative: group.members for group in correlation(table_2).groups}
    matrix = correlation(table_2).matrix
    for members in found.values():
        rows = [table_2.metrics.index(name) for name in members]
        assert np.abs(matrix[np.ix_(rows, rows)]).min() >= 0.95
    assert sorted(name for members in found.values() for name in members) == sorted(table_2.metrics)


@pytest.mark.parametrize("scale", ["standard", "mean"])
def test_correlations_do_not_depend_on_units(table_2, scale):
    assert np.allclose(np.corrcoef(table_2.scaled(scale), rowvar=False), correlation(table_2).matrix)
