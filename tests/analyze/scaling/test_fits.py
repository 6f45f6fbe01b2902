"""Counts of ranks in grids: which models fit, and what cannot be predicted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from autoanalyzer.analyze.scaling.fits import Counted, fits, grids_shown
from autoanalyzer.analyze.scaling.grids import GRIDS, dimensions

PerRank = Callable[[int], Sequence[float]]


def counted(ranks: Sequence[int], per_rank: PerRank, known: tuple[int, ...] = ()) -> Counted:
    values = [np.array(per_rank(each), dtype=np.float64) for each in ranks]
    mean, least, most = (np.array([join(each) for each in values]) for join in (np.mean, np.min, np.max))
    return Counted(tuple(ranks), mean, least, most, GRIDS, known)


def in_grid(number: int, ways: int, *, face: float = 1.0, neighbour: float = 0.0, own: float = 0.0) -> PerRank:
    """Return the data per rank in a grid: ``face`` times a face's area per neighbour, plus constant parts."""

    def per_rank(ranks: int) -> list[float]:
        sizes, found = dimensions(ranks, number), []
        for place in np.ndindex(*sizes):
            neighbours = [(at < size - 1) + (ways == 2) * (at > 0) for at, size in zip(place, sizes, strict=True)]
            areas = [face * size / ranks + neighbour for size in sizes]
            found.append(own + sum(n * area for n, area in zip(neighbours, areas, strict=True)))
        return found

    return per_rank


def alike(amount: Callable[[int], float]) -> PerRank:
    return lambda ranks: [amount(ranks)] * ranks


def test_grids_are_those_of_mpi() -> None:
    assert [dimensions(each, 2) for each in (1, 2, 6, 8, 12, 16, 7)] == [
        (1, 1), (2, 1), (3, 2), (4, 2), (4, 3), (4, 4), (7, 1)
    ]  # fmt: skip
    assert [dimensions(each, 3) for each in (2, 8, 12, 14, 16, 36)] == [
        (2, 1, 1), (2, 2, 2), (3, 2, 2), (7, 2, 1), (4, 2, 2), (4, 3, 3)
    ]  # fmt: skip


@pytest.mark.parametrize("ranks", [(2, 4, 8), (1, 2, 4, 8), (2, 4, 8, 16)])
@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("number", GRIDS)
@pytest.mark.parametrize("parts", [{}, {"neighbour": 0.2}, {"own": 0.3}])
def test_messages_across_the_cuts_of_a_grid_are_predicted(
    ranks: tuple[int, ...], ways: int, number: int, parts: dict[str, float]
) -> None:
    per_rank, larger = in_grid(number, ways, **parts), 2 * ranks[-1]
    given = counted(ranks, per_rank)
    found = fits(given)
    assert found or (parts and not given.differs)  # in 2 x 2 x 2, all ranks are at corners
    for each in found:
        assert each.at(larger) == pytest.approx(np.mean(per_rank(larger)), rel=0.03)


def test_messages_of_a_grid_are_not_taken_for_constant_ones() -> None:
    # As in LU of NPB: with 2, 4 and 8 ranks, the bytes per rank are the same, but with 16 they are not.
    grid = counted((2, 4, 8), in_grid(2, 2))
    assert grid.mean.tolist() == [1, 1, 1]
    assert (fits(grid)[0].grid, fits(grid)[0].at(16), grids_shown(grid)) == (2, pytest.approx(0.75), {2})
    ring = counted((2, 4, 8), alike(lambda _: 1.0))
    assert (fits(ring)[0].grid, fits(ring)[0].at(16), grids_shown(ring)) == (0, pytest.approx(1), set())
    # Edges with smaller faces, as on a mesh without its boundary.
    uneven = {2: [1.0] * 2, 4: [1.0] * 4, 8: [0.7, 1.3, 1.3, 0.7] * 2}
    assert {round(each.at(16), 3) for each in fits(counted((2, 4, 8), uneven.__getitem__))} == {0.75}


def test_loops_over_a_dimension_are_modelled_in_a_known_grid() -> None:
    rows = counted((2, 4, 8), alike(lambda ranks: 12 / dimensions(ranks, 2)[1]), known=(2,))
    assert [dict(each.terms) for each in fits(rows)] == [{"1/p2 in 2-D": pytest.approx(12)}]
    assert not fits(counted((2, 4, 8), alike(lambda ranks: 12 / dimensions(ranks, 2)[1])))


def test_several_models_that_fit_are_all_returned() -> None:
    # 1, 2 and 3 neighbours: in a hypercube, or in a grid of 2 x 2 x 2.
    found = fits(counted((2, 4, 8), alike(np.log2)))
    assert sorted(each.grid for each in found) == [0, 3]
    assert {round(each.at(16), 3) for each in found} == {4, 3.5}
    # As in CG of NPB: if all ranks are alike, they show no grid, and two of its terms may fit any values.
    assert not fits(counted((2, 4, 8), alike({2: 4206000, 4: 4206000, 8: 3162000}.__getitem__)))
    # Two terms come near any three values.
    assert not fits(counted((2, 4, 8), alike({2: 1.2, 4: 1.4, 8: 1.35}.__getitem__)))
    # In a 3-D grid, the first dimension of 2, 4 and 8 ranks is 2, that of 16 is 4.
    assert len({round(each.at(16), 3) for each in fits(counted((2, 4, 8), alike(lambda _: 6.0), known=(3,)))}) > 1


def test_a_count_that_is_0_on_one_rank_is_modelled_without_this_run() -> None:
    def ring(ranks: int) -> list[float]:
        return [5.0 * (ranks > 1)] * ranks

    assert [dict(each.terms) for each in fits(counted((1, 2, 4, 8), ring))] == [{"1": pytest.approx(5)}]
    assert not fits(counted((1, 2), ring))
    assert not fits(counted((2, 4, 8), lambda ranks: [5.0 * (ranks > 2)] * ranks))


def test_ranks_that_differ_irregularly_have_a_model_only_if_the_total_stays_the_same() -> None:
    shares = {2: [0.9, 1.1], 4: [0.5, 1.2, 1.1, 1.2], 8: [0.2, 0.8, 1.4, 0.6, 1.9, 1.1, 1.3, 0.7]}
    assert not fits(counted((2, 4, 8), shares.__getitem__))
    divided = fits(counted((2, 4, 8), lambda ranks: [each / ranks for each in shares[ranks]]))
    assert [dict(each.terms) for each in divided] == [{"1/P": pytest.approx(1)}]
    root = fits(counted((1, 2, 4, 8), lambda ranks: [float(ranks), *[0.0] * (ranks - 1)]))
    assert root[0].at(16) == pytest.approx(1)


def test_two_terms_of_a_known_grid_must_be_exact_at_three_sizes() -> None:
    drawn, accepted = np.random.default_rng(1), 0
    for _ in range(100):
        values = 1e6 * np.cumprod([1.0, *drawn.uniform(0.3, 1.2, 2)])
        at = dict(zip((2, 4, 8), values.tolist(), strict=True))
        found = fits(counted((2, 4, 8), lambda ranks, at=at: [at[ranks]] * ranks, known=(2,)))
        accepted += any(len(each.terms) == 2 for each in found)
    assert accepted <= 8
