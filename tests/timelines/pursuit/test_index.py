from itertools import product

import numpy as np
import pytest

from autoanalyzer.timelines.pursuit.index import index, index_and_gradient, tangent


def sphered(points: int, metrics: int, seed: int = 0) -> np.ndarray:
    """Draw skewed points without correlation."""
    data = np.random.default_rng(seed).gamma(2.0, size=(points, metrics))
    left, _, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    return left * np.sqrt(points - 1)


def frame(rank: int, dimensions: int, seed: int = 0) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((rank, dimensions)))[0]


def directly(z: np.ndarray) -> float:
    """Sum all entries of both tensors of k-statistics, each computed by its definition."""
    points, dimensions = z.shape
    axes = range(dimensions)
    covariance = z.T @ z / (points - 1)
    third = fourth = 0.0
    for a, b, c in product(axes, repeat=3):
        third += (points / ((points - 1) * (points - 2)) * (z[:, a] * z[:, b] * z[:, c]).sum()) ** 2
    for a, b, c, d in product(axes, repeat=4):
        mean = (z[:, a] * z[:, b] * z[:, c] * z[:, d]).mean()
        second = covariance * (points - 1) / points
        pairs = second[a, b] * second[c, d] + second[a, c] * second[b, d] + second[a, d] * second[b, c]
        scale = points**2 / ((points - 1) * (points - 2) * (points - 3))
        fourth += (scale * ((points + 1) * mean - (points - 1) * pairs)) ** 2
    return (third + fourth / 4) / 12


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("points", [4, 5, 64])
def test_the_index_is_the_sum_over_all_entries_of_the_tensors(points, dimensions):
    z = sphered(points, dimensions)
    assert index(z) == pytest.approx(directly(z), rel=1e-8)
    frames = np.stack([frame(12, dimensions, seed) for seed in range(3)])
    y = sphered(64, 12)
    assert index_and_gradient(y, frames)[0] == pytest.approx([directly(y @ each) for each in frames], rel=1e-8)


def test_in_one_dimension_it_is_made_of_scipys_k_statistics():
    from scipy.stats import kstat  # noqa: PLC0415 - takes half a second of each worker of pytest

    z = sphered(20, 1)
    assert index(z) == pytest.approx((kstat(z, 3) ** 2 + kstat(z, 4) ** 2 / 4) / 12, rel=1e-10)


def test_of_five_points_it_is_what_paper_and_pencil_say():
    # -2, -1, 0, 1, 2 over the root of 5/2: k3 = 0; m2 = 4/5, m4 = 136/125, k4 = 25/24 * (6 * m4 - 12 * m2**2) = -6/5.
    z = np.arange(-2.0, 3.0)[:, None] / np.sqrt(2.5)
    assert index(z) == pytest.approx((6 / 5) ** 2 / 48, rel=1e-12)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_gradient_is_the_slope_along_the_frames(dimensions):
    y = sphered(40, 7)
    frames = frame(7, dimensions)[None]
    _, gradient = index_and_gradient(y, frames)
    for seed in range(5):
        along = tangent(frames, np.random.default_rng(seed).standard_normal(frames.shape))
        step = 1e-6
        ahead, behind = (np.linalg.svd(frames[0] + sign * step * along[0], full_matrices=False) for sign in (1, -1))
        slope = (directly(y @ ahead[0] @ ahead[2]) - directly(y @ behind[0] @ behind[2])) / (2 * step)
        assert (gradient * along).sum() == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_turning_a_projection_does_not_change_its_index(dimensions):
    from scipy.stats import ortho_group  # noqa: PLC0415 - takes half a second of each worker of pytest

    z = sphered(30, dimensions)
    for seed in range(5):
        turn = ortho_group.rvs(dimensions, random_state=seed)
        assert index(z @ turn) == pytest.approx(index(z), rel=1e-10)


def test_normal_points_have_an_index_near_zero():
    drawn = np.random.default_rng(0).standard_normal((200_000, 3))
    left, _, _ = np.linalg.svd(drawn - drawn.mean(axis=0), full_matrices=False)
    assert index(left * np.sqrt(len(left) - 1)) < 1e-3
