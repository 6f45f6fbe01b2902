import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.multivariate.correlation import correlation
from autoanalyzer.multivariate.pca import pca


@pytest.mark.parametrize("seeds", [6, pytest.param(100, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("sign", [1, -1])
def test_of_weights_that_are_as_large_the_first_is_positive(make_space, sign, seeds):
    for seed in range(seeds):
        first, second = np.random.default_rng(seed).standard_normal((2, 12))
        found = pca(make_space({"a": first, "b": sign * first + second}), clusters=2)
        assert np.abs(found.components) == pytest.approx(np.sqrt(0.5))
        assert (found.components[:, 0] > 0).all()


def test_one_metric_has_neither_correlations_nor_components(make_space):
    space = make_space({"alone": [1, 2, 3, 4]})
    for analysis in (correlation, pca):
        with pytest.raises(InputError, match="need at least two metrics that differ, found only alone"):
            analysis(space)


def test_pairs_that_chance_makes_are_counted(make_space):
    found = [
        correlation(make_space({f"m{each}": values for each, values in enumerate(drawn)}))
        for drawn in np.random.default_rng(0).standard_normal((100, 30, 7))
    ]
    expected = found[0].chance * found[0].pairs
    assert found[0].pairs == 435
    counted = sum(int((np.abs(np.triu(each.matrix, 1)) >= 0.95).sum()) for each in found) / len(found)
    assert counted == pytest.approx(expected, rel=0.3)
