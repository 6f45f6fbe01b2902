import numpy as np
import pytest

from autoanalyzer.analyze.run.compute_time import noise_of_times


@pytest.mark.parametrize("regions", [4, 5, 8, 20])
def test_noise_is_as_large_as_it_is_however_few_the_regions(regions):
    times = 1 + 0.02 * np.random.default_rng(1).standard_normal((regions, 2000))
    assert noise_of_times(times) == pytest.approx(0.02, rel=0.12)


def test_noise_does_not_depend_on_how_ranks_are_numbered():
    chance = np.random.default_rng(2)
    times = 1 + 0.01 * chance.standard_normal((6, 8))
    times[:2, ::2] *= 1.5  # a fault on every second rank
    found = noise_of_times(times)
    assert found == pytest.approx(0.01, rel=0.5)
    for _ in range(10):
        assert noise_of_times(times[:, chance.permutation(8)]) == found


def test_ranks_of_equal_times_in_all_are_told_apart_whatever_their_numbers():
    times = np.array([[1.0, 2, 1, 2], [2, 1, 2, 1], [1, 1.1, 1, 1.1], [1, 1, 1, 1], [1, 1, 1, 1]])
    assert {noise_of_times(times[:, order]) for order in ([0, 1, 2, 3], [0, 2, 1, 3], [3, 0, 1, 2])} == {0.0}


def test_ranks_of_two_programs_are_not_taken_for_noise_however_they_are_numbered():
    times = 1 + 0.01 * np.random.default_rng(3).standard_normal((12, 16))
    times[:6, 8:] = times[6:, :8] = 0.0
    for order in (np.arange(16), np.arange(16).reshape(2, 8).T.ravel()):
        assert noise_of_times(times[:, order]) == pytest.approx(0.01, rel=0.6)
